"""Whether a chapter is near its wanted length."""

from typing import Final

from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.lengths import LONG, SHORT
from libriscribe2.quality.text import ChapterText

_GATE: Final = Gatekeeper("length")


def length(chapter: ChapterText, around: Surroundings) -> Found:
    """A length outside 0.75 to 1.35 of the wanted one; the figure is how far outside."""
    if not around.words:
        return Found()
    count = chapter.word_count
    share = count / around.words
    if SHORT <= share <= LONG:
        return Found()
    found = _GATE.issue("warning", "", 1, f"{count} words, {around.words} were asked for")
    return Found(max(SHORT - share, share - LONG), lambda: (found,))
