"""What search result pages look like: the selectors of each engine, and what they find.

Class names of search engines change without notice; each field therefore lists several, the most
specific first, and a page that no engine's selectors fit is read by its plainest trait: a heading
with a link.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import urlencode

from bs4 import BeautifulSoup, Tag

from libriscribe2.parsing.search_text import label_of, text_of
from libriscribe2.parsing.search_urls import urljoin_or_empty


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
