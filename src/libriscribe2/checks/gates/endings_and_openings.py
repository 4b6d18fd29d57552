"""How a chapter begins and ends, beside the other chapters."""

from collections.abc import Sequence
from typing import Final

from libriscribe2.checks.gates.gate import SAID, GateContext, GateResult, finding, gate
from libriscribe2.checks.text import ChapterText, edge_content, likeness, sentences, words
from libriscribe2.models.findings import Severity

FEWEST_WORDS: Final = 3
"""A shorter sentence may begin or end two chapters."""

_SAME: Final = 1.0


@gate("edge")
def endings_and_openings(chapter: ChapterText, context: GateContext) -> GateResult:
    """A first or last sentence that another chapter has, and endings_and_openings that are much alike.

    The figure adds up, for both endings_and_openings, 1 for the same sentence and by how much the likeness
    exceeds what books by people show.
    """
    if not chapter.word_count:
        return GateResult()
    opening = _edge(chapter, context.openings, 0)
    ending = _edge(chapter, context.endings, -1)
    return GateResult(opening.figure + ending.figure, (*opening.findings, *ending.findings))


_MOST_ALIKE: Final = {"opening": 0.20, "ending": 0.23}
"""The share of words that openings, and endings, of the most alike chapters of a human book share."""


def _edge(chapter: ChapterText, others: Sequence[ChapterText], index: int) -> GateResult:
    """The opening (0) or the ending (-1) beside those of other chapters."""
    written = [one for one in others if one.word_count]
    kind, own = "ending" if index else "opening", _edge_sentence(chapter, index)
    line, said = chapter.paragraphs[index].line, words(own)
    same = (words(_edge_sentence(one, index)) == said for one in written)
    is_told = not chapter.function_words.isdisjoint(said)  # a list of sources ends with a publisher
    if len(said) >= FEWEST_WORDS and is_told and any(same):
        why = f"another chapter has the same {kind} sentence"
        fix = f"Give the chapter an {kind} of its own."
        weight: Severity = "warning" if SAID.match(own) else "error"
        return GateResult(_SAME, [finding("edge", weight, own, line, why, fix)])
    content = edge_content(chapter, index)
    share = max((likeness(edge_content(one, index), content) for one in written), default=0.0)
    limit = _MOST_ALIKE[kind]
    if share <= limit:
        return GateResult()
    why = f"the {kind} is much like that of another chapter ({share:.0%} of its words)"
    fix = f"Let the {kind} turn on another image or act."
    return GateResult(share - limit, [finding("edge", "warning", own, line, why, fix)])


def _edge_sentence(chapter: ChapterText, index: int) -> str:
    """The first (0) or the last (-1) sentence of a chapter."""
    paragraph = chapter.prose[index]
    return (sentences(paragraph) or [paragraph])[index]
