"""The book beside its plan: lengths, beats, names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.card.figure import Figure, Place, clipped, place, worst
from libriscribe2.quality.lengths import chapter_variation, length_score
from libriscribe2.quality.likeness import beat_coverage, stem_weights
from libriscribe2.quality.names import confusable_names, name_drift
from libriscribe2.quality.text import ChapterText
from libriscribe2.quality.text_figures import ai_names


@dataclass(frozen=True, slots=True)
class BookPlan:
    """What was planned.

    Attributes:
        people: Names of the characters, main ones first.
        others: Names of places and terms.
        beats: For each chapter's number what is to happen in it, one entry per scene.
        chapter_words: Wanted words of a chapter; 0 where nothing was asked.
        english: Whether figures that need English words can be had.
    """

    people: Sequence[str] = ()
    others: Sequence[str] = ()
    beats: Mapping[int, Sequence[str]] = field(default_factory=dict)
    chapter_words: int = 0
    english: bool = True


def length_figures(chapters: Sequence[ChapterText], plan: BookPlan) -> list[Figure]:
    """How lengths meet what was asked, and how even chapters are."""
    lengths = [len(one.words) for one in chapters]
    found = []
    if plan.chapter_words:
        scores = [length_score(length, plan.chapter_words) for length in lengths]
        off = sorted(zip(scores, chapters, lengths, strict=True), key=lambda one: one[0])
        places = worst(
            Place(chapter.file, 1, f"{length} words, {plan.chapter_words} were asked for")
            for score, chapter, length in off
            if BANDS["length score"].level(score) != "ok"
        )
        found.append(Figure("length score", "length", fmean(scores), "of 100", places))
    if len(chapters) >= 3:
        variation = chapter_variation(lengths)
        found.append(Figure("chapter variation", "length", variation, "of the mean"))
    return found


def plan_figures(chapters: Sequence[ChapterText], plan: BookPlan) -> list[Figure]:
    """How much of what was planned the chapters hold; none without a plan."""
    weights = stem_weights([one.words for one in chapters])
    found = [
        (beat_coverage(beat, chapter.words, weights), chapter, beat)
        for chapter in chapters
        for beat in plan.beats.get(chapter.number, ())
    ]
    if not found:
        return []
    missed = sorted(found, key=lambda one: one[0])
    band = BANDS["beats found"]
    places = worst(
        Place(chapter.file, 1, f"{share:.0%} of: {clipped(beat)}")
        for share, chapter, beat in missed
        if band.level(share) != "ok"
    )
    return [Figure("beats found", "plan", missed[0][0], "of the words of the weakest beat", places)]


def name_figures(chapters: Sequence[ChapterText], plan: BookPlan) -> list[Figure]:
    """Names that drift, that are easily confused, and that models favour."""
    drifts = name_drift(chapters, plan.people, plan.others)
    alike = confusable_names(plan.people)
    common = ai_names(plan.people)
    first = chapters[0].file
    return [
        Figure(
            "drifting names",
            "names",
            len(drifts),
            "spellings",
            worst(
                place(chapters[one.chapter], one.paragraph, f"{one.spelling} for {one.name}")
                for one in drifts
            ),
        ),
        Figure(
            "confusable names",
            "names",
            len(alike),
            "pairs",
            worst(Place(first, 1, f"{one} and {other}") for one, other in alike),
        ),
        Figure(
            "names that models favour",
            "names",
            len(common),
            "names",
            worst(Place(first, 1, name) for name in common),
        ),
    ]
