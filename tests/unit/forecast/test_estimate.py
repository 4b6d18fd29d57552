"""The stand-in author of an estimate."""

from typing import Final

from tests.support.authors import Author

from libriscribe2.forecast.quote import FreshBackend
from libriscribe2.llm.backend import Request

ASKED: Final = Request(model="m", messages=({"role": "user", "content": "x"},), step="s")


def numbered(request: Request) -> str:
    """The same words for two generations in a row."""
    return f"text {request.generation // 2}"


async def test_what_is_asked_again_gets_another_reply_than_before() -> None:
    fresh = FreshBackend(Author(reply=numbered))
    replies = []
    for generation in range(4):
        request = Request(model="m", messages=ASKED.messages, step="s", generation=generation)
        replies.append((await fresh.complete(request)).reply)
    assert replies[0] == "text 0"
    assert all(after != f"text {number // 2}" for number, after in enumerate(replies[1:]))


async def test_a_first_question_is_asked_once() -> None:
    author = Author(reply=numbered)
    assert (await FreshBackend(author).complete(ASKED)).reply == "text 0"
    assert len(author.asked) == 1


async def test_an_author_with_one_reply_only_is_not_asked_for_ever() -> None:
    author = Author(reply=lambda _request: "always this")
    request = Request(model="m", messages=ASKED.messages, step="s", generation=1)
    pieces = [piece async for piece in FreshBackend(author).stream(request)]
    assert pieces[0] == "always this"
    assert len(author.asked) < 30
