"""`search_manuscript` through its tool."""

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError
from tests.support.written_book import WrittenBook

from libriscribe2.research.tool import ToolContext
from libriscribe2.research.tool_error import ToolError
from libriscribe2.research.tools.search_manuscript import TOOL


def search(written: WrittenBook, **arguments: Any) -> Any:
    async def run() -> Any:
        return await TOOL.run(ToolContext(written.book), TOOL.arguments.model_validate(arguments))

    return asyncio.run(run())


FIRST = "# One\n\nThe KEY lay there. Nobody saw it.\n\n* * *\n\nRain. A key, again."
THIRD = "# Three\n\nThe stra\u00dfe was empty."


@pytest.fixture
def book(written: WrittenBook) -> WrittenBook:
    return written.chapters(FIRST, None, THIRD)


def test_a_hit_names_chapter_paragraph_and_sentence(book: WrittenBook) -> None:
    assert search(book, query="key") == {
        "found": 2,
        "chapters_searched": 2,
        "results": [
            {"chapter": 1, "paragraph": 1, "text": "The KEY lay there."},
            {"chapter": 1, "paragraph": 2, "text": "A key, again."},
        ],
    }


def test_case_is_folded_as_unicode_says(book: WrittenBook) -> None:
    hits = search(book, query="STRASSE")["results"]
    assert hits == [{"chapter": 3, "paragraph": 1, "text": "The stra\u00dfe was empty."}]


def test_at_most_so_many_results_and_the_true_count(book: WrittenBook) -> None:
    result = search(book, query="key", max_results=1)
    assert (result["found"], len(result["results"])) == (2, 1)


def test_nothing_found_is_an_answer(book: WrittenBook) -> None:
    assert search(book, query="zebra") == {"found": 0, "chapters_searched": 2, "results": []}


def test_a_book_without_chapters_was_not_searched(written: WrittenBook) -> None:
    assert search(written, query="key") == {"found": 0, "chapters_searched": 0, "results": []}


def test_a_query_without_a_word_is_422(book: WrittenBook) -> None:
    with pytest.raises(ToolError, match="no letter and no digit") as caught:
        search(book, query="?!")
    assert (caught.value.status, caught.value.code) == (422, "query_without_words")
    assert caught.value.details == {"query": "?!"}


@pytest.mark.parametrize("arguments", [{"query": " "}, {"query": "a", "max_results": 0}, {}])
def test_arguments_out_of_bounds_are_refused(book: WrittenBook, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        search(book, **arguments)
