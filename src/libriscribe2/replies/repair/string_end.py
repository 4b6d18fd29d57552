"""Where a string of damaged JSON ends, and what a lost quotation mark would swallow."""

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from libriscribe2.replies.repair.patterns import (
    COMMA,
    FRESH_START,
    LOST_CLOSE,
    MEMBER,
    OPEN_QUOTES,
    PAIRS,
    QUOTED_KEY,
    SEPARATORS,
    StringToken,
    follows,
    string_token,
    unread,
)

_KEY_NAME: Final = re.compile(r"""["']([^"'\n]{1,80})["']\s*:""")


@lru_cache(maxsize=1)
def _keys(text: str) -> Counter[str]:
    """How often each name is a key of a text."""
    return Counter(_KEY_NAME.findall(text))


# A key and its value behind a separator or a bracket.
_SWALLOWED: Final = re.compile(
    rf"[{{\[.{SEPARATORS}]\s*+(?=[\\{OPEN_QUOTES}])(?:{MEMBER.pattern}|{QUOTED_KEY}\s*-?[\d.]+\s*\Z)"
)
_CURLY: Final = re.compile("[„“”]")
_NEXT_CURLY: Final = re.compile(rf"’\s*[{SEPARATORS}]\s*‘")
_FEET: Final = re.compile(r"\d'\s?\d{1,2}\"\Z")
_INCHES: Final = re.compile(r"\d\"")
# A text whose only quote stands at its end, not behind a number: the closing one stands twice.
_DOUBLED: Final = re.compile(r'"[^"“”„«»\\]*[^"“”„«»\\\d\s]"')
# The next item of a list, on a line of its own.
_NEXT_LINE: Final = re.compile(r",[ \t\r]*\n[ \t]*'")
_NO_APOSTROPHE: Final = re.compile(r"(?<!\w)'|'(?!\w)")
# "the dogs'" and "walkin'" end with an apostrophe, "late'" does not.
_NO_ELISION: Final = re.compile(r"[^\s\dsxzno]'\Z", re.IGNORECASE)
_STRAIGHT: Final = ("'", '"')
_CURLY_OPENERS: Final = "„“«"
_TAILS: Final = {"}": "{", "]": "[", "”": "“„", "»": "«"}


def is_misread(raw: str, quotes: str, *, lost: bool = False) -> bool:
    """Whether the content of a string holds what must have been structure or a delimiter.

    Args:
        raw: What stands between its quotes, of which some are bare.
        quotes: The quote that began it, and the one that ended it or what stands in its place.
        lost: Whether its closing quote is missing.
    """
    if lost:
        return _has_tail(raw, quotes[0])
    if quotes[0] in _CURLY_OPENERS and quotes[1] == '"':
        return True  # its own partner stands inside: a straight quote was lost before it
    items = quotes[0] == "‘" and _NEXT_CURLY.search(raw) is not None
    return items or _SWALLOWED.search(raw) is not None or _is_doubled(raw, quotes[0])


def _opens_bracket(raw: str) -> bool:
    """Whether content opens a bracket that it does not close."""
    return raw.count("{") > raw.count("}") or raw.count("[") > raw.count("]")


def _has_tail(raw: str, quote: str) -> bool:
    """Whether content without a closing quote ends with a bracket or quote that opens nowhere.

    A straight quote of the other kind there may be the closing one.
    """
    end = raw.rstrip(f" \t\r\n{SEPARATORS}")[-1:]
    if end in _STRAIGHT and quote in _STRAIGHT and end != quote:
        return end == '"' or len(_NO_APOSTROPHE.findall(raw)) % 2 == 1
    openers = _TAILS.get(end, "")
    return bool(openers) and sum(map(raw.count, openers)) < raw.count(end)


def _is_doubled(raw: str, quote: str) -> bool:
    """Whether a quote of the content has no partner.

    Its delimiter stands twice, or a string that lost a quote swallowed the next ones. A mark of
    inches and an apostrophe have none.
    """
    if quote == "'":
        if _NEXT_LINE.search(raw):
            return True
        odd = len(_NO_APOSTROPHE.findall(raw)) % 2
        return bool(odd and _NO_ELISION.search(raw))
    # A low quote's partner is often a straight one.
    straight = raw.count('"') + len(_CURLY.findall(raw)) % 2
    if quote != '"' or straight % 2 == 0:
        return False
    return _INCHES.search(raw) is None or raw.startswith('"') or _ends_doubled(raw)


def _ends_doubled(raw: str) -> bool:
    return raw.endswith('"') and _FEET.search(raw) is None


_NEXT_LOW: Final = re.compile(rf"[{SEPARATORS}]?\s*„")


@dataclass(slots=True)
class Quotations:
    """The quotations that are open at one place of a string.

    Attributes:
        depth: How many are open.
        low: How many of them a low quote opened, as in German; “, ” or a straight quote ends these.
    """

    depth: int = 0
    low: int = 0

    def take(self, char: str, quote: str, *, sound: bool) -> bool:
        """Let a quote open or close a quotation; False when it does neither.

        Args:
            char: The quote.
            quote: The quote that began the string.
            sound: Whether what follows a “ is structure, so that it may end the string.
        """
        if char == "„":
            self.low += 1
        elif char in "“”" and self.low > 0:
            return self.close_low()
        if char in "„«" or (char == "“" and quote != "„" and not sound):
            self.depth += 1
            return True
        if self.depth == 0:
            return False
        self.depth -= 1
        return True

    def go_on(self, text: str, position: int) -> bool:
        """Whether a quotation with a low quote is open, and after it the next one begins."""
        return self.low > 0 and _NEXT_LOW.match(text, position) is not None

    def close_low(self) -> bool:
        """Close a quotation that a low quote opened; False when there is none."""
        if self.low == 0:
            return False
        self.low -= 1
        self.depth -= 1
        return True


_SMART: Final = "“”„«»"
# What may open or close a quotation inside, beside the quote that ends the string.
_INSIDE: Final = {
    '"': "“”„", "‘": "'", "’": "'", "“": '„“"', "”": '“„"', "„": '”"', "«": '«"',
}  # fmt: skip
_SPECIAL: Final = {
    quote: re.compile(rf"[\\\n{end}{_INSIDE.get(quote, '')}]") for quote, end in PAIRS.items()
}
_OPENS_AFTER: Final = frozenset("([{<—–-‘“«:;/*_¿¡=>,")
_NEVER_FIRST: Final = frozenset(",.;:!?)]}…")
_BEFORE_LOST: Final = re.compile(rf"(?P<ends>(?:\s*[}}\]])*+)\s*[{SEPARATORS}]\s*[{{\[]?\s*$")
# Structure on the next line, or the next item of a list: the string is over.
_GOES_ON: Final = re.compile(r"[ \t]*(?:[,，]?[ \t]*\r?\n|[}\]]\s*,\s*\{\s*[\"'])")
_LIKE_END: Final = re.compile(r"[ \t]*[,，:}\]\n]")
_MARGIN: Final = re.compile(r"\n[ \t]*")
_MAX_TAIL: Final = 400
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
        structure_wins: Whether, in doubt, sound structure after a quote ends the string.
        doubts: How often pairing and structure contradicted each other.
        scanned: How many characters were looked at.
    """

    text: str
    start: int
    role: str
    depth: int
    structure_wins: bool
    doubts: int = 0
    scanned: int = 0
    _inner: bool = False
    _curly: Quotations = field(default_factory=Quotations)
    _broken: int = -1
    _listed: bool = False
    _doubt: int = -1
    _lost: int = -1
    _lost_end: int = -1
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
            if 0 <= self._doubt < position - _MAX_DOUBT_SCAN:
                break
        return self._unended()

    def _is_crowded(self, position: int) -> bool:
        """Whether the string has more stray quotes than any language sets."""
        quotes = self._strays + self._curly.depth
        return quotes > _MAX_STRAYS + (position - self.start) // _STRAY_DISTANCE

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
            return self._ended(self._lost_end, lost=True)
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
        if text[at] in _SMART:
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
        low = self._curly.close_low()
        if not low and self._opens_inner(at):
            self._inner = True
            comma = self._comma_before(at)
            self._listed |= self.role == "element" and comma is not None
            if self._lost < 0 and (self.role == "member" or (comma and comma["ends"])):
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

        Behind brackets that close what the string does not open, and with a key that the text uses
        elsewhere too, it ends for certain: the place is `at`.
        """
        member = MEMBER.match(self.text, at)
        comma = self._comma_before(at)
        if member is None or comma is None:
            return -1
        self._suspect = self._suspect or self._strays > 0
        name = member.group().split(self.text[at])[1]
        self._lost_end = comma.start()
        raw = self.text[self.start + 1 : comma.start()]
        known = bool(comma["ends"]) or _keys(self.text)[name] > 1
        self._suspect = self._suspect or bool(comma["ends"] and _opens_bracket(raw))
        return at if known and not (self._strays or self._suspect) else comma.start()

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
        self._suspect = self._suspect or (self.structure_wins and self.text[self.start] == '"')
        return self.structure_wins

    def _is_smart_end(self, at: int) -> bool:
        """Whether a curly quote ends the string: the quotations inside must be over."""
        char = self.text[at]
        sound = self._follows(at + 1)
        if self._curly.take(char, self.text[self.start], sound=sound):
            return False
        self._strays += not sound
        return sound

    def _unended(self) -> StringToken:
        """The string that no quote ended: its quote was lost, or the text is cut off."""
        self.scanned = (self._doubt if self._doubt >= 0 else len(self.text)) - self.start
        if self._lost >= 0 and (self._doubt < 0 or self._lost < self._doubt):
            return self._ended(self._lost, lost=True)
        if self._doubt >= 0:
            # A quotation at the end with the string's own quote: one of two was lost. Between single
            # quotes what seemed to open it was an elision.
            self._suspect = self._suspect or self._listed or self.text[self.start] == '"'
            return self._ended(self._doubt)
        return self._ended_by_brackets() or unread(self.text, self.start)

    def _ended_by_brackets(self) -> StringToken | None:
        """The string before the brackets, at the end of the text, that close all that is open."""
        fence = self.text.find("```", self.start)
        rest = self.text[self.start : fence if fence >= 0 else len(self.text)]
        raw = rest.rstrip("}] \t\r\n")
        closed = sum(map(rest[len(raw) :].count, "}]"))
        if self.role == "key" or closed != self.depth or _opens_bracket(raw):
            return None
        # A quote or a colon behind the end of a line belongs to what the string swallowed.
        swallowed = re.search(r'\n[^\n]*["“”:]', raw) is not None
        self._suspect = self._suspect or self._strays > 0 or swallowed
        return self._ended(self.start + len(raw), lost=True)

    def _ended(self, end: int, *, lost: bool = False) -> StringToken:
        """The token, refused as ambiguous when a quote inside looked like an end too.

        A string that runs over the start of another JSON value was cut off before it.
        """
        if self._strays and FRESH_START.search(self.text, self.start + 1, end):
            return unread(self.text, self.start)
        if not lost and _DOUBLED.fullmatch(self.text, self.start, end):
            token = string_token(self.text, self.start, end - 1)
            return replace(token, end=end + 1, repairs=("doubled_quote", *token.repairs))
        token = string_token(self.text, self.start, end, lost=lost)
        if not self._suspect and (self._strays or lost):
            raw = self.text[token.inner[0] : token.inner[1]]
            quotes = self.text[self.start] + self.text[end : end + 1]
            self._suspect = is_misread(raw, quotes, lost=lost)
        return replace(token, trouble="ambiguous") if self._suspect else token
