"""Whether what was planned happens in the chapter, and at the wanted length."""

from collections.abc import Iterator, Mapping
from typing import Final

from libriscribe2.checks.gates.gate import GateContext, GateResult, finding, gate
from libriscribe2.checks.reference_ranges import RANGES
from libriscribe2.checks.text import ChapterText, words
from libriscribe2.checks.text_lengths import LONG, SHORT
from libriscribe2.checks.text_likeness import WINDOW, Nearest, nearest_passages, stem_weight, stems
from libriscribe2.models.findings import Finding

_SHOWN: Final = 160


@gate("beat")
def beats(chapter: ChapterText, context: GateContext) -> GateResult:
    """Beats of the plan of which the text has too few words; the figure counts them.

    The outline's beats are looked for, or the summaries of the scenes where it has none.
    """
    if not context.planned or not chapter.word_count:
        return GateResult()
    nearest = nearest_passages(context.planned, chapter.words, _weights(chapter, context))
    band = RANGES["beats found"]
    missed = {
        beat: passage
        for beat, passage in zip(context.planned, nearest, strict=True)
        if band.level(passage.share) != "ok"
    }
    count = sum(beat in missed for beat in context.planned)
    return GateResult(float(count), _findings(chapter, context, missed))


def _weights(chapter: ChapterText, context: GateContext) -> Mapping[str, float]:
    """The weights of the plan's stems by how many of the chapters have them, this one included."""
    wanted = stems(word for beat in context.planned for word in words(beat))
    own, count = stems(chapter.words), 1 + len(context.stems)
    held = {one: sum(one in known for known in context.stems) + (one in own) for one in wanted}
    return {one: stem_weight(times, count) for one, times in held.items() if times}


def _findings(
    chapter: ChapterText, context: GateContext, missed: Mapping[str, Nearest]
) -> Iterator[Finding]:
    """The missed beats, each at the passage where it would come in most easily."""
    for beat in context.planned:
        if beat in missed:
            told = beat if len(beat) <= _SHOWN else f"{beat[:_SHOWN].rstrip()}\u2026"
            middle = chapter.sentence_at(missed[beat].start + WINDOW // 2)
            why = f"the plan has: {told} The text has {missed[beat].share:.0%} of its words"
            fix = "If it does not happen in the text, let it happen near here."
            yield finding("beat", "warning", middle.text, middle.line, why, fix)


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
