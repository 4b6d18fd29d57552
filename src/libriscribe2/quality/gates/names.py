"""Names that are written otherwise than the book writes them."""

from typing import Final

from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.names import NameDrift, name_drift
from libriscribe2.quality.text import ChapterText, plain, sentences

_GATE: Final = Gatekeeper("name")


def names(chapter: ChapterText, around: Surroundings) -> Found:
    """Spellings one slip away from a name; the figure counts them."""
    drifts = name_drift([chapter], around.people, (*around.others, *around.settled))
    issues = [
        _GATE.issue(
            "error",
            _sentence(one),
            one.paragraph.line,
            f"`{one.spelling}` looks like a slip for `{one.name}`",
            f"Write `{one.name}`, unless somebody else is meant.",
        )
        for one in drifts
    ]
    return Found(float(len(drifts)), lambda: issues)


def _sentence(drift: NameDrift) -> str:
    """The sentence that holds the spelling."""
    held = (one for one in sentences(drift.paragraph.text) if drift.spelling in plain(one))
    return next(held, drift.paragraph.text)
