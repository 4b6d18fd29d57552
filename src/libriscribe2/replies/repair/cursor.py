"""The place of a repair in the text: contents, keys, strings, doubtful endings."""

import re
from collections.abc import Sequence
from typing import Any, Final

from libriscribe2.replies.outcome import Repair
from libriscribe2.replies.repair.patterns import (
    CLOSERS,
    COLON,
    COLONLESS_KEY,
    COMMA,
    COMMA_INSIDE,
    COMMENT,
    CONTROL,
    ELEMENT,
    ELLIPSIS,
    KEY,
    LOST_QUOTE,
    OPEN_QUOTES,
    QUOTED_KEY,
    StringToken,
    follows,
    skip_space,
    unescape,
    unread,
)
from libriscribe2.replies.repair.state import SEPARATOR_STATE, Frame, RepairOutcome, Trouble
from libriscribe2.replies.repair.string_end import EndSearch, KnownKeys
from libriscribe2.replies.strict_json import scan_string

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


_FENCES = ("```", "~~~")
_MARGIN = 20


class Halt(Exception):  # noqa: N818 - it ends a parse, it is no error of ours
    """The parse ends here.

    Attributes:
        trouble: Why, or None when the value is complete.
        keep: Whether the value that was read so far is worth keeping.
    """

    def __init__(self, trouble: Trouble | None, *, keep: bool = False) -> None:
        super().__init__()
        self.trouble = trouble
        self.keep = keep or trouble is None


class Cursor:
    """A position in one text.

    Attributes:
        text: The text.
        at: The position.
        strings: The reader of the text's strings.
        repairs: What was changed so far.
        contents: The stretches of text that became content so far.
    """

    def __init__(self, text: str, at: int, strings: StringReader) -> None:
        """Start at a position with nothing read."""
        self.text = text
        self.at = at
        self.strings = strings
        self.repairs: list[Repair] = []
        self.contents: list[tuple[int, int]] = []

    def note(self, name: str, position: int, *, lossless: bool = True) -> None:
        """Record one repair."""
        self.repairs.append(Repair(name, lossless, position))

    def check_key(self) -> None:
        """Check what looks like a key behind a text without quotes.

        Raises:
            Halt: It is the first key without quotes, on the line of that text: both can be one
                text, as in `"place": Kitchen, at night: nobody`.
        """
        last = next((one for one in reversed(self.repairs) if one.name != "wrong_comma"), None)
        if last is None or last.name != "unquoted_value" or self.text[self.at] in OPEN_QUOTES:
            return
        first, end = self.contents[-1]
        alone = all(one.name != "unquoted_key" for one in self.repairs)
        if alone and first == last.position and "\n" not in self.text[end : self.at]:
            raise self.halt("ambiguous")

    def check_string_before(self) -> None:
        """Check the string before a missing comma.

        Raises:
            Halt: The comma stands inside of it: one of its quotes is another string's.
        """
        if COMMA_INSIDE.search(self.text, max(0, self.at - _MARGIN), self.at):
            raise self.halt("ambiguous")

    def halt(self, kind: str, detail: str = "") -> Halt:
        """The exception that ends the parse here."""
        return Halt(Trouble(kind, self.at, detail))

    def skip(self) -> str:
        """Pass white space and comments; return the next character, "" at the end.

        Raises:
            Halt: A comment says that content is left out.
        """
        while True:
            self.at = skip_space(self.text, self.at)
            char = self.text[self.at : self.at + 1]
            if char not in ("/", "#", "<"):
                return char
            comment = COMMENT.match(self.text, self.at)
            if comment is None:
                return char
            if ELLIPSIS.search(comment.group()):
                raise self.halt("ellipsis")
            self.note("comment", self.at)
            self.at = comment.end()

    def accept(self, token: StringToken) -> str:
        """Take a string: record its content and repairs, pass it, return its text.

        Raises:
            Halt: The string is not closed or not to be trusted.
        """
        if not token.closed:
            self.at = token.end
            raise self.halt("cut_off")
        if token.trouble:
            raise self.halt(token.trouble)
        self.contents.append(token.inner)
        for name in token.repairs:
            self.note(name, self.at)
        self.at = token.end
        return token.text

    def read_string(self, role: str, depth: int) -> StringToken:
        """Read the string here, whose opening quote may carry a backslash.

        Args:
            role: "key", "member" or "element".
            depth: How many containers are open.
        """
        if self.text[self.at] != "\\":
            return self.strings.read(self.at, role, depth)
        token = self.strings.read_escaped(self.at, role, depth)
        if token is None:
            raise self.halt("ambiguous")
        return token

    def is_fence(self) -> bool:
        """Whether a fence stands here."""
        return self.text.startswith(_FENCES, self.at)

    def is_escaped_quote(self) -> bool:
        """Whether a quote with a backslash stands here."""
        return self.text.startswith('\\"', self.at)

    def is_prose(self) -> bool:
        """Whether ordinary text begins here, on a line of its own."""
        text, at = self.text, self.at
        line = text.rfind("\n", 0, at)
        alone = line >= 0 and not text[line:at].strip()
        if not alone or not text[at].isalpha() or ELEMENT.match(text, at):
            return False
        if KEY.match(text, at) is None:
            return True
        # "Note: ..." after a blank line; in an object whose other keys carry quotes.
        blank = not text[text.rfind("\n", 0, line) + 1 : line].strip()
        return blank and not any(one.name == "unquoted_key" for one in self.repairs)


_MAX_OPEN_KEY = 80
# A key with a colon among its letters.
_WHOLE_KEY: Final = re.compile(r""""[^"\\\x00-\x1f]{1,120}+"\s*:|'[^'\\\x00-\x1f]{1,80}+'\s*:""")
_KEY_INSIDE: Final = re.compile(r"[\"']\s*:")


def read_key(cursor: Cursor, char: str, depth: int) -> str:
    """Read the key here and pass it.

    Args:
        cursor: The cursor, at the key's first character.
        char: That character.
        depth: How many containers are open.

    Raises:
        Halt: What stands here is no key.
    """
    colonless = COLONLESS_KEY.match(cursor.text, cursor.at)
    if colonless is not None:
        group = colonless.lastgroup or 0
        cursor.contents.append(colonless.span(group))
        cursor.at = colonless.end()
        return colonless.group(group)
    if cursor.is_escaped_quote():
        return cursor.accept(cursor.read_string("key", depth))
    if char in OPEN_QUOTES and not cursor.is_fence():
        return _quoted_key(cursor, depth)
    return _bare_key(cursor, char)


def read_colon(cursor: Cursor) -> None:
    """Pass the colon after a key, or note that it is missing.

    Raises:
        Halt: No value can follow here.
    """
    after = cursor.skip()
    colon = COLON.match(cursor.text, cursor.at)
    if colon is not None:
        if colon.group().strip() != ":":
            cursor.note("wrong_colon", cursor.at)
        cursor.at = colon.end()
    elif not after:
        raise cursor.halt("cut_off")
    elif ELEMENT.match(cursor.text, cursor.at):
        cursor.note("missing_colon", cursor.at)
    else:
        raise cursor.halt("syntax", "a colon is missing")


def _quoted_key(cursor: Cursor, depth: int) -> str:
    """A quoted key, also one that lost its closing quote."""
    text, start = cursor.text, cursor.at
    colon = text.find(":", start, start + _MAX_OPEN_KEY)
    open_key = colon > 0 and not _WHOLE_KEY.match(text, start)
    name = text[start + 1 : colon].strip() if open_key else ""
    if name.replace("_", "").replace(" ", "").isalnum() and text[colon - 1] != text[start]:
        cursor.note("missing_quote", start)
        cursor.contents.append((start + 1, colon))
        cursor.at = colon
        return name
    token = cursor.strings.read(start, "key", depth)
    if not token.closed or (token.repairs and "\n" in token.text):
        token = _short_key(cursor, token)
    if token.repairs and _is_doubtful(token, text[start]):
        raise cursor.halt("ambiguous")
    return cursor.accept(token)


def _is_doubtful(token: StringToken, quote: str) -> bool:
    """Whether quotes in a key are no pair inside of it but its own, written twice or lost."""
    count = token.text.count(quote)
    around = token.text[:1] == quote and token.text[-1:] == quote
    lost = count > 0 and LOST_QUOTE in token.repairs
    return around or lost or count % 2 == 1 or _KEY_INSIDE.search(token.text) is not None


def _short_key(cursor: Cursor, token: StringToken) -> StringToken:
    """A key up to its first closing quote on this line, its colon missing."""
    text, start = cursor.text, cursor.at
    end = text.find(text[start], start + 1)
    if end < 0 or "\n" in text[start:end]:
        raise cursor.halt("ambiguous" if token.closed else "cut_off")
    return StringToken(text[start + 1 : end], end + 1, inner=(start + 1, end))


def _bare_key(cursor: Cursor, char: str) -> str:
    """A key without quotes, or with the closing one only."""
    found = KEY.match(cursor.text, cursor.at)
    if found is None:
        raise no_key(cursor, char)
    name = found.group().rstrip().rstrip(":：=").rstrip()
    bare = name.rstrip("\"'”’")
    cursor.note("unquoted_key" if bare == name else "missing_quote", cursor.at)
    cursor.contents.append((cursor.at, cursor.at + len(bare)))
    cursor.at += len(name)
    return bare


def no_key(cursor: Cursor, char: str) -> Halt:
    """Why the parse ends at a character that begins no key."""
    text, at = cursor.text, cursor.at
    if ELLIPSIS.match(text, at):
        return cursor.halt("ellipsis")
    if text.startswith(("{{", "{%", "${"), at) or char == "<":
        return cursor.halt("template")
    return cursor.halt("syntax", f"unexpected {char!r}")


# More of a value although its last bracket was read.
_MORE: Final = re.compile(rf"{COMMA.pattern}(?:[{{\[]\s*[{{\[\"']|{QUOTED_KEY})|\s*{QUOTED_KEY}")
_BRACKET: Final = re.compile(r"[{}\[\]]")
_FAR: Final = 4_000


def text_end(cursor: Cursor, frame: Frame, count: int) -> Halt:
    """The end of the parse where the text ends inside `count` containers."""
    for _ in range(count):
        cursor.note("missing_closer", cursor.at, lossless=False)
    return Halt(Trouble("cut_off", cursor.at), keep=frame.state == SEPARATOR_STATE)


def early_end(cursor: Cursor, frame: Frame, count: int) -> Halt:
    """The end of the parse where `count` containers end before more text.

    One closing bracket can be forgotten; with more of them a list was probably left unfinished.
    """
    if frame.state != SEPARATOR_STATE:
        return cursor.halt("cut_off")
    forgotten = count == 1
    for _ in range(count):
        cursor.note("missing_closer", cursor.at, lossless=forgotten)
    return Halt(None if forgotten else Trouble("cut_off", cursor.at), keep=True)


def note_leftover(cursor: Cursor) -> None:
    """Note the brackets after the value that close nothing."""
    closers = CLOSERS.match(cursor.text, cursor.at)
    for at in range(cursor.at, closers.end() if closers else 0):
        if not cursor.text[at].isspace():
            cursor.note("extra_closer", at)


def doubtful_structure(text: str, outcome: RepairOutcome) -> Trouble | None:
    """The trouble of a sound reading whose brackets may stand elsewhere just as well."""
    changed = [one for one in outcome.repairs if one.name.endswith("_closer")]
    if not changed or outcome.value is None:
        return None
    added = [one for one in changed if one.name == "missing_closer"]
    doubtful = (
        _MORE.match(text, outcome.end) is not None
        or _closes_later(text, outcome.end)
        or _moves_bracket(text, outcome)
        or (added and _nests_alone(outcome.value))
        # Neighbours that read as one string may be items of a list that lost its bracket.
        or any(one.name == "string_concatenation" for one in outcome.repairs)
    )
    return Trouble("ambiguous", changed[0].position) if doubtful else None


def _closes_later(text: str, position: int) -> bool:
    """Whether brackets close in the text after a value that open nowhere in it.

    Those that stand right behind the value are only too many.
    """
    closers = CLOSERS.match(text, position)
    after = position if closers is None else closers.end()
    depth = 0
    for bracket in _BRACKET.finditer(text, after, after + _FAR):
        depth += 1 if bracket.group() in "{[" else -1
        if depth < 0:
            return True
    return False


def _nests_alone(value: Any) -> bool:
    """Whether a list holds one list and nothing else: its bracket may as well stand twice."""
    pending = [value]
    while pending:
        item = pending.pop()
        children = list(item.values()) if isinstance(item, dict) else item
        if isinstance(item, list) and len(item) == 1 and isinstance(item[0], list):
            return True
        pending.extend(child for child in children if isinstance(child, dict | list))
    return False


def _moves_bracket(text: str, outcome: RepairOutcome) -> bool:
    """Whether a list ends before a key although it goes on later.

    Its bracket is left over: it was not forgotten, but something else is wrong before the key,
    such as a lost opening bracket.
    """
    repairs = outcome.repairs
    if not any(one.name == "missing_closer" and _is_colon(text, one) for one in repairs):
        return False
    return any(one.name == "extra_closer" and text[one.position] in "]］" for one in repairs)


def _is_colon(text: str, repair: Repair) -> bool:
    """Whether a repair was made at a colon: a list ended when its last item proved to be a key."""
    return text[repair.position : repair.position + 1] in (":", "：")


def lost_number(repairs: Sequence[Repair]) -> Trouble | None:
    """The trouble of a value that JSON cannot hold, such as NaN."""
    for repair in repairs:
        if repair.name == "not_a_number":
            return Trouble(repair.name, repair.position)
    return None
