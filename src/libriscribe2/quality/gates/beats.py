"""Whether what was planned happens in the chapter."""

from collections.abc import Iterator
from typing import Final

from libriscribe2.models.reviews import Issue
from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.beats import WINDOW
from libriscribe2.quality.gates.beat_finder import Nearest
from libriscribe2.quality.gates.finding import Found, Gatekeeper, sentences_at
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText

_GATE: Final = Gatekeeper("beat")
_SHOWN: Final = 160


def beats(chapter: ChapterText, around: Surroundings) -> Found:
    """Beats of the plan of which the text has too few words; the figure counts them.

    The outline's beats are looked for, or the summaries of the scenes where it has none.
    """
    if not around.planned or not chapter.word_count:
        return Found()
    nearest = around.beat_finder.nearest(chapter)
    band = BANDS["beats found"]
    missed = [beat for beat in around.planned if band.level(nearest[beat].share) != "ok"]

    def tell() -> Iterator[Issue]:
        for beat in missed:
            yield _issue(chapter, beat, nearest[beat])

    return Found(float(len(missed)), tell)


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
