"""Strings of damaged JSON: where each ends, and its text."""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from libriscribe2.replies.repair.patterns import (
    COMMA,
    FRESH_START,
    LOST_CLOSE,
    MEMBER,
    SEPARATORS,
    follows,
    unescape,
)
from libriscribe2.replies.repair.state import KnownKeys
from libriscribe2.replies.repair.string_tokens import (
    CONTROL,
    Quotations,
    StringToken,
    is_misread,
    string_token,
    unread,
)
from libriscribe2.replies.strict_json import scan_string

_SMART: Final = "“”„«»"
_SPECIAL: Final = {
    '"': re.compile(r'[\\\n"“”„]'),
    "'": re.compile(r"[\\\n']"),
    "`": re.compile(r"[\\\n`]"),
    "＂": re.compile(r"[\\\n＂]"),
    "‘": re.compile(r"[\\\n’']"),
    "’": re.compile(r"[\\\n’']"),
    "“": re.compile(r'[\\\n“”„"]'),
    "”": re.compile(r'[\\\n“”„"]'),
    "„": re.compile(r'[\\\n“”"]'),
    "«": re.compile(r'[\\\n«»"]'),
    "「": re.compile(r"[\\\n」]"),
    "『": re.compile(r"[\\\n』]"),
    "‹": re.compile(r"[\\\n›]"),
}
_OPENS_AFTER: Final = frozenset("([{<—–-‘“«:;/*_¿¡=>,")
_NEVER_FIRST: Final = frozenset(",.;:!?)]}…")
_BEFORE_LOST: Final = re.compile(rf"[{SEPARATORS}]\s*$")
# Structure on the next line, or the next item of a list: the string is over.
_GOES_ON: Final = re.compile(r"[ \t]*(?:[,，]?[ \t]*\r?\n|[}\]]\s*,\s*\{\s*[\"'])")
_LIKE_END: Final = re.compile(r"[ \t]*[,，:}\]\n]")
_MARGIN: Final = re.compile(r"\n[ \t]*")
_MAX_TAIL: Final = 400
_MAX_KEY: Final = 300
_MAX_DOUBT_SCAN: Final = 4_000
_MAX_STRAYS: Final = 2_000
_STRAY_DISTANCE: Final = 12


@dataclass(slots=True)
class EndSearch:
    """One search for the end of the string whose opening quote is at `start`.

    Attributes:
        text: The text.
        start: Index of the opening quote.
        role: "key", "member" or "element".
        depth: How many containers are open.
        keys: The keys of the text.
        structure_wins: Whether, in doubt, sound structure after a quote ends the string.
        doubts: How often pairing and structure contradicted each other.
        scanned: How many characters were looked at.
    """

    text: str
    start: int
    role: str
    depth: int
    keys: KnownKeys
    structure_wins: bool
    doubts: int = 0
    scanned: int = 0
    _inner: bool = False
    _curly: Quotations = field(default_factory=Quotations)
    _broken: int = -1
    _listed: bool = False
    _doubt: int = -1
    _lost: int = -1
    _strays: int = 0
    _suspect: bool = False

    def run(self) -> StringToken:
        """Find the end; a string without one is cut off."""
        special = _SPECIAL[self.text[self.start]]
        position = self.start + 1
        while (mark := special.search(self.text, position)) is not None:
            at = mark.start()
            position = at + 1
            ended = self._at_mark(at, mark.group())
            if ended is not None:
                self.scanned = at - self.start
                return ended
            position += mark.group() == "\\"
            if self._is_crowded(position):
                return replace(unread(self.text, self.start), closed=True, trouble="ambiguous")
            if self._is_hopeless(position):
                break
        return self._unended()

    def _is_crowded(self, position: int) -> bool:
        """Whether the string has more stray quotes than any language sets."""
        quotes = self._strays + self._curly.depth
        return quotes > _MAX_STRAYS + (position - self.start) // _STRAY_DISTANCE

    def _is_hopeless(self, position: int) -> bool:
        if self.role == "key" and position - self.start > _MAX_KEY:
            return True
        return 0 <= self._doubt < position - _MAX_DOUBT_SCAN

    def _at_mark(self, at: int, char: str) -> StringToken | None:
        """The token when the string ends at this mark, else None."""
        if char == "\\":
            self._pass_escape(at)
        elif char == "\n":
            if self._lost_at_line_end(at):
                return self._ended(at, lost=True)
        elif self._is_end(at):
            return self._ended(at)
        elif self._lost == at:
            return self._ended(at, lost=True)
        return None

    def _follows(self, position: int) -> bool:
        return follows(self.text, position, self.role, self.depth)

    def _pass_escape(self, at: int) -> None:
        """Let an escaped quote open or close a quotation, as its partner may lack the escape."""
        if self.text[at + 1 : at + 2] in ("n", "r", "t"):
            self._broken = at + 2
        if self.text[self.start] == '"' and self.text[at + 1 : at + 2] == '"':
            after = self.text[at + 2 : at + 3]
            self._inner = not self._inner and bool(after) and not after.isspace()

    def _lost_at_line_end(self, at: int) -> bool:
        """Whether structure begins on the next line, so that this string lost its quote."""
        text = self.text
        if self.role == "key":
            return True
        if self._inner:
            return False
        first = text.find("\n", self.start + 1, at)
        if first < 0 and not self._strays and LOST_CLOSE.match(text, at):
            return self._follows(at)
        margin = _MARGIN.match(text, at)
        if self.role != "member" or margin is None or not MEMBER.match(text, margin.end()):
            return False
        self._suspect = self._suspect or self._strays > 0
        # Only brackets may stand between the line of the string and the next member.
        return first < 0 or not text[first : min(at, first + _MAX_TAIL)].strip("}] ,\t\r\n")

    def _is_end(self, at: int) -> bool:
        """Whether the quote at `at` ends the string."""
        text = self.text
        if text[self.start] in '"“”„«' and text[at] in _SMART:
            return self._is_smart_end(at)
        sound = self._follows(at + 1)
        if self._inner:
            if self._after_space(at) and not sound:
                self._suspect = self._suspect or self._lost_before(at) >= 0
                return False
            return self._closes_inner(at, sound=sound)
        if sound and not (text[self.start] == '"' and self._curly.go_on(text, at + 1)):
            return True
        self._pass_inner(at)
        return False

    def _pass_inner(self, at: int) -> None:
        """Take the quote at `at` for one inside the string."""
        low = self.text[self.start] == '"' and self._curly.close_low()
        if not low and self._opens_inner(at):
            self._inner = True
            if self.role == "element":
                self._listed = self._listed or self._comma_before(at) is not None
            elif self.role == "member" and self._lost < 0:
                self._lost = self._lost_before(at)
        elif not low:
            self._suspect = self._suspect or self._is_suspect(at)
        self._strays += 1

    def _opens_inner(self, at: int) -> bool:
        """Whether the quote at `at` can begin a quotation inside the string."""
        text = self.text
        before, after = text[at - 1], text[at + 1 : at + 2]
        if not after or after.isspace():
            return False
        if after in _NEVER_FIRST and not text.startswith(("...", "…"), at + 1):
            return False
        at_start = at - 1 == self.start or self._after_space(at) or before in _OPENS_AFTER
        return at_start or before == text[self.start] or not before.isascii()

    def _after_space(self, at: int) -> bool:
        """Whether white space stands before `at`, as it is or as an escape."""
        return at == self._broken or self.text[at - 1].isspace()

    def _comma_before(self, at: int) -> re.Match[str] | None:
        """The comma, with white space after it, that stands right before `at`."""
        return _BEFORE_LOST.search(self.text, max(0, at - 20), at)

    def _is_suspect(self, at: int) -> bool:
        """Whether a quote that neither ends the string nor opens a quotation looks like an end.

        Unless it stands for inches or an apostrophe, the structure after it is damaged as well,
        and where the string ends is a guess.
        """
        before = self.text[at - 1]
        closing = self.text[self.start] in '"“”' and not before.isspace()
        like_end = _LIKE_END.match(self.text, at + 1) is not None
        return like_end or (closing and not before.isdigit())

    def _lost_before(self, at: int) -> int:
        """Where the string ended if the quote at `at` opens the next key, or -1.

        With a key that the text uses elsewhere too the string ends for certain: the place is `at`.
        """
        member = MEMBER.match(self.text, at)
        comma = self._comma_before(at)
        if member is None or comma is None:
            return -1
        self._suspect = self._suspect or self._strays > 0
        name = member.group().split(self.text[at])[1]
        known = not self._strays and self.keys.occurs_elsewhere(name, at, member.end())
        return at if known else comma.start()

    def _closes_inner(self, at: int, *, sound: bool) -> bool:
        """Handle a quote that closes an inner quotation; True when structure wins over it."""
        self._inner = False
        self._strays += 1
        if not sound or self.role == "key":
            return False
        if self.text[at] in "'’" and self._lost < 0 and _GOES_ON.match(self.text, at + 1):
            return True  # what seemed to open was an apostrophe
        if self._doubt < 0:
            self._doubt = at
        comma = COMMA.match(self.text, at + 1)
        if self.role != "member" or comma is None or not MEMBER.match(self.text, comma.end()):
            return False
        self.doubts += 1
        self._suspect = self._suspect or (self.structure_wins and self._shares_quote())
        return self.structure_wins

    def _shares_quote(self) -> bool:
        """Whether a string that ends with a quotation inside has one quote for both.

        The other one was lost. Between single quotes what seemed to open was an elision.
        """
        return self.text[self.start] == '"'

    def _is_smart_end(self, at: int) -> bool:
        """Whether a curly quote ends the string: the quotations inside must be over."""
        char = self.text[at]
        sound = char == "“" and self._follows(at + 1)
        if self._curly.take(char, self.text[self.start], sound=sound):
            return False
        if self._follows(at + 1):
            return True
        self._strays += 1
        return False

    def _unended(self) -> StringToken:
        """The string that no quote ended: its quote was lost, or the text is cut off."""
        self.scanned = (self._doubt if self._doubt >= 0 else len(self.text)) - self.start
        if self._lost >= 0 and (self._doubt < 0 or self._lost < self._doubt):
            return self._ended(self._lost, lost=True)
        if self._doubt >= 0:
            self._suspect = self._suspect or self._listed or self._shares_quote()
            return self._ended(self._doubt)
        lost = LOST_CLOSE.search(self.text, self.start + 1) if self.role != "key" else None
        if lost is not None and self._follows(lost.start()):
            self._suspect = self._suspect or self._strays > 0
            return self._ended(lost.start(), lost=True)
        return unread(self.text, self.start)

    def _ended(self, end: int, *, lost: bool = False) -> StringToken:
        """The token, refused as ambiguous when a quote inside looked like an end too.

        A string that runs over the start of another JSON value was cut off before it.
        """
        if self._strays and FRESH_START.search(self.text, self.start + 1, end):
            return unread(self.text, self.start)
        token = string_token(self.text, self.start, end, lost=lost)
        if not self._suspect and (self._strays or lost):
            raw = self.text[token.inner[0] : token.inner[1]]
            quotes = self.text[self.start] + self.text[end : end + 1]
            self._suspect = is_misread(raw, quotes, lost=lost)
        return replace(token, trouble="ambiguous") if self._suspect else token


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
