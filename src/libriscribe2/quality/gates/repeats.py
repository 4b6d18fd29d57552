"""Phrases that a chapter says too often, and those that it takes from other chapters."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from libriscribe2.models.revision import Issue
from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.gates.finding import Found, Gatekeeper, sentences_at
from libriscribe2.quality.gates.surroundings import PHRASE_WORDS, Surroundings
from libriscribe2.quality.repetition import Gram, grams, repeated_share, windows
from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.text import ChapterText, words

MOST_PHRASES: Final = 3
_FEWEST_USES: Final = 3
_SHORT: Final = 4

_GATE: Final = Gatekeeper("repetition")
_FIX: Final = "Say it in other words here."
_WITHIN: Final = BANDS["repeated phrases"]
_BEFORE: Final = BANDS["phrases of earlier chapters"]


def repeats(chapter: ChapterText, around: Surroundings) -> Found:
    """Phrases that stand too often; the figure is how many more than in human books, in thousands.

    Issues are told of the worst page. The figure counts over the whole chapter: where pages
    begin, and what share of a text a phrase is, changes with every word that is taken out.
    """
    short, found = grams(chapter.words, _SHORT), grams(chapter.words, PHRASE_WORDS)
    again = len(short) - len(set(short))
    seen = [gram in around.phrases for gram in found]
    excess = max(0.0, again - _WITHIN.amber * len(short))
    excess += max(0.0, sum(seen) - _BEFORE.amber * len(found))

    def tell() -> Iterator[Issue]:
        names = {part for name in (*around.people, *around.others) for part in words(name)}
        within = max(repeated_share(window) for _, window in windows(chapter.words))
        if within > (_WITHIN.red or 1.0):
            yield from _often(chapter, names)
        if sum(seen) > len(found) * (_BEFORE.red or 1.0):
            held = [gram for gram, known in zip(found, seen, strict=True) if known]
            yield from _taken(chapter, held, names)

    return Found(excess / 1_000, tell)


def _often(chapter: ChapterText, names: Collection[str]) -> list[Issue]:
    """The phrases that stand most often, each quoted where it stands last."""
    count = Counter(grams(chapter.words, PHRASE_WORDS))
    often = [
        gram
        for gram, uses in count.most_common()
        if uses >= _FEWEST_USES and _says_something(gram, names)
    ]
    why = "`{phrase}` stands {uses} times in the chapter"
    return _issues(chapter, {gram: count[gram] for gram in often}, why)


def _taken(chapter: ChapterText, held: Sequence[Gram], names: Collection[str]) -> list[Issue]:
    """Phrases that other chapters have, those that stand most often here first."""
    count = Counter(gram for gram in held if _says_something(gram, names))
    return _issues(chapter, dict(count.most_common()), "other chapters say `{phrase}`, too")


def _issues(chapter: ChapterText, ranked: Mapping[Gram, int], why: str) -> list[Issue]:
    """The first phrases as issues, no two at one sentence, each where it stands last."""
    places = {
        chapter.words[start : start + len(gram)]: start
        for start, gram in enumerate(grams(chapter.words, PHRASE_WORDS))
    }
    sentences = sentences_at(chapter, [places[gram] for gram in ranked])
    found: dict[str, Issue] = {}
    for (gram, uses), one in zip(ranked.items(), sentences, strict=True):
        told = why.format(phrase=" ".join(gram), uses=uses)
        issue = _GATE.issue("warning", one.text, one.paragraph.line, told, _FIX)
        found.setdefault(one.text, issue)
        if len(found) == MOST_PHRASES:
            break
    return list(found.values())


def _says_something(gram: Gram, names: Collection[str]) -> bool:
    """Whether a phrase has at least two words that are neither function words nor names."""
    return sum(word not in STOPWORDS and word not in names for word in gram) >= 2
