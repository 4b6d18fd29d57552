"""Strings of a damaged text, the cheapest way that reads them."""

import re
from typing import Final

from libriscribe2.utils.repair.escapes import unescape
from libriscribe2.utils.repair.known_keys import KnownKeys
from libriscribe2.utils.repair.patterns import follows
from libriscribe2.utils.repair.string_end import EndSearch
from libriscribe2.utils.repair.string_tokens import CONTROL, StringToken, unread
from libriscribe2.utils.strict_json import scan_string

_ESCAPED: Final = re.compile(r'\\"(?P<inner>(?:[^"\\]++|\\(?!"))*+)\\"')
_TRIPLES: Final = ('"""', "'''")
_SCAN_FACTOR: Final = 3
# A search given up for stray quotes takes as long as so many plain characters.
_CROWDED: Final = 250_000


class StringReader:
    """Reads the strings of one damaged text.

    Attributes:
        doubts: How often a string could end in two places.
        scanned: How many characters were searched for ends; the search has a budget.
    """

    def __init__(self, text: str, *, structure_wins: bool = False) -> None:
        """Prepare reading.

        Args:
            text: The damaged text.
            structure_wins: Whether, in doubt, sound structure after a quote ends the string.
        """
        self.doubts = 0
        self.scanned = 0
        self._text = text
        self._structure_wins = structure_wins
        self._keys = KnownKeys(text)

    def read(self, start: int, role: str, depth: int) -> StringToken:
        """Read the string whose opening quote is at `start`.

        Args:
            start: Index of the opening quote.
            role: "key", "member" or "element": what the string is, and so what may follow it.
            depth: How many containers are open.
        """
        token = None
        if self._text[start] == '"':
            token = self._quick(start, role, depth)
        if token is None and role != "key" and self._text.startswith(_TRIPLES, start):
            token = self._triple(start, role, depth)
        return self._searched(start, role, depth) if token is None else token

    def read_escaped(self, start: int, role: str, depth: int) -> StringToken | None:
        """Read a string whose own quotes are escaped; `start` is at the backslash."""
        found = _ESCAPED.match(self._text, start)
        if found is None or not follows(self._text, found.end(), role, depth):
            return None
        value = unescape(found["inner"])
        return StringToken(
            value.text,
            found.end(),
            repairs=("escaped_delimiters",),
            inner=found.span("inner"),
            trouble=value.trouble,
        )

    def _quick(self, start: int, role: str, depth: int) -> StringToken | None:
        """A string without damage to its quotes and escapes."""
        try:
            text, end = scan_string(self._text, start + 1)
        except ValueError:
            return None
        if not follows(self._text, end, role, depth) or (role == "key" and "\n" in text):
            return None
        control = CONTROL.search(self._text, start + 1, end - 1)
        repairs = () if control is None else ("raw_control_character",)
        return StringToken(text, end, repairs=repairs, inner=(start + 1, end - 1))

    def _triple(self, start: int, role: str, depth: int) -> StringToken | None:
        """A string between three quotes, with everything inside as it stands."""
        text = self._text
        marks = text[start : start + 3]
        position = start + 3
        while (found := text.find(marks, position)) >= 0:
            end = found + 3
            while text.startswith(marks[0], end):
                end += 1
            if follows(text, end, role, depth):
                inner = (start + 3, end - 3)
                value = unescape(text[inner[0] : inner[1]])
                return StringToken(value.text, end, repairs=("triple_quotes",), inner=inner)
            position = end
        self.scanned += position - start
        return None

    def _searched(self, start: int, role: str, depth: int) -> StringToken:
        """A string whose end must be told from inner quotes."""
        if self.scanned > _SCAN_FACTOR * len(self._text):
            return unread(self._text, start)
        search = EndSearch(self._text, start, role, depth, self._keys, self._structure_wins)
        token = search.run()
        self.doubts += search.doubts
        self.scanned += search.scanned or _CROWDED
        return token
