"""Values of damaged JSON: scalars in place, parts that are sound, runs of plain text."""

import re
from collections.abc import Callable, Iterable
from itertools import islice, repeat
from operator import itemgetter
from typing import Any, Final

from libriscribe2.replies.outcome import Repair
from libriscribe2.replies.repair.cursor import Cursor
from libriscribe2.replies.repair.patterns import (
    ADJACENT,
    CONCATENATION,
    KEY,
    NEXT_MEMBER,
    follows_element,
    follows_member,
    string_token,
)
from libriscribe2.replies.repair.scalars import Scalar, read_scalar
from libriscribe2.replies.repair.state import (
    BARE_KEY,
    CLOSING,
    COMMA,
    ELEMENTS,
    ESCAPED,
    FIRST_ELEMENT,
    FLAT_LIST,
    KEY_STATE,
    MAX_DEPTH,
    OPENING,
    PLAIN_KEY,
    SCALAR,
    SEPARATOR_STATE,
    SINGLE_KEY,
    SINGLE_TEXT,
    TEXT,
    TOKEN,
    UNKNOWN,
    VALUE_STATE,
    Frame,
    flat_items,
    single_quoted,
)
from libriscribe2.replies.repair.state import KEY as AT_KEY
from libriscribe2.replies.strict_json import StrictParse, brief_parse, scan_string


def read_text(cursor: Cursor, *, in_object: bool, depth: int) -> tuple[str, bool]:
    """Read a string, and the literals joined to it by a plus sign or by adjacency.

    Returns:
        The text, and whether the first literal was without any damage.

    Raises:
        Halt: The string is cut off or not to be trusted.
    """
    role = "member" if in_object else "element"
    token = cursor.read_string(role, depth)
    text = cursor.accept(token)
    while (joint := _joint(cursor, in_object=in_object)) is not None:
        cursor.note("string_concatenation", cursor.at)
        cursor.at = joint
        text += cursor.accept(cursor.read_string(role, depth))
    return text, not token.repairs


def _joint(cursor: Cursor, *, in_object: bool) -> int | None:
    """Where the next literal of a joined string begins, or None."""
    joint = CONCATENATION.match(cursor.text, cursor.at)
    if joint is None and in_object and not NEXT_MEMBER.match(cursor.text, cursor.at):
        joint = ADJACENT.match(cursor.text, cursor.at)
    return None if joint is None else joint.end()


def read_literal(cursor: Cursor, *, in_object: bool) -> object:
    """Read a number, a literal or a bare word; NaN becomes None and a lossy note.

    Raises:
        Halt: It computes, stands for something else, or is cut off.
    """
    scalar = read_scalar(cursor.text, cursor.at, in_list=not in_object)
    if _is_torn(cursor, scalar, in_object=in_object):
        raise cursor.halt("ambiguous")
    if scalar.trouble == "not_a_number":
        cursor.note("not_a_number", cursor.at, lossless=False)
    elif scalar.trouble:
        raise cursor.halt(scalar.trouble)
    elif scalar.end == len(cursor.text):
        raise cursor.halt("cut_off")
    elif scalar.repair:
        cursor.note(scalar.repair, cursor.at)
    cursor.contents.append((cursor.at, scalar.end))
    cursor.at = scalar.end
    return scalar.value


def _is_torn(cursor: Cursor, scalar: Scalar, *, in_object: bool) -> bool:
    """Whether a text without an opening quote may begin, or belong, elsewhere.

    Nobody can tell where the opening quote was lost if the element before it is bare too, or if
    its key is the only one without quotes, as in `"title": 1848, or: The Gate"`. A bare element
    that looks like a member belongs to an object: its list was not closed.
    """
    if not in_object and scalar.repair == "unquoted_value":
        return KEY.match(cursor.text, cursor.at) is not None
    if scalar.repair != "missing_opening_quote" or not cursor.repairs:
        return False
    last = cursor.repairs[-1].name
    if not in_object:
        return last == "unquoted_value"
    earlier = islice(reversed(cursor.repairs), 1, None)
    return last == "unquoted_key" and all(one.name != last for one in earlier)


def read_sound(cursor: Cursor, frame: Frame, depth: int) -> StrictParse:
    """Read a container that is strict JSON as it stands, at the decoder's speed.

    Returns:
        The strict parse; its `end` is -1 when the container is damaged or nothing sound follows.
    """
    parsed = brief_parse(cursor.text, cursor.at, part=True)
    if parsed.end < 0:
        return parsed
    follows = follows_member if frame.is_object else follows_element
    if not follows(cursor.text, parsed.end, depth):
        return StrictParse(None, -1, parsed.end, "Extra data", "syntax")
    cursor.contents.append((cursor.at, parsed.end))
    cursor.at = parsed.end
    return parsed


# Each failed attempt costs the decoder a pass over the text before it; where most fail, no more.
_MAX_ATTEMPTS: Final = 200
_FIRST_ATTEMPTS: Final = 10
# A container that the decoder refuses for certain, because it begins with a single quote or a bare
# word, or because before its first bracket that closes a comma stands before one of these or before
# that bracket. What begins like a literal is left to the decoder.
_ODD: Final = "['A-HJ-MO-Z_a-eg-mo-su-z]"
_HOPELESS: Final = re.compile(
    rf"""\{{[ \t\n\r]*+(?=[^"}}\s])|\[[ \t\n\r]*+(?={_ODD})"""
    rf"""|[{{\[](?:[^"\]}},]{{1,99}}+|"[^"\\]{{0,999}}+"|,(?!\s*+(?:[}}\]]|{_ODD}))){{0,99}}+"""
    rf",\s*+(?=[}}\]]|{_ODD})"
)
# A short list of numbers, which is not worth the decoder's start.
_NUMBERS: Final = re.compile(r"\[[\d\s.,-]{0,200}+\]")


class SoundParts:
    """Which containers of one text are tried as strict JSON, and with what success."""

    def __init__(self, text: str, start: int, *, usable: bool) -> None:
        """Prepare for the containers inside the one at `start`; without `usable` none is tried."""
        self._text = text
        self._unsound = start + 1
        self._attempts = _FIRST_ATTEMPTS if usable else 0
        self._failed = 0

    def may_begin(self, at: int) -> bool:
        """Whether the container whose bracket stands at a place is worth an attempt."""
        if self._attempts == 0 or at < self._unsound or self._text[at] not in "{[":
            return False
        hopeless = _HOPELESS.match(self._text, at)
        if hopeless is None:
            return _NUMBERS.match(self._text, at) is None
        self._fail(hopeless.end())
        return False

    def read(self, cursor: Cursor, frame: Frame, depth: int) -> StrictParse | None:
        """Read the container at the cursor and pass it; None if it is damaged."""
        if not self.may_begin(cursor.at):
            return None
        parsed = read_sound(cursor, frame, depth)
        if parsed.end < 0:
            # A container that begins before the trouble and holds it fails at the same place.
            self._fail(parsed.position if parsed.kind == "syntax" else len(self._text))
            return None
        self._attempts = min(self._attempts + 1, _MAX_ATTEMPTS - self._failed)
        return parsed

    def _fail(self, position: int) -> None:
        self._attempts -= 1
        self._failed += 1
        self._unsound = position


_LITERALS: Final = {"true": True, "false": False, "null": None}
_PYTHON: Final = {"True": True, "False": False, "None": None}
_TEXTS: Final = frozenset({TEXT, TEXT + ELEMENTS})
_REFUSED: Final = object()
_PLACE: Final = itemgetter(2)
# Name and losslessness of the commonest repair, as columns: there can be tens of thousands.
_SINGLE_QUOTES: Final = (repeat("single_quotes"), repeat(object=True))


class PlainRuns:
    """Reads the plain runs of one damaged text."""

    def __init__(
        self, cursor: Cursor, stack: list[Frame], sound: SoundParts, *, keys: bool
    ) -> None:
        """Prepare to read.

        Args:
            cursor: The place in the text.
            stack: The open containers, which a run enters and leaves.
            sound: What is better left to the strict decoder.
            keys: Whether a key belongs to the innermost object for certain.
        """
        self._cursor = cursor
        self._text = cursor.text
        self._stack = stack
        self._sound = sound
        self._keys = keys
        self._members: dict[str, Any] | None = None
        self._items: list[Any] | None = None
        self._marks: list[tuple[str, bool, int]] = []
        self._has_single = False
        readers: dict[int, Callable[[re.Match[str], int], Any]] = {
            SINGLE_TEXT: self._single,
            SCALAR: self._scalar,
            ESCAPED: self._escaped,
            FLAT_LIST: self._flat,
            OPENING: self._open,
        }
        self._readers = readers | {kind + ELEMENTS: read for kind, read in readers.items()}

    def read(self) -> bool:
        """Read the plain tokens that stand here and pass them; False if there is none."""
        start = at = self._cursor.at
        self._enter()
        tokens = TOKEN.finditer(self._text, at)
        while True:  # what is no token matches too, so that the last one always ends the loop
            found = next(tokens)
            kind = found.lastindex
            if kind is None:
                break
            take = self._member if kind < FIRST_ELEMENT else self._element
            if not take(found, kind):
                break
            at = found.end()
        if at > start:
            self._leave(start, at)
        return at > start

    def _enter(self) -> None:
        """Make the innermost container the one that is filled."""
        value = self._stack[-1].value
        if isinstance(value, list):
            self._members, self._items = None, value
        else:
            self._members, self._items = value if self._keys else None, None

    def _member(self, found: re.Match[str], kind: int) -> bool:
        members = self._members
        key = found[AT_KEY] or found[SINGLE_KEY] or found[BARE_KEY]
        if members is None or key in members:
            return False
        value = found[kind] if kind in _TEXTS else self._readers[kind](found, kind)
        if value is _REFUSED:
            return False
        members[key] = value
        if found[BARE_KEY]:
            self._marks.append(("unquoted_key", True, found.start(BARE_KEY)))
        elif found[SINGLE_KEY]:
            self._has_single = True
        return True

    def _element(self, found: re.Match[str], kind: int) -> bool:
        if kind == CLOSING:
            return self._close(found)
        items = self._items
        if items is None:
            return False
        value = found[kind] if kind in _TEXTS else self._readers[kind](found, kind)
        if value is _REFUSED:
            return False
        items.append(value)
        return True

    def _single(self, found: re.Match[str], kind: int) -> Any:
        self._has_single = True
        return found[kind]

    def _scalar(self, found: re.Match[str], kind: int) -> Any:
        written = found[kind]
        if written in _PYTHON:
            self._marks.append(("python_literal", True, found.start(kind)))
            return _PYTHON[written]
        if written in _LITERALS:
            return _LITERALS[written]
        return float(written) if "." in written else int(written)

    def _escaped(self, found: re.Match[str], kind: int) -> Any:
        """A string with escapes: JSON's own between double quotes, any between single ones."""
        start, end = found.span(kind)
        if self._text[start] == '"':
            return scan_string(self._text, start + 1)[0]
        token = string_token(self._text, start, end - 1)
        if token.trouble:
            return _REFUSED
        self._has_single = True
        self._marks += [(name, True, start) for name in token.repairs if name != "single_quotes"]
        return token.text

    def _flat(self, found: re.Match[str], kind: int) -> Any:
        written = found[kind]
        self._has_single = self._has_single or "'" in written
        return flat_items(written)

    def _open(self, found: re.Match[str], kind: int) -> Any:
        """Enter a container, unless it may be sound as a whole."""
        stack, is_object = self._stack, found[kind] == "{"
        if not self._keys or len(stack) >= MAX_DEPTH or self._sound.may_begin(found.start(kind)):
            return _REFUSED
        stack[-1].state, stack[-1].comma = SEPARATOR_STATE, -1
        value: Any = {} if is_object else []
        stack.append(Frame(value, is_object, KEY_STATE if is_object else VALUE_STATE, UNKNOWN))
        self._members, self._items = (value, None) if is_object else (None, value)
        return value

    def _close(self, found: re.Match[str]) -> bool:
        """Leave a container that is not the outermost; False if its bracket is another one."""
        stack = self._stack
        if len(stack) < 2 or stack[-1].is_object != (found[CLOSING] == "}"):
            return False
        if found[COMMA]:
            if self._text[found.start() - 1] in "{[":
                return False
            self._marks.append(("trailing_comma", True, found.start(COMMA)))
        stack.pop()
        self._enter()
        return True

    def _leave(self, start: int, end: int) -> None:
        """Settle the cursor and the innermost container behind the last token of a run."""
        cursor, frame = self._cursor, self._stack[-1]
        cursor.at = end
        cursor.repairs += self._repairs(start, end)
        last = self._text[end - 1]
        frame.comma = end - 1 if last == "," else -1
        if last in ",{[":
            frame.state = KEY_STATE if frame.is_object else VALUE_STATE
        else:
            frame.state = SEPARATOR_STATE
        cursor.contents.append((start, end if frame.comma < 0 else frame.comma))

    def _repairs(self, start: int, end: int) -> Iterable[Repair]:
        """What was unusual in a run, in the order of the text."""
        places = single_quoted(self._text, start, end) if self._has_single else ()
        self._has_single = False
        marks: Iterable[tuple[str, bool, int]] = zip(*_SINGLE_QUOTES, places, strict=False)
        if self._marks:
            # Of two at one place the escape comes first, as `string_token` names them.
            marks = sorted([*self._marks, *marks], key=_PLACE)
            self._marks.clear()
        return map(tuple.__new__, repeat(Repair), marks)


def read_plain_key(cursor: Cursor) -> str:
    """Read the plain key that stands here, and pass it with its colon; "" if there is none."""
    found = PLAIN_KEY.match(cursor.text, cursor.at)
    if found is None:
        return ""
    kind = found.lastindex or AT_KEY
    start, end = found.span(kind)
    if kind == BARE_KEY:
        cursor.note("unquoted_key", start)
    elif kind == SINGLE_KEY:
        cursor.note("single_quotes", start - 1)
    cursor.contents.append((start, end))
    cursor.at = found.end()
    return found[kind]
