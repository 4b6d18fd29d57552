"""What a gate is: a function from a chapter and what stands around it to a figure and findings.

A new gate is a module in this folder with a function under `@gate("its name")`; `examination`
finds it there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from libriscribe2.checks.gates.gate_context import GateContext
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.quality.text import ChapterText

_LONGEST_QUOTE: Final = 240


@dataclass(frozen=True, slots=True)
class GateResult:
    """What a gate says of a version of a chapter.

    Attributes:
        figure: How bad it is: 0 where nothing is wrong, the higher the worse.
        findings: Where it is wrong; read once, and only where somebody wants to know.
    """

    figure: float = 0.0
    findings: Iterable[Finding] = ()


Look = Callable[[ChapterText, GateContext], GateResult]


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate.

    Attributes:
        name: Its name, by which its figure and its findings are called.
        look: Examines a chapter.
    """

    name: str
    look: Look


def gate(name: str) -> Callable[[Look], Gate]:
    """Make a gate of a function."""
    return lambda look: Gate(name, look)


def finding(
    rule: str, severity: Severity, quote: str, line: int, why: str, fix: str = ""
) -> Finding:
    """What a gate finds at a line of the chapter's text; "" for no passage in particular."""
    return Finding(severity, Place(line=line, quote=_clipped(quote)), why, fix, rule)


def _clipped(quote: str) -> str:
    """The first words of a quote, so many that they fit a line or two."""
    if len(quote) <= _LONGEST_QUOTE:
        return quote
    return quote[:_LONGEST_QUOTE].rpartition(" ")[0] or quote[:_LONGEST_QUOTE]
