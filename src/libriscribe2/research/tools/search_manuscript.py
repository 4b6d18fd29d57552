"""`search_manuscript`: where the chapters that are written say something."""

from collections.abc import Iterator
from typing import Any, Final

from pydantic import Field, JsonValue

from libriscribe2.models.base import Text
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import chapter_file
from libriscribe2.research.passages import Pattern, paragraphs, passages, word_patterns
from libriscribe2.research.tool import Arguments, Tool, ToolContext
from libriscribe2.research.tool_error import ToolError


class SearchManuscript(Arguments):
    """Arguments of `search_manuscript`."""

    query: Text = Field(
        max_length=200, description="Words to find; a paragraph has to hold all of them"
    )
    max_results: int = Field(10, ge=1, le=100, description="Most passages to return")


async def search_manuscript(context: ToolContext, arguments: SearchManuscript) -> JsonValue:
    """The first passages that hold all words, and how many there are in all.

    Raises:
        ToolError: 422 where the query has no word.
        ProjectError: The outline or a chapter cannot be used.
    """
    patterns = word_patterns(arguments.query)
    if not patterns:
        raise ToolError(
            422,
            "query_without_words",
            f"The query {arguments.query!r} holds no letter and no digit, so nothing can match.",
            {"query": arguments.query},
        )
    written = _written(context.book)
    found = [hit for number in written for hit in _hits(context.book, number, patterns)]
    kept: list[Any] = found[: arguments.max_results]
    return {"found": len(found), "chapters_searched": len(written), "results": kept}


def _written(book: Book) -> list[int]:
    """The numbers of the chapters that are there."""
    return [n for n in range(1, book.chapters() + 1) if book.has(chapter_file(n))]


def _hits(book: Book, chapter: int, patterns: list[Pattern]) -> Iterator[dict[str, Any]]:
    """The passages of a chapter; its paragraphs are counted from 1, without headings."""
    for number, paragraph in enumerate(paragraphs(book.text(chapter_file(chapter))), start=1):
        for text in passages(paragraph, patterns):
            yield {"chapter": chapter, "paragraph": number, "text": text}


TOOL: Final = Tool(
    name="search_manuscript",
    description=(
        "Search the chapters that are written so far for words, whatever their case. Returns "
        "`found` (how many passages there are), `chapters_searched`, and `results`: chapter, "
        "paragraph number and the sentence or sentences around the words."
    ),
    arguments=SearchManuscript,
    run=search_manuscript,
    needs=("plan",),
)
