"""What the tools that work with sources share: the library of a context, and source records."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from libriscribe2.project.research_files import SavedText
from libriscribe2.toolchain.source_library import Library, opened
from libriscribe2.toolchain.tool import ToolContext
from libriscribe2.toolchain.tool_error import ToolError

ResultT = TypeVar("ResultT")


def library_of(context: ToolContext) -> Library:
    """The library of a context.

    Raises:
        ToolError: 501 where the run has none.
    """
    if context.research is None:
        raise ToolError(501, "no_research", "This run has no research folder.")
    return Library(context.research, context.today)


async def open_source(context: ToolContext, wanted: str) -> SavedText:
    """A source by id, file name or address.

    Raises:
        ToolError: 404 where there is none, 413 or 415 where it cannot be read.
        StorageError: The disk refuses.
    """
    found = await in_thread(opened, library_of(context), wanted)
    if isinstance(found, ToolError):
        raise found
    return found


async def in_thread(work: Callable[..., ResultT], *arguments: Any) -> ResultT:
    """What `work` returns; a file that takes long to read does not hold up the other steps."""
    return await asyncio.to_thread(work, *arguments)


def shown(document: SavedText) -> dict[str, Any]:
    """What a result says about a source."""
    source = document.source
    return {
        "source": source.id,
        "title": source.title,
        "place": source.place,
        "flags": list(source.flags),
    }


def excerpt(document: SavedText, start: int, most: int) -> dict[str, Any]:
    """A piece of a source's text, cut after a word, and where the next one starts."""
    text = document.text
    end = min(len(text), start + most)
    if end < len(text):
        blank = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
        end = blank + 1 if blank > start + most // 2 else end
    return {
        "text": text[start:end],
        "locator": document.locator(start),
        "start": start,
        "next_start": end if end < len(text) else None,
        "characters": len(text),
    }
