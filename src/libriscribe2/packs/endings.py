"""What the book owes its reader: its promises, its ending, its threads."""

from typing import Final

from libriscribe2.models.canon import Thread
from libriscribe2.packs.blocks import lines_block
from libriscribe2.packs.part import Rendered
from libriscribe2.packs.state import PackState
from libriscribe2.prose import shorten

CLOSING: Final = 3
"""How many of the last chapters are shown what is still owed."""

LINE_BUDGET: Final = 200
ENDING_BUDGET: Final = 600


def ending_part(state: PackState, budget: int) -> Rendered:
    """For the last chapters: how the book has to end, and the threads that are not paid off."""
    left = state.chapters - state.number
    if left >= CLOSING:
        return Rendered()
    lines = [f"This is chapter {state.number} of {state.chapters}."]
    if state.outline.ending:
        lines.append(f"The book ends so: {shorten(state.outline.ending, ENDING_BUDGET)}")
    lines += [f"Still owed: {_owed(thread)}" for thread in unpaid(state)]
    return lines_block("ending", lines if len(lines) > 1 else [], budget)


def unpaid(state: PackState) -> list[Thread]:
    """The threads that are open when the chapter begins, those that must be paid off first.

    What a chapter did is told by its record, and by the plan where its record is not known.
    """
    paid = {
        hit.thread.casefold()
        for number, hits in state.hits.items()
        if number < state.number
        for hit in hits
        if hit.move == "paid off"
    }
    planned = range(1, state.number)
    open_ones = [
        thread
        for thread in state.outline.threads
        if thread.id.casefold() not in paid
        and not (thread.payoff in planned and thread.payoff not in state.hits)
    ]
    return sorted(open_ones, key=lambda thread: not thread.must)


def thread_lines(threads: list[Thread]) -> list[str]:
    """Every thread in a line: where it is set up, and where it is paid off."""
    return [f"- {_owed(thread)} (chapter {thread.setup}{_until(thread)})" for thread in threads]


def _owed(thread: Thread) -> str:
    return f"{thread.id}: {shorten(thread.promise, LINE_BUDGET)}"


def _until(thread: Thread) -> str:
    """Where a thread ends, in words."""
    if thread.payoff is not None:
        return f" to {thread.payoff}"
    return f", by {thread.due_by} at the latest" if thread.due_by is not None else ""
