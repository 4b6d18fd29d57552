"""P10: the lengths that a plan gives its chapters and scenes."""

from collections.abc import Iterator, Sequence
from statistics import fmean, pstdev
from typing import Final

from libriscribe2.quality.plan.plan import OUTLINE, SCENES, Plan, PlanFinding

FEWEST_CHAPTERS: Final = 4
LEAST_VARIATION: Final = 0.15
MOST_VARIATION: Final = 0.40
MOST_OFF: Final = 0.25
"""A sum of lengths may miss what it adds up to by this share."""


def planned_lengths(plan: Plan) -> Iterator[PlanFinding]:
    """P10: lengths of chapters, where every one of them is given."""
    lengths = [chapter.target_words for chapter in plan.chapters]
    if len(lengths) < FEWEST_CHAPTERS or not all(lengths):
        return
    variation = pstdev(lengths) / fmean(lengths)
    if not LEAST_VARIATION <= round(variation, 2) <= MOST_VARIATION:
        what = "nearly the same length" if variation < LEAST_VARIATION else "very uneven lengths"
        yield PlanFinding(
            "P10",
            "warning",
            OUTLINE,
            f"The chapters have {what}: they vary by {variation:.0%} of their mean.",
            f"Let target_words vary by {LEAST_VARIATION:.0%} to {MOST_VARIATION:.0%}.",
        )
    if plan.words and _is_off(lengths, plan.words):
        yield PlanFinding(
            "P10",
            "warning",
            OUTLINE,
            f"The chapters add up to {sum(lengths):,} words; the book is to have {plan.words:,}.",
            "Bring target_words and the book's words together.",
        )


def scene_lengths(plan: Plan) -> Iterator[PlanFinding]:
    """P10: scenes whose lengths do not add up to their chapter's."""
    wanted = [chapter.target_words for chapter in plan.chapters]
    for chapter in plan.scenes:
        lengths = [scene.target_words for scene in chapter.scenes]
        words = wanted[chapter.chapter - 1] if chapter.chapter <= len(wanted) else 0
        if lengths and all(lengths) and words and _is_off(lengths, words):
            yield PlanFinding(
                "P10",
                "warning",
                SCENES,
                f"The scenes of chapter {chapter.chapter} add up to {sum(lengths):,} words; "
                f"the chapter is to have {words:,}.",
                "Bring the target_words of the scenes and of the chapter together.",
                chapter.chapter,
            )


def _is_off(lengths: Sequence[int], whole: int) -> bool:
    return abs(sum(lengths) - whole) > MOST_OFF * whole
