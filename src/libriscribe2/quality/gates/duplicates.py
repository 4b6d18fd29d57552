"""Passages that stand twice: in the chapter, or in it and in another one."""

from collections.abc import Iterator
from typing import Final

from libriscribe2.models.reviews import Issue
from libriscribe2.quality.gates.finding import (
    Found,
    Gatekeeper,
    long_sentences,
    sentence_keys,
)
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText, sentences

_GATE: Final = Gatekeeper("duplicate")
_FIX: Final = "Take it out here, or tell here what is new."


def duplicates(chapter: ChapterText, around: Surroundings) -> Found:
    """Paragraphs of 25 words and more and sentences of 8 that are said again; the figure counts."""
    twice = dict(_paragraphs(chapter, around))
    told = around.said.again_in(chapter.prose)
    again = around.said.repetitions()
    if twice and told:
        again = sum(at not in twice for at, *_ in _sentences(chapter, around))

    def tell() -> Iterator[Issue]:
        for at, here in twice.items():
            paragraph = chapter.paragraphs[at]
            where = "an earlier paragraph of the chapter" if here else "another chapter"
            why = f"this paragraph says what {where} has said in the same words"
            first = sentences(paragraph.text)[0]
            yield _GATE.issue("error", first, paragraph.line, why, _FIX)
        for at, nth, here in _sentences(chapter, around):
            if at in twice:
                continue
            paragraph, where = chapter.paragraphs[at], "in another chapter, too"
            why = f"this sentence stands {'twice in the chapter' if here else where}"
            text, _ = long_sentences(paragraph.text)[nth]
            yield _GATE.issue("warning", text, paragraph.line, why, _FIX)

    return Found(float(len(twice) + again), tell)


def _paragraphs(chapter: ChapterText, around: Surroundings) -> Iterator[tuple[int, bool]]:
    """Paragraphs that share half of their phrases of five words with one before or elsewhere.

    Each by its place, and whether the one before is in the chapter.
    """
    prose = chapter.prose
    suspects = around.versions.paired_in(prose).union(filter(around.says_elsewhere, prose))
    for at, paragraph in enumerate(prose) if suspects else ():
        if paragraph in suspects:
            here = not around.versions.like(paragraph).isdisjoint(prose[:at])
            if here or around.says_elsewhere(paragraph):
                yield at, here


def _sentences(chapter: ChapterText, around: Surroundings) -> Iterator[tuple[int, int, bool]]:
    """Long sentences that stand before in the chapter, or elsewhere, word for word.

    Each by the place of its paragraph, its own among the long sentences of that, and whether the
    one before is in the chapter.
    """
    said: set[str] = set()
    again = frozenset(around.said.again_in(chapter.prose))
    for at, keys in enumerate(map(sentence_keys, chapter.prose)):
        for nth, key in enumerate(keys) if not again.isdisjoint(keys) else ():
            here = key in said
            if here or key in around.sentences:
                yield at, nth, here
            said.add(key)
