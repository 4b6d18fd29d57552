"""`web_search`: what a search engine finds on the web."""

from dataclasses import asdict
from typing import Any, Final

from pydantic import Field, JsonValue

from libriscribe2.models.base import Text
from libriscribe2.research.tool import Arguments, Tool, ToolContext
from libriscribe2.research.tool_error import ToolError


class WebSearch(Arguments):
    """Arguments of `web_search`."""

    query: Text = Field(max_length=400, description="What to search for")
    max_results: int = Field(5, ge=1, le=20, description="Most results to return")


async def web_search(context: ToolContext, arguments: WebSearch) -> JsonValue:
    """The results of the engine; their pages may be fetched afterwards.

    Raises:
        ToolError: 501 where no engine is configured, 403 where it refuses machines, 502 or 504
            where it does not answer; else the status that it answered.
    """
    if context.web is None:
        raise ToolError(501, "search_not_configured", "No search engine is configured.")
    found = await context.web.search(arguments.query)
    kept: list[Any] = [asdict(result) for result in found[: arguments.max_results]]
    return {"found": len(found), "results": kept}


TOOL: Final = Tool(
    name="web_search",
    description=(
        "Search the web. Returns `found` (how many results there are) and `results`, best first: "
        "title, url, snippet. Only these pages can be fetched."
    ),
    arguments=WebSearch,
    run=web_search,
    needs=("search",),
)
