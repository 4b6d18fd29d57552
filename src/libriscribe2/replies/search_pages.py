"""Pages of search engines: hits, their addresses and texts."""

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import parse_qs, urldefrag, urlencode, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement
from bs4.exceptions import ParserRejectedMarkup

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


MAX_TAGS: Final = 7_000
MAX_TEXT: Final = 10_000
MAX_DEPTH: Final = 1_000
_MAX_ENDLESS: Final = 3
_MAX_EDGES: Final = 3 * MAX_TAGS
_UNSEEN: Final = re.compile(
    r"<(?P<name>script|style)\b[^>]*+>.*?(?:</(?P=name)\b[^>]*+>|\Z)"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))",
    re.IGNORECASE | re.DOTALL,
)
_LONG_TEXT: Final = re.compile(rf"((?:\A|>)[^<]{{{MAX_TEXT}}})[^<]++")
_TAG: Final = re.compile(r"<[A-Za-z]")
# A tag, its quoted values passed over. One that does not end is looked through up to the end of the
# page, and so are those behind it.
_WHOLE_TAG: Final = re.compile(
    r"""<[A-Za-z][^\s/>]*+(?:=\s*+(?:"[^"]*+"|'[^']*+')|(?!=\s*+["'])[^>])*+(?P<end>>)?"""
)
_EDGE: Final = re.compile(r"<(?P<slash>/)?(?P<name>[A-Za-z][^\s/>]*+)")
_EMPTY: Final = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
})  # fmt: skip
# Not the start of a character reference, for which the parser would look through the whole rest.
_BARE_REFERENCE: Final = re.compile(r"&#(?![xX]?[0-9A-Fa-f])")


def parsed_page(html: str) -> BeautifulSoup:
    """The page as a tree; where the parser gives up on a broken `<![`, that is read as text."""
    markup = _bounded(html)
    try:
        return BeautifulSoup(markup, "html.parser")
    except ParserRejectedMarkup:
        return BeautifulSoup(markup.replace("<![", "&lt;!["), "html.parser")


def _bounded(html: str) -> str:
    """The visible part of a page, up to the last tag that ends and the most tags that are read."""
    end = html.rfind(">") + 1
    whole = html[:end] + html[end:].partition("<")[0]
    seen = _BARE_REFERENCE.sub("&amp;#", _UNSEEN.sub("", whole))
    seen = _LONG_TEXT.sub(r"\1", seen)
    beyond = next(islice(_TAG.finditer(seen), MAX_TAGS, None), None)
    read = seen if beyond is None else seen[: beyond.start()]
    ended = read[: _ended_until(read)]
    return ended[: _sane_until(ended)]


def _ended_until(markup: str) -> int:
    """Where the last of a few tags begins that do not end; the end of the markup without so many."""
    place = 0
    for _ in range(_MAX_ENDLESS):
        tags = _WHOLE_TAG.finditer(markup, place)
        endless = next((tag for tag in tags if tag["end"] is None), None)
        if endless is None:
            return len(markup)
        place = endless.start() + 1
    return place - 1


def _sane_until(markup: str) -> int:
    """Where tags begin to lie deeper than pages go, or closing ones to outnumber the others.

    The parser walks up through all open tags for each text and each tag.
    """
    path: list[str] = []
    opened: Counter[str] = Counter()
    for count, edge in enumerate(_EDGE.finditer(markup)):
        name = edge["name"].lower()
        if edge["slash"] is None:
            path += [] if name in _EMPTY else [name]
            opened[name] += name not in _EMPTY
        elif opened[name]:
            while (inner := path.pop()) != name:
                opened[inner] -= 1
            opened[name] -= 1
        if len(path) > MAX_DEPTH or count > _MAX_EDGES:
            return edge.start()
    return len(markup)
