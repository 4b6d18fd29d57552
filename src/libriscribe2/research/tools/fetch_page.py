"""`fetch_page`: the text of a page that a search found or the author named."""

import hashlib
from typing import Final

from pydantic import Field, JsonValue

from libriscribe2.documents.source_reader import PAGE_TYPES, read_web_page
from libriscribe2.models.base import Text
from libriscribe2.project.research_files import SavedText
from libriscribe2.research.sources import (
    Library,
    as_tool_errors,
    excerpt,
    in_thread,
    library_of,
    shown,
)
from libriscribe2.research.tool import Arguments, Tool, ToolContext
from libriscribe2.research.tool_error import ToolError
from libriscribe2.research.web.addresses import same_url
from libriscribe2.research.web.fetching import Fetched

SHOWN: Final = 8_000
"""Characters of the page in the result; `read_source` has the rest."""


class FetchPage(Arguments):
    """Arguments of `fetch_page`."""

    url: Text = Field(
        max_length=2000, description="Address of the page, from a search result or the author"
    )


async def fetch_page(context: ToolContext, arguments: FetchPage) -> JsonValue:
    """The beginning of the page's text; the whole text is saved as a source.

    Raises:
        ToolError: 400 where it is no address, 403 where it may not be fetched, 413 or 415 where
            it cannot be read, 502 or 504 where nobody answered; else the server's status.
        StorageError: The disk refuses.
    """
    library = library_of(context)
    if context.web is None:
        raise ToolError(501, "no_web", "This run has no access to the web.")
    found = await context.web.page(arguments.url, PAGE_TYPES)
    document = await in_thread(_keep, library, same_url(arguments.url), found)
    return {**shown(document), "url": document.source.place, **excerpt(document, 0, SHOWN)}


def _keep(library: Library, url: str, found: Fetched) -> SavedText:
    # One page at a time: reading a strange one may take a good part of the memory.
    with library.folder.working():
        with as_tool_errors():
            text = read_web_page(url, found.body, found.content_type, found.charset)
        return library.keep_page(url, hashlib.sha256(found.body).hexdigest(), text)


TOOL: Final = Tool(
    name="fetch_page",
    description=(
        "Fetch a page of the web (HTML, text or PDF) and save its text as a source. The address "
        "has to come from a search result or from the author. Returns source (its id), title, "
        "url, text (verbatim, the beginning), locator, next_start (where `read_source` goes on; "
        "null at the end) and characters."
    ),
    arguments=FetchPage,
    run=fetch_page,
    needs=("research", "web"),
)
