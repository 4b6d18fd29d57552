"""Where a damaged string ends, and what it says.

A quote ends a string only where the text after it is structure for the current container. Inner
quotes that nobody escaped come in pairs: after one that opens (white space before it, a letter
after it) the next one closes it, whatever follows. Where that pairing and the structure after a
quote contradict each other, the reader takes the reading its policy names and reports the doubt.
"""

import re
from dataclasses import dataclass, field
from json.decoder import scanstring
from typing import Final

from libriscribe2.utils.repair.escapes import unescape
from libriscribe2.utils.repair.patterns import (
    COMMA,
    MEMBER,
    PAIRS,
    follows_element,
    follows_key,
    follows_member,
)

_SMART: Final = "“”„«»"
_SPECIAL: Final = {
    '"': re.compile(r'[\\\n"“”„]'),
    "'": re.compile(r"[\\\n']"),
    "`": re.compile(r"[\\\n`]"),
    "＂": re.compile(r"[\\\n＂]"),
    "‘": re.compile(r"[\\\n’']"),
    "’": re.compile(r"[\\\n’']"),
    "“": re.compile(r'[\\\n“”"]'),
    "”": re.compile(r'[\\\n“”"]'),
    "„": re.compile(r'[\\\n“”"]'),
    "«": re.compile(r'[\\\n«»"]'),
}
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_TRIPLE: Final = re.compile(r'"""|\'\'\'')
_OPENS_AFTER: Final = frozenset("([{<—–-‘“«:;/*_¿¡=>,")
_NEVER_FIRST: Final = frozenset(",.;:!?)]}…")
_BEFORE_LOST: Final = re.compile(r"[,，]\s*$")
_LOST_END: Final = re.compile(r"\n\s*[}\]]")
_MARGIN: Final = re.compile(r"\n[ \t]*")
_TEMPLATE: Final = re.compile(r"\$\{[^}]*\}")
_MAX_DOUBTS: Final = 200
_MAX_DOUBT_SCAN: Final = 4_000


@dataclass(frozen=True, slots=True)
class StringToken:
    """A string as read.

    Attributes:
        text: Its value.
        end: Index just after it.
        closed: Whether its end was found; without, the text is cut off or lost its quote.
        repairs: Names of what was changed.
        inner: Start and end of its content in the source.
        trouble: A refusal kind, or "".
    """

    text: str
    end: int
    closed: bool = True
    repairs: tuple[str, ...] = ()
    inner: tuple[int, int] = (0, 0)
    trouble: str = ""


@dataclass(slots=True)
class _Scan:
    """The state of one search for the end of a string."""

    inner: bool = False
    smart: int = 0
    doubt: int = -1
    lost: int = -1
    strays: list[int] = field(default_factory=list)


class StringReader:
    """Reads the strings of one damaged text.

    Attributes:
        doubts: How often pairing and structure contradicted each other.
    """

    def __init__(self, text: str, *, structure_wins: bool = False) -> None:
        """Prepare reading.

        Args:
            text: The damaged text.
            structure_wins: Whether, in doubt, sound structure after a quote ends the string.
        """
        self.doubts = 0
        self._text = text
        self._structure_wins = structure_wins
        self._lost = 0

    def read(self, start: int, role: str, depth: int) -> StringToken:
        """Read the string whose opening quote is at `start`.

        Args:
            start: Index of the opening quote.
            role: "key", "member" or "element": what the string is, and so what may follow it.
            depth: How many containers are open.
        """
        text = self._text
        quote = text[start]
        if quote == '"':
            quick = self._quick(start, role, depth)
            if quick is not None:
                return quick
        if text.startswith(('"""', "'''"), start) and role != "key":
            triple = self._triple(start, role, depth)
            if triple is not None:
                return triple
        return self._slow(start, quote, role, depth)

    def _follows(self, position: int, role: str, depth: int) -> bool:
        if role == "key":
            return follows_key(self._text, position)
        if role == "member":
            return follows_member(self._text, position, depth)
        return follows_element(self._text, position, depth)

    def _quick(self, start: int, role: str, depth: int) -> StringToken | None:
        """A string without damage to its quotes and escapes."""
        try:
            text, end = scanstring(self._text, start + 1, False)  # noqa: FBT003 - positional in C
        except ValueError:
            return None
        if not self._follows(end, role, depth):
            return None
        if role == "key" and "\n" in text:
            return None
        control = _CONTROL.search(self._text, start + 1, end - 1)
        repairs = () if control is None else ("raw_control_character",)
        return StringToken(text, end, True, repairs, (start + 1, end - 1))

    def _triple(self, start: int, role: str, depth: int) -> StringToken | None:
        """A string between three quotes, with everything inside as it stands."""
        text = self._text
        marks = text[start : start + 3]
        position = start + 3
        while (found := text.find(marks, position)) >= 0:
            end = found + 3
            while text.startswith(marks[0], end):
                end += 1
            if self._follows(end, role, depth):
                inner = (start + 3, end - 3)
                value = unescape(text[inner[0] : inner[1]])
                return StringToken(value.text, end, True, ("triple_quotes",), inner)
            position = end
        return None

    def _slow(self, start: int, quote: str, role: str, depth: int) -> StringToken:
        """A string whose end must be told from inner quotes."""
        special = _SPECIAL[quote]
        scan = _Scan()
        position = start + 1
        while (mark := special.search(self._text, position)) is not None:
            at = mark.start()
            position = at + 1
            char = mark.group()
            if char == "\\":
                position += 1
            elif char == "\n":
                if self._lost_at_line_end(at, role, scan):
                    return self._token(start, at, quote, "missing_closing_quote")
            elif self._is_end(at, quote, role, depth, scan):
                return self._token(start, at, quote, "")
            if 0 <= scan.doubt < position - _MAX_DOUBT_SCAN:
                break
        return self._unended(start, quote, role, depth, scan)

    def _lost_at_line_end(self, at: int, role: str, scan: _Scan) -> bool:
        """Whether a member begins on the next line, so that this string lost its quote."""
        if role == "key":
            return True
        if scan.inner or role != "member":
            return False
        margin = _MARGIN.match(self._text, at)
        return margin is not None and MEMBER.match(self._text, margin.end()) is not None

    def _is_end(self, at: int, quote: str, role: str, depth: int, scan: _Scan) -> bool:
        """Whether the quote at `at` ends the string; updates the scan."""
        text, char = self._text, self._text[at]
        if quote in "\"“”„«" and char in _SMART:
            return self._is_smart_end(at, quote, role, depth, scan)
        before, after = text[at - 1], text[at + 1 : at + 2]
        follows = self._follows(at + 1, role, depth)
        if scan.inner:
            if before.isspace() and not follows:
                return False
            return self._closes_inner(at, role, follows, scan)
        if follows:
            return True
        opens = bool(after) and not after.isspace() and after not in _NEVER_FIRST
        at_start = text[at - 1] == quote or before.isspace() or before in _OPENS_AFTER
        if opens and (at_start or not before.isascii()):
            scan.inner = True
            if scan.lost < 0 and role == "member" and MEMBER.match(text, at):
                comma = _BEFORE_LOST.search(text, max(0, at - 20), at)
                scan.lost = comma.start() if comma else -1
        scan.strays.append(at)
        return False

    def _closes_inner(self, at: int, role: str, follows: bool, scan: _Scan) -> bool:  # noqa: FBT001
        """Handle a quote that closes an inner quotation; True when structure wins over it."""
        scan.inner = False
        scan.strays.append(at)
        if not follows or role == "key":
            return False
        comma = COMMA.match(self._text, at + 1)
        if role != "member" or comma is None or not MEMBER.match(self._text, comma.end()):
            return False
        self.doubts += 1
        if self._structure_wins:
            return True
        if scan.doubt < 0:
            scan.doubt = at
        return False

    def _is_smart_end(self, at: int, quote: str, role: str, depth: int, scan: _Scan) -> bool:
        """Whether a curly quote ends the string: its depth must be spent."""
        char = self._text[at]
        opening = char in "„«" or (char == "“" and not (quote == "„" or scan.smart < 0))
        if opening and not (char == "“" and self._follows(at + 1, role, depth)):
            scan.smart += 1
            return False
        if scan.smart > 0:
            scan.smart -= 1
            return False
        if self._follows(at + 1, role, depth):
            return True
        scan.strays.append(at)
        return False

    def _unended(
        self, start: int, quote: str, role: str, depth: int, scan: _Scan
    ) -> StringToken:
        """The string that no quote ended: its quote was lost, or the text is cut off."""
        self._lost += 1
        if self._lost > _MAX_DOUBTS:
            return StringToken("", len(self._text), False, (), (start + 1, len(self._text)))
        if scan.lost >= 0 and (scan.doubt < 0 or scan.lost < scan.doubt):
            return self._token(start, scan.lost, quote, "missing_closing_quote")
        if scan.doubt >= 0:
            return self._token(start, scan.doubt, quote, "")
        lost = _LOST_END.search(self._text, start + 1)
        if lost is not None and role != "key" and not scan.strays:
            if follows_member(self._text, lost.start(), depth):
                return self._token(start, lost.start(), quote, "missing_closing_quote")
        return StringToken("", len(self._text), False, (), (start + 1, len(self._text)))

    def _token(self, start: int, end: int, quote: str, lost: str) -> StringToken:
        """The token of the content between two indices; `lost` names a missing quote."""
        text = self._text
        content_end = end
        if lost:
            content_end = start + 1 + len(text[start + 1 : end].rstrip().rstrip(",，"))
        raw = text[start + 1 : content_end]
        value = unescape(raw)
        names = [lost, value.repair]
        if quote != '"':
            names.append("single_quotes" if quote == "'" else "foreign_quotes")
        elif not lost and text[end] != '"':
            names.append("foreign_quotes")
        if _bare_quote(raw, quote):
            names.append("unescaped_inner_quotes")
        if _CONTROL.search(raw):
            names.append("raw_control_character")
        trouble = "template" if quote == "`" and _TEMPLATE.search(raw) else ""
        after = content_end if lost else end + 1
        repairs = tuple(name for name in names if name)
        return StringToken(value.text, after, True, repairs, (start + 1, content_end), trouble)


def _bare_quote(raw: str, quote: str) -> bool:
    closing = PAIRS[quote]
    return closing in raw.replace("\\" + closing, "")

