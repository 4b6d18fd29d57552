"""Search engines: a question to an address, and the results of its answer."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import parse_qsl, quote, urlsplit

from libriscribe2.documents.decoding import decode
from libriscribe2.llm.redaction import redact
from libriscribe2.replies.search_results import parse_search_results
from libriscribe2.toolchain.tool_error import ToolError
from libriscribe2.toolchain.web.fetching import Fetched
from libriscribe2.toolchain.web.urls import same_url

SearchKind = Literal["json", "html"]
QUERY: Final = "{query}"
"""Where the query goes in the address of an engine."""

_LONGEST_TITLE: Final = 300
_LONGEST_SNIPPET: Final = 1_000


@dataclass(frozen=True, slots=True)
class SearchEngine:
    """A search engine.

    Attributes:
        template: Its address, with `{query}` where the query goes.
        kind: `json`: it answers as SearXNG does; `html`: it answers with a results page.
    """

    template: str
    kind: SearchKind = "json"

    @property
    def types(self) -> tuple[str, ...]:
        """The content types that are read."""
        return ("application/json",) if self.kind == "json" else ("text/html",)

    def url(self, query: str) -> str:
        """The address that answers a query."""
        return self.template.replace(QUERY, quote(query, safe=""))

    def without_keys(self, error: ToolError) -> ToolError:
        """An error without what the address may hold of a key: models and people read errors."""
        values = [value for _, value in parse_qsl(urlsplit(self.template).query)]
        keys = [one for value in values if QUERY not in value for one in (value, quote(value))]
        details = {
            name: redact(one, keys) if isinstance(one, str) else one
            for name, one in error.details.items()
        }
        return ToolError(error.status, error.code, redact(error.message, keys), details)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result.

    Attributes:
        title: Its heading.
        url: The address of the page.
        snippet: What the engine says about it; "" where it says nothing.
    """

    title: str
    url: str
    snippet: str


def results_of(engine: SearchEngine, answer: Fetched) -> list[SearchResult]:
    """The results of an answer, each page once, in the engine's order.

    Raises:
        ToolError: 502 where the answer is not what the engine should give.
    """
    read: Callable[[Fetched], list[SearchResult]]
    read = _json_results if engine.kind == "json" else _page_results
    unique: dict[str, SearchResult] = {}
    for result in read(answer):
        url = same_url(result.url)
        if url:
            unique.setdefault(url, SearchResult(result.title, url, result.snippet))
    return list(unique.values())


def _json_results(answer: Fetched) -> list[SearchResult]:
    try:
        found: Any = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        raise _strange(answer, "it is not JSON") from error
    results = found.get("results") if isinstance(found, dict) else None
    if not isinstance(results, list):
        raise _strange(answer, "it holds no list called `results`")
    entries = [entry for entry in results if isinstance(entry, dict)]
    return [
        SearchResult(
            _line(entry.get("title"), _LONGEST_TITLE),
            str(entry["url"]),
            _line(entry.get("content"), _LONGEST_SNIPPET),
        )
        for entry in entries
        if isinstance(entry.get("url"), str)
    ]


def _page_results(answer: Fetched) -> list[SearchResult]:
    html, _ = decode(answer.body, declared=answer.charset, is_markup=True)
    page = parse_search_results(html, base_url=answer.url)
    if page["status"] == "error":
        if "proof of humanity" in page["feedback"]:
            raise ToolError(403, "search_refused", page["feedback"], {"url": answer.url})
        return []
    return [
        SearchResult(
            _line(item.title, _LONGEST_TITLE), item.url, _line(item.snippet, _LONGEST_SNIPPET)
        )
        for item in page["data"]
    ]


def _line(value: object, longest: int) -> str:
    return " ".join(value.split())[:longest] if isinstance(value, str) else ""


def _strange(answer: Fetched, reason: str) -> ToolError:
    return ToolError(
        502,
        "search_answer_strange",
        f"The search engine's answer cannot be used: {reason}.",
        {"url": answer.url},
    )
