"""Whether the numbers of a book of facts stand in the notes that are cited for them."""

from typing import Final

from libriscribe2.checks.cited_sentences import UNCITED, cited_faults
from libriscribe2.checks.gates.gate import GateContext, GateResult, finding, gate
from libriscribe2.checks.text import ChapterText

RULE: Final = "citation"


@gate(RULE)
def citations(chapter: ChapterText, context: GateContext) -> GateResult:
    """Marks without a note, and numbers that the cited notes do not have; the figure counts them."""
    if not context.notes:
        return GateResult()
    found = list(cited_faults(chapter, {note.id: note for note in context.notes}, context.earlier))
    findings = (
        finding(
            RULE,
            "warning" if one.kind == UNCITED else "error",
            one.sentence,
            one.line,
            one.why,
            one.fix,
        )
        for one in found
    )
    return GateResult(float(len(found)), findings)
