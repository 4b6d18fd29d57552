"""Whether what was planned happens in the chapter."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from libriscribe2.models.revision import Issue
from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.beats import WINDOW, stem_weight
from libriscribe2.quality.gates.beat_finder import BeatFinder, Nearest
from libriscribe2.quality.gates.finding import Found, Gatekeeper, sentences_at
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText

_GATE: Final = Gatekeeper("beat")
_SHOWN: Final = 160


def beats(chapter: ChapterText, around: Surroundings) -> Found:
    """Beats of the plan of which the text has too few words; the figure counts them.

    The outline's beats are looked for, or the summaries of the scenes where it has none.
    """
    planned = _planned(around)
    if not planned or not chapter.word_count:
        return Found()
    count = 1 + len(around.written)

    def weigh(stem: str, *, is_here: bool) -> float:
        """As `stem_weights` over this and all written chapters."""
        held = around.holding(stem) + is_here
        return stem_weight(held, count) if held else 1.0

    nearest = _finder(planned).nearest(chapter, weigh)
    band = BANDS["beats found"]
    missed = [beat for beat in planned if band.level(nearest[beat].share) != "ok"]

    def tell() -> Iterator[Issue]:
        for beat in missed:
            yield _issue(chapter, beat, nearest[beat])

    return Found(float(len(missed)), tell)


def _planned(around: Surroundings) -> tuple[str, ...]:
    if around.outline is not None and around.outline.beats:
        return tuple(around.outline.beats)
    return tuple(scene.summary for scene in around.scenes)


@lru_cache(maxsize=8)
def _finder(planned: tuple[str, ...]) -> BeatFinder:
    """What looks for the beats of a chapter that is revised."""
    return BeatFinder(planned)


def _issue(chapter: ChapterText, beat: str, nearest: Nearest) -> Issue:
    """A missed beat, at the passage where it would come in most easily."""
    told = beat if len(beat) <= _SHOWN else f"{beat[:_SHOWN].rstrip()}\u2026"
    (middle,) = sentences_at(chapter, [nearest.start + WINDOW // 2])
    return _GATE.issue(
        "warning",
        middle.text,
        middle.paragraph.line,
        f"the plan has: {told} The text has {nearest.share:.0%} of its words",
        "If it does not happen in the text, let it happen near here.",
    )
