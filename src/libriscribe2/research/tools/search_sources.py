"""`search_sources`: where the author's sources and the fetched pages say something."""

import hashlib
from dataclasses import asdict
from typing import Any, Final

from pydantic import Field, JsonValue

from libriscribe2.documents.source_reader import LARGEST_SOURCE, READER_VERSION
from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.models.base import Text
from libriscribe2.project.research_files import ResearchFolder, source_id
from libriscribe2.research.sources import (
    Library,
    SourceIndex,
    fts_query,
    in_thread,
    library_of,
    opened,
)
from libriscribe2.research.tool import Arguments, Tool, ToolContext


class SearchSources(Arguments):
    """Arguments of `search_sources`."""

    query: Text = Field(max_length=400, description="Words to look for; the rare ones count most")
    max_results: int = Field(5, ge=1, le=50, description="Most passages to return")


async def search_sources(context: ToolContext, arguments: SearchSources) -> JsonValue:
    """The passages that fit best, and the files that could not be read.

    Raises:
        ToolError: 422 where the query has no word.
        StorageError: The disk refuses.
    """
    fts_query(arguments.query)
    library = library_of(context)
    return await in_thread(_search, library, arguments.query, arguments.max_results)


def _search(library: Library, query: str, most: int) -> dict[str, Any]:
    with library.folder.working():
        index = SourceIndex(library.folder.paths.source_index)
        stamps = _stamps(library.folder)
        unread = index.refresh(
            {identifier: stamp for identifier, (_, stamp) in stamps.items()},
            lambda identifier: opened(library, stamps[identifier][0]),
        )
        hits = index.search(query, most)
    return {
        "results": [asdict(hit) for hit in hits],
        "sources_searched": len(stamps) - len(unread),
        "unread": [asdict(one) for one in unread],
    }


def _stamps(folder: ResearchFolder) -> dict[str, tuple[str, str]]:
    """For the id of every source, what opens it and a stamp that changes with its content."""
    stamps = {}
    for name in folder.own_files():
        stamps[source_id("file", name)] = (name, f"{_content(folder, name)} {READER_VERSION}")
    for identifier in folder.saved_ids():
        record = folder.record(identifier)
        if record is not None and record.source.kind == "web":
            stamp = hashlib.sha256(record.model_dump_json().encode("utf-8")).hexdigest()
            stamps[identifier] = (identifier, stamp)
    return stamps


def _content(folder: ResearchFolder, name: str) -> str:
    """What stands for the content of a file; its hash only where the file can be read."""
    try:
        size = folder.own_size(name)
        return f"{size} bytes" if size > LARGEST_SOURCE else folder.own_sha(name)
    except (ProjectError, StorageError):
        return "refused"


TOOL: Final = Tool(
    name="search_sources",
    description=(
        "Search the author's own source files and the pages fetched so far for words. Needs no "
        "network. Returns `results`, best first: source (its id), title, place (file name or "
        "address), locator (page, heading or paragraph), start, text (verbatim passage); "
        "`sources_searched`; and `unread`: files that cannot be read, with the reason."
    ),
    arguments=SearchSources,
    run=search_sources,
    needs=("research",),
)
