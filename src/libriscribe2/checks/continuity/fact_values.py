"""Values of facts in a form that can be compared: numbers, colours, weekdays, sides, kin."""

import re
from dataclasses import dataclass
from typing import Final

_PLAIN: Final = ("black", "dark", "hazel", "amber", "violet")
_COLOURS: Final = {
    **dict.fromkeys(("blue", "azure", "sapphire", "cobalt"), "blue"),
    **dict.fromkeys(("grey", "gray", "slate", "ash"), "grey"),
    **dict.fromkeys(("green", "emerald", "jade"), "green"),
    **dict.fromkeys(("brown", "chestnut", "chocolate"), "brown"),
    **dict.fromkeys(("blond", "blonde", "golden", "fair", "flaxen"), "blond"),
    **dict.fromkeys(("red", "auburn", "ginger", "copper"), "red"),
    **dict.fromkeys(("white", "silver", "snowy"), "white"),
    **dict(zip(_PLAIN, _PLAIN, strict=True)),
}
_ALIKE: Final = frozenset(
    {
        *(
            frozenset({"dark", "brown"}),
            frozenset({"dark", "black"}),
            frozenset({"black", "brown"}),
        ),
        *(
            frozenset({"hazel", "brown"}),
            frozenset({"hazel", "green"}),
            frozenset({"hazel", "amber"}),
        ),
        *(frozenset({"amber", "brown"}), frozenset({"grey", "white"}), frozenset({"grey", "blue"})),
    }
)
"""Colours that one observer calls this and another that."""

_UNITS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORD_VALUE: Final = {
    **dict(zip(_UNITS, range(20), strict=True)),
    **dict(zip(_TENS, range(20, 100, 10), strict=True)),
}
_WEEKDAYS: Final = (
    *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
)
_WORDS: Final = re.compile(r"[^\W\d_]+")

_PARENTS: Final = {"mother", "father", "parent"}
_CHILDREN: Final = {"son", "daughter", "child"}
_SIBLINGS: Final = {"sister", "brother", "sibling", "twin"}
_SPOUSES: Final = {"wife", "husband", "spouse"}
_KIN: Final = {
    **dict.fromkeys(_PARENTS, "parent"),
    **dict.fromkeys(_CHILDREN, "child"),
    **dict.fromkeys(_SIBLINGS, "sibling"),
    **dict.fromkeys(_SPOUSES, "spouse"),
}
_RELATION: Final = re.compile(r"(?i)\b(\w+)\s+(?:of|to)\s+(.+)")
INVERSE: Final = {"parent": "child", "child": "parent", "sibling": "sibling", "spouse": "spouse"}
"""What the other one is, for each kind of kin."""


def colour(value: str) -> str | None:
    """The basic colour that a value names; None where it names none, or several."""
    found = {_COLOURS[word] for word in _words(value) if word in _COLOURS}
    return found.pop() if len(found) == 1 else None


def colours_agree(one: str, other: str) -> bool:
    """Whether two basic colours may describe the same thing."""
    return one == other or frozenset((one, other)) in _ALIKE


def number(value: str) -> int | None:
    """The whole number in a value, in digits or in English words; None where there is none."""
    digits = re.findall(r"\d[\d,]*", value)
    if digits:
        return int(digits[0].replace(",", "")) if len(digits) == 1 else None
    return _spelled(_words(value.replace("-", " ")))


def weekday(value: str) -> int | None:
    """The day of the week that a value names, Monday 0; None where it names none, or several."""
    found = {_WEEKDAYS.index(word) for word in _words(value) if word in _WEEKDAYS}
    return found.pop() if len(found) == 1 else None


def side(value: str) -> str | None:
    """`left` or `right`, where a value names one of them."""
    found = {"left", "right"}.intersection(_words(value))
    return found.pop() if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Kinship:
    """What somebody is to somebody.

    Attributes:
        relation: `parent`, `child`, `sibling` or `spouse`.
        other: To whom.
    """

    relation: str
    other: str


def kinship(value: str) -> Kinship | None:
    """A value such as `sister of Ada`; None where it says no close kin."""
    found = _RELATION.search(value)
    if found is None:
        return None
    relation = _KIN.get(found[1].casefold())
    return Kinship(relation, found[2].strip().rstrip(".")) if relation else None


def _spelled(found: list[str]) -> int | None:
    """A number below a million from its English words."""
    whole = current = 0
    seen = False
    for word in found:
        if word in _WORD_VALUE:
            current += _WORD_VALUE[word]
            seen = True
        elif word == "hundred":  # `a hundred` is one of them
            current, seen = max(1, current) * 100, True
        elif word == "thousand":
            whole, current, seen = whole + max(1, current) * 1_000, 0, True
    return whole + current if seen else None


def _words(value: str) -> list[str]:
    return _WORDS.findall(value.casefold())
