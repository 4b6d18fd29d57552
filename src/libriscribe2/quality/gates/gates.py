"""All gates over a chapter."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from libriscribe2.models.reviews import Issue
from libriscribe2.quality.gates.beats import beats
from libriscribe2.quality.gates.duplicates import duplicates
from libriscribe2.quality.gates.edges import edges
from libriscribe2.quality.gates.finding import Found
from libriscribe2.quality.gates.leaks import leaks
from libriscribe2.quality.gates.length import length
from libriscribe2.quality.gates.morals import morals
from libriscribe2.quality.gates.names import names
from libriscribe2.quality.gates.repeats import repeats
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.gates.viewpoint import viewpoint
from libriscribe2.quality.text import ChapterText

Gate = Callable[[ChapterText, Surroundings], Found]

GATES: Final[Mapping[str, Gate]] = MappingProxyType({
    "length": length,
    "duplicate": duplicates,
    "edge": edges,
    "repetition": repeats,
    "name": names,
    "beat": beats,
    "viewpoint": viewpoint,
    "leak": leaks,
    "moral": morals,
})  # fmt: skip
"""Every gate by its name."""

ERROR_GATES: Final = ("duplicate", "edge", "name", "leak")
"""Gates that tell of errors; what the others tell of are warnings and hints."""

_SLACK: Final = 0.002
"""So much a figure may rise without being worse: shares move a little with every word."""

_RANK: Final = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class GateFigures:
    """How bad a chapter is by each gate, so that two versions of it can be compared.

    Attributes:
        values: The figure of each gate, 0 where nothing is wrong.
    """

    values: Mapping[str, float]

    def worse_than(self, other: "GateFigures") -> tuple[str, ...]:
        """The gates by which this version is worse than another one; none means never worse."""
        return tuple(
            name
            for name, value in self.values.items()
            if value > other.values.get(name, 0.0) + _SLACK
        )


@dataclass(frozen=True, slots=True)
class Examined:
    """What the gates say of a version of a chapter.

    Attributes:
        issues: What is wrong, errors first, then in the order of the text.
        figures: How bad it is.
    """

    issues: tuple[Issue, ...]
    figures: GateFigures


def examined(text: str, around: Surroundings) -> Examined:
    """Put a chapter through all gates.

    Args:
        text: Its Markdown, with or without its title.
        around: What it is examined beside.
    """
    found = _found(text, around)
    issues = [issue for one in found.values() for issue in one.issues]
    ordered = sorted(issues, key=lambda issue: (_RANK[issue.severity], issue.line, issue.kind))
    return Examined(tuple(ordered), _figures(found))


def errors(text: str, around: Surroundings) -> tuple[Issue, ...]:
    """What `examined` tells as errors, without looking up what the other gates would tell."""
    found = _found(text, around)
    told = (issue for name in ERROR_GATES for issue in found[name].issues)
    return tuple(issue for issue in told if issue.severity == "error")


def measured(text: str, around: Surroundings) -> GateFigures:
    """How bad a version of a chapter is, without saying where."""
    return _figures(_found(text, around))


def _found(text: str, around: Surroundings) -> Mapping[str, Found]:
    chapter = ChapterText(around.number, "", text)
    return {name: gate(chapter, around) for name, gate in GATES.items()}


def _figures(found: Mapping[str, Found]) -> GateFigures:
    return GateFigures({name: one.figure for name, one in found.items()})
