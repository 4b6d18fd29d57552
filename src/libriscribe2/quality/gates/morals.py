"""A last paragraph that tells the reader what the chapter meant. English only."""

import re
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
    if not around.english or not chapter.paragraphs:
        return Found()
    last = chapter.paragraphs[-1]
    found = _MORAL.search(plain(last.text))
    if found is None:
        return Found()
    why = "the last paragraph may be telling what the chapter meant"
    issue = _GATE.issue("info", last.text[slice(*found.span())], last.line, why)
    return Found(1.0, lambda: (issue,))
