"""How a chapter begins and ends, beside the other chapters."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from libriscribe2.models.reviews import Issue, Severity
from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.edges import ending_content, opening_content
from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.known_edges import KnownEdges, edge_sentence
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText

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
        _edge(chapter, around.known_openings, opening_content(chapter)),
        _edge(chapter, around.known_endings, ending_content(chapter)),
    ]
    return Found(
        sum(one.figure for one in found),
        lambda: chain.from_iterable(one.issues for one in found),
    )


def _edge(chapter: ChapterText, others: KnownEdges, content: frozenset[str]) -> Found:
    """One edge beside the same edge of the others."""
    index = others.index
    kind = "ending" if index else "opening"
    own = edge_sentence(chapter.prose[index], index)

    def issue(severity: Severity, why: str, fix: str) -> Iterator[Issue]:
        yield _GATE.issue(severity, own, chapter.paragraphs[index].line, why, fix)

    if others.has(own):
        why = f"another chapter has the same {kind} sentence"
        fix = f"Give the chapter an {kind} of its own."
        return Found(_SAME, lambda: issue("error", why, fix))
    share = others.likeness(content)
    limit = BANDS[f"like {kind}s"].red or 1.0
    if share <= limit:
        return Found()
    why = f"the {kind} is much like that of another chapter ({share:.0%} of its words)"
    fix = f"Let the {kind} turn on another image or act."
    return Found(share - limit, lambda: issue("warning", why, fix))
