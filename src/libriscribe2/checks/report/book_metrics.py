"""The metrics of a whole book: the text, its plan beside it, and its voice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Final

from libriscribe2.checks.reference_ranges import NO_LIMIT, RANGES, ReferenceRange
from libriscribe2.checks.report.metric import GROUPS, Group, Metric, note, place, worst
from libriscribe2.checks.report.repetition_metrics import (
    opening_and_ending_metrics,
    repetition_metrics,
)
from libriscribe2.checks.text import ChapterText
from libriscribe2.checks.text_figures import (
    SURFACE,
    ai_names,
    mattr,
    mtld,
    per_thousand,
    rhythm,
    surface_hits,
)
from libriscribe2.checks.text_lengths import chapter_variation, length_score
from libriscribe2.checks.text_names import can_compare_names, confusable_names, name_drift
from libriscribe2.models.draft_order import Kind
from libriscribe2.models.languages import is_english, language_of
from libriscribe2.prose import prose_words


@dataclass(frozen=True, slots=True)
class BookPlan:
    """What was planned.

    Attributes:
        people: Names of the characters, main ones first.
        others: Names of places and terms.
        chapter_words: Wanted words by the number of the chapter; empty where nothing was asked.
        language: The language of the book, as its brief has it.
        kind: Whether it is a story.
    """

    people: Sequence[str] = ()
    others: Sequence[str] = ()
    chapter_words: Mapping[int, float] = field(default_factory=dict)
    language: str = "English"
    kind: Kind = "fiction"


_OF_NOVELS: Final = ("repetition", "openings and endings", "voice")
"""Groups whose ranges were measured on English novels. Of books of facts, which say their terms
again, it is known only where a text has gone wrong; of other languages nothing."""


@dataclass(frozen=True, slots=True)
class BookMetrics:
    """What the metrics say of a book. There is no single score: no metric tracks quality alone.

    Attributes:
        chapters: How many chapters were measured.
        words: Their words.
        metrics: Every metric, by group.
    """

    chapters: int
    words: int
    metrics: tuple[Metric, ...]

    def group(self, name: Group) -> list[Metric]:
        """The metrics of one group."""
        return [metric for metric in self.metrics if metric.group == name]

    def flagged(self) -> list[Metric]:
        """The metrics outside the reference range, red ones first."""
        found = [metric for metric in self.metrics if metric.level not in (None, "ok")]
        return sorted(found, key=lambda metric: metric.level != "red")

    def as_record(self) -> dict[str, Any]:
        """The metrics as plain JSON."""
        return {
            "chapters": self.chapters,
            "words": self.words,
            "figures": [metric.as_record() for metric in self.metrics],
        }


def book_metrics(
    chapters: Sequence[ChapterText], plan: BookPlan, more: Sequence[Metric] = ()
) -> BookMetrics:
    """Measure a book.

    Args:
        chapters: Its chapters in order; chapters without prose are left out.
        plan: What was planned.
        more: Metrics that are not measured on the text alone.

    Raises:
        ValueError: No chapter has prose.
    """
    written = [one for one in chapters if one.words]
    if not written:
        raise ValueError("there is no prose to measure")
    names = (*plan.people, *plan.others)
    found = [
        *more,
        *repetition_metrics(written, names),
        *opening_and_ending_metrics(written),
        *length_metrics(written, plan),
        *name_metrics(written, plan),
        *voice_metrics(written),
        *(sound_metrics(written) if is_english(plan.language) else []),
    ]
    if plan.kind != "fiction" or not is_english(plan.language):
        found = [replace(one, band=_band(one, plan)) for one in found]
    ordered = sorted(found, key=lambda metric: GROUPS.index(metric.group))
    return BookMetrics(len(written), sum(prose_words(one.text) for one in written), tuple(ordered))


def _band(metric: Metric, plan: BookPlan) -> ReferenceRange | None:
    """Where a figure lies in books by people that are no English novels; None for the same."""
    if metric.group not in _OF_NOVELS:
        return None
    red = RANGES[metric.name].red if is_english(plan.language) else None
    return ReferenceRange(NO_LIMIT if red is None else red, red)


def length_metrics(chapters: Sequence[ChapterText], plan: BookPlan) -> list[Metric]:
    """How lengths meet what was asked, and how even chapters are."""
    lengths = [len(one.words) for one in chapters]
    found = []
    asked = [round(plan.chapter_words.get(one.number, 0)) for one in chapters]
    if all(asked):
        scores = [length_score(*one) for one in zip(lengths, asked, strict=True)]
        off = sorted(zip(scores, chapters, lengths, asked, strict=True), key=lambda one: one[0])
        places = worst(
            note(chapter, f"{length} words, {wanted} requested")
            for score, chapter, length, wanted in off
            if RANGES["length score"].level(score) != "ok"
        )
        found.append(Metric("length score", "length", fmean(scores), "of 100", places))
    if len(chapters) >= 3:
        variation = chapter_variation(lengths)
        found.append(Metric("chapter variation", "length", variation, "of the mean"))
    return found


def name_metrics(chapters: Sequence[ChapterText], plan: BookPlan) -> list[Metric]:
    """Names that drift, that are easily confused, and that models favour."""
    alike = confusable_names(plan.people)
    common = ai_names(plan.people)
    found = [
        Metric(
            "confusable names",
            "names",
            len(alike),
            "pairs",
            worst(note(chapters[0], f"{one} and {other}") for one, other in alike),
        ),
        Metric(
            "names that models favour",
            "names",
            len(common),
            "names",
            worst(note(chapters[0], name) for name in common),
        ),
    ]
    if can_compare_names(language_of(plan.language).code):
        drifts = name_drift(chapters, plan.people, plan.others, plan.language)
        places = worst(
            place(chapters[one.chapter], one.paragraph, f"{one.spelling} for {one.name}")
            for one in drifts
        )
        found.insert(0, Metric("drifting names", "names", len(drifts), "spellings", places))
    return found


def voice_metrics(chapters: Sequence[ChapterText]) -> list[Metric]:
    """Metrics that mean the same in every language."""
    tokens = [word for chapter in chapters for word in chapter.words]
    pace = rhythm(chapters)
    return [
        Metric("vocabulary (MATTR-500)", "voice", mattr(tokens), "types per word"),
        Metric("vocabulary (MTLD)", "voice", mtld(tokens), "words"),
        Metric("words per sentence", "voice", pace.sentence_words, "words"),
        Metric("short sentences", "voice", pace.short_share, "of sentences"),
        Metric("sentence variation", "voice", pace.sentence_variation, "of the mean"),
        Metric("paragraph variation", "voice", pace.paragraph_variation, "of the mean"),
    ]


def sound_metrics(chapters: Sequence[ChapterText]) -> list[Metric]:
    """Turns of phrase per 1,000 words; for English only."""
    return [_sound(chapters, kind) for kind in SURFACE]


def _sound(chapters: Sequence[ChapterText], kind: str) -> Metric:
    """One turn of phrase with its first places."""
    hits = surface_hits(chapters, kind)
    places = worst(place(chapters[hit.chapter], hit.paragraph, hit.text) for hit in hits)
    return Metric(kind, "ai sound", per_thousand(len(hits), chapters), "per 1,000 words", places)
