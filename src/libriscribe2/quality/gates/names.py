"""Names that are written otherwise than the book writes them."""

from collections.abc import Iterator
from typing import Final

from libriscribe2.models.reviews import Issue
from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.names import NameDrift, name_drift, slips, uses_of
from libriscribe2.quality.text import ChapterText, plain, sentences

_GATE: Final = Gatekeeper("name")


def names(chapter: ChapterText, around: Surroundings) -> Found:
    """Spellings one slip away from a name; the figure counts them."""
    around.capitals.move_to(chapter.prose)
    found = slips(uses_of(*around.capitals.counts), around.names, around.right_words)

    def tell() -> Iterator[Issue]:
        right = (*around.others, *around.settled)
        for one in name_drift([chapter], around.people, right) if found else ():
            yield _GATE.issue(
                "error",
                _sentence(one),
                one.paragraph.line,
                f"`{one.spelling}` looks like a slip for `{one.name}`",
                f"Write `{one.name}`, unless somebody else is meant.",
            )

    return Found(float(len(found)), tell)


def _sentence(drift: NameDrift) -> str:
    """The sentence that holds the spelling."""
    held = (one for one in sentences(drift.paragraph.text) if drift.spelling in plain(one))
    return next(held, drift.paragraph.text)
