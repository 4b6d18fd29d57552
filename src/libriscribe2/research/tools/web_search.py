"""`web_search`: what a search engine finds on the web."""

from dataclasses import asdict
from typing import Any, Final

from pydantic import Field, JsonValue

from libriscribe2.models.base import Text
from libriscribe2.research.sources import in_thread
from libriscribe2.research.tool import Arguments, Tool, ToolContext
from libriscribe2.research.tool_error import ToolError
from libriscribe2.research.web.engines import MOST_PAGES


class WebSearch(Arguments):
    """Arguments of `web_search`."""

    query: Text = Field(max_length=400, description="What to search for")
    num_results: int = Field(10, ge=1, le=50, description="Most results to return")
    page: int = Field(1, ge=1, le=MOST_PAGES, description="Which page of results, from 1")
    skip_visited: bool = Field(
        default=False, description="Whether pages that were fetched before are left out"
    )


async def web_search(context: ToolContext, arguments: WebSearch) -> JsonValue:
    """The results of the engine; their pages may be fetched afterwards.

    Raises:
        ToolError: 501 where no engine is configured, 403 where it refuses machines, 502 or 504
            where it does not answer; else the status that it answered.
    """
    if context.web is None:
        raise ToolError(501, "search_not_configured", "No search engine is configured.")
    visited = await in_thread(_visited, context) if arguments.skip_visited else ()
    found = await context.web.search(arguments.query, arguments.page, visited)
    kept: list[Any] = [asdict(result) for result in found.results[: arguments.num_results]]
    more = found.has_more and arguments.page < MOST_PAGES
    return {
        "found": len(found.results),
        "results": kept,
        "featured_snippet": found.featured_snippet,
        "next_page": arguments.page + 1 if more else None,
        "filtered": found.filtered,
    }


def _visited(context: ToolContext) -> tuple[str, ...]:
    """The addresses of the pages that the project has."""
    if context.research is None:
        return ()
    records = map(context.research.record, context.research.saved_ids())
    return tuple(one.source.place for one in records if one and one.source.kind == "web")


TOOL: Final = Tool(
    name="web_search",
    description=(
        "Search the web. Returns `found` (how many results there are) and `results`, best first: "
        "title, url, snippet. Only these pages can be fetched. Also `featured_snippet` (what the "
        "engine itself answers), `next_page` (the number of the page that follows, or null) and "
        "`filtered` (how many were left out as visited)."
    ),
    arguments=WebSearch,
    run=web_search,
    needs=("search",),
)
