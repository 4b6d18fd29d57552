"""How a chapter begins and ends, beside the other chapters."""

from collections.abc import Callable, Sequence
from typing import Final

from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.edges import EdgePair, ending_pairs, opening_pairs
from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText, sentences, words

FEWEST_WORDS: Final = 3
"""A shorter sentence may begin or end two chapters."""

_GATE: Final = Gatekeeper("edge")
_SAME: Final = 1.0


def edges(chapter: ChapterText, around: Surroundings) -> Found:
    """A first or last sentence that another chapter has, and edges that are much alike.

    The figure adds up, for both edges, 1 for the same sentence and by how much the likeness
    exceeds what books by people show.
    """
    if not chapter.words:
        return Found()
    found = [
        _edge(chapter, around.openings, 0, opening_pairs),
        _edge(chapter, around.endings, -1, ending_pairs),
    ]
    issues = [issue for one in found for issue in one.issues]
    return Found(sum(one.figure for one in found), lambda: issues)


def _edge(
    chapter: ChapterText,
    others: Sequence[ChapterText],
    index: int,
    pairs: Callable[[Sequence[ChapterText]], list[EdgePair]],
) -> Found:
    """One edge beside the same edge of the others."""
    kind = "ending" if index else "opening"
    own, line = _sentence(chapter, index), chapter.paragraphs[index].line
    written = [other for other in others if other.words]
    if any(_same(own, _sentence(other, index)) for other in written):
        why = f"another chapter has the same {kind} sentence"
        fix = f"Give the chapter an {kind} of its own."
        return Found(_SAME, lambda: [_GATE.issue("error", own, line, why, fix)])
    likeness = max((pairs((other, chapter))[0].likeness for other in written), default=0.0)
    limit = BANDS[f"like {kind}s"].red or 1.0
    if likeness <= limit:
        return Found()
    why = f"the {kind} is much like that of another chapter ({likeness:.0%} of its words)"
    fix = f"Let the {kind} turn on another image or act."
    return Found(likeness - limit, lambda: [_GATE.issue("warning", own, line, why, fix)])


def _sentence(chapter: ChapterText, index: int) -> str:
    """The first or the last sentence of a chapter."""
    paragraph = chapter.paragraphs[index].text
    return (sentences(paragraph) or [paragraph])[index]


def _same(one: str, other: str) -> bool:
    own = words(one)
    return len(own) >= FEWEST_WORDS and own == words(other)
