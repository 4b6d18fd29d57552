"""The place of a repair in the text: open containers, contents, strings, doubtful endings."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.replies.outcome import Repair, RepairOutcome, Trouble
from libriscribe2.replies.repair.patterns import (
    CLOSERS,
    COMMA,
    COMMA_INSIDE,
    COMMENT,
    CONTROL,
    ELEMENT,
    ELLIPSIS,
    FENCES_WITHIN,
    KEY,
    LOST_QUOTE,
    OPEN_QUOTES,
    QUESTION,
    QUOTED_KEY,
    StringToken,
    follows,
    skip_space,
    unescape,
    unread,
)
from libriscribe2.replies.repair.string_end import EndSearch
from libriscribe2.replies.schema_fit import branch_for, properties_of
from libriscribe2.replies.strict_json import scan_string

KEY_STATE, VALUE_STATE, SEPARATOR_STATE = range(3)
MAX_DEPTH: Final = 200
UNKNOWN: Final[Mapping[str, Any]] = {}


_FIRST_KEY: Final = re.compile(rf"(?=\"){QUOTED_KEY}")


@dataclass(slots=True)
class Frame:
    """One open container.

    Attributes:
        value: The container.
        is_object: Whether it is an object.
        state: What is read next: a key, a value or a separator.
        node: The schema of the container; empty when nothing is known of it.
        key: The key that the next value belongs to.
        comma: Where the comma stands after which nothing came yet, or -1.
        plain_last: Whether the last value was a string without any damage.
        remarks: For each comment, how many items of the list stood before it.
        ends_remarked: Whether the last of them stands on a line of its own.
        width: How many members it must have, since its opening bracket was added; 0: any.
    """

    value: dict[str, Any] | list[Any]
    is_object: bool
    state: int
    node: Mapping[str, Any]
    key: str = ""
    comma: int = -1
    plain_last: bool = False
    remarks: list[int] = field(default_factory=list)
    ends_remarked: bool = False
    width: int = 0

    def implied(self, text: str, at: int) -> dict[str, Any] | list[Any] | None:
        """An empty item where only its opening bracket is missing: the others are such, too."""
        if not isinstance(self.value, list) or not self.value:
            return None if self.is_object or not _FIRST_KEY.match(text, at) else {}
        first, last = self.value[0], self.value[-1]
        if isinstance(first, list) and isinstance(last, list) and len(first) == len(last) > 1:
            return []
        key = KEY.match(text, at) if isinstance(first, dict) and isinstance(last, dict) else None
        alike = key is not None and first.keys() == last.keys() and len(first) > 1
        return {} if key and alike and re.split(r"\W+", f" {key[0]}")[1] in first else None

    def is_full(self, row: Any) -> bool:
        """Whether the last item of this list is a row as wide as the first one."""
        rows = self.value if isinstance(self.value, list) else ()
        first = rows[0] if len(rows) > 1 and row is rows[-1] else None
        return isinstance(first, list) and len(row) == len(first) > 1

    def leaves_out(self, *, ends: bool) -> bool:
        """Whether a comment stands for items of this list.

        Nothing follows its own line, or the number that counts the items jumps from before it to behind it.
        """
        items: Any = self.value
        if ends and self.ends_remarked and self.remarks[-1] == len(items):
            return True
        return any(_jumps(items, at) for at in self.remarks if 0 < at < len(items))


def _jumps(items: Sequence[Any], at: int) -> bool:
    """Whether a number that counts the items before a place goes on by more than one behind it."""
    before, after = items[at - 1], items[at]
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    counts = [key for key, one in before.items() if type(one) is int and one in (at, at - 1)]
    return any(type(after.get(key)) is int and after[key] - before[key] > 1 for key in counts)


@dataclass(frozen=True, slots=True)
class Policy:
    """Which of two readings the parser takes where both are possible.

    Attributes:
        structure_wins: Sound structure after a quote ends a string, also inside a quotation.
        closing: The order in which a wrong closing bracket is explained.
        schema: The wanted JSON Schema, when its property names may say which object a key
            belongs to; None otherwise.
        siblings: Whether the items before one show where its brackets are missing.
    """

    structure_wins: bool = False
    closing: tuple[str, ...] = ("missing_closer", "wrong_closer", "extra_closer")
    schema: Mapping[str, Any] | None = None
    siblings: bool = False


def schema_node(
    schema: Mapping[str, Any] | None, parent: Frame | None, value: Any
) -> Mapping[str, Any]:
    """The schema of a container that is just opened; empty when nothing is known of it."""
    node = schema
    if parent is not None:
        known = properties_of(parent.node).get(parent.key)
        node = known if parent.is_object else parent.node.get("items")
    return (branch_for(node, value, schema) or UNKNOWN) if node and schema else UNKNOWN


def misplaced_by(stack: Sequence[Frame], key: str) -> int:
    """How many containers must have ended before a key, because only an outer object knows it."""
    frame = stack[-1]
    if not frame.node or key in properties_of(frame.node):
        return 0
    for depth, outer in enumerate(reversed(stack)):
        if outer.is_object and key in properties_of(outer.node) and key not in outer.value:
            return depth
    return 0


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

    def read(self, start: int, role: str, depth: int) -> StringToken:
        """Read the string whose opening quote is at `start`.

        Args:
            start: Index of the opening quote, or of the backslash before it.
            role: "key", "member" or "element": what the string is, and so what may follow it.
            depth: How many containers are open.
        """
        if self._text[start] == "\\":
            return self._escaped(start, role, depth)
        token = None
        if self._text[start] == '"':
            token = self._quick(start, role, depth)
        if token is None and role != "key" and self._text.startswith(_TRIPLES, start):
            token = self._triple(start, role, depth)
        return self._searched(start, role, depth) if token is None else token

    def _escaped(self, start: int, role: str, depth: int) -> StringToken:
        """A string whose own quotes are escaped; `start` is at the backslash."""
        found = _ESCAPED.match(self._text, start)
        if found is None or not follows(self._text, found.end(), role, depth):
            return StringToken("", start, trouble="ambiguous")
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
        search = EndSearch(self._text, start, role, depth, self._structure_wins)
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
            if char not in ("/", "#", "<", "("):
                return char
            comment = COMMENT.match(self.text, self.at)
            if comment is None:
                return char
            if ELLIPSIS.search(comment.group()):
                raise self.halt("ellipsis")
            if QUESTION.search(comment.group()):
                raise self.halt("remark")
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
        if token.trouble or FENCES_WITHIN.search(token.text):
            raise self.halt(token.trouble or "ambiguous")
        self.contents.append(token.inner)
        for name in token.repairs:
            self.note(name, self.at)
        self.at = token.end
        return token.text

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
    if frame.state != SEPARATOR_STATE or count > 1:
        return text_end(cursor, frame, count)
    cursor.note("missing_closer", cursor.at)
    return Halt(None)


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
    names = {one.name for one in outcome.repairs}
    doubtful = (
        _MORE.match(text, outcome.end) is not None
        or _closes_later(text, outcome.end)
        or _moves_bracket(text, outcome)
        or ("missing_closer" in names and _nests_alone(outcome.value))
        # Neighbours that read as one string may be items of a list that lost its bracket.
        or "string_concatenation" in names
        # A bracket that closes nothing behind a text that nothing ends is a part of the text.
        or names >= {LOST_QUOTE, "wrong_closer"}
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
    changed = {(one.name, text[one.position : one.position + 1]) for one in outcome.repairs}
    # At a colon a list ended because its last item proved to be a key.
    ended = not changed.isdisjoint({("missing_closer", ":"), ("missing_closer", "：")})
    return ended and not changed.isdisjoint({("extra_closer", "]"), ("extra_closer", "］")})


def lost_number(repairs: Sequence[Repair]) -> Trouble | None:
    """The trouble of a value that JSON cannot hold, such as NaN."""
    lost = (Trouble(one.name, one.position) for one in repairs if one.name == "not_a_number")
    return next(lost, None)
