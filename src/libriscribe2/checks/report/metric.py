"""One metric of the report."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from libriscribe2.checks.reference_ranges import RANGES, Level, ReferenceRange, amount
from libriscribe2.checks.text import ChapterText, Paragraph
from libriscribe2.models.findings import Place

Group = Literal[
    "continuity",
    "repetition",
    "openings and endings",
    "voice",
    "length",
    "names",
    "ai sound",
]

GROUPS: Final[tuple[Group, ...]] = (
    *(
        "continuity",
        "repetition",
        "openings and endings",
        "length",
        "names",
        "voice",
        "ai sound",
    ),
)
"""The groups in the order of the report."""

_IN_JSON: Final = {"openings and endings": "edges"}
"""Groups that `report --json` calls by an earlier name."""

_IN_WORDS: Final = {
    "phrases of earlier chapters": "phrases from earlier chapters",
    "phrases of all earlier chapters": "phrases from all earlier chapters",
    "like openings": "similar openings",
    "like endings": "similar endings",
    "most alike openings": "most similar openings",
    "most alike endings": "most similar endings",
    "compressed share": "compression ratio",
    "drifting names": "inconsistent names",
    "names that models favour": "typical AI names",
}
"""Metrics whose name in records is an older one."""

WORST: Final = 5
"""Most places that a metric points to."""

QUOTE_LENGTH: Final = 160


def metric_in_words(name: str) -> str:
    """The name of a metric for people; its name in records stays."""
    return _IN_WORDS.get(name, name)


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of a book.

    Attributes:
        name: Its name, as in `RANGES`.
        group: The part of the report.
        value: The metric.
        unit: What it counts, such as `per 1,000 words`; that of a share begins with `of`.
        places: The worst places, worst first.
        band: Where such books by people lie; None for where English novels do.
    """

    name: str
    group: Group
    value: float
    unit: str
    places: tuple[Place, ...] = field(default=())
    band: ReferenceRange | None = None

    @property
    def name_in_words(self) -> str:
        """Its name for people."""
        return metric_in_words(self.name)

    @property
    def group_in_words(self) -> str:
        """Its part of the report for people."""
        return "AI style" if self.group == "ai sound" else self.group

    @property
    def level(self) -> Level | None:
        """Where it lies beside books by people; None where it is not known where those lie."""
        return self.range.level(self.value) if self.range.is_known else None

    @property
    def human(self) -> str:
        """The range of books by people in words, in the metric's own unit."""
        return self.range.words(share=self._is_share)

    @property
    def range(self) -> ReferenceRange:
        """Where such books by people lie."""
        return RANGES[self.name] if self.band is None else self.band

    def amount(self, value: float | None = None) -> str:
        """A value of this metric as people read it, without its unit; its own by default."""
        return amount(self.value if value is None else value, share=self._is_share)

    @property
    def _is_share(self) -> bool:
        return self.unit.startswith("of ") and not self.unit[3:].isdigit()

    def as_record(self) -> dict[str, Any]:
        """The metric as plain JSON."""
        band = self.range
        return {
            "name": self.name,
            "group": _IN_JSON.get(self.group, self.group),
            "value": round(self.value, 4),
            "unit": self.unit,
            "level": self.level,
            "human": {"above": _finite(band.amber), "below": band.low},
            "places": [place.as_record() for place in self.places],
        }


def place(chapter: ChapterText, paragraph: Paragraph, quote: str = "") -> Place:
    """A place in a chapter; the beginning of the paragraph where nothing else is quoted."""
    return Place(
        chapter.file, chapter.number, line=paragraph.line, quote=clipped(quote or paragraph.text)
    )


def clipped(text: str) -> str:
    """A text short enough to be shown in a line."""
    return text if len(text) <= QUOTE_LENGTH else f"{text[: QUOTE_LENGTH - 1].rstrip()}\u2026"


def note(chapter: ChapterText, text: str, line: int = 1) -> Place:
    """A place in a chapter with what is to be said of it."""
    return Place(chapter.file, chapter.number, line=line, quote=text)


def worst(places: Iterable[Place]) -> tuple[Place, ...]:
    """The first places of many."""
    return tuple(places)[:WORST]


def _finite(value: float) -> float | None:
    """None for no limit: JSON has no infinity."""
    return None if value == float("inf") else value
