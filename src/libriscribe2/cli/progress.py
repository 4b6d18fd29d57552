"""How far a run is: a fold of its events, and the lines that show it on a terminal."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final

from libriscribe2.observe.events import Event, EventName
from libriscribe2.project.paths import CHAPTER_FILES
from libriscribe2.wording import cost, counted, duration, one_line

_TEXT_SHOWN: Final = 70
"""How much of the text that is being written is shown, in characters."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What has happened so far.

    Attributes:
        open_units: The start events of the units under way, by unit.
        done: How many units each stage has behind it, made or skipped.
        words: Words of the chapters that were written.
        calls: Requests sent.
        tokens: Tokens used, in and out.
        known_usd: Cost of the requests whose price is known.
        unpriced: Requests whose price is unknown.
        waiting: What is waited for, or "".
        step: The step whose text is followed while it is written, or "".
        arriving: The end of that text.
    """

    open_units: Mapping[tuple[str, str], Event] = field(default_factory=dict)
    done: Mapping[str, int] = field(default_factory=dict)
    words: int = 0
    calls: int = 0
    tokens: int = 0
    known_usd: float = 0.0
    unpriced: int = 0
    waiting: str = ""
    step: str = ""
    arriving: str = ""

    def after(self, event: Event) -> "Progress":
        """The progress once `event` has happened."""
        match event.event:
            case "stage.start":
                return replace(self, open_units={**self.open_units, _key(event): event})
            case "stage.end" | "stage.skipped" | "stage.failed":
                return self._closed(event)
            case "llm.call":
                return self._with_call(event)
            case "llm.wait":
                return replace(self, waiting=wait_line(event), step="", arriving="")
            case _:
                return self

    def with_piece(self, step: str, piece: str) -> "Progress":
        """A piece of text has come.

        Of several texts that are written at once the first is followed to its end.
        """
        if self.step not in ("", step):
            return self
        return replace(self, step=step, arriving=(self.arriving + piece)[-_TEXT_SHOWN:])

    def reason(self, event: Event) -> str:
        """Why the unit of `event` runs, or "" where it is not under way."""
        start = self.open_units.get(_key(event))
        return start.reason if start is not None else ""

    def lines(self, seconds: float) -> tuple[str, ...]:
        """The lines of a live display `seconds` after the start.

        Open stages, then what is waited for, the end of the text that is coming, the totals.
        """
        parts = (
            counted(self.words, "word"),
            counted(self.calls, "call"),
            counted(self.tokens, "token"),
            self._cost(),
            duration(seconds),
        )
        lines = (*self._stages(), self.waiting, self.arriving, " · ".join(parts))
        return tuple(one_line(line) for line in lines if line.strip())

    def _closed(self, event: Event) -> "Progress":
        """The unit is behind us, unless it failed."""
        rest = {key: start for key, start in self.open_units.items() if key != _key(event)}
        passed = 0 if event.event == "stage.failed" else 1
        done = {**self.done, event.stage: self.done.get(event.stage, 0) + passed}
        written = event.words if fnmatchcase(event.unit, CHAPTER_FILES) else 0
        return replace(
            self,
            open_units=rest,
            done=done,
            words=self.words + written,
            waiting="",
            step="",
            arriving="",
        )

    def _with_call(self, event: Event) -> "Progress":
        """One request more; an unknown price is counted as unknown, not as 0."""
        priced = event.cost_usd is not None
        ended = event.unit == self.step
        return replace(
            self,
            calls=self.calls + event.calls,
            tokens=self.tokens + event.tokens.input + event.tokens.output,
            known_usd=self.known_usd + (event.cost_usd if event.cost_usd is not None else 0.0),
            unpriced=self.unpriced + (0 if priced else event.calls),
            waiting="",
            step="" if ended else self.step,
            arriving="" if ended else self.arriving,
        )

    def _stages(self) -> Iterator[str]:
        """One line for each stage with units under way, such as `chapters 3, 4 (2 done)`."""
        for stage in dict.fromkeys(start.stage for start in self.open_units.values()):
            starts = (start for start in self.open_units.values() if start.stage == stage)
            numbers = (start.chapter for start in starts if start.chapter is not None)
            chapters = ", ".join(str(number) for number in sorted(numbers))
            done = self.done.get(stage, 0)
            behind = f"({counted(done, 'unit')} done)" if done else ""
            yield " ".join(part for part in (stage, chapters, behind) if part)

    def _cost(self) -> str:
        if not self.unpriced:
            return cost(self.known_usd)
        if self.unpriced == self.calls:
            return cost(None)
        return f"at least {cost(self.known_usd)}, {counted(self.unpriced, 'call')} unpriced"


def _key(event: Event) -> tuple[str, str]:
    """The unit that an event is about."""
    return event.stage, event.unit


def event_line(event: Event, *, reason: str = "") -> str | None:
    """The event as one clean line, or None where it deserves none.

    Args:
        event: What happened.
        reason: Why the unit ran, for the line that says that it is done.
    """
    line_of = _LINES.get(event.event)
    if line_of is None:
        return None
    return one_line(line_of(event if event.reason else event.model_copy(update={"reason": reason})))


def unit_name(event: Event) -> str:
    """The unit as people call it: the stage, with the chapter's number where it has one."""
    return event.stage if event.chapter is None else f"{event.stage} {event.chapter}"


def totals(event: Event) -> str:
    """Words, calls, tokens, cost and time of the event; nothing about what did not happen."""
    tokens = event.tokens.input + event.tokens.output
    parts = (
        counted(event.words, "word") if event.words else "",
        counted(event.calls, "call") if event.calls else "",
        counted(tokens, "token") if tokens else "",
        cost(event.cost_usd) if event.calls else "",
        duration(event.seconds),
    )
    return ", ".join(part for part in parts if part)


def wait_line(event: Event) -> str:
    """Who waits, how long and why."""
    who = f"{unit_name(event)}: " if event.stage else ""
    why = ": ".join(part for part in (event.reason, event.message) if part)
    return f"{who}waiting {duration(event.seconds)}{_because(why)}"


def _stage_skipped(event: Event) -> str:
    return f"{unit_name(event)}: skipped{_because(event.reason)}"


def _stage_end(event: Event) -> str:
    return (
        f"{unit_name(event)}: done{_because(event.reason)}, {totals(event)}{_after(event.message)}"
    )


def _stage_failed(event: Event) -> str:
    return f"{unit_name(event)}: failed{_after(event.message)}"


def _run_end(event: Event) -> str:
    return f"finished: {totals(event)}{_after(event.message)}"


def _run_failed(event: Event) -> str:
    return f"stopped: {totals(event)}"


def _run_interrupted(event: Event) -> str:
    return f"interrupted: {totals(event)}{_after(event.message)}"


def _budget_warn(event: Event) -> str:
    return f"budget: {event.message}"


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""


def _after(message: str) -> str:
    return f": {message}" if message else ""


_LINES: Final[Mapping[EventName, Callable[[Event], str]]] = {
    "run.end": _run_end,
    "run.interrupted": _run_interrupted,
    "stage.skipped": _stage_skipped,
    "stage.end": _stage_end,
    "stage.failed": _stage_failed,
    "llm.wait": wait_line,
    "budget.warn": _budget_warn,
    "run.failed": _run_failed,
}
