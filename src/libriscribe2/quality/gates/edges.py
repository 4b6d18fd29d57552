"""How a chapter begins and ends, beside the other chapters."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from libriscribe2.models.revision import Issue, Severity
from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.edges import ending_content, likeness, opening_content
from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText, paragraph_words, sentences

FEWEST_WORDS: Final = 3
"""A shorter sentence may begin or end two chapters."""

_GATE: Final = Gatekeeper("edge")
_SAME: Final = 1.0


def edges(chapter: ChapterText, around: Surroundings) -> Found:
    """A first or last sentence that another chapter has, and edges that are much alike.

    The figure adds up, for both edges, 1 for the same sentence and by how much the likeness
    exceeds what books by people show.
    """
    if not chapter.word_count:
        return Found()
    found = [
        _edge(chapter, around.openings, 0, opening_content),
        _edge(chapter, around.endings, -1, ending_content),
    ]
    return Found(
        sum(one.figure for one in found),
        lambda: chain.from_iterable(one.issues for one in found),
    )


def _edge(
    chapter: ChapterText,
    others: Sequence[ChapterText],
    index: int,
    content: Callable[[ChapterText], frozenset[str]],
) -> Found:
    """One edge beside the same edge of the others."""
    kind = "ending" if index else "opening"
    own = _sentence(chapter.prose[index], index)

    def issue(severity: Severity, why: str, fix: str) -> Iterator[Issue]:
        yield _GATE.issue(severity, own, chapter.paragraphs[index].line, why, fix)

    written = [other for other in others if other.words]
    if any(_same(own, _sentence(other.prose[index], index)) for other in written):
        why = f"another chapter has the same {kind} sentence"
        fix = f"Give the chapter an {kind} of its own."
        return Found(_SAME, lambda: issue("error", why, fix))
    here = content(chapter)
    share = max((likeness(content(other), here) for other in written), default=0.0)
    limit = BANDS[f"like {kind}s"].red or 1.0
    if share <= limit:
        return Found()
    why = f"the {kind} is much like that of another chapter ({share:.0%} of its words)"
    fix = f"Let the {kind} turn on another image or act."
    return Found(share - limit, lambda: issue("warning", why, fix))


@lru_cache(maxsize=256)
def _sentence(paragraph: str, index: int) -> str:
    """The first or the last sentence of a paragraph."""
    return (sentences(paragraph) or [paragraph])[index]


def _same(one: str, other: str) -> bool:
    own = paragraph_words(one)
    return len(own) >= FEWEST_WORDS and own == paragraph_words(other)
