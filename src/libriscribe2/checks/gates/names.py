"""Names that are written otherwise than the book writes them."""

from collections.abc import Iterator

from libriscribe2.checks.gates.gate import GateResult, finding, gate
from libriscribe2.checks.gates.gate_context import GateContext
from libriscribe2.models.findings import Finding
from libriscribe2.quality.names import NameDrift, name_drift
from libriscribe2.quality.text import ChapterText, plain, sentences


@gate("name")
def names(chapter: ChapterText, context: GateContext) -> GateResult:
    """Spellings one slip away from a name; the figure counts them."""
    drifts = name_drift([chapter], context.people, (*context.others, *context.settled))
    return GateResult(float(len(drifts)), _findings(drifts))


def _findings(drifts: list[NameDrift]) -> Iterator[Finding]:
    for one in drifts:
        why = f"`{one.spelling}` looks like a slip for `{one.name}`"
        fix = f"Write `{one.name}`, unless somebody else is meant."
        yield finding("name", "error", _sentence(one), one.paragraph.line, why, fix)


def _sentence(drift: NameDrift) -> str:
    """The sentence that holds the spelling."""
    held = (one for one in sentences(drift.paragraph.text) if drift.spelling in plain(one))
    return next(held, drift.paragraph.text)
