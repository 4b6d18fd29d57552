"""How much text fits a budget, in a measure that holds for every script.

Budgets are counted in characters of English, of which about four make a token. A character of
another alphabet counts as two, an East Asian one as four: near enough to what tokenizers make
of them to keep a prompt under its limit.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from unicodedata import east_asian_width

_WIDE: Final = 4
_OTHER: Final = 2
_ASCII: Final = 128
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
# Most books can be spelled in one byte per character; none of these characters is a wide one.
_WESTERN: Final = "cp1252"
_BEYOND_ASCII: Final = bytes(range(_ASCII, 256))


def weigh(text: str) -> int:
    """How much of a budget a text takes."""
    if text.isascii():
        return len(text)
    try:
        plain = text.encode(_WESTERN).translate(None, _BEYOND_ASCII)
    except UnicodeEncodeError:
        return len(text) + sum(_weight(character) - 1 for character in _FOREIGN.findall(text))
    return len(plain) + _OTHER * (len(text) - len(plain))


def room(text: str, budget: int) -> int:
    """How many characters at the start of `text` fit `budget`."""
    fits = min(len(text), max(0, budget))
    over = weigh(text[:fits]) - budget
    while over > 0:
        fits -= 1
        over -= _weight(text[fits])
    return fits


def room_at_end(text: str, budget: int) -> int:
    """How many characters at the end of `text` fit `budget`."""
    return room(text[: -budget - 1 : -1], budget) if budget > 0 else 0


def _weight(character: str) -> int:
    """What a character counts."""
    if ord(character) < _ASCII:
        return 1
    return _WIDE if east_asian_width(character) in "WF" else _OTHER


def shorten(text: str, budget: int) -> str:
    """The beginning of a text within `budget`, cut at the end of a sentence or word."""
    fits = room(text, budget)
    if fits == len(text):
        return text
    head = text[:fits]
    stop = max(head.rfind(mark) for mark in (". ", "! ", "? ", "\u3002"))
    if stop >= fits // 2:
        return head[: stop + 1]
    return head[: max(head.rfind(" "), fits // 2)].rstrip()


def tail(text: str, budget: int) -> str:
    """The end of a text within `budget`, begun at a paragraph or word."""
    fits = room_at_end(text, budget)
    if fits == len(text):
        return text
    end = text[len(text) - fits :]
    start = end.find("\n\n")
    if 0 <= start <= fits // 2:
        return end[start:].strip()
    return end[end.find(" ") + 1 :].strip()


def parts(text: str, budget: int) -> list[str]:
    """A text in as few parts within `budget` as its paragraphs allow.

    A paragraph that is longer than the budget is cut where the budget ends.
    """
    groups: list[list[str]] = [[]]
    taken = 0
    for paragraph, whole in _weighed(text):
        cut = _pieces(paragraph, budget) if whole > budget else ((paragraph, whole),)
        for piece, weight in cut:
            if taken and taken + weight + 2 > budget:
                groups.append([piece])
                taken = weight
            else:
                groups[-1].append(piece)
                taken += weight + 2 * bool(taken)
    return ["\n\n".join(group) for group in groups]


@lru_cache(maxsize=4)
def _weighed(text: str) -> tuple[tuple[str, int], ...]:
    """The paragraphs of a text with their weights; several stages take the same chapter apart."""
    return tuple((one, weigh(one)) for one in text.split("\n\n") if one)


def _pieces(paragraph: str, budget: int) -> Iterator[tuple[str, int]]:
    """A paragraph cut into pieces within `budget`, each with its weight."""
    while paragraph:
        weight, fits = weigh(paragraph), len(paragraph)
        if weight > budget:
            fits = max(1, room(paragraph, budget))
            weight = weigh(paragraph[:fits])
        yield paragraph[:fits], weight
        paragraph = paragraph[fits:]
