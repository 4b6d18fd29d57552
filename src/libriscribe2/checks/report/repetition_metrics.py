"""Repetition within a chapter, across chapters, and at their edges."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import ceil, floor
from statistics import fmean, median
from typing import Final

from libriscribe2.checks.report.metric import WORST, Metric, clipped, note, place, worst
from libriscribe2.checks.text import (
    EDGE_WORDS,
    ChapterText,
    EdgePair,
    StockPhrase,
    duplicate_paragraphs,
    ending_pairs,
    opening_pairs,
    repeated_share,
    shares_seen_before,
    stock_phrases,
    windows,
)
from libriscribe2.checks.text_figures import compressed_share, per_thousand
from libriscribe2.models.findings import Place
from libriscribe2.prose import prose_words

BLOCK: Final = 8
"""Chapters that are compared with each other for the metrics of a block."""

PART_WORDS: Final = 1_125
PARTS: Final = 8
"""A window of the book: eight parts of so many words. What grows with the length of a text is
measured on windows, so that a novella and a long novel lie in one range."""

_MOST_PAGES: Final = 0.9
_ON_PAGES: Final = "of phrases (90th percentile of pages)"


def repetition_metrics(chapters: Sequence[ChapterText], names: Iterable[str]) -> list[Metric]:
    """What is said again within and across chapters."""
    known, samples = list(names), list(book_windows(chapters))
    phrases = stock_phrases(chapters, known)
    often = fmean(
        per_thousand(sum(one.count for one in stock_phrases(each, known)), each) for each in samples
    )
    return [
        *_within(chapters),
        *_before(chapters, samples),
        Metric(
            "stock phrases",
            "repetition",
            often,
            "per 1,000 words",
            _distinct(chapters, phrases),
        ),
        _duplicates(chapters, samples),
        Metric(
            "compressed share",
            "repetition",
            fmean(compressed_share(one.text) for one in chain.from_iterable(samples)),
            "of the text's size",
        ),
    ]


def book_windows(chapters: Sequence[ChapterText]) -> Iterator[list[ChapterText]]:
    """A book's prose in windows of about 9,000 words, each as eight parts.

    Chapters end no part. A shorter book is one window of smaller parts. A rest of less than half a
    window belongs to none.
    """
    prose = [(one, prose_words(one)) for chapter in chapters for one in chapter.prose]
    wanted = min(PART_WORDS, ceil(sum(count for _, count in prose) / PARTS))
    parts, held, size = list[ChapterText](), list[str](), 0
    for paragraph, count in prose:
        held.append(paragraph)
        size += count
        if size >= wanted:
            parts.append(ChapterText(len(parts) + 1, "", "\n\n".join(held)))
            held, size = [], 0
    if held and (size >= wanted // 2 or not parts):
        parts.append(ChapterText(len(parts) + 1, "", "\n\n".join(held)))
    for start in range(0, len(parts), PARTS):
        each = parts[start : start + PARTS]
        if not start or len(each) >= PARTS // 2:
            yield each


def opening_and_ending_metrics(chapters: Sequence[ChapterText]) -> list[Metric]:
    """How alike chapters begin and end; none for a single chapter."""
    if len(chapters) < 2:
        return []
    return [
        *_edges("openings", opening_pairs, chapters, _opening),
        *_edges("endings", ending_pairs, chapters, _ending),
    ]


def _blocks(chapters: Sequence[ChapterText]) -> list[Sequence[ChapterText]]:
    """Runs of eight chapters, each beginning in the middle of the one before.

    The more chapters are compared, the more alike the most alike of them are: metrics of books
    of different lengths can only be compared block by block.
    """
    starts = range(0, max(1, len(chapters) - BLOCK // 2), BLOCK // 2)
    return [chapters[start : start + BLOCK] for start in starts]


def _within(chapters: Sequence[ChapterText]) -> list[Metric]:
    """Windows of 1,000 words by phrases of four words that stand in them twice."""
    found = sorted(
        (
            (repeated_share(window), index, start)
            for index, chapter in enumerate(chapters)
            for start, window in windows(chapter.words)
        ),
        key=lambda one: (-one[0], one[1], one[2]),
    )
    shown = worst(
        place(chapters[index], chapters[index].place_of(start))
        for share, index, start in found
        if share > 0
    )
    nine_in_ten = found[floor((1 - _MOST_PAGES) * (len(found) - 1))][0]
    return [
        Metric("repeated phrases", "repetition", nine_in_ten, _ON_PAGES, shown),
        Metric("most repetitive page", "repetition", found[0][0], "of its phrases", shown[:1]),
    ]


def _before(chapters: Sequence[ChapterText], samples: Sequence[list[ChapterText]]) -> list[Metric]:
    """Phrases of five words that an earlier chapter has."""
    shares = shares_seen_before(chapters)[1:]
    ranked = sorted(enumerate(shares, start=1), key=lambda one: (-one[1], one[0]))
    shown = worst(
        note(chapters[index], f"{share:.1%} of its phrases are in earlier chapters")
        for index, share in ranked
        if share > 0
    )
    seen = [known for each in samples if (known := shares_seen_before(each)[1:])]
    typical = fmean(map(fmean, seen)) if seen else 0.0
    near = Metric(
        "phrases of earlier chapters",
        "repetition",
        typical,
        "of phrases (parts of 1,125 words, eight at a time)",
        shown,
    )
    if len(chapters) <= BLOCK:
        return [near]
    mean = fmean(shares)
    return [
        near,
        Metric("phrases of all earlier chapters", "repetition", mean, "of phrases", shown),
    ]


def _duplicates(chapters: Sequence[ChapterText], samples: Sequence[list[ChapterText]]) -> Metric:
    """Paragraphs that stand twice within a window, and both places of each pair of the book."""
    pairs = duplicate_paragraphs(chapters)
    both = (
        place(chapters[index], paragraph)
        for pair in pairs
        for index, paragraph in (pair.first, pair.second)
    )
    near = fmean(len(duplicate_paragraphs(each)) for each in samples)
    return Metric("duplicate paragraphs", "repetition", near, "pairs per 9,000 words", worst(both))


def _distinct(chapters: Sequence[ChapterText], phrases: Iterable[StockPhrase]) -> tuple[Place, ...]:
    """The first use of some phrases, of which none runs into another one that is told."""
    places: list[Place] = []
    covered: set[tuple[int, int]] = set()
    for phrase in phrases:
        index, start = _first_use(chapters, tuple(phrase.text.split(" ")))
        taken = {(index, start + n) for n in range(phrase.text.count(" ") + 1)}
        if covered.isdisjoint(taken):
            chapter = chapters[index]
            quote = f"{phrase.text} ({phrase.count} times in {phrase.chapters} chapters)"
            places.append(note(chapter, quote, chapter.place_of(start).line))
        covered |= taken
        if len(places) == WORST:
            break
    return tuple(places)


def _first_use(chapters: Sequence[ChapterText], wanted: tuple[str, ...]) -> tuple[int, int]:
    """Index of the chapter and of the word where a phrase of the book stands first."""
    return next(
        (index, start)
        for index, chapter in enumerate(chapters)
        for start in range(len(chapter.words) - len(wanted) + 1)
        if chapter.words[start : start + len(wanted)] == wanted
    )


def _edges(
    name: str,
    pairs: Callable[[Sequence[ChapterText]], list[EdgePair]],
    chapters: Sequence[ChapterText],
    shown: Callable[[ChapterText], Place],
) -> list[Metric]:
    """The most alike pair of chapters of a typical block, and of the book; both places of it."""
    top = pairs(chapters)[0]
    places = (shown(chapters[top.first]), shown(chapters[top.second])) if top.likeness else ()
    typical = median(pairs(block)[0].likeness for block in _blocks(chapters))
    unit = "of words (most similar pair)"
    near = Metric(
        f"like {name}", "openings and endings", typical, "of words (most similar of eight)", places
    )
    if len(chapters) <= BLOCK:
        return [near]
    return [near, Metric(f"most alike {name}", "openings and endings", top.likeness, unit, places)]


def _opening(chapter: ChapterText) -> Place:
    """How a chapter begins."""
    return place(chapter, chapter.paragraphs[0])


def _ending(chapter: ChapterText) -> Place:
    """How a chapter ends."""
    last = chapter.place_of(max(0, len(chapter.words) - EDGE_WORDS // 5))
    return note(chapter, clipped(chapter.sentences[-1]), last.line)
