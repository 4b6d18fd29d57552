"""The figures of a whole book."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from libriscribe2.prose import prose_words
from libriscribe2.quality.card.figure import GROUPS, Figure, Group
from libriscribe2.quality.card.planned import (
    BookPlan,
    length_figures,
    name_figures,
    plan_figures,
)
from libriscribe2.quality.card.repeated import edge_figures, repetition_figures
from libriscribe2.quality.card.voice import sound_figures, voice_figures
from libriscribe2.quality.text import ChapterText


@dataclass(frozen=True, slots=True)
class ReportCard:
    """What the figures say of a book. There is no single score: no figure tracks quality alone.

    Attributes:
        chapters: How many chapters were measured.
        words: Their words.
        figures: Every figure, by group.
    """

    chapters: int
    words: int
    figures: tuple[Figure, ...]

    def group(self, name: Group) -> list[Figure]:
        """The figures of one group."""
        return [figure for figure in self.figures if figure.group == name]

    def flagged(self) -> list[Figure]:
        """The figures outside the human range, red ones first."""
        found = [figure for figure in self.figures if figure.level != "ok"]
        return sorted(found, key=lambda figure: figure.level != "red")

    def as_record(self) -> dict[str, Any]:
        """The card as plain JSON."""
        return {
            "chapters": self.chapters,
            "words": self.words,
            "figures": [figure.as_record() for figure in self.figures],
        }


def report_card(
    chapters: Sequence[ChapterText], plan: BookPlan, more: Sequence[Figure] = ()
) -> ReportCard:
    """Measure a book.

    Args:
        chapters: Its chapters in order; chapters without prose are left out.
        plan: What was planned.
        more: Figures that are not measured on the text alone.

    Raises:
        ValueError: No chapter has prose.
    """
    written = [one for one in chapters if one.words]
    if not written:
        raise ValueError("there is no prose to measure")
    names = (*plan.people, *plan.others)
    found = [
        *more,
        *repetition_figures(written, names),
        *edge_figures(written),
        *length_figures(written, plan),
        *plan_figures(written, plan),
        *name_figures(written, plan),
        *voice_figures(written),
        *(sound_figures(written) if plan.english else []),
    ]
    ordered = sorted(found, key=lambda figure: GROUPS.index(figure.group))
    return ReportCard(len(written), sum(prose_words(one.text) for one in written), tuple(ordered))
