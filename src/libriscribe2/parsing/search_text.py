"""Text of a page as a reader sees it: words stay whole where only their look changes.

Engines mark the words of a query in the middle of other words (`<b>gull</b>s`); what separates
words on the screen is a block or a line break, not every tag.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from bs4 import Tag
from bs4.element import NavigableString, PageElement

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
