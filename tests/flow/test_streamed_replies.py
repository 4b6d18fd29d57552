"""A book is the same whether its replies come in pieces or whole."""

import json
import re
from collections.abc import AsyncIterator

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk

from libriscribe2.llm.backend import Completion, Request

SIZE = ("--chapters", "3", "--scenes-per-chapter", "2", "--words", "3000", "--revision")


def patched(request: Request) -> str | None:
    """Has a critic find an error in each version of a chapter, and writes it in other words."""
    part = request.step.rpartition("/")[2]
    shown = "\n".join(str(message["content"]) for message in request.messages)
    if not request.step.startswith("chapters/") or not part.startswith(("critique", "patches")):
        return None
    if "<text>" not in shown:  # the second reading, of what was changed alone
        return json.dumps({"issues": []})
    if part.startswith("critique"):
        long = [one for one in between(shown, "text").split("\n\n")[1:] if one.count(". ") > 1]
        quotes = [one.partition(". ")[0] + "." for one in long[:3]]
        found = [{"kind": "stock", "severity": "error", "quote": one, "why": "W"} for one in quotes]
        return json.dumps({"issues": found})
    issues = [json.loads(line) for line in between(shown, "issues").split("\n")]
    asked = [(number, issue["quote"]) for number, issue in enumerate(issues, start=1)]
    told = [{"issue": n, "find": one, "replace": f"Then {one}"} for n, one in asked if one]
    return json.dumps({"patches": told})


def between(shown: str, tag: str) -> str:
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", shown, re.DOTALL)
    assert found is not None, tag
    return found[1]


class Streaming(Author):
    """Sends its replies in pieces.

    Args:
        size: Characters of a piece; 0 sends none, and only the whole reply at the end.
    """

    def __init__(self, size: int) -> None:
        super().__init__(reply=patched)
        self._size = size

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        completion = await self.complete(request)
        for start in range(0, len(completion.reply), self._size) if self._size else ():
            yield completion.reply[start : start + self._size]
        yield completion


@pytest.mark.slow
@pytest.mark.parametrize("order", ["sequential", "redblack"])
def test_XC_03_a_book_does_not_depend_on_how_its_replies_come(desk: Desk, order: str) -> None:
    for name, size in (("whole", 0), ("pieces", 70)):
        options = ("--drafting", order, "--log-level", "DEBUG")
        desk.create(*options, name=name, size=SIZE, backend=Streaming(size))
    whole, pieces = desk.project("whole"), desk.project("pieces")
    assert pieces.contents() == whole.contents()
    assert sorted(pieces.keys()) == sorted(whole.keys())
    assert any("Then " in text for text in pieces.chapters())
