"""What a chapter is examined beside: its plan, the chapters around it, the names of the book."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Final

import regex

from libriscribe2.models.draft_order import Kind
from libriscribe2.models.story import OutlineChapter, ScenePlan
from libriscribe2.quality.beats import stem_weight, stems
from libriscribe2.quality.canon.viewpoint import Viewpoint, viewpoint
from libriscribe2.quality.edges import ending_content, opening_content
from libriscribe2.quality.gates.beat_finder import BeatFinder
from libriscribe2.quality.gates.finding import sentence_keys
from libriscribe2.quality.gates.known_edges import KnownEdges
from libriscribe2.quality.gates.paragraph_index import (
    ParagraphIndex,
    is_half_in,
    phrases_of,
)
from libriscribe2.quality.gates.phrase_tally import PhraseTally, phrases_in
from libriscribe2.quality.gates.sentence_tally import SentenceTally
from libriscribe2.quality.names import capitals, parts_of
from libriscribe2.quality.repetition import Gram
from libriscribe2.quality.tally import Tally
from libriscribe2.quality.text import ChapterText, ideographs_in, plain

_CAPITALISED: Final = regex.compile(r"\p{Lu}\p{L}+")
_SETTLED_USES: Final = 2
_KEPT: Final = 24
"""Chapters whose words are kept at hand."""


@dataclass(frozen=True)
class Surroundings:
    """Where a chapter stands. What is not known is empty, and what needs it is not looked for.

    Attributes:
        number: The chapter's number, from 1.
        outline: Its entry in the outline.
        scenes: The plans of its scenes, in order.
        before: The text of the chapter before, or the end of it.
        after: The beginning of the chapter after, where it is written already.
        earlier: Whole texts of chapters that are written, those of lower numbers first; as many
            as the caller wants to have compared.
        people: Names of the characters.
        others: Names of places and terms.
        words: The chapter's wanted length; 0 where nothing was asked.
        language: The language of the book, as the brief has it.
        kind: Whether it is a story.
    """

    number: int = 1
    outline: OutlineChapter | None = None
    scenes: Sequence[ScenePlan] = ()
    before: str = ""
    after: str = ""
    earlier: Sequence[str] = ()
    people: Sequence[str] = ()
    others: Sequence[str] = ()
    words: int = 0
    language: str = "English"
    kind: Kind = "fiction"

    @property
    def english(self) -> bool:
        """Whether lists of English words may be used."""
        return self.language.casefold().startswith("en")

    @cached_property
    def written(self) -> tuple[ChapterText, ...]:
        """The whole chapters that it is compared with."""
        return tuple(map(_as_chapter, self.earlier))

    @cached_property
    def endings(self) -> tuple[ChapterText, ...]:
        """Texts whose ends are ends of chapters."""
        return self._with(self.before)

    @cached_property
    def openings(self) -> tuple[ChapterText, ...]:
        """Texts whose beginnings are beginnings of chapters."""
        return self._with(self.after)

    @cached_property
    def known_endings(self) -> KnownEdges:
        """How chapters end."""
        return KnownEdges(self.endings, -1, ending_content)

    @cached_property
    def known_openings(self) -> KnownEdges:
        """How chapters begin."""
        return KnownEdges(self.openings, 0, opening_content)

    @cached_property
    def texts(self) -> tuple[ChapterText, ...]:
        """Everything written that the chapter must not say again."""
        either = {one.text: one for one in (*self.endings, *self.openings)}
        return tuple(either.values())

    @cached_property
    def phrases(self) -> frozenset[Gram]:
        """The phrases of five words of everything written."""
        return frozenset().union(*(_phrases(one.text) for one in self.texts))

    @cached_property
    def sentences(self) -> frozenset[str]:
        """The words of every long sentence of everything written (`long_sentences`)."""
        return frozenset().union(*(_sentences(one.text) for one in self.texts))

    @cached_property
    def said(self) -> SentenceTally:
        """Counts the long sentences of one version of the chapter after another."""
        return SentenceTally(self.sentences)

    @cached_property
    def says_elsewhere(self) -> Callable[[str], bool]:
        """Whether a paragraph of something written shares half of a paragraph's phrases."""
        known = [_paragraphs(one.text) for one in self.texts]
        is_spaced = not any(text.is_ideographic for text in self.texts)

        @cache
        def says(paragraph: str) -> bool:
            # One look into all phrases spares most paragraphs a look into every text. It says
            # nothing where the phrases of a paragraph have other lengths than those of its text.
            own = phrases_of(paragraph)
            if is_spaced and not ideographs_in(paragraph) and not is_half_in(own, self.phrases):
                return False
            return any(one.has_like(paragraph) for one in known)

        return says

    @cached_property
    def versions(self) -> ParagraphIndex:
        """The paragraphs of all versions of the chapter that were examined."""
        return ParagraphIndex()

    @cached_property
    def tally(self) -> PhraseTally:
        """Counts the phrases of one version of the chapter after another."""
        return PhraseTally(self.phrases)

    @cached_property
    def capitals(self) -> Tally[str, str]:
        """Counts the words of one version after another by their capitals, as `Capitals`."""
        return Tally(
            lambda paragraph: capitals(paragraph).inside,
            lambda paragraph: capitals(paragraph).at_start,
            lambda paragraph: capitals(paragraph).lower,
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of the names of people."""
        return parts_of(self.people)

    @cached_property
    def right_words(self) -> frozenset[str]:
        """Capitalised words that are right besides the names of people."""
        return parts_of(self.others) | frozenset(self.settled)

    @cached_property
    def settled(self) -> tuple[str, ...]:
        """Capitalised words that the chapters before have more than once: those are no slips."""
        count = Counter(chain.from_iterable(map(_capitalised, self.earlier)))
        return tuple(word for word, uses in count.items() if uses >= _SETTLED_USES)

    @cached_property
    def holding(self) -> Callable[[str], int]:
        """In how many whole chapters a stem stands (`quality.beats`)."""
        known = [_stems(one.text) for one in self.written]
        return cache(lambda stem: sum(stem in one for one in known))

    @cached_property
    def planned(self) -> tuple[str, ...]:
        """What is to happen: the outline's beats, or the scenes where it has none."""
        if self.outline is not None and self.outline.beats:
            return tuple(self.outline.beats)
        return tuple(scene.summary for scene in self.scenes)

    @cached_property
    def beat_finder(self) -> BeatFinder:
        """Looks for what is to happen, in one version after another."""
        count = 1 + len(self.written)

        def weigh(stem: str, *, is_here: bool) -> float:
            """As `stem_weights` over the chapter and all whole chapters."""
            held = self.holding(stem) + is_here
            return stem_weight(held, count) if held else 1.0

        return BeatFinder(self.planned, weigh)

    @cached_property
    def views(self) -> tuple[Viewpoint, ...]:
        """How the whole chapters are told."""
        return tuple(_viewpoint(text) for text in self.earlier)

    def _with(self, part: str) -> tuple[ChapterText, ...]:
        """The whole chapters, and a part of one unless it is among them."""
        known = any(part.strip() in text for text in self.earlier)
        return self.written if known else (*self.written, _as_chapter(part))


# A book's chapters are compared with one another again and again.
@lru_cache(maxsize=_KEPT)
def _as_chapter(text: str) -> ChapterText:
    return ChapterText(0, "", text)


@lru_cache(maxsize=_KEPT)
def _phrases(text: str) -> frozenset[Gram]:
    return phrases_in(_as_chapter(text))


@lru_cache(maxsize=_KEPT)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stems(_as_chapter(text).words))


@lru_cache(maxsize=_KEPT)
def _viewpoint(text: str) -> Viewpoint:
    return viewpoint(_as_chapter(text))


@lru_cache(maxsize=_KEPT)
def _sentences(text: str) -> frozenset[str]:
    return frozenset(chain.from_iterable(map(sentence_keys, _as_chapter(text).prose)))


@lru_cache(maxsize=_KEPT)
def _paragraphs(text: str) -> ParagraphIndex:
    """The paragraphs of a text; nobody may add to them."""
    return ParagraphIndex(_as_chapter(text).prose)


@lru_cache(maxsize=_KEPT)
def _capitalised(text: str) -> tuple[str, ...]:
    return tuple(_CAPITALISED.findall(plain(text)))
