"""What a run reports while it goes on: one line per event, the same on screen and in `--json`.

Whoever does something puts an event into the outbox, whoever runs it takes events out. No event
holds a word of a prompt or a reply: a feedback quotes what the model wrote, an event names the field
and the rule.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from libriscribe2.llm.call_records import CallRecord, CallReport, DumpWritten, Piece
from libriscribe2.llm.limits.budget import MONEY, Budget
from libriscribe2.llm.limits.retries import Wait
from libriscribe2.project.records import DumpRecord
from libriscribe2.wording import price

EventName = Literal[
    "run.start",
    "run.end",
    "run.failed",
    "run.interrupted",
    "stage.start",
    "stage.skipped",
    "stage.end",
    "stage.failed",
    "llm.call",
    "llm.wait",
    "validation.failed",
    "repair.applied",
    "file.written",
    "journal.replaced",
    "budget.warn",
    "budget.stop",
    "export.done",
]

_WHERE_THEY_SAY_SOMETHING: Final = frozenset({
    *("cached", "reasoning"),
    *("agent", "attempt", "asked", "finish_reason", "status", "cost_source", "call_file"),
    *("issues", "repairs", "errors", "sha", "size", "files", "cap", "used", "allowed"),
})  # fmt: skip
"""Fields that stand in a line only where they are not empty; the others always do."""


class _Record(BaseModel):
    """A shape whose lines leave out what most of them have no word for."""

    model_config = ConfigDict(frozen=True)

    @model_serializer(mode="wrap")
    def _line(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = whole(self)
        return {
            name: value
            for name, value in fields.items()
            if value or name not in _WHERE_THEY_SAY_SOMETHING
        }


class Tokens(_Record):
    """Tokens in and out; of those in, how many came from a cache, of those out, were thoughts."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, populate_by_name=True)

    input: int = Field(0, alias="in")
    output: int = Field(0, alias="out")
    cached: int = 0
    reasoning: int = 0


class Event(_Record):
    """One thing that happened in a run.

    Attributes:
        v: Format version of the line.
        ts: UTC time.
        run: Id of the run.
        seq: Counts from 1 within the run.
        event: What happened.
        stage: The stage, such as `outline`.
        chapter: Chapter number where the unit belongs to one.
        unit: The unit, such as `chapters/03.md`.
        reason: Why a stage runs or is skipped.
        words: Words written by the unit, or in the book at the end of a run.
        calls: Requests that were sent (replays do not count).
        tokens: Tokens used.
        cost_usd: Cost in US dollars; None is unknown, never 0.
        seconds: Wall time.
        model: The model that answered.
        path: The file that was written, or the folder of an export.
        message: Text for a person.
        agent: Class name of the agent that asked.
        attempt: 1 for the first request of a conversation.
        asked: The model that was asked, where another name answered.
        finish_reason: Why the model stopped.
        status: How a reply could be used: `clean`, `repaired` or `refused`; of a failure, the
            name of its kind (`LibriScribeError.slug`).
        cost_source: Who named the cost of a call: `provider` (or the price list in its place),
            `journal` for a replay, `unknown`.
        call_file: Name of the call's debug dump.
        issues: Labels of what stood around or in a reply and should not; of an export, the
            chapters that are not in it.
        repairs: Names of the changes that made JSON of a reply.
        errors: Why a reply was refused, or which formats could not be made.
        sha: Hash of the file's content.
        size: Bytes of the file.
        files: Names of the files that were made.
        cap: The setting that caps what is spent, such as `max_cost`.
        used: How much of the cap is used, in dollars, calls or minutes.
        allowed: The cap.
    """

    v: int = 1
    ts: datetime
    run: str
    seq: int
    event: EventName
    stage: str = ""
    chapter: int | None = None
    unit: str = ""
    reason: str = ""
    words: int = 0
    calls: int = 0
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    seconds: float = 0.0
    model: str = ""
    path: str = ""
    message: str = ""
    agent: str = ""
    attempt: int = 0
    asked: str = ""
    finish_reason: str = ""
    status: str = ""
    cost_source: str = ""
    call_file: str = ""
    issues: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    sha: str = ""
    size: int = 0
    files: tuple[str, ...] = ()
    cap: str = ""
    used: float = 0.0
    allowed: float = 0.0


class EventConsumer(Protocol):
    """Whoever reads the events of a run: the screen, `--json`, a file, a trace."""

    def receive(self, event: Event) -> None:
        """Take the next event."""
        ...


class EventList(list[Event]):
    """Keeps every event, oldest first."""

    def receive(self, event: Event) -> None:
        """Take the next event."""
        self.append(event)


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
