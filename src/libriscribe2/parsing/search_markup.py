"""Search pages made safe to parse: whatever a server sends is read in linear time and memory.

What a page shows is kept. Scripts, styles and comments go, as do markup that never ends, on which
the parser would spend time in the square of the page's length, and whatever stands behind more
tags, or text without any, than a result page has.
"""

import re
from collections import Counter
from itertools import islice
from typing import Final

from bs4 import BeautifulSoup
from bs4.exceptions import ParserRejectedMarkup

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
