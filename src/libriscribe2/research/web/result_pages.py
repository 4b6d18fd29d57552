"""Search result pages as data: titles, addresses and snippets of the organic results.

The HTML is read directly; no model is asked.
"""

import base64
import binascii
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final
from urllib.parse import parse_qs, urldefrag, urlencode, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement

from libriscribe2.replies.contract import ParserResult, failure, has_text

_BLOCKS: Final = frozenset({
    "address", "article", "aside", "blockquote", "br", "cite", "dd", "div", "dl", "dt", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "img", "li", "main",
    "nav", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul",
})  # fmt: skip
# Labels that stand in the text without being a part of it.
_LABELS: Final = frozenset({"algoSlug_icon", "result__check", "result__check__tt"})
_SHOWN: Final = (str, NavigableString)
_LABEL_PIECES: Final = 60
_SPACE: Final = re.compile(r"\s+")


def text_of(tag: Tag) -> str:
    """The visible text of an element, with single spaces."""
    return _SPACE.sub(" ", "".join(_pieces(tag))).strip()


def label_of(tag: Tag) -> str:
    """The text of a link or button; only its beginning, if it holds a large part of the page."""
    return _SPACE.sub(" ", "".join(islice(_pieces(tag), _LABEL_PIECES))).strip()


def _pieces(tag: Tag) -> Iterator[str]:
    """Texts in order, with a space at both edges of a block; deep pages need no recursion."""
    pending: list[PageElement | str] = [tag]
    while pending:
        item = pending.pop()
        if isinstance(item, Tag):
            edge = " " if item.name in _BLOCKS else ""
            pending += [] if _is_label(item) else [edge, *reversed(item.contents)]
            yield edge
        else:
            yield str(item) if type(item) in _SHOWN else ""


def _is_label(tag: Tag) -> bool:
    names = tag.get("class") or ()
    return any(name in _LABELS for name in names)


_WEB: Final = ("http", "https")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def real_url(href: str, base_url: str) -> str | None:
    """The address a result link leads to.

    Google's `/url?q=`, DuckDuckGo's `/l/?uddg=` and Bing's `/ck/a?u=a1...` redirects are undone.

    Args:
        href: The link as it stands in the page.
        base_url: Address of the page, to complete relative links.

    Returns:
        An absolute http or https address, or None for anything else (`javascript:`, `mailto:`).
    """
    absolute = _web_url(urljoin_or_empty(base_url, href.strip()))
    if absolute is None:
        return None
    target = _redirect_target(absolute)
    return _web_url(target) or absolute if target else absolute


def urljoin_or_empty(base_url: str, href: str) -> str:
    """The link made absolute, or "" if it is no address at all (`http://[`)."""
    try:
        return urljoin(base_url, href)
    except ValueError:
        return ""


def host_of(url: str) -> str:
    """The host of an address without `www.`, in lower case; "" if there is none."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def same_page_key(url: str) -> str:
    """A key that is equal for addresses of the same page: no fragment, no closing slash."""
    parts = urlsplit(urldefrag(url.strip()).url)
    host = parts.netloc.casefold().removeprefix("www.")
    return f"{host}{parts.path.rstrip('/')}?{parts.query}"


def is_engine_page(url: str) -> bool:
    """Whether an address is a search engine's own page or its counter of clicks on adverts."""
    parts = urlsplit(url)
    host, path = host_of(url), parts.path
    if host.startswith("google."):
        return path in {"/search", "/aclk", "/imgres"}
    if host.endswith("bing.com"):
        return path.startswith(("/search", "/images/", "/videos/", "/news/", "/aclick", "/aclk"))
    return host.endswith("duckduckgo.com") and (path == "/y.js" or "q=" in parts.query)


def decode_bing_target(value: str) -> str | None:
    """The address inside Bing's `u` parameter: "a1" and url-safe base64 without padding.

    Args:
        value: The parameter's value.

    Returns:
        The http(s) address, or None if the value holds none.
    """
    encoded = value.removeprefix("a1")
    padded = encoded + "=" * (-len(encoded) % 4)
    try:
        decoded = base64.b64decode(padded, altchars=b"-_", validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None
    return _web_url(decoded)


def _redirect_target(url: str) -> str | None:
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    query = parse_qs(parts.query)
    if host.endswith("bing.com") and parts.path.startswith("/ck/a"):
        return decode_bing_target(query.get("u", [""])[0])
    if host.endswith("duckduckgo.com") and parts.path.startswith("/l"):
        return query.get("uddg", [""])[0]
    if host.startswith("google.") and parts.path == "/url":
        return (query.get("q") or query.get("url") or [""])[0]
    return None


def _web_url(url: str | None) -> str | None:
    """The address if it is a complete http(s) one, its scheme in lower case, else None."""
    if not url or _CONTROL.search(url):
        return None
    try:
        parts = urlsplit(url)
        complete = parts.scheme in _WEB and bool(parts.hostname)
    except ValueError:
        return None
    return f"{parts.scheme}{url[len(parts.scheme) :]}" if complete else None


@dataclass(frozen=True, slots=True)
class Engine:
    """How one engine marks the parts of its page (CSS selectors).

    Attributes:
        name: The engine's name.
        base_url: Its address, to complete relative links.
        results: Boxes of organic results.
        snippets: The text of a result, inside its box.
        sites: The site line of a result, inside its box.
        featured: The answer above the results.
        next_page: The link to the next page.
    """

    name: str
    base_url: str
    results: str
    snippets: str
    sites: str
    featured: str
    next_page: str


@dataclass(frozen=True, slots=True)
class RawResult:
    """A result as it stands in the page."""

    title: str
    href: str
    snippet: str
    site_info: str


GOOGLE: Final = Engine(
    name="google",
    base_url="https://www.google.com/",
    results="div.tF2Cxc, div.g, div.Gx5Zad, div.MjjYud, div[data-snc]",
    snippets=".VwiC3b, .IsZvec, .aCOpRe, .st, [data-sncf], .v9i61e, .BNeawe.s3v9rd",
    sites="cite, .UPmit",
    featured=".hgKElc, .LGOjhe, .xpdopen .kp-header, .xpdopen, .c2xzTb, [data-attrid^='wa:/']",
    next_page="a#pnnext, a[aria-label='Next page'], a[aria-label='Next'], footer a.nBDE1b",
)
BING: Final = Engine(
    name="bing",
    base_url="https://www.bing.com/",
    results="li.b_algo",
    snippets=".b_caption p, .b_lineclamp2, .b_lineclamp3, .b_paractl, .b_algoSlug, p",
    sites="cite, .b_attribution",
    featured=".b_focusTextLarge, .b_focusTextMedium, .b_ans .rwrl, .b_ans .b_rich, li.b_ans.b_top",
    next_page="a.sb_pagN, a[title='Next page'], a[aria-label='Next page']",
)
DUCKDUCKGO: Final = Engine(
    name="duckduckgo",
    base_url="https://html.duckduckgo.com/",
    results="div.result:not(.result--ad):not(.result--no-result)",
    snippets=".result__snippet",
    sites=".result__url",
    featured=".zci__result, .zci-wrapper .zci, #zero_click_abstract",
    next_page="a.result--more__btn, .nav-link a",
)
PLAIN: Final = Engine(
    name="plain",
    base_url="",
    results="article, li, div",
    snippets="p",
    sites="cite",
    featured=".featured-snippet",
    next_page="a[rel='next']",
)
_ENGINES: Final = (BING, DUCKDUCKGO, GOOGLE)
# The labels that the checklist names and their like; where an engine marks its link, they are not
# asked.
_NEXT_WORDS: Final = frozenset({
    "next", "next page", "next >", "next »", "next ›", "more results", "下一页", "下一頁",
    "次へ", "다음", "weiter", "suivant", "siguiente", "successiva", "avanti", "próxima",
})  # fmt: skip
_MAX_RESULTS: Final = 200
_SOURCE: Final = re.compile(r"\s+More at \S.{0,80}$")
_AD_MARKS: Final = "[data-text-ad], .b_ad, .b_adSlug, .result--ad, .uEierd"


def engine_of(page: BeautifulSoup) -> Engine:
    """The engine whose result boxes the page has."""
    for engine in _ENGINES:
        if page.select_one(engine.results) is not None:
            return engine
    return PLAIN


def organic_results(page: BeautifulSoup, engine: Engine) -> Iterator[RawResult]:
    """The results in the order of the page; advertisements are left out."""
    adverts = page.find(id="tads")
    for box in _innermost(page.select(engine.results)):
        link = _title_link(box)
        if link is None or _is_advert(box, adverts):
            continue
        heading, anchor = link
        yield RawResult(
            title=text_of(heading),
            href=str(anchor["href"]),
            snippet=_first_text(box, engine.snippets) or _text_beside(box, anchor),
            site_info=_first_text(box, engine.sites),
        )


def _innermost(boxes: Sequence[Tag]) -> Iterator[Tag]:
    """The boxes that hold no other box, at most `_MAX_RESULTS`.

    They share no element, so that looking through all of them is one look through the page.
    """
    ids = {id(box) for box in boxes}
    holds_another: set[int] = set()
    passed: set[int] = set()
    for box in boxes:
        for parent in box.parents:
            if id(parent) in ids:
                holds_another.add(id(parent))
            if id(parent) in ids or id(parent) in passed:
                break
            passed.add(id(parent))
    inner = (box for box in boxes if id(box) not in holds_another)
    return islice(inner, _MAX_RESULTS)


def featured_snippet(page: BeautifulSoup, engine: Engine) -> str:
    """The answer that the engine puts above the results, or ""."""
    return _SOURCE.sub("", _first_text(page, engine.featured))


def next_page(page: BeautifulSoup, engine: Engine, base_url: str) -> str:
    """The absolute address of the next page of results, or ""."""
    link = page.select_one(engine.next_page) or _link_that_says_next(page)
    if link is not None:
        return urljoin_or_empty(base_url, str(link.get("href") or ""))
    return _next_form(page, base_url)


def _title_link(box: Tag) -> tuple[Tag, Tag] | None:
    """What names a result, and its link: a link in the heading, or around it."""
    heading = box.select_one("h2, h3, h4, a.result__a")
    if heading is None:
        return None
    inside = heading if heading.name == "a" else heading.find("a", href=True)
    link = inside or heading.find_parent("a", href=True)
    # A heading may hold a second link, such as a mark of pages already seen.
    named = inside if isinstance(inside, Tag) and text_of(inside) else heading
    if not isinstance(link, Tag) or not link.get("href") or not text_of(named):
        return None
    return named, link


def _text_beside(box: Tag, anchor: Tag) -> str:
    """The text next to the part with the link, in boxes whose parts have no names."""
    if not box.has_attr("data-snc"):
        return ""
    with_link = {id(parent) for parent in anchor.parents}
    parts = (part for part in box.find_all("div", recursive=False) if id(part) not in with_link)
    return next((text for part in parts if (text := text_of(part))), "")


def _is_advert(box: Tag, adverts: object) -> bool:
    """Whether a box is marked as an advertisement, or stands in the part that holds them."""
    return any(parent is adverts for parent in box.parents) or (
        box.select_one(_AD_MARKS) is not None
    )


def _first_text(scope: Tag, selectors: str) -> str:
    """The first text that one of the selectors finds, tried in the order they are written."""
    for selector in selectors.split(", "):
        found = scope.select_one(selector)
        text = text_of(found) if found is not None else ""
        if text:
            return text
    return ""


def _link_that_says_next(page: BeautifulSoup) -> Tag | None:
    for link in page.find_all("a", href=True):
        label = str(link.get("aria-label") or "")
        if {label_of(link).casefold(), label.casefold()} & _NEXT_WORDS:
            return link
    return None


def _next_form(page: BeautifulSoup, base_url: str) -> str:
    """DuckDuckGo's next page is a form; its fields make the address."""
    for form in page.select("form"):
        button = form.select_one("input[type='submit'], button")
        if button is None or str(button.get("value") or label_of(button)).casefold() != "next":
            continue
        fields = [
            (str(field["name"]), str(field.get("value") or ""))
            for field in form.select("input[type='hidden'][name]")
        ]
        return urljoin_or_empty(base_url, f"{form.get('action') or ''}?{urlencode(fields)}")
    return ""


MAX_TAGS: Final = 12_000
_TAG: Final = re.compile(r"<[A-Za-z]")


def parsed_page(html: str) -> BeautifulSoup:
    """A page as a tree, up to the most tags that are read; half a surrogate becomes a "?"."""
    beyond = next(islice(_TAG.finditer(html), MAX_TAGS, None), None)
    read = html if beyond is None else html[: beyond.start()]
    return BeautifulSoup(read.encode(errors="replace").decode(), "lxml")


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
