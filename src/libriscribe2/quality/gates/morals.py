"""A last paragraph that tells the reader what the chapter meant. English only."""

import re
from functools import lru_cache
from typing import Final

from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText, plain

_GATE: Final = Gatekeeper("moral")
_MORAL: Final = re.compile(
    r"(?i)\b(?:(?:had|has|have) (?:finally |at last )?(?:learned|learnt|understood|realized|realised)"
    r"|(?:finally|at last) (?:understood|realized|realised|knew)"
    r"|(?:realized|realised|understood) (?:then |now )?that"
    r"|the (?:real |true )?lesson|what (?:really|truly) mattered"
    r"|in the end, (?:it|that|what|perhaps)|perhaps that was (?:enough|the point|what)"
    r"|would never be the same|nothing would ever be|sometimes,? (?:the|all|it) \w+)\b"
)


def morals(chapter: ChapterText, around: Surroundings) -> Found:
    """A closing paragraph that sounds like a lesson: a hint and no fault; the figure is 1 or 0."""
    if not around.english or not chapter.prose:
        return Found()
    said = _moral(chapter.prose[-1])
    if not said:
        return Found()
    why = "the last paragraph may be telling what the chapter meant"
    return Found(1.0, lambda: (_GATE.issue("info", said, chapter.paragraphs[-1].line, why),))


@lru_cache(maxsize=64)
def _moral(paragraph: str) -> str:
    """The words of a paragraph that sound like a lesson; "" where none do."""
    found = _MORAL.search(plain(paragraph))
    return "" if found is None else paragraph[slice(*found.span())]
