"""Reads pages: the article alone where one is found, else everything that a reader would see."""

from typing import Final

from libriscribe2.toolchain.sources.encoding import decode
from libriscribe2.toolchain.sources.markup import Page, read_markup
from libriscribe2.toolchain.sources.quiet import quiet
from libriscribe2.toolchain.sources.reading import Reading, not_what_it_says, tidy, too_large

LARGEST_PAGE: Final = 10 * 2**20
"""Most bytes of a page; ten times of what the largest articles have."""

_SHORTEST_ARTICLE: Final = 200
"""Characters below which the extractor is taken to have missed the article."""

_LEAST_SHARE: Final = 10
"""An article is at least this part of what a page shows; less is a remark beside it."""

_MOST_TAGS: Final = 60_000
"""Tags up to which the extractor, which builds trees of them, stays small."""

_NO_PAGE: Final = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b")


def read_html(name: str, data: bytes, declared: str = "") -> Reading:
    """A page.

    Args:
        name: What errors call it.
        data: Its bytes.
        declared: The charset of its `Content-Type`.

    Raises:
        ToolError: 413 where it is too large, 415 where it is no page.
    """
    if len(data) > LARGEST_PAGE:
        raise too_large(name, f"the page has {len(data):,} bytes", LARGEST_PAGE)
    if data.startswith(_NO_PAGE):
        raise not_what_it_says(name, "it is not HTML, whatever its name says")
    html, flag = decode(data, declared=declared, is_markup=True)
    if "\0" in html:
        raise not_what_it_says(name, "it holds bytes that no page has")
    flags = (flag,) if flag else ()
    shown = read_markup(html, framed=True)
    if not shown.parts:
        shown = read_markup(html)
    article = _article(html) if html.count("<") < _MOST_TAGS else ""
    if len(article) < min(_SHORTEST_ARTICLE, shown.characters // 2) or (
        len(article) * _LEAST_SHARE < shown.characters
    ):
        return Reading(shown.title, shown.parts, flags)
    return Reading(shown.title, tuple(_under_headings(article, shown)), flags)


def _article(html: str) -> str:
    """The article's text, a paragraph per line; "" where none is found."""
    # Slow to import, and only a page that is read needs it.
    from trafilatura import extract  # noqa: PLC0415

    quiet("trafilatura", "htmldate", "justext", "courlan")
    text = extract(html, include_comments=False, include_tables=True, deduplicate=False)
    return tidy(text or "").strip()


def _under_headings(article: str, shown: Page) -> list[tuple[str, str]]:
    """The paragraphs of an article, divided at the lines that are headings of the page."""
    headings = {heading for heading, _ in shown.parts if heading}
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in filter(None, (line.strip() for line in article.split("\n"))):
        if line in headings:
            parts.append((line, []))
        parts[-1][1].append(line)
    return [(heading, "\n\n".join(lines)) for heading, lines in parts if lines]
