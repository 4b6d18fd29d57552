"""What a run reports of its calls, their replies, waits and caps; no word of a prompt or a reply."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from libriscribe2.llm.budget import MONEY
from libriscribe2.llm.options import CallRecord
from libriscribe2.llm.retries import Wait
from libriscribe2.observe.events import EventStream
from libriscribe2.project.dumps import DumpRecord
from libriscribe2.wording import price

_CHAPTER: Final = re.compile(r"ch(\d+)")


def tell_call(events: EventStream, call: CallRecord) -> None:
    """One answered request; the event waits for the dump of its reply (`tell_dump`)."""
    completion, paid = call.completion, not call.replayed
    usage, asked = completion.usage, call.request.model
    events.hold(
        call.request.key(),
        "llm.call",
        **_place(call.request.step),
        agent=call.agent,
        attempt=call.request.attempt,
        calls=int(paid),
        tokens={
            "in": usage.input_tokens * paid,
            "out": usage.output_tokens * paid,
            "cached": usage.cached_tokens * paid,
            "reasoning": usage.reasoning_tokens * paid,
        },
        cost_usd=completion.cost_usd if paid else 0.0,
        cost_source=_cost_source(call),
        seconds=completion.seconds * paid,
        model=completion.model or asked,
        asked=asked if completion.model not in {"", asked} else "",
        finish_reason=completion.finish_reason or "",
        reason="replayed from the journal" if call.replayed else "",
    )


def tell_dump(events: EventStream, record: DumpRecord, name: str) -> None:
    """What came of a reply: its call with the state, then why it was refused or what was mended.

    Args:
        events: The run's events.
        record: The attempt.
        name: Name of its dump.
    """
    repairs = tuple(dict.fromkeys(repair["name"] for repair in record.repairs))
    found = {"issues": tuple(record.formatting_issues), "repairs": repairs, "call_file": name}
    mended = "repaired" if record.formatting_issues or repairs else "clean"
    status = "refused" if record.feedback else mended
    events.complete(record.key, status=status, **found)
    about = {
        **_place(record.step),
        "agent": record.agent_name,
        "attempt": record.attempt,
        "model": record.model,
        **found,
    }
    if status == "refused":
        events.emit("validation.failed", **about, errors=error_facts(record.validation_errors))
    elif status == "repaired":
        events.emit("repair.applied", **about)


def tell_wait(events: EventStream, wait: Wait) -> None:
    """One wait before the same payload leaves again, as an event."""
    events.emit("llm.wait", seconds=wait.seconds, reason=wait.kind, message=wait.message)


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


MOST: Final = 20
"""Errors of one reply that are named; its dump has all."""

LONGEST: Final = 200
"""Characters of one."""

_ITEM: Final = "- "
_VALUE: Final = " (it was "
_QUOTED: Final = re.compile(r"[`'\"].*[`'\"]", re.DOTALL)
_SENTENCE_END: Final = re.compile(r"[.!?](?:\s|$)|:\s")


def error_facts(feedback: Sequence[str]) -> tuple[str, ...]:
    """What the lines of a feedback complain of.

    Args:
        feedback: The lines that the model was told: wrong fields as a list, or a sentence.
    """
    fields = [line.removeprefix(_ITEM) for line in feedback if line.startswith(_ITEM)]
    found = fields or [_SENTENCE_END.split(line)[0] for line in feedback[:1]]
    return tuple(_unquoted(one.partition(_VALUE)[0])[:LONGEST] for one in found[:MOST])


def _unquoted(text: str) -> str:
    """The text without what stands between its first quotation mark and its last."""
    return " ".join(_QUOTED.sub("…", text).split())


WARN_FROM: Final = 0.8
"""The part of a cap from which on the run tells of it."""


class BudgetWatch:
    """Tells once per cap of a run that most of it is used.

    Args:
        events: Where it is told.
        used: What is used and what is allowed, by the cap's name (`Budget.used`).
    """

    def __init__(
        self, events: EventStream, used: Callable[[], Mapping[str, tuple[float, float]]]
    ) -> None:
        self._events = events
        self._used = used
        self._told: set[str] = set()

    def look(self) -> None:
        """Compare what is used with the caps."""
        for cap, (used, allowed) in self._used().items():
            if cap in self._told or used < WARN_FROM * allowed:
                continue
            self._told.add(cap)
            message = f"{_amount(cap, used)} of {_amount(cap, allowed)} is used ({cap})"
            self._events.emit("budget.warn", cap=cap, used=used, allowed=allowed, message=message)


def _amount(cap: str, value: float) -> str:
    """An amount of what a cap counts."""
    return price(value) if cap == MONEY else f"{round(value, 1):g}"
