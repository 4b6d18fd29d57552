"""Phrases that a chapter says too often, and those that it takes from other chapters."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from libriscribe2.models.reviews import Issue
from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.gates.finding import Found, Gatekeeper, sentences_at
from libriscribe2.quality.gates.phrase_tally import Repeated
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.pieces import SHORT
from libriscribe2.quality.repetition import WINDOW, Gram, repeated_share, windows
from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.text import ChapterText, ideographs_in, words

MOST_PHRASES: Final = 3
_FEWEST_USES: Final = 3
_GAP: Final = "\n"
"""Stands between words in which a phrase is looked for; no word holds it."""


_GATE: Final = Gatekeeper("repetition")
_FIX: Final = "Say it in other words here."
_WITHIN: Final = BANDS["repeated phrases"]
_BEFORE: Final = BANDS["phrases of earlier chapters"]


def repeats(chapter: ChapterText, around: Surroundings) -> Found:
    """Phrases that stand too often; the figure is how many more than in human books, in thousands.

    Issues are told of the worst page. The figure counts over the whole chapter: where pages
    begin, and what share of a text a phrase is, changes with every word that is taken out.
    """
    found = around.tally.of(chapter)
    excess = max(0.0, found.again - _WITHIN.amber * found.short)
    excess += max(0.0, found.seen - _BEFORE.amber * found.long)

    def tell() -> Iterator[Issue]:
        names = {part for name in (*around.people, *around.others) for part in words(name)}
        if _is_often(found, chapter):
            yield from _often(chapter, found.longs, names)
        if found.seen > found.long * (_BEFORE.red or 1.0):
            held = chain.from_iterable(map(around.tally.seen_of, found.pieces))
            yield from _taken(chapter, held, names)

    return Found(excess / 1_000, tell)


def _is_often(found: Repeated, chapter: ChapterText) -> bool:
    """Whether there is a page that repeats itself; too few phrases at all do not fill one."""
    limit = _WITHIN.red or 1.0
    if any(map(ideographs_in, chapter.prose)):
        return any(repeated_share(window) > limit for _, window in windows(chapter.words))
    fewest = min(WINDOW, chapter.word_count) - 2 * SHORT
    if found.again <= limit * fewest:
        return False
    # A phrase begins at each word but the last three of a page.
    phrases = (*found.shorts, *((),) * (SHORT - 1))
    pages = [page[: 1 - SHORT] for _, page in windows(phrases)]
    return any(1 - len(frozenset(page)) / len(page) > limit for page in pages if page)


def _often(
    chapter: ChapterText, phrases: Iterable[Gram], names: Collection[str]
) -> Iterator[Issue]:
    """The phrases that stand most often, each quoted where it stands last."""
    often = {gram: uses for gram, uses in Counter(phrases).items() if uses >= _FEWEST_USES}
    return _issues(chapter, often, names, "`{phrase}` stands {uses} times in the chapter")


def _taken(chapter: ChapterText, held: Iterable[Gram], names: Collection[str]) -> Iterator[Issue]:
    """Phrases that other chapters have, those that stand most often here first."""
    return _issues(chapter, Counter(held), names, "other chapters say `{phrase}`, too")


def _issues(
    chapter: ChapterText, uses: Mapping[Gram, int], names: Collection[str], why: str
) -> Iterator[Issue]:
    """The most frequent phrases as issues, no two at one sentence, each where it stands last."""
    text = _GAP.join(("", *chapter.words, ""))
    told: set[str] = set()
    for gram in sorted(uses, key=uses.__getitem__, reverse=True):
        if not _says_something(gram, names):
            continue
        at = text.rindex(_GAP.join(("", *gram, "")))
        (one,) = sentences_at(chapter, [text.count(_GAP, 0, at)])
        if one.text in told:
            continue
        told.add(one.text)
        said = why.format(phrase=" ".join(gram), uses=uses[gram])
        yield _GATE.issue("warning", one.text, one.paragraph.line, said, _FIX)
        if len(told) == MOST_PHRASES:
            break


def _says_something(gram: Gram, names: Collection[str]) -> bool:
    """Whether a phrase has at least two words that are neither function words nor names."""
    return sum(word not in STOPWORDS and word not in names for word in gram) >= 2
