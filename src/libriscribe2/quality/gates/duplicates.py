"""Passages that stand twice: in the chapter, or in it and in another one."""

from collections.abc import Iterator
from typing import Final

from libriscribe2.models.revision import Issue
from libriscribe2.quality.gates.finding import Found, Gatekeeper, long_sentences
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText, sentences

_GATE: Final = Gatekeeper("duplicate")
_FIX: Final = "Take it out here, or tell here what is new."


def duplicates(chapter: ChapterText, around: Surroundings) -> Found:
    """Paragraphs of 25 words and more and sentences of 8 that are said again; the figure counts."""
    twice = dict(_paragraphs(chapter, around))
    again = [one for one in _sentences(chapter, around) if one[0] not in twice]

    def tell() -> Iterator[Issue]:
        for at, here in twice.items():
            paragraph = chapter.paragraphs[at]
            where = "an earlier paragraph of the chapter" if here else "another chapter"
            why = f"this paragraph says what {where} has said in the same words"
            first = sentences(paragraph.text)[0]
            yield _GATE.issue("error", first, paragraph.line, why, _FIX)
        for at, text, here in again:
            where = "twice in the chapter" if here else "in another chapter, too"
            line, why = chapter.paragraphs[at].line, f"this sentence stands {where}"
            yield _GATE.issue("warning", text, line, why, _FIX)

    return Found(float(len(twice) + len(again)), tell)


def _paragraphs(chapter: ChapterText, around: Surroundings) -> Iterator[tuple[int, bool]]:
    """Paragraphs that share half of their phrases of five words with one before or elsewhere.

    Each by its place, and whether the one before is in the chapter.
    """
    before: set[str] = set()
    for at, paragraph in enumerate(chapter.prose):
        like = around.versions.like(paragraph)
        here = bool(like) and not like.isdisjoint(before)
        if here or around.says_elsewhere(paragraph):
            yield at, here
        before.add(paragraph)


def _sentences(chapter: ChapterText, around: Surroundings) -> Iterator[tuple[int, str, bool]]:
    """Long sentences that stand before in the chapter, or elsewhere, word for word.

    Each by the place of its paragraph, with its text and whether the one before is in the chapter.
    """
    said: set[str] = set()
    elsewhere = around.sentences
    for at, paragraph in enumerate(chapter.prose):
        for text, key in long_sentences(paragraph):
            here = key in said
            if here or key in elsewhere:
                yield at, text, here
            said.add(key)
