"""Search pages made safe to parse: whatever a server sends is read in linear time and memory.

What a page shows is kept. Scripts, styles and comments go, as do markup that never ends, on which
the parser would spend time in the square of the page's length, and whatever stands behind more
tags, or text without any, than a result page has.
"""

import re
from itertools import islice
from typing import Final

from bs4 import BeautifulSoup
from bs4.exceptions import ParserRejectedMarkup

MAX_TAGS: Final = 7_000
MAX_TEXT: Final = 10_000
_UNSEEN: Final = re.compile(
    r"<(?P<name>script|style)\b[^>]*+>.*?(?:</(?P=name)\b[^>]*+>|\Z)"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))",
    re.IGNORECASE | re.DOTALL,
)
_LONG_TEXT: Final = re.compile(rf"((?:\A|>)[^<]{{{MAX_TEXT}}})[^<]++")
_TAG: Final = re.compile(r"<[A-Za-z]")
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
    return seen if beyond is None else seen[: beyond.start()]
