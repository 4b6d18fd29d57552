"""P1 to P7, P10 and P21: how chapters begin, end and rise, what they set up and pay off."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean, pstdev
from typing import Final

from libriscribe2.checks.plan.plan import PLAN_RULES, STORY, Plan
from libriscribe2.checks.plan.time_rules import leaves_time
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.models.story import OutlineChapter
from libriscribe2.models.story_bible import Thread
from libriscribe2.project.paths import OUTLINE, SCENES

MOST_OF_A_KIND: Final = 0.5
"""One move in more than this share of the chapters is a habit; people repeat moves all the time: of
16 novels, 12 end two chapters of three in a row in speech."""

FEWEST_MOVES: Final = 6
"""Of fewer chapters no share says anything."""

FEWEST_CHAPTERS: Final = 4
"""Fewer chapters make no curve."""

QUIET_SPAN: Final = 10
"""One chapter in so many may end quietly."""


@PLAN_RULES.rule("P1", "more than half of the chapters open in the same way")
def openings(plan: Plan) -> Iterator[Finding]:
    """P1: one kind of opening has taken the book over; two alike in a row are no fault."""
    yield from _habit([chapter.opening_move for chapter in plan.chapters], "open")


@PLAN_RULES.rule("P2", "more than half of the chapters end in the same way")
def endings(plan: Plan) -> Iterator[Finding]:
    """P2: one kind of ending has taken the book over."""
    yield from _habit([chapter.ending_move for chapter in plan.chapters], "end")


def _habit(moves: Sequence[str], verb: str) -> Iterator[Finding]:
    """The move that most chapters share."""
    known = Counter(move for move in moves if move)
    if sum(known.values()) < FEWEST_MOVES:
        return
    move, count = known.most_common(1)[0]
    if count > MOST_OF_A_KIND * len(moves):
        yield Finding(
            "warning",
            Place(OUTLINE),
            f"{count} of {len(moves)} chapters {verb} with {move}.",
            f"Let some of them {verb} otherwise, where the story allows it.",
        )


@PLAN_RULES.rule("P3", "too many chapters end quietly", kind=STORY)
def quiet_endings(plan: Plan) -> Iterator[Finding]:
    """P3: more than one chapter in ten that ends quietly."""
    quiet = [number for number, one in plan.numbered() if one.ending_move == "quiet"]
    for earlier, later in pairwise(quiet):
        if later - earlier < QUIET_SPAN:
            yield Finding(
                "warning",
                Place(OUTLINE, later),
                f"Chapters {earlier} and {later} both end quietly.",
                f"End chapter {later} on something that draws the reader on.",
            )


LEAST_RANGE: Final = 2
"""A curve whose highest and lowest points are closer than this is flat."""


@PLAN_RULES.rule("P6", "the tension is flat, or only rises", kind=STORY)
def tension_curve(plan: Plan) -> Iterator[Finding]:
    """P6: a tension that hardly moves, or that never falls, or never rises."""
    curve = [chapter.tension for chapter in plan.chapters if chapter.tension is not None]
    if len(curve) < max(FEWEST_CHAPTERS, plan.last):
        return
    shown = " ".join(map(str, curve))
    steps = [later - earlier for earlier, later in pairwise(curve)]
    if max(curve) - min(curve) < LEAST_RANGE:
        yield Finding(
            "error",
            Place(OUTLINE),
            f"The tension is flat: {shown}.",
            "Let it rise to a peak, with at least one drop on the way.",
        )
    elif min(steps) >= 0 or max(steps) <= 0:
        what = "falls" if min(steps) >= 0 else "rises"
        yield Finding(
            "error",
            Place(OUTLINE),
            f"The tension never {what}: {shown}.",
            "Let a chapter after a peak bring relief, and a later one rise again.",
        )


LEAST_VARIATION: Final = 0.15
MOST_VARIATION: Final = 0.40
MOST_OFF: Final = 0.25
"""A sum of lengths may miss what it adds up to by this share."""


@PLAN_RULES.rule("P10", "the planned lengths are too even, too uneven, or do not add up")
def planned_lengths(plan: Plan) -> Iterator[Finding]:
    """P10: lengths of chapters, and of scenes beside their chapter's."""
    yield from _chapter_lengths(plan)
    yield from _scene_lengths(plan)


def _chapter_lengths(plan: Plan) -> Iterator[Finding]:
    """Lengths of chapters, where every one of them is given."""
    lengths = [chapter.target_words for chapter in plan.chapters]
    if len(lengths) < FEWEST_CHAPTERS or not all(lengths):
        return
    variation = pstdev(lengths) / fmean(lengths)
    if not LEAST_VARIATION <= round(variation, 2) <= MOST_VARIATION:
        what = "nearly the same length" if variation < LEAST_VARIATION else "very uneven lengths"
        yield Finding(
            "warning",
            Place(OUTLINE),
            f"The chapters have {what}: they vary by {variation:.0%} of their mean.",
            f"Let target_words vary by {LEAST_VARIATION:.0%} to {MOST_VARIATION:.0%}.",
        )
    if plan.words and _is_off(lengths, plan.words):
        yield Finding(
            "warning",
            Place(OUTLINE),
            f"The chapters add up to {sum(lengths):,} words; the book is to have {plan.words:,}.",
            "Make target_words add up to the book's words.",
        )


def _scene_lengths(plan: Plan) -> Iterator[Finding]:
    """Scenes whose lengths do not add up to their chapter's."""
    wanted = [chapter.target_words for chapter in plan.chapters]
    for chapter in plan.scenes:
        lengths = [scene.target_words for scene in chapter.scenes]
        words = wanted[chapter.chapter - 1] if chapter.chapter <= len(wanted) else 0
        if lengths and all(lengths) and words and _is_off(lengths, words):
            yield Finding(
                "warning",
                Place(SCENES, chapter.chapter),
                f"The scenes of chapter {chapter.chapter} add up to {sum(lengths):,} words; "
                f"the chapter is to have {words:,}.",
                "Make the target_words of the scenes add up to those of the chapter.",
            )


def _is_off(lengths: Sequence[int], whole: int) -> bool:
    return abs(sum(lengths) - whole) > MOST_OFF * whole


FEWEST_OF_A_TIDY_BOOK: Final = 6
FEWEST_SIGNS: Final = 2


@PLAN_RULES.rule("P21", "the plan is tidier than published stories", kind=STORY)
def tidiness(plan: Plan) -> Iterator[Finding]:
    """P21: two signs or more, in a book of six chapters or more."""
    signs = [] if plan.last < FEWEST_OF_A_TIDY_BOOK else [*_signs(plan)]
    if len(signs) >= FEWEST_SIGNS:
        yield Finding(
            "note",
            Place(OUTLINE),
            f"The plan is tidy: {'; '.join(signs)}.",
            "Leave something open, end a thread early or badly, or break the chronology once.",
        )


def _signs(plan: Plan) -> Iterator[str]:
    """What is tidy, as far as the plan says it."""
    views = {chapter.pov.strip().casefold() for chapter in plan.chapters}
    dated = all(chapter.story_time.strip() for chapter in plan.chapters)
    straight = dated and not any(map(leaves_time, plan.chapters))
    if straight and len(views) == 1 and "" not in views:
        yield "one viewpoint and linear time in all chapters"
    if len(plan.threads) == 1:
        yield "there is only one thread"
    payoffs = [thread.payoff for thread in plan.threads]
    if len(payoffs) > 1 and set(payoffs) == {plan.last}:
        yield "every thread is paid off in the last chapter"


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
