"""P1 to P3: how chapters begin and end beside their neighbours."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from libriscribe2.models.story import OutlineChapter
from libriscribe2.quality.plan.plan import OUTLINE, Plan, PlanFinding

MOST_OF_A_KIND: Final = 0.25
"""More openings of one kind than this share of the book make it a habit."""

FEWEST_CHAPTERS: Final = 4
"""Of fewer chapters no share is worth telling."""

APART: Final = 3
"""Endings of one kind stand so many chapters apart."""

QUIET_SPAN: Final = 10
"""One chapter in so many may end quietly."""

_ASLEEP: Final = re.compile(
    r"\b(?:falls? asleep|goes to (?:sleep|bed)|in bed|sleeps|drifts off|"
    r"(?:is|are) (?:back |safely )?home|(?:goes|go|returns?|comes?|walks?|drives?) (?:back )?home)\b",
    re.IGNORECASE,
)


def openings(plan: Plan) -> Iterator[PlanFinding]:
    """P1: the same opening twice running, or in more than a quarter of the book."""
    moves = [chapter.opening_move for chapter in plan.chapters]
    for number in range(2, len(moves) + 1):
        move = moves[number - 1]
        if move and move == moves[number - 2]:
            yield PlanFinding(
                "P1",
                "error",
                OUTLINE,
                f"Chapters {number - 1} and {number} both open with {move}.",
                f"Give chapter {number} another opening_move than chapters {number - 1}"
                + (f" and {number + 1}." if number < len(moves) else "."),
                number,
            )
    most = max(1, int(len(moves) * MOST_OF_A_KIND))
    for move, count in sorted(Counter(move for move in moves if move).items()):
        if len(moves) >= FEWEST_CHAPTERS and count > most:
            yield PlanFinding(
                "P1",
                "warning",
                OUTLINE,
                f"{count} of {len(moves)} chapters open with {move}: {_where(moves, move)}.",
                f"Leave at most {most} of them so and open the others in other ways.",
            )


def endings(plan: Plan) -> Iterator[PlanFinding]:
    """P2: endings of one kind closer together than three chapters."""
    moves = [chapter.ending_move for chapter in plan.chapters]
    for number, move in enumerate(moves, start=1):
        before = range(max(1, number - APART + 1), number)
        like = [other for other in before if move and moves[other - 1] == move]
        if like:
            yield PlanFinding(
                "P2",
                "error",
                OUTLINE,
                f"Chapters {like[-1]} and {number} both end with {move}.",
                f"Give chapter {number} an ending_move that none of the {APART - 1} chapters "
                "before and after it has.",
                number,
            )


def quiet_endings(plan: Plan) -> Iterator[PlanFinding]:
    """P3: more than one chapter in ten that ends quietly, asleep or back home."""
    quiet = [number for number, chapter in plan.numbered() if _is_quiet(chapter, plan)]
    for earlier, later in pairwise(quiet):
        if later - earlier < QUIET_SPAN:
            yield PlanFinding(
                "P3",
                "warning",
                OUTLINE,
                f"Chapters {earlier} and {later} both end quietly, asleep or back home.",
                f"End chapter {later} on something that leads on.",
                later,
            )


def _is_quiet(chapter: OutlineChapter, plan: Plan) -> bool:
    """Whether a chapter ends in rest, by its move or by what its last words say."""
    if chapter.ending_move == "quiet":
        return True
    ends = (chapter.exit_state, chapter.beats[-1] if chapter.beats else "")
    return plan.english and any(_ASLEEP.search(end) is not None for end in ends)


def _where(moves: Sequence[str], move: str) -> str:
    """The chapters that open so."""
    return ", ".join(str(number) for number, one in enumerate(moves, start=1) if one == move)
