"""The outbox of a run: whoever does something puts it in, whoever runs it takes events out.

No event holds a word of a prompt or a reply: a feedback quotes what the model wrote, an event names
the field and the rule.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from libriscribe2.llm.call_records import CallRecord, CallReport, DumpWritten, Piece
from libriscribe2.llm.limits.budget import MONEY, Budget
from libriscribe2.llm.limits.retries import Wait
from libriscribe2.observe.events import Event, EventName
from libriscribe2.project.dumps import DumpRecord
from libriscribe2.wording import price

WARN_FROM: Final = 0.8
"""The part of a cap from which on the run warns of it."""

MOST_ERRORS: Final = 20
"""Errors of one reply that are named; its dump has all."""

LONGEST_ERROR: Final = 200
"""Characters of one."""

_CHAPTER: Final = re.compile(r"ch(\d+)")
_ITEM: Final = "- "
_VALUE: Final = " (it was "
_QUOTED: Final = re.compile(r"[`'\"].*[`'\"]", re.DOTALL)
_SENTENCE_END: Final = re.compile(r"[.!?](?:\s|$)|:\s")


@dataclass(frozen=True, slots=True)
class _Pending:
    """An event of a call that waits for the dump of its reply."""

    key: str
    fields: Mapping[str, object]


class RunEvents:
    """What happens in one run, numbered and stamped as it happens, in the order in which it does.

    Args:
        run: Id of the run.
        budget: The caps whose use is watched.
        now: The clock; a test passes its own.
    """

    def __init__(
        self,
        run: str,
        budget: Budget | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.run = run
        self._budget = budget if budget is not None else Budget()
        self._now = now
        self._seq = 0
        self._warned: set[str] = set()
        self._pending: _Pending | None = None
        self._items: list[Event | Piece] = []
        self._arrived = asyncio.Event()

    def put(self, item: CallReport) -> None:
        """Take what a call reports (`llm.call_records.Outbox`)."""
        match item:
            case CallRecord():
                self._warn_of_caps()
                self._release()
                self._pending = _Pending(item.request.key(), _call_fields(item))
            case DumpWritten(record, name):
                self._put_dump(record, name)
            case Wait():
                self.emit("llm.wait", seconds=item.seconds, reason=item.kind, message=item.message)
            case Piece():
                self._add(item)

    def emit(self, event: EventName, **fields: object) -> None:
        """Report an event; `fields` are those of `Event`."""
        self._release()
        self._stamp(event, fields)

    def take(self) -> list[Event | Piece]:
        """What has happened since the last time, oldest first."""
        items, self._items = self._items, []
        self._arrived.clear()
        return items

    async def arrived(self) -> None:
        """Wait until there is something to take, or until `wake`."""
        await self._arrived.wait()

    def wake(self, _ended: object = None) -> None:
        """End the wait for something to take; also a callback of tasks that end."""
        self._arrived.set()

    def _put_dump(self, record: DumpRecord, name: str) -> None:
        """What came of a reply: its call with the state, then why it was refused or repaired."""
        repairs = tuple(dict.fromkeys(repair["name"] for repair in record.repairs))
        reading = {"issues": tuple(record.formatting_issues), "repairs": repairs, "call_file": name}
        status = "repaired" if record.formatting_issues or repairs else "clean"
        if record.feedback:
            status = "refused"
        if self._pending is not None and self._pending.key == record.key:
            self._release({"status": status, **reading})
        about = {
            **_place(record.step),
            "agent": record.agent_name,
            "attempt": record.attempt,
            "model": record.model,
            **reading,
        }
        if status == "refused":
            self.emit("validation.failed", **about, errors=error_facts(record.validation_errors))
        elif status == "repaired":
            self.emit("repair.applied", **about)

    def _warn_of_caps(self) -> None:
        """Warn once per cap that most of it is used."""
        for cap, (used, allowed) in self._budget.used().items():
            if cap in self._warned or used < WARN_FROM * allowed:
                continue
            self._warned.add(cap)
            message = f"{_amount(cap, used)} of {_amount(cap, allowed)} is used ({cap})"
            self.emit("budget.warn", cap=cap, used=used, allowed=allowed, message=message)

    def _release(self, more: Mapping[str, object] | None = None) -> None:
        """Stamp the event that waits for its dump, if there is one: no other may pass it."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._stamp("llm.call", {**pending.fields, **(more or {})})

    def _stamp(self, event: EventName, fields: Mapping[str, object]) -> None:
        self._seq += 1
        about = {"ts": self._now(), "run": self.run, "seq": self._seq, "event": event}
        self._add(Event.model_validate({**about, **fields}))

    def _add(self, item: Event | Piece) -> None:
        self._items.append(item)
        self._arrived.set()


def error_facts(feedback: Sequence[str]) -> tuple[str, ...]:
    """What the lines of a feedback complain of, without a word of the reply.

    Args:
        feedback: The lines that the model was told: wrong fields as a list, or a sentence.
    """
    fields = [line.removeprefix(_ITEM) for line in feedback if line.startswith(_ITEM)]
    complaints = fields or [_SENTENCE_END.split(line)[0] for line in feedback[:1]]
    return tuple(
        _unquoted(one.partition(_VALUE)[0])[:LONGEST_ERROR] for one in complaints[:MOST_ERRORS]
    )


def _call_fields(call: CallRecord) -> dict[str, object]:
    """What an event says of an answered request."""
    completion, paid = call.completion, not call.replayed
    usage, asked = completion.usage, call.request.model
    return {
        **_place(call.request.step),
        "agent": call.agent,
        "attempt": call.request.attempt,
        "calls": int(paid),
        "tokens": {
            "in": usage.input_tokens * paid,
            "out": usage.output_tokens * paid,
            "cached": usage.cached_tokens * paid,
            "reasoning": usage.reasoning_tokens * paid,
        },
        "cost_usd": completion.cost_usd if paid else 0.0,
        "cost_source": _cost_source(call),
        "seconds": completion.seconds * paid,
        "model": completion.model or asked,
        "asked": asked if completion.model not in {"", asked} else "",
        "finish_reason": completion.finish_reason or "",
        "reason": "replayed from the journal" if call.replayed else "",
    }


def _cost_source(call: CallRecord) -> str:
    """Who says what a call cost."""
    if call.replayed:
        return "journal"
    return "unknown" if call.completion.cost_usd is None else "provider"


def _place(step: str) -> dict[str, Any]:
    """The stage and chapter of a step such as `chapters/ch03/scene02`."""
    stage, _, rest = step.partition("/")
    chapter = _CHAPTER.fullmatch(rest.partition("/")[0])
    return {"stage": stage, "chapter": int(chapter[1]) if chapter else None, "unit": step}


def _unquoted(text: str) -> str:
    """The text without what stands between its first quotation mark and its last."""
    return " ".join(_QUOTED.sub("…", text).split())


def _amount(cap: str, value: float) -> str:
    """An amount of what a cap counts."""
    return price(value) if cap == MONEY else f"{round(value, 1):g}"
