"""An author who writes what a test says, and finds in it what the test says."""

import json
from collections.abc import Sequence
from typing import Any, Final

from tests.support.authors import Author

from libriscribe2.llm.backend import Request

FIRST: Final = (
    "Ada Quell stood on the quay before anybody else was up. Her green eyes watered in the wind. "
    "She had worked as the baker of the town since spring.\n\nThe boats lay where they had lain "
    "all week, and nobody had asked them to leave."
)
SECOND: Final = (
    "Rain came over the hill and the bells began. Ada wiped her brown eyes and said nothing "
    "to the others.\n\nBy then she was the pilot of the harbour, and the rope burned her hands "
    "while the tide turned under the bridge."
)
FACTS: Final = {
    1: [
        ("Ada Quell", "eyes", "green", "Her green eyes watered in the wind"),
        ("Ada", "job", "baker", "She had worked as the baker of the town"),
        ("Ada", "hair", "red", "her red hair, which stands nowhere"),
    ],
    2: [
        ("Ada", "eyes", "brown", "Ada wiped her brown eyes"),
        ("Ada", "job", "pilot", "By then she was the pilot of the harbour"),
    ],
}

OUTLINE: Final = {
    "summary": "Somebody comes back and is not known.",
    "chapters": [
        {"title": "The Quay", "summary": "Ada Quell stands on the quay and looks at the boats."},
        {"title": "The Bells", "summary": "The bells ring, and Ada Quell holds the rope."},
    ],
}
"""A plan without threads: what the text says is all that can be wrong."""


def fact(entity: str, attribute: str, value: str, quote: str) -> dict[str, Any]:
    """A fact as a model tells it."""
    time = {"day": None, "part": ""}
    told = {"entity": entity, "attribute": attribute, "value": value, "quote": quote}
    return {**told, "scene": 1, "time": time, "stance": "asserted"}


def canon_reply(
    chapter: int,
    stated: dict[int, list[tuple[str, str, str, str]]],
    noticed: Sequence[tuple[str, str, str]] = (),
) -> str:
    """What is found in a chapter."""
    facts = [fact(*one) for one in stated[chapter]]
    doubts = [dict(zip(("quote", "against", "why"), one, strict=True)) for one in noticed]
    left = {"exit": {"people": [], "open": []}, "contradictions": doubts}
    return json.dumps({"facts": facts, "events": [], **left})


class TellingAuthor(Author):
    """Writes two chapters that contradict each other, and knows what they state.

    Args:
        verdict: What is answered where a pair is to be judged; None leaves it to the stand-in
            author.
        stated: What is found in each chapter.
        noticed: What the reader of the second one finds to contradict what was said: its words,
            the earlier words, why.
    """

    def __init__(
        self,
        verdict: dict[str, Any] | None = None,
        stated: dict[int, list[tuple[str, str, str, str]]] = FACTS,
        noticed: Sequence[tuple[str, str, str]] = (),
    ) -> None:
        super().__init__(reply=self._told)
        self._verdict, self._stated, self._noticed = verdict, stated, noticed

    def _told(self, request: Request) -> str | None:
        if request.step == "outline":
            return json.dumps(OUTLINE)
        texts = {"chapters/ch01/scene01": FIRST, "chapters/ch02/scene01": SECOND}
        if request.step.startswith("canon/ch"):
            chapter = int(request.step[-2:])
            return canon_reply(chapter, self._stated, self._noticed if chapter > 1 else ())
        if request.step.startswith("story/judge/") and self._verdict is not None:
            return json.dumps({"verdicts": [{"number": 1, **self._verdict}]})
        if request.step == "characters":
            return json.dumps(
                {"characters": [_person("Ada Quell"), _person("Ivo Brandt"), _person("Sister Oda")]}
            )
        return texts.get(request.step)


def _person(name: str) -> dict[str, str]:
    fields = ("age", "appearance", "personality", "background", "motivation", "conflict")
    more = dict.fromkeys((*fields, "relationships", "arc"), "")
    return {"name": name, "role": "somebody", **more}
