"""Passages that stand twice: in the chapter, or in it and in another one."""

from collections.abc import Iterator
from typing import Final

from libriscribe2.models.revision import Issue
from libriscribe2.quality.gates.finding import Found, Gatekeeper, sentences_of
from libriscribe2.quality.gates.paragraph_index import ParagraphIndex
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText, sentences

SENTENCE_WORDS: Final = 8
"""A shorter sentence may well be said twice."""

_GATE: Final = Gatekeeper("duplicate")
_FIX: Final = "Take it out here, or tell here what is new."


def duplicates(chapter: ChapterText, around: Surroundings) -> Found:
    """Paragraphs of 25 words and more and sentences of 8 that are said again; the figure counts."""
    issues = list(_paragraphs(chapter, around))
    taken = {issue.line for issue in issues}
    issues += [issue for issue in _sentences(chapter, around) if issue.line not in taken]
    return Found(float(len(issues)), lambda: issues)


def _paragraphs(chapter: ChapterText, around: Surroundings) -> Iterator[Issue]:
    """Paragraphs that share half of their phrases of five words with one before or elsewhere."""
    own = ParagraphIndex()
    for one in chapter.paragraphs:
        here, elsewhere = own.has_like(one), around.paragraphs.has_like(one)
        if here or elsewhere:
            where = "an earlier paragraph of the chapter" if here else "another chapter"
            first = sentences(one.text)[0]
            why = f"this paragraph says what {where} has said in the same words"
            yield _GATE.issue("error", first, one.line, why, _FIX)
        own.add(one)


def _sentences(chapter: ChapterText, around: Surroundings) -> Iterator[Issue]:
    """Long sentences that stand before in the chapter, or elsewhere, word for word."""
    said: set[tuple[str, ...]] = set()
    for one in sentences_of(chapter):
        here, elsewhere = one.words in said, one.words in around.sentences
        if len(one.words) >= SENTENCE_WORDS and (here or elsewhere):
            where = "twice in the chapter" if here else "in another chapter, too"
            why = f"this sentence stands {where}"
            yield _GATE.issue("warning", one.text, one.paragraph.line, why, _FIX)
        said.add(one.words)
