"""What an event of a run says in one line of a log: one for each finished unit, none for a call."""

from collections.abc import Callable, Mapping
from typing import Final

from libriscribe2.observe.events import Event, EventName
from libriscribe2.wording import cost, counted, duration, one_line


def event_line(event: Event, *, reason: str = "") -> str | None:
    """The event as one clean line, or None where it deserves none.

    Args:
        event: What happened.
        reason: Why the unit ran, for the line that says that it is done.
    """
    tell = _LINES.get(event.event)
    if tell is None:
        return None
    return one_line(tell(event if event.reason else event.model_copy(update={"reason": reason})))


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
