"""Search engines, and the one way of a tool to the web."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from urllib.parse import parse_qsl, quote, urlsplit

from libriscribe2.documents.decoding import decode
from libriscribe2.research.tool_error import ToolError
from libriscribe2.research.web.addresses import same_url, target_of
from libriscribe2.research.web.fetching import Fetched, Fetcher
from libriscribe2.research.web.result_pages import parse_search_results
from libriscribe2.wording import redact

SearchKind = Literal["json", "html"]
QUERY: Final = "{query}"
"""Where the query goes in the address of an engine."""

MOST_PAGES: Final = 10
"""Pages of results that may be asked for."""

_PAGE_NUMBER: Final = "&pageno={}"
"""How SearXNG is asked for a further page."""

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

    def url(self, query: str, page: int = 1) -> str:
        """The address that answers a query; a results page links to the further ones itself."""
        url = self.template.replace(QUERY, quote(query, safe=""))
        return url + (_PAGE_NUMBER.format(page) if page > 1 and self.kind == "json" else "")

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


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What an engine answers.

    Attributes:
        results: Its results in its order, each page once.
        featured_snippet: What it answers itself, above the results; "" for nothing.
        has_more: Whether there seems to be a further page.
        next_url: Where that is; "" where it has to be asked for by its number.
        filtered: How many results were left out because their pages were visited.
    """

    results: tuple[SearchResult, ...] = ()
    featured_snippet: str = ""
    has_more: bool = False
    next_url: str = ""
    filtered: int = 0


def answer_of(
    engine: SearchEngine, fetched: Fetched, visited: Collection[str] = ()
) -> SearchAnswer:
    """The answer of an engine.

    Raises:
        ToolError: 502 where it is not what the engine should give.
    """
    read = _json_answer if engine.kind == "json" else _page_answer
    found = read(fetched, visited)
    known = {same_url(url) for url in visited}
    unique: dict[str, SearchResult] = {}
    filtered = found.filtered
    for result in found.results:
        url = same_url(result.url)
        if url and url in known:
            filtered += 1
        elif url:
            unique.setdefault(url, SearchResult(result.title, url, result.snippet))
    return replace(found, results=tuple(unique.values()), filtered=filtered)


def _json_answer(answer: Fetched, visited: Collection[str]) -> SearchAnswer:
    del visited  # they are known by their addresses alone
    try:
        found: Any = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        raise _strange(answer, "it is not JSON") from error
    results = found.get("results") if isinstance(found, dict) else None
    if not isinstance(results, list):
        raise _strange(answer, "it holds no list called `results`")
    entries = [entry for entry in results if isinstance(entry, dict)]
    said = (*_listed(found, "answers"), *_listed(found, "infoboxes"))
    snippets = (
        one.get("answer") or one.get("content") if isinstance(one, dict) else one for one in said
    )
    return SearchAnswer(
        tuple(
            SearchResult(
                _line(entry.get("title"), _LONGEST_TITLE),
                str(entry["url"]),
                _line(entry.get("content"), _LONGEST_SNIPPET),
            )
            for entry in entries
            if isinstance(entry.get("url"), str)
        ),
        next((line for one in snippets if (line := _line(one, _LONGEST_SNIPPET))), ""),
        has_more=bool(entries),
    )


def _listed(found: dict[str, Any], name: str) -> list[Any]:
    value = found.get(name)
    return value if isinstance(value, list) else []


def _page_answer(answer: Fetched, visited: Collection[str]) -> SearchAnswer:
    html, _ = decode(answer.body, declared=answer.charset, is_markup=True)
    page = parse_search_results(html, base_url=answer.url, exclude=visited)
    if page["status"] == "error":
        if "proof of humanity" in page["feedback"]:
            raise ToolError(403, "search_refused", page["feedback"], {"url": answer.url})
        return SearchAnswer()
    following = str(page.get("next_page", ""))
    return SearchAnswer(
        tuple(
            SearchResult(
                _line(item.title, _LONGEST_TITLE), item.url, _line(item.snippet, _LONGEST_SNIPPET)
            )
            for item in page["data"]
        ),
        _line(page.get("featured_snippet"), _LONGEST_SNIPPET),
        has_more=bool(following),
        next_url=following,
        filtered=int(str(page.get("filtered_count", 0))),
    )


def _line(value: object, longest: int) -> str:
    return " ".join(value.split())[:longest] if isinstance(value, str) else ""


def _strange(answer: Fetched, reason: str) -> ToolError:
    return ToolError(
        502,
        "search_answer_strange",
        f"The search engine's answer cannot be used: {reason}.",
        {"url": answer.url},
    )


class Web:
    """What a run may see of the web.

    A page is fetched only if its address came from a search result or from the author: what a
    page itself says never becomes an address.

    Args:
        fetcher: Sends the requests.
        engine: The search engine; None where none is configured.
        allowed: Addresses of the author's.
    """

    def __init__(
        self,
        fetcher: Fetcher | None = None,
        engine: SearchEngine | None = None,
        allowed: Iterable[str] = (),
    ) -> None:
        self.engine = engine
        self._fetcher = fetcher if fetcher is not None else Fetcher()
        self._allowed: set[str] = set()
        for url in allowed:
            self.allow(url)

    def allow(self, url: str) -> None:
        """Let a page be fetched; what is no address of a page is ignored.

        Whoever resumes a run allows the addresses of its finished searches again.
        """
        if same := same_url(url):
            self._allowed.add(same)

    def is_allowed(self, url: str) -> bool:
        """Whether a page may be fetched."""
        return bool(same := same_url(url)) and same in self._allowed

    async def page(self, url: str, types: Sequence[str]) -> Fetched:
        """Fetch a page.

        Args:
            url: Its address.
            types: The content types that can be read.

        Raises:
            ToolError: 403 where the address was not offered or is forbidden; else as `Fetcher.get`.
        """
        target_of(url)
        if not self.is_allowed(url):
            raise ToolError(
                403,
                "url_not_offered",
                f"{url[:200]} is not fetched: addresses come from search results or the author.",
                {"url": url[:200]},
            )
        return await self._fetcher.get(url, types)

    async def search(
        self, query: str, page: int = 1, visited: Collection[str] = ()
    ) -> SearchAnswer:
        """Ask the search engine; the addresses of its results may be fetched afterwards.

        Args:
            query: What to search for.
            page: Which page of results, from 1.
            visited: Addresses whose results are left out.

        Raises:
            ToolError: 501 where there is no engine; else as `Fetcher.get`.
        """
        if self.engine is None:
            raise ToolError(501, "search_not_configured", "No search engine is configured.")
        url = self.engine.url(query, page)
        origin = target_of(url).origin
        try:
            answer = await self._answer(self.engine, url, origin, visited)
            for _ in range(page - 1 if self.engine.kind == "html" else 0):
                if not answer.next_url or target_of(answer.next_url).origin != origin:
                    answer = SearchAnswer()
                    break
                answer = await self._answer(self.engine, answer.next_url, origin, visited)
        except ToolError as error:
            raise self.engine.without_keys(error) from None
        for result in answer.results:
            self.allow(result.url)
        return answer

    async def _answer(
        self, engine: SearchEngine, url: str, origin: tuple[str, str, int], visited: Collection[str]
    ) -> SearchAnswer:
        fetched = await self._fetcher.get(url, engine.types, trusted=origin)
        return answer_of(engine, fetched, visited)
