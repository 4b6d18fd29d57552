"""`read_source`: the text of a source, piece by piece."""

from typing import Final

from pydantic import Field, JsonValue

from libriscribe2.models.base import Text
from libriscribe2.research.sources import excerpt, open_source, shown
from libriscribe2.research.tool import Arguments, Tool, ToolContext
from libriscribe2.research.tool_error import ToolError


class ReadSource(Arguments):
    """Arguments of `read_source`."""

    source: Text = Field(
        max_length=2000, description="Id of the source, name of the author's file, or address"
    )
    start: int = Field(0, ge=0, description="First character to return, from 0")
    max_chars: int = Field(8000, ge=100, le=50_000, description="Most characters to return")


async def read_source(context: ToolContext, arguments: ReadSource) -> JsonValue:
    """A piece of the text.

    Raises:
        ToolError: 404 where there is no such source, 413 or 415 where it cannot be read, 422
            where `start` is beyond its end.
        StorageError: The disk refuses.
    """
    document = await open_source(context, arguments.source)
    if arguments.start >= len(document.text):
        raise ToolError(
            422,
            "start_beyond_end",
            f"The source has {len(document.text):,} characters, so none at {arguments.start:,}.",
            {"characters": len(document.text), "start": arguments.start},
        )
    return {**shown(document), **excerpt(document, arguments.start, arguments.max_chars)}


TOOL: Final = Tool(
    name="read_source",
    description=(
        "Read the text of a source: one of the author's files, or a page fetched before. Returns "
        "source (its id), title, place, flags, text (verbatim), locator, start, next_start (null "
        "at the end) and characters (of the whole text)."
    ),
    arguments=ReadSource,
    run=read_source,
    needs=("research",),
)
