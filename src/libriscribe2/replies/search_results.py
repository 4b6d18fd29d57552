"""Search result pages as data: titles, addresses and snippets of the organic results.

The HTML is read directly; no model is asked.
"""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final

from bs4 import BeautifulSoup

from libriscribe2.replies.contract import ParserResult, failure, has_text
from libriscribe2.replies.search_pages import (
    RawResult,
    engine_of,
    featured_snippet,
    host_of,
    is_engine_page,
    next_page,
    organic_results,
    parsed_page,
    real_url,
    same_page_key,
)

# What the engines call the parts of such pages, whatever language these are in.
_BLOCKED: Final = re.compile(r"captcha|challenge-form|anomaly\.js|error-lite@", re.IGNORECASE)
_WALL: Final = re.compile(r"enablejs|//consent\.|<noscript", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SearchResultItem:
    """One organic result.

    Attributes:
        title: The heading of the result.
        url: The real address, behind the engine's redirect.
        snippet: The text under the heading, or "".
        site_info: The site line of the result, or its host.
        link_id: A name of the link that is unique on the page, "Link1 To: host".
    """

    title: str
    url: str
    snippet: str
    site_info: str = ""
    link_id: str = ""


class SearchPage(ParserResult, total=False):
    """The parser's answer with what else a result page shows.

    Attributes:
        featured_snippet: The answer above the results, or "".
        next_page: Absolute address of the next page, or "".
        filtered_count: How many results were left out because they were known or unwanted.
    """

    featured_snippet: str
    next_page: str
    filtered_count: int


def parse_search_results(
    html_content: str,
    *,
    exclude: Collection[str] = (),
    url_filter: Callable[[str], bool] | None = None,
    base_url: str = "",
) -> SearchPage | ParserResult:
    """Read a result page of Google, Bing or DuckDuckGo (its HTML version).

    Args:
        html_content: The page.
        exclude: Addresses already visited or judged; their results are left out.
        url_filter: Keeps a result's address when it returns True.
        base_url: Address of the page; without it, the engine's own.

    Returns:
        `data` is a list of `SearchResultItem` without duplicates, web addresses only; it may be
        empty if every result was left out. A page without results is an error with feedback.
    """
    if not has_text(html_content):
        return failure("The search page is empty. Please run the search again.")
    page = parsed_page(html_content)
    engine = engine_of(page)
    base = base_url or engine.base_url
    results = _unique(organic_results(page, engine), base)
    if not results:
        return failure(_why_nothing(page))
    known = {same_page_key(url) for url in exclude}
    kept = [
        result
        for result in results
        if same_page_key(result.url) not in known and (url_filter is None or url_filter(result.url))
    ]
    return {
        "status": "success",
        "data": _numbered(kept),
        "featured_snippet": featured_snippet(page, engine),
        "next_page": next_page(page, engine, base),
        "filtered_count": len(results) - len(kept),
    }


def _unique(found: Iterable[RawResult], base_url: str) -> list[SearchResultItem]:
    """The results with real addresses; the first of each address and of each title on a host."""
    items: dict[str, SearchResultItem] = {}
    titles: set[tuple[str, str]] = set()
    for raw in found:
        url = real_url(raw.href, base_url)
        if url is None or is_engine_page(url):
            continue
        heading = (raw.title.casefold(), host_of(url))
        if same_page_key(url) in items or heading in titles:
            continue
        titles.add(heading)
        items[same_page_key(url)] = SearchResultItem(
            raw.title, url, raw.snippet, raw.site_info or host_of(url)
        )
    return list(items.values())


def _numbered(items: Iterable[SearchResultItem]) -> list[SearchResultItem]:
    return [
        replace(item, link_id=f"Link{number} To: {host_of(item.url)}")
        for number, item in enumerate(items, start=1)
    ]


def _why_nothing(page: BeautifulSoup) -> str:
    markup = str(page)
    if _BLOCKED.search(markup):
        return (
            "The search engine asked for a proof of humanity instead of answering. "
            "Please wait, or use another search engine."
        )
    if _WALL.search(markup):
        return (
            "The search engine sent a page that only asks for scripts or consent. "
            "Please use another search engine."
        )
    return "No search results were found on the page. Please try other or fewer search words."
