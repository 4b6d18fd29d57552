"""R13: what a book sets up it pays off, in time and after it is set up."""

from collections.abc import Sequence

from libriscribe2.models.canon import Attribute, Fact, Thread
from libriscribe2.quality.canon.conflict import Conflict, Severity


def overdue_threads(threads: Sequence[Thread], chapters: int) -> list[Conflict]:
    """Threads that are not paid off in time, or before they are set up.

    Args:
        threads: What the book owes.
        chapters: How many chapters it has.
    """
    found = []
    for thread in threads:
        told = _fault(thread, chapters)
        if told:
            at = min(chapters, thread.setup)
            fact = Fact(
                entity=thread.id,
                attribute=Attribute.PROMISE,
                value=thread.promise,
                chapter=max(1, at),
            )
            severity: Severity = "error" if thread.must else "warning"
            found.append(Conflict("R13", f"{thread.promise}: {told}.", fact, None, severity))
    return found


def _fault(thread: Thread, chapters: int) -> str:
    """What is wrong with a thread, or nothing."""
    last = chapters if thread.due_by is None else min(thread.due_by, chapters)
    if thread.payoff is None:
        return f"set up in chapter {thread.setup} and never paid off"
    if thread.payoff < thread.setup:
        return f"paid off in chapter {thread.payoff}, before chapter {thread.setup} sets it up"
    if thread.payoff > last:
        return f"due by chapter {last}, paid off in chapter {thread.payoff}"
    return ""
