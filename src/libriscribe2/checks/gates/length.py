"""Whether a chapter is near its wanted length."""

from libriscribe2.checks.gates.gate import GateResult, finding, gate
from libriscribe2.checks.gates.gate_context import GateContext
from libriscribe2.quality.lengths import LONG, SHORT
from libriscribe2.quality.text import ChapterText


@gate("length")
def length(chapter: ChapterText, context: GateContext) -> GateResult:
    """A length outside 0.75 to 1.35 of the wanted one; the figure is how far outside."""
    if not context.words:
        return GateResult()
    share = chapter.word_count / context.words
    if SHORT <= share <= LONG:
        return GateResult()
    why = f"{chapter.word_count} words, {context.words} were asked for"
    return GateResult(max(SHORT - share, share - LONG), [finding("length", "warning", "", 1, why)])
