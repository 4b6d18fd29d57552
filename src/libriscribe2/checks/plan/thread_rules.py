"""P4, P5 and P7: what a book sets up it pays off, in time, where its chapters say so."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from libriscribe2.checks.plan.plan import PLAN_RULES, STORY, Plan
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.models.story import OutlineChapter
from libriscribe2.models.story_bible import Thread
from libriscribe2.project.paths import OUTLINE

FEWEST_ALIVE: Final = 2
"""So many threads are alive in every chapter but the first and the last."""


@PLAN_RULES.rule("P4", "a thread is set up, paid off and due in the wrong order")
def obligations(plan: Plan) -> Iterator[Finding]:
    """P4: threads without a payoff, or with one that comes too early or too late."""
    twice = Counter(_key(thread.id) for thread in plan.threads)
    for thread in plan.threads:
        fault, change = _fault(thread, plan.last)
        if fault:
            weight: Severity = "error" if thread.must else "warning"
            why = f"Thread {thread.id}: {fault}."
            at = thread.setup if thread.setup <= plan.last else 0
            yield Finding(weight, Place(OUTLINE, at, entity=thread.id), why, change)
        if twice.pop(_key(thread.id), 1) > 1:
            why = f"Several threads have the id {thread.id}."
            change = "Give each thread an id of its own."
            yield Finding("error", Place(OUTLINE, entity=thread.id), why, change)


@PLAN_RULES.rule("P5", "a chapter and a thread disagree about setup or payoff", kind=STORY)
def agreement(plan: Plan) -> Iterator[Finding]:
    """P5: chapters and threads that disagree; only where a chapter names any thread."""
    if not any(one.plants or one.payoffs for one in plan.chapters):
        return
    known = {_key(thread.id): thread for thread in plan.threads}
    for number, chapter in plan.numbered():
        for name in (*chapter.plants, *chapter.payoffs):
            if _key(name) not in known:
                yield _at(
                    number,
                    f"Chapter {number} names the thread {name}, which is not listed.",
                    f"Add {name} to threads, or remove it from the chapter.",
                )
    for thread in plan.threads:
        yield from _planted(thread, plan.chapters)
        yield from _paid(thread, plan.chapters)


@PLAN_RULES.rule("P7", "fewer than two threads are alive in the middle", kind=STORY)
def threads_alive(plan: Plan) -> Iterator[Finding]:
    """P7: middle chapters with fewer than two threads; only where the plan has threads."""
    if not plan.threads:
        return
    thin = [
        number
        for number in range(2, plan.last)
        if sum(_is_alive(thread, number, plan.last) for thread in plan.threads) < FEWEST_ALIVE
    ]
    if thin:
        where = "chapter" if len(thin) == 1 else "chapters"
        listed = ", ".join(map(str, thin))
        yield Finding(
            "warning",
            Place(OUTLINE, thin[0]),
            f"Fewer than {FEWEST_ALIVE} threads are alive in {where} {listed}.",
            "Set up another thread earlier, or pay one off later.",
        )


def _planted(thread: Thread, chapters: Sequence[OutlineChapter]) -> Iterator[Finding]:
    """Where the chapters set a thread up otherwise than it says."""
    plants = [n for n, one in enumerate(chapters, start=1) if _names(one.plants, thread)]
    paid = len(chapters) if thread.payoff is None else thread.payoff
    for number in plants:
        change = f"Make plants of chapter {number} and the thread agree."
        why = f"Chapter {number} plants the thread {thread.id}, which"
        if number < thread.setup:
            yield _at(number, f"{why} chapter {thread.setup} is to set up.", change)
        elif number > max(paid, thread.setup):
            yield _at(number, f"{why} chapter {paid} has paid off.", change)
    if thread.setup <= len(chapters) and thread.setup not in plants:
        yield _at(
            thread.setup,
            f"The thread {thread.id} is to be set up in chapter {thread.setup}, "
            "which does not name it among its plants.",
            f"Add {thread.id} to plants of chapter {thread.setup}, or move its setup.",
        )


def _paid(thread: Thread, chapters: Sequence[OutlineChapter]) -> Iterator[Finding]:
    """Where the chapters pay a thread off otherwise than it says."""
    payoff = 0 if thread.payoff is None else thread.payoff
    payoffs = [n for n, one in enumerate(chapters, start=1) if _names(one.payoffs, thread)]
    for number in payoffs:
        if number != payoff:
            there = f"is to be paid off in chapter {payoff}" if payoff else "names no payoff"
            why = f"Chapter {number} pays off the thread {thread.id}, which {there}."
            change = f"Make payoffs of chapter {number} and the thread agree."
            yield _at(number, why, change)
    if 1 <= payoff <= len(chapters) and payoff not in payoffs:
        yield _at(
            payoff,
            f"The thread {thread.id} is to be paid off in chapter {payoff}, "
            "which does not name it among its payoffs.",
            f"Add {thread.id} to payoffs of chapter {payoff}, or move its payoff.",
        )


def _fault(thread: Thread, last: int) -> tuple[str, str]:
    """What is wrong with a thread, and what to change; nothing where it is sound."""
    due = last if thread.due_by is None else min(thread.due_by, last)
    if thread.setup > last:
        return (
            f"set up in chapter {thread.setup}, and the book has {last}",
            "Set it up in an existing chapter.",
        )
    if thread.payoff is None:
        return (
            f"set up in chapter {thread.setup} and never paid off",
            "Name the chapter that pays it off, or remove the thread.",
        )
    if thread.payoff <= thread.setup:
        return (
            f"set up in chapter {thread.setup} and paid off in chapter {thread.payoff}",
            "Set it up in a chapter before the one that pays it off.",
        )
    if thread.payoff > due:
        return (
            f"due by chapter {due} and paid off in chapter {thread.payoff}",
            "Pay it off in time, or say that it is due later.",
        )
    return "", ""


def _is_alive(thread: Thread, number: int, last: int) -> bool:
    return thread.setup <= number <= (last if thread.payoff is None else thread.payoff)


def _names(listed: Sequence[str], thread: Thread) -> bool:
    return _key(thread.id) in map(_key, listed)


def _key(name: str) -> str:
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())


def _at(number: int, message: str, change: str) -> Finding:
    return Finding("error", Place(OUTLINE, number), message, change)
