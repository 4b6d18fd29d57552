"""An author of a series: writes what a test says of each book, and finds in it what it states."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.support.authors import Author
from tests.support.told_book import fact

from libriscribe2.llm.backend import Request

Told = tuple[str, str, str, str]
"""A statement: of whom, of what kind, the value, and the words that make it."""

REST: Final = "The boats lay where they had lain all week, and nobody asked them to leave the quay."
CAST: Final = ("Ada Quell", "Ivo Brandt", "Sister Oda")

FIRST_BOOK: Final[Mapping[int, Sequence[Told]]] = {
    1: [
        ("Ada Quell", "eyes", "green", "Ada's green eyes watered"),
        ("Ada", "job", "baker", "Ada was still the baker of the town"),
        ("Ada", "location", "the quay", "Ada waited on the quay"),
        ("bridge to fort", "distance", "two miles", "It was two miles from the bridge to the fort"),
    ],
    2: [
        ("Ada", "job", "pilot", "By then Ada was the pilot of the harbour"),
        ("Ada", "possession", "destroyed: the brass lamp", "The brass lamp of Ada burst for good"),
        ("Ada", "knows", "the name of the wrecker", "Ada knew the name of the wrecker"),
        ("Ada", "injury", "scar on the left hand", "A scar stayed on Ada's left hand"),
        ("Ivo", "alive", "dead", "Ivo Brandt was dead before noon"),
    ],
}
"""How the first book leaves its people."""


class SeriesAuthor(Author):
    """Writes a chapter out of the words of its statements.

    Args:
        told: What each chapter states.
    """

    def __init__(self, told: Mapping[int, Sequence[Told]]) -> None:
        super().__init__(reply=self._told)
        self._said = told

    def _told(self, request: Request) -> str | None:
        if request.step == "outline":
            return json.dumps(_outline(len(self._said)))
        if request.step == "characters":
            return json.dumps({"characters": [_person(name) for name in CAST]})
        if request.step.startswith("canon/ch"):
            facts = [fact(*one) for one in self._said[int(request.step[-2:])]]
            return json.dumps({"facts": facts, "events": [], "exit": {"people": [], "open": []}})
        if request.step.startswith("chapters/ch"):
            return self._text(int(request.step.split("/")[1].removeprefix("ch")))
        return None

    def _text(self, chapter: int) -> str:
        words = [quote for _, _, _, quote in self._said[chapter]]
        return "\n\n".join([*(f"{one}." for one in words), *([REST] * 3)])


def _outline(chapters: int) -> dict[str, Any]:
    """A plan without threads: what the text says is all that can be wrong."""
    plans = [
        {"title": f"Part {n}", "summary": f"Ada Quell and Ivo Brandt come to part {n}."}
        for n in range(1, chapters + 1)
    ]
    return {"summary": "Somebody comes back and is not known.", "chapters": plans}


def _person(name: str) -> dict[str, Any]:
    fields = ("age", "appearance", "personality", "background", "motivation", "conflict")
    return {
        "name": name,
        "role": "somebody",
        **dict.fromkeys((*fields, "relationships", "arc"), ""),
    }
