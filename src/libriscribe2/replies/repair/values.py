"""Values of damaged JSON: scalars in place, parts that are sound, runs of plain text."""

from itertools import islice
from typing import Final

from libriscribe2.replies.repair.cursor import Cursor
from libriscribe2.replies.repair.patterns import (
    ADJACENT,
    CONCATENATION,
    KEY,
    NEXT_MEMBER,
    follows_element,
    follows_member,
)
from libriscribe2.replies.repair.scalars import Scalar, read_scalar
from libriscribe2.replies.repair.state import (
    Frame,
)
from libriscribe2.replies.strict_json import StrictParse, strict_parse


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
    parsed = strict_parse(cursor.text, cursor.at)
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


class SoundParts:
    """Which containers of one text are tried as strict JSON, and with what success."""

    def __init__(self, text: str, start: int, *, usable: bool) -> None:
        """Prepare for the containers inside the one at `start`; without `usable` none is tried."""
        self._text = text
        self._unsound = start + 1
        self._attempts = _FIRST_ATTEMPTS if usable else 0
        self._failed = 0

    def read(self, cursor: Cursor, frame: Frame, depth: int) -> StrictParse | None:
        """Read the container at the cursor and pass it; None if it is damaged."""
        if self._attempts == 0 or cursor.at < self._unsound:
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
