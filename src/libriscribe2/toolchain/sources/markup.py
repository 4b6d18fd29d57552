"""The text of HTML, part by part: what a browser would show, without what a page is framed by.

The page is read as a stream of tags and never becomes a tree, which would be a hundred times
larger than the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lxml import etree

from libriscribe2.toolchain.sources.reading import tidy, tidy_line

_UNSEEN: Final = frozenset({
    "iframe", "noscript", "object", "script", "style", "svg", "template", "textarea",
})  # fmt: skip
_FRAME: Final = frozenset({"aside", "button", "footer", "form", "header", "nav", "select"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS: Final = _HEADINGS | _FRAME | {
    "address", "article", "blockquote", "body", "caption", "dd", "div", "dl", "dt", "figcaption",
    "figure", "hr", "html", "li", "main", "ol", "p", "pre", "section", "table", "tbody", "tfoot",
    "thead", "title", "tr", "ul",
}  # fmt: skip
_CELLS: Final = frozenset({"td", "th"})
_BREAK: Final = "\v"
"""Stands for a line break until white space is evened out; text from outside has none."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says.

    Attributes:
        title: What it calls itself: its title, else its first heading; "" without either.
        parts: Heading and text of every part; the heading is the part's first paragraph.
    """

    title: str
    parts: tuple[tuple[str, str], ...]

    @property
    def characters(self) -> int:
        """How much text it has."""
        return sum(len(text) for _, text in self.parts)


def read_markup(html: str, *, framed: bool = False) -> Page:
    """What a page says.

    Args:
        html: The page.
        framed: Whether navigation, headers and footers are left out.
    """
    target = _Target(_UNSEEN | _FRAME if framed else _UNSEEN)
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    parser.feed(html.encode("utf-8", "replace"))
    page: Page = parser.close()
    return page


class _Target:
    """Takes the tags and texts of a page as they come."""

    def __init__(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden
        self._depth = 0
        """How many tags are open inside the outermost hidden one, itself included."""
        self._pieces: list[str] = []
        self._block = ""
        self._title = ""
        self._parts: list[tuple[str, list[str]]] = [("", [])]

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A tag opens."""
        if self._depth or tag in self._hidden or _is_hidden(attributes):
            self._depth += 1
        elif tag in _BLOCKS:
            self._flush()
            self._block = tag
        elif tag == "br":
            self._pieces.append(_BREAK)
        elif tag in _CELLS:
            self._pieces.append(" ")

    def end(self, tag: str) -> None:
        """A tag closes."""
        if self._depth:
            self._depth -= 1
        elif tag in _BLOCKS:
            self._flush()
            self._block = ""

    def data(self, text: str) -> None:
        """A text."""
        if not self._depth:
            self._pieces.append(text.replace(_BREAK, " "))

    def comment(self, text: str) -> None:
        """A comment is no text."""

    def close(self) -> Page:
        """The page is at its end."""
        self._flush()
        parts = tuple((heading, "\n\n".join(texts)) for heading, texts in self._parts if texts)
        heading = next((heading for heading, _ in parts if heading), "")
        return Page(self._title or heading, parts)

    def _flush(self) -> None:
        """Put what was gathered where it belongs."""
        lines = (" ".join(tidy(line).split()) for line in "".join(self._pieces).split(_BREAK))
        text = "\n".join(line for line in lines if line)
        self._pieces.clear()
        if not text:
            return
        if self._block == "title":
            self._title = self._title or tidy_line(text)
        elif self._block in _HEADINGS:
            self._parts.append((tidy_line(text), [text]))
        else:
            self._parts[-1][1].append(text)


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    """Whether the page itself says that a reader does not see this."""
    style = "".join(attributes.get("style", "").split()).casefold()
    return "hidden" in attributes or "display:none" in style or "visibility:hidden" in style
