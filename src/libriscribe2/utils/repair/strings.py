"""Where a damaged string ends, and what it says.

A quote ends a string only where the text after it is structure for the current container. Inner
quotes that nobody escaped come in pairs: after one that opens (white space before it, a letter
after it) the next one closes it, whatever follows. Where that pairing and the structure after a
quote contradict each other, the reader takes the reading its policy names and reports the doubt.
"""

import re
from dataclasses import dataclass, replace
from typing import Final

from libriscribe2.utils.repair.escapes import unescape
from libriscribe2.utils.repair.patterns import (
    COMMA,
    FRESH_START,
    LOST_CLOSE,
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
    "「": re.compile(r"[\\\n」]"),
    "『": re.compile(r"[\\\n』]"),
    "‹": re.compile(r"[\\\n›]"),
}
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_TRIPLE: Final = re.compile(r'"""|\'\'\'')
_OPENS_AFTER: Final = frozenset("([{<—–-‘“«:;/*_¿¡=>,")
_NEVER_FIRST: Final = frozenset(",.;:!?)]}…")
_BEFORE_LOST: Final = re.compile(r"[,，]\s*$")
_ESCAPED: Final = re.compile(r'\\"(?P<inner>(?:[^"\\]++|\\(?!"))*+)\\"')
_LINE_ENDS: Final = re.compile(r"[ \t]*[,，]?[ \t]*\r?\n")
_LIKE_END: Final = re.compile(r"[ \t]*[,，:}\]\n]")
_MARGIN: Final = re.compile(r"\n[ \t]*")
_TEMPLATE: Final = re.compile(r"\$\{[^}]*\}")
_LOST_QUOTE: Final = "missing_closing_quote"
_MAX_TAIL: Final = 400
_SCAN_FACTOR: Final = 6
_MAX_NAMES: Final = 50
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
    strays: int = 0
    suspect: bool = False


class StringReader:
    """Reads the strings of one damaged text.

    Attributes:
        doubts: How often pairing and structure contradicted each other.
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
        self._keys: dict[str, bool] = {}

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

    def read_escaped(self, start: int, role: str, depth: int) -> StringToken | None:
        """Read a string whose own quotes are escaped; `start` is at the backslash."""
        found = _ESCAPED.match(self._text, start)
        if found is None or not self._follows(found.end(), role, depth):
            return None
        value = unescape(found["inner"])
        repairs = ("escaped_delimiters",)
        return StringToken(
            value.text, found.end(), True, repairs, found.span("inner"), value.trouble
        )

    def _follows(self, position: int, role: str, depth: int) -> bool:
        if role == "key":
            return follows_key(self._text, position)
        if role == "member":
            return follows_member(self._text, position, depth)
        return follows_element(self._text, position, depth)

    def _quick(self, start: int, role: str, depth: int) -> StringToken | None:
        """A string without damage to its quotes and escapes."""
        try:
            text, end = scan_string(self._text, start + 1)
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
        if self.scanned > _SCAN_FACTOR * len(self._text):
            return _unread(self._text, start)
        while (mark := special.search(self._text, position)) is not None:
            at = mark.start()
            position = at + 1
            char = mark.group()
            if char == "\\":
                self._pass_escape(at, quote, scan)
                position += 1
            elif char == "\n":
                if self._lost_at_line_end(start, at, role, depth, scan):
                    return self._ended(start, at, quote, _LOST_QUOTE, scan)
            elif self._is_end(at, quote, role, depth, scan):
                self.scanned += at - start
                return self._ended(start, at, quote, "", scan)
            elif scan.lost == at:
                return self._ended(start, at, quote, _LOST_QUOTE, scan)
            if 0 <= scan.doubt < position - _MAX_DOUBT_SCAN:
                break
        return self._unended(start, quote, role, depth, scan)

    def _pass_escape(self, at: int, quote: str, scan: _Scan) -> None:
        """Let an escaped quote open or close a quotation, as its partner may lack the escape."""
        if quote == '"' and self._text[at + 1 : at + 2] == quote:
            after = self._text[at + 2 : at + 3]
            scan.inner = not scan.inner and bool(after) and not after.isspace()

    def _lost_at_line_end(self, start: int, at: int, role: str, depth: int, scan: _Scan) -> bool:
        """Whether structure begins on the next line, so that this string lost its quote."""
        text = self._text
        if role == "key":
            return True
        if scan.inner:
            return False
        first = text.find("\n", start + 1, at)
        if first < 0 and not scan.strays and LOST_CLOSE.match(text, at):
            return self._follows(at, role, depth)
        margin = _MARGIN.match(text, at)
        if role != "member" or margin is None or not MEMBER.match(text, margin.end()):
            return False
        scan.suspect = scan.suspect or scan.strays > 0
        # Only brackets may stand between the line of the string and the next member.
        return first < 0 or not text[first : min(at, first + _MAX_TAIL)].strip("}] ,\t\r\n")

    def _is_end(self, at: int, quote: str, role: str, depth: int, scan: _Scan) -> bool:
        """Whether the quote at `at` ends the string; updates the scan."""
        text, char = self._text, self._text[at]
        if quote in '"“”„«' and char in _SMART:
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
        opens = opens or text.startswith(("...", "…"), at + 1)
        at_start = text[at - 1] == quote or before.isspace() or before in _OPENS_AFTER
        if opens and (at_start or not before.isascii()):
            scan.inner = True
            if scan.lost < 0 and role == "member":
                scan.lost = self._lost_before(at, scan)
        else:
            # It closes nothing that was opened: unless it stands for inches or an apostrophe, the
            # structure after it is damaged as well, and where the string ends is a guess.
            closing = quote in '"“”' and not before.isspace() and not before.isdigit()
            like_end = _LIKE_END.match(text, at + 1) is not None
            scan.suspect = scan.suspect or closing or like_end
        scan.strays += 1
        return False

    def _lost_before(self, at: int, scan: _Scan) -> int:
        """Where the string ended if the quote at `at` opens the next key, or -1.

        With a key that the text uses elsewhere too the string ends for certain: the place is `at`.
        """
        member = MEMBER.match(self._text, at)
        comma = _BEFORE_LOST.search(self._text, max(0, at - 20), at)
        if member is None or comma is None:
            return -1
        scan.suspect = scan.suspect or scan.strays > 0
        name = member.group().split(self._text[at])[1]
        if name not in self._keys and len(self._keys) < _MAX_NAMES:
            key = re.compile(rf"""["']{re.escape(name)}["']\s*:""")
            self._keys[name] = key.search(self._text, member.end()) is not None or (
                key.search(self._text, 0, at) is not None
            )
        return at if self._keys.get(name) and not scan.strays else comma.start()

    def _closes_inner(self, at: int, role: str, follows: bool, scan: _Scan) -> bool:  # noqa: FBT001
        """Handle a quote that closes an inner quotation; True when structure wins over it."""
        scan.inner = False
        scan.strays += 1
        if not follows or role == "key":
            return False
        if self._text[at] in "'’" and _LINE_ENDS.match(self._text, at + 1):
            return True  # structure on the next line: what seemed to open was an apostrophe
        if scan.doubt < 0:
            scan.doubt = at
        comma = COMMA.match(self._text, at + 1)
        if role != "member" or comma is None or not MEMBER.match(self._text, comma.end()):
            return False
        self.doubts += 1
        return self._structure_wins

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
        scan.strays += 1
        return False

    def _unended(self, start: int, quote: str, role: str, depth: int, scan: _Scan) -> StringToken:
        """The string that no quote ended: its quote was lost, or the text is cut off."""
        self.scanned += (scan.doubt if scan.doubt >= 0 else len(self._text)) - start
        if scan.lost >= 0 and (scan.doubt < 0 or scan.lost < scan.doubt):
            return self._ended(start, scan.lost, quote, _LOST_QUOTE, scan)
        if scan.doubt >= 0:
            return self._ended(start, scan.doubt, quote, "", scan)
        lost = LOST_CLOSE.search(self._text, start + 1)
        if lost is not None and role != "key" and self._follows(lost.start(), role, depth):
            scan.suspect = scan.suspect or scan.strays > 0
            return self._ended(start, lost.start(), quote, _LOST_QUOTE, scan)
        return _unread(self._text, start)

    def _ended(self, start: int, end: int, quote: str, lost: str, scan: _Scan) -> StringToken:
        """The token, refused as ambiguous when a quote inside looked like an end too.

        A string that runs over the start of another JSON value was cut off before it.
        """
        if scan.strays and FRESH_START.search(self._text, start + 1, end):
            return _unread(self._text, start)
        token = self._token(start, end, quote, lost)
        return replace(token, trouble="ambiguous") if scan.suspect else token

    def _token(self, start: int, end: int, quote: str, lost: str) -> StringToken:
        """The token of the content between two indices; `lost` names a missing quote."""
        text = self._text
        content_end = end
        if lost:
            content_end = start + 1 + len(_without_tail(text[start + 1 : end]))
        raw = text[start + 1 : content_end]
        value = unescape(raw)
        trouble = value.trouble
        names = [lost, value.repair]
        if quote != '"':
            names.append("single_quotes" if quote == "'" else "foreign_quotes")
        elif not lost and text[end] != '"':
            names.append("foreign_quotes")
        if _bare_quote(raw, quote):
            names.append("unescaped_inner_quotes")
        if _CONTROL.search(raw):
            names.append("raw_control_character")
        if quote == "`" and _TEMPLATE.search(raw):
            trouble = "template"
        after = content_end if lost else end + 1
        repairs = tuple(name for name in names if name)
        return StringToken(value.text, after, True, repairs, (start + 1, content_end), trouble)


def _unread(text: str, start: int) -> StringToken:
    """The token of a string whose end is not there."""
    return StringToken("", len(text), False, (), (start + 1, start + 1))


def _bare_quote(raw: str, quote: str) -> bool:
    closing = PAIRS[quote]
    return closing in raw.replace("\\" + closing, "")


def _without_tail(raw: str) -> str:
    """The content of a string that lost its quote, without the brackets on lines after it."""
    content = raw.rstrip(" \t\r\n,，")
    while (line := content.rfind("\n")) >= 0 and not content[line:].strip(" \t\r\n,}]"):
        content = content[:line].rstrip(" \t\r\n,，")
    return content
