"""P6: the curve of the tension."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from libriscribe2.quality.plan.plan import OUTLINE, Plan, PlanFinding

FEWEST_CHAPTERS: Final = 4
"""Fewer chapters make no curve."""

LEAST_RANGE: Final = 2
"""A curve whose highest and lowest points are closer than this is flat."""


def tension_curve(plan: Plan) -> Iterator[PlanFinding]:
    """P6: a tension that hardly moves, or that never falls, or never rises."""
    curve = [chapter.tension for chapter in plan.chapters if chapter.tension is not None]
    if len(curve) < max(FEWEST_CHAPTERS, plan.last):
        return
    shown = " ".join(map(str, curve))
    steps = [later - earlier for earlier, later in pairwise(curve)]
    if max(curve) - min(curve) < LEAST_RANGE:
        yield PlanFinding(
            "P6",
            "error",
            OUTLINE,
            f"The tension is flat: {shown}.",
            "Let it rise to a height, with at least one fall on the way.",
        )
    elif min(steps) >= 0 or max(steps) <= 0:
        what = "falls" if min(steps) >= 0 else "rises"
        yield PlanFinding(
            "P6",
            "error",
            OUTLINE,
            f"The tension never {what}: {shown}.",
            "Let a chapter after a height give relief, and another one rise again.",
        )
