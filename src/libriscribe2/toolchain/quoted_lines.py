"""Where in a chapter a quote stands, whatever emphasis its Markdown has."""

from functools import lru_cache
from typing import Final

from libriscribe2.toolchain.quotes import find_quote, stands_at

_EMPHASIS: Final = "*_"
_UNSEEN: Final = str.maketrans(dict.fromkeys(_EMPHASIS, "\u200b"))
"""Emphasis as marks that are not seen, so that every place in a text stays the same."""


def line_of_quote(quote: str, text: str) -> int | None:
    """The line of a text, from 1, on which a quote begins; None where the text does not hold it.

    As `find_quote`, and besides the marks of emphasis may differ: a model copies `her own lamp`
    from `her *own* lamp`.
    """
    start = _near(quote, text)
    if start is None:
        start = _start(quote, _unmarked(text))
    return None if start is None else text.count("\n", 0, start) + 1


def _near(quote: str, text: str) -> int | None:
    """Where a quote begins that was copied as it stands: only its own lines are looked at."""
    at = text.find(quote)
    if at < 0:
        return None
    around = text[max(0, at - 1) : at] + text[at + len(quote) : at + len(quote) + 1]
    if not any(mark in around for mark in _EMPHASIS) and stands_at(quote, text, at):
        return at
    first, last = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(quote))
    start = _start(quote, text[first : last if last >= 0 else len(text)].translate(_UNSEEN))
    return None if start is None else first + start


def _start(quote: str, unmarked: str) -> int | None:
    """Where a quote begins in a text without visible emphasis."""
    found = find_quote(quote.translate(_UNSEEN), unmarked)
    return None if found is None else found.start


@lru_cache(maxsize=8)
def _unmarked(text: str) -> str:
    """A text without visible emphasis; several quotes are looked for in one after another."""
    return text.translate(_UNSEEN)
