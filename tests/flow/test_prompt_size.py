"""Prompts keep to their budget, whatever the length of the book."""

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk

from libriscribe2.llm.backend import Request

MOST_TOKENS = 12_000
CHARACTERS_PER_TOKEN = 4
"""Of English."""


def asked(desk: Desk, name: str, *size: str) -> list[Request]:
    """Every request of a book."""
    author = Author()
    desk.create(name=name, size=size, backend=author)
    return author.asked


def characters(request: Request) -> int:
    return sum(len(str(message["content"])) for message in request.messages)


@pytest.mark.slow
def test_QU_prompts_do_not_grow_with_the_number_of_chapters(desk: Desk) -> None:
    scenes = ("--scenes-per-chapter", "2", "--characters", "5")
    short = asked(desk, "short", "--chapters", "6", "--words", "1800", *scenes)
    long = asked(desk, "long", "--chapters", "24", "--words", "7200", *scenes)
    assert sum(map(characters, long)) <= 4.4 * sum(map(characters, short))


@pytest.mark.slow
def test_QU_no_request_is_longer_than_its_budget(desk: Desk) -> None:
    """Chapters of the default length, with the scenes and the cast of an epic."""
    size = (
        "--chapters",
        "3",
        "--words",
        "18000",
        "--scenes-per-chapter",
        "4",
        "--characters",
        "30",
    )
    requests = asked(desk, "book", *size)
    assert max(map(characters, requests)) <= MOST_TOKENS * CHARACTERS_PER_TOKEN


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fiction", "non-fiction"])
def test_QU_prompts_of_usual_books_do_not_grow_with_the_number_of_chapters(
    desk: Desk, kind: str
) -> None:
    """With as many words, scenes and people as the program chooses by itself."""
    usual = ("--no-revision", "--category", kind)
    short = asked(desk, "short", "--chapters", "6", *usual)
    long = asked(desk, "long", "--chapters", "24", *usual)
    assert sum(map(characters, long)) <= 4.4 * sum(map(characters, short))


@pytest.mark.slow
@pytest.mark.parametrize("words", [500, 1_000])
def test_QU_prompts_of_short_chapters_do_not_grow_with_their_number(desk: Desk, words: int) -> None:
    """Early scenes of few words leave less room to fill, and need less memory later."""
    short = asked(desk, "short", "--chapters", "6", "--words", str(6 * words))
    long = asked(desk, "long", "--chapters", "24", "--words", str(24 * words))
    assert sum(map(characters, long)) <= 4.4 * sum(map(characters, short))
