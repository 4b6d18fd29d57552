"""R13: what a book sets up it pays off, in time and after it is set up."""

from collections.abc import Mapping, Sequence

from libriscribe2.models.canon import Attribute, Fact, Thread, ThreadHit
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


def untold_threads(
    threads: Sequence[Thread], hits: Mapping[int, Sequence[ThreadHit]]
) -> list[Conflict]:
    """Threads that the text does not pay off although its plan says so.

    Args:
        threads: What the book owes.
        hits: What each chapter that was read does with them.
    """
    found = []
    for thread in threads:
        payoff = thread.payoff
        if payoff is None or payoff < thread.setup:
            continue  # the plan itself is at fault
        if not hits.keys() >= {*range(thread.setup, payoff + 1)}:
            continue
        names = {thread.id.casefold(), thread.promise.casefold()}
        told = any(
            hit.move == "paid off" and hit.thread.casefold() in names
            for number in range(thread.setup, max(hits) + 1)
            for hit in hits.get(number, ())
        )
        if not told:
            message = f"{thread.promise}: chapter {payoff} is to pay it off, and no words of it do."
            fact = Fact(
                entity=thread.id, attribute=Attribute.PROMISE, value=thread.promise, chapter=payoff
            )
            found.append(Conflict("R13", message, fact, None, "warning"))
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
