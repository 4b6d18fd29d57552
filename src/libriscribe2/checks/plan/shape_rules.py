"""P1 to P3, P6, P10 and P21: how chapters begin, end, rise and vary; how tidy the plan is."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean, pstdev
from typing import Final

from libriscribe2.checks.plan.plan import PLAN_RULES, STORY, Plan
from libriscribe2.checks.plan.time_rules import leaves_time
from libriscribe2.models.findings import Finding, Place
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
