"""What a run tells while it goes on: one line per event, the same on screen and in `--json`."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

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
]


class Tokens(BaseModel):
    """Tokens in and out."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, populate_by_name=True)

    input: int = Field(0, alias="in")
    output: int = Field(0, alias="out")


class Event(BaseModel):
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
        path: The file that was written.
        message: Text for a person.
    """

    model_config = ConfigDict(frozen=True)

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


Listener = Callable[[Event], None]
"""Whoever wants to hear events: the screen, `--json`, a file."""


class EventStream:
    """Numbers and stamps the events of one run and hands them to the listeners.

    Args:
        run: Id of the run.
        listeners: Called in order with every event.
        now: The clock; a test passes its own.
    """

    def __init__(
        self,
        run: str,
        listeners: tuple[Listener, ...] = (),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.run = run
        self._listeners = listeners
        self._now = now
        self._seq = 0

    def emit(self, event: EventName, **fields: object) -> None:
        """Tell the listeners; `fields` are those of `Event`."""
        self._seq += 1
        told = Event.model_validate(
            {"ts": self._now(), "run": self.run, "seq": self._seq, "event": event, **fields}
        )
        for listener in self._listeners:
            listener(told)
