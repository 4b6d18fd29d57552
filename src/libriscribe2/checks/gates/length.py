"""Whether a chapter has the wanted length."""

from libriscribe2.checks.gates.gate import GateContext, GateResult, finding, gate
from libriscribe2.checks.text import ChapterText
from libriscribe2.checks.text_lengths import LONG, SHORT


@gate("length", lesser=True)
def length(chapter: ChapterText, context: GateContext) -> GateResult:
    """A length outside 0.75 to 1.35 of the wanted one; the figure is how far outside."""
    if not context.words:
        return GateResult()
    share = chapter.word_count / context.words
    if SHORT <= share <= LONG:
        return GateResult()
    why = f"{chapter.word_count} words, {context.words} were asked for"
    return GateResult(max(SHORT - share, share - LONG), [finding("length", "warning", "", 1, why)])
