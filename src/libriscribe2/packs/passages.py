"""Passages of earlier chapters that speak of what a scene is about."""

import re
from functools import lru_cache
from typing import Final

from libriscribe2.models.story import ScenePlan
from libriscribe2.packs.blocks import block, frame
from libriscribe2.packs.bm25 import PassageIndex, best_in
from libriscribe2.packs.naming import told_of
from libriscribe2.packs.part import Rendered
from libriscribe2.packs.state import PackState
from libriscribe2.prose import parts, shorten, weigh

DISTANCE: Final = 3
"""How many chapters back a passage is at least: the nearer ones are remembered otherwise."""

MOST_PASSAGES: Final = 2
PASSAGE_BUDGET: Final = 1_000
"""About 200 words."""

REMARK: Final = (
    "From earlier chapters, word for word: for what was said and seen, not for its style."
)
_HEADING: Final = re.compile(r"(?m)^(?:#.*|[*\s]+)$")


def passages_part(plan: ScenePlan, state: PackState, budget: int) -> Rendered:
    """The passages that fit the scene's plan best, in the order of the text."""
    numbers = sorted(n for n in state.texts if n <= state.number - DISTANCE)
    indexes = [_indexed(state.texts[number]) for number in numbers]
    query = f"{told_of(plan)} {state.chapter.title}"
    chosen = best_in(query, indexes, MOST_PASSAGES)
    found = [
        (number, passage)
        for number, index in zip(numbers, indexes, strict=True)
        for passage in index.passages
    ]
    room = budget - frame("passages", remark=REMARK)
    kept: list[int] = []
    for place in chosen:
        room -= weigh(_shown(*found[place])) + 2
        if room < 0:
            break
        kept.append(place)
    told = "\n\n".join(_shown(*found[place]) for place in sorted(kept))
    chapters = tuple(sorted({found[place][0] for place in kept}))
    return Rendered(
        block("passages", told, remark=REMARK), cut=len(kept) < len(chosen), chapters=chapters
    )


def _shown(number: int, passage: str) -> str:
    """A passage with where it stands."""
    return f"Chapter {number}: {shorten(passage, PASSAGE_BUDGET)}"


@lru_cache(maxsize=512)
def _indexed(text: str) -> PassageIndex:
    """A chapter in passages of whole paragraphs, without headings and scene breaks."""
    prose = _HEADING.sub("", text)
    cut = (passage.strip() for passage in parts(prose, PASSAGE_BUDGET))
    return PassageIndex([passage for passage in cut if passage])
