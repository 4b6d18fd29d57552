"""A chapter put through all gates."""

import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from types import MappingProxyType
from typing import Final

from libriscribe2.checks import gates
from libriscribe2.checks.gates.gate import Gate, GateContext, GateResult
from libriscribe2.checks.text import ChapterText
from libriscribe2.models.findings import Finding

MOST_OF_A_GATE: Final = 6
"""Most findings of one gate: they are samples, the figure counts all."""

_SLACK: Final = 0.002
"""So much a figure may rise without being worse: shares move a little with every word."""

_RANK: Final = {"error": 0, "warning": 1, "note": 2}


def _discovered() -> Iterator[Gate]:
    """The gates of all modules beside this one."""
    for module in pkgutil.iter_modules(gates.__path__, f"{gates.__name__}."):
        if module.name != __name__:
            named = vars(import_module(module.name)).values()
            yield from (one for one in named if isinstance(one, Gate))


GATES: Final = MappingProxyType({one.name: one for one in _discovered()})
"""Every gate by its name, in the order of their modules."""


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
        findings: What is wrong, errors first, then in the order of the text.
        figures: How bad it is.
    """

    findings: tuple[Finding, ...]
    figures: GateFigures


def examined(text: str, context: GateContext) -> Examined:
    """Put a chapter through all gates.

    Args:
        text: Its Markdown, with or without its title.
        context: What it is examined beside.
    """
    results = _results(text, context)
    every = [one for result in results.values() for one in islice(result.findings, MOST_OF_A_GATE)]
    every.sort(key=lambda one: (_RANK[one.severity], one.where.line, one.rule))
    return Examined(tuple(every), _figures(results))


def measured(text: str, context: GateContext) -> GateFigures:
    """How bad a version of a chapter is, without saying where."""
    return _figures(_results(text, context))


def _results(text: str, context: GateContext) -> Mapping[str, GateResult]:
    chapter = ChapterText(context.number, "", text)
    return {name: one.look(chapter, context) for name, one in GATES.items()}


def _figures(results: Mapping[str, GateResult]) -> GateFigures:
    return GateFigures({name: one.figure for name, one in results.items()})
