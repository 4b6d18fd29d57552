"""What a run reports while it goes on: one line per event, the same on screen and in `--json`."""

from datetime import datetime
from typing import Any, Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

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
