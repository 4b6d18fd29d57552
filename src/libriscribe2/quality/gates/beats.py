"""Whether what was planned happens in the chapter."""

from collections.abc import Iterator, Sequence
from math import log
from typing import Final

from libriscribe2.models.revision import Issue
from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.beats import WINDOW, beat_coverage, stems
from libriscribe2.quality.gates.finding import Found, Gatekeeper, sentences_at
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText, words

_GATE: Final = Gatekeeper("beat")
_SHOWN: Final = 160


def beats(chapter: ChapterText, around: Surroundings) -> Found:
    """Beats of the plan of which the text has too few words; the figure counts them.

    The outline's beats are looked for, or the summaries of the scenes where it has none.
    """
    planned = _planned(around)
    if not planned or not chapter.words:
        return Found()
    weights = _weights(planned, chapter, around)
    shares = [(beat, beat_coverage(beat, chapter.words, weights)) for beat in planned]
    band = BANDS["beats found"]
    missed = [(beat, share) for beat, share in shares if band.level(share) != "ok"]

    def tell() -> Iterator[Issue]:
        for beat, share in missed:
            place = _nearest(beat, chapter.words, weights)
            yield _issue(chapter, beat, share, place)

    return Found(float(len(missed)), tell)


def _planned(around: Surroundings) -> list[str]:
    if around.outline is not None and around.outline.beats:
        return list(around.outline.beats)
    return [scene.summary for scene in around.scenes]


def _weights(
    planned: Sequence[str], chapter: ChapterText, around: Surroundings
) -> dict[str, float]:
    """As `stem_weights` over this and all written chapters, for the stems of the plan alone."""
    own = stems(chapter.words)
    count = 1 + len(around.written)
    held = {
        stem: around.holders[stem] + (stem in own)
        for beat in planned
        for stem in stems(words(beat))
    }
    return {stem: log((1 + count) / (1 + n)) + 0.1 for stem, n in held.items() if n}


def _nearest(beat: str, tokens: Sequence[str], weights: dict[str, float]) -> int:
    """The index of the word where the passage begins that comes nearest to a beat."""
    starts = range(0, max(1, len(tokens) - WINDOW // 2), WINDOW // 2)
    return max(
        starts,
        key=lambda start: (beat_coverage(beat, tokens[start : start + WINDOW], weights), -start),
    )


def _issue(chapter: ChapterText, beat: str, share: float, start: int) -> Issue:
    """A missed beat, at the passage where it would come in most easily."""
    told = beat if len(beat) <= _SHOWN else f"{beat[:_SHOWN].rstrip()}\u2026"
    (middle,) = sentences_at(chapter, [start + WINDOW // 2])
    return _GATE.issue(
        "warning",
        middle.text,
        middle.paragraph.line,
        f"the plan has: {told} The text has {share:.0%} of its words",
        "If it does not happen in the text, let it happen near here.",
    )
