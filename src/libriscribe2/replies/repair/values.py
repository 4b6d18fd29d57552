"""Values of damaged JSON: numbers, literals and bare words, strings, parts that are sound."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from libriscribe2.replies.repair.cursor import Cursor
from libriscribe2.replies.repair.patterns import (
    ADJACENT,
    CONCATENATION,
    KEY,
    NEXT_MEMBER,
    OPERATOR,
    SURE_COMMAS,
    skip_space,
    unescape,
)
from libriscribe2.replies.repair.state import Frame

_NUMBER: Final = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<hex>0[xX][0-9A-Fa-f]+)|(?P<whole>\d[\d_]*)?"
    r"(?P<fraction>\.\d*)?(?P<exponent>[eE][+-]?\d+)?)"
)
_NUMBER_END: Final = re.compile(
    rf"[ \t]*+(?:[{SURE_COMMAS};؛}}\]｝］#\r\n]|\Z|//|/\*|<!--|`{{3}}|~{{3}})|\s+(?=[\"'“\d\[{{-])"
)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?")
_LITERALS: Final[dict[str, tuple[Any, str]]] = {
    "true": (True, ""),
    "false": (False, ""),
    "null": (None, ""),
    "True": (True, "python_literal"),
    "False": (False, "python_literal"),
    "None": (None, "python_literal"),
    "TRUE": (True, "python_literal"),
    "FALSE": (False, "python_literal"),
    "NULL": (None, "python_literal"),
    "Null": (None, "python_literal"),
    "undefined": (None, "javascript_literal"),
    "nil": (None, "foreign_literal"),
}
_NOT_FINITE: Final = re.compile(r"[+-]?(?:NaN|nan|Infinity|-?inf)\b")
_WORD: Final = re.compile(r"[^\W\d]\w*")
# A bare text that computes, calls or stands for something is no string.
_COMPUTED: Final = re.compile(
    r"[*%^&|<>=+{}\[\]\\~@$]|\w\(|\)\s*$|\s[-/]\s|\s\?\s(?:[^:?]|(?<!\s)\?|\?(?!\s))*+:\s|\w/\w|\.{2,}|…|^\W|[\"'`“”]"
)
_BARE_END: Final = re.compile(rf"[{SURE_COMMAS}}}\]｝］\n]|//|/\*| \#")
# "1." before an item numbers it.
_NUMBERED: Final = re.compile(r"\s*+[\"'“{\[]")
# A last bare element of several words behind one in quotes stands for others, unless it is a name.
_LAST: Final = re.compile(r"\s*+,?\s*+[\]］]")
_SEVERAL_WORDS: Final = re.compile(r"\w\s+\w|[\u3040-\u9fff\uac00-\ud7af]")
_GROUPED: Final = re.compile(r"[+-]?\d{1,3}(?:(?P<mark>[, ])\d{3})(?:(?P=mark)\d{3})*+(?![\d.])")
_MAX_DIGITS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value that is no string and no container.

    Attributes:
        value: The value.
        end: Index just after it.
        repair: The repair's name, or "".
        trouble: A refusal kind when the text is no literal value, or "".
    """

    value: Any
    end: int
    repair: str = ""
    trouble: str = ""


def read_scalar(text: str, start: int, *, in_list: bool) -> Scalar:
    """Read a number, a literal or a bare word at `start`.

    Args:
        text: The text.
        start: Where it begins; never at a quote or a bracket.
        in_list: Whether it is an element, where every comma separates.
    """
    infinite = _NOT_FINITE.match(text, start)
    if infinite is not None:
        return Scalar(None, infinite.end(), "not_a_number", "not_a_number")
    if text[start] in "+-." or text[start].isdecimal():
        return _number(text, start, in_list=in_list)
    word = _WORD.match(text, start)
    if word is not None and word.group() in _LITERALS:
        value, repair = _LITERALS[word.group()]
        if _NUMBER_END.match(text, word.end()):
            return Scalar(value, word.end(), repair)
    if word is not None:
        return _bare_text(text, start, in_list=in_list)
    return Scalar(None, start, trouble="template" if text[start] in "<$%@{" else "syntax")


def _number(text: str, start: int, *, in_list: bool) -> Scalar:
    found = _NUMBER.match(text, start)
    end = found.end() if found else start
    if found is None or not (found["hex"] or found["whole"] or len(found["fraction"] or "") > 1):
        return Scalar(None, start, trouble=_after_sign(text, start))
    date = _DATE.match(text, start)
    if date is not None and _NUMBER_END.match(text, date.end()):
        return Scalar(date.group(), date.end(), "unquoted_value")
    grouped = None if in_list else _GROUPED.match(text, start)
    if grouped is not None and _NUMBER_END.match(text, grouped.end()):
        return Scalar(int(re.sub("[, ]", "", grouped[0])), grouped.end(), "number_format")
    if OPERATOR.match(text, end) and not text.startswith(
        ("//", "/*", "<!--"), skip_space(text, end)
    ):
        return Scalar(None, end, trouble="arithmetic")
    if in_list and found["fraction"] == "." and _NUMBERED.match(text, end):
        return Scalar(None, start, trouble="ambiguous")
    if not _NUMBER_END.match(text, end):
        bare = _bare_text(text, start, in_list=in_list)
        return bare if bare.trouble else Scalar(bare.value, bare.end, "unquoted_value")
    if end - start > _MAX_DIGITS:
        return Scalar(None, start, trouble="number_too_long")
    return _number_value(found, end)


def _after_sign(text: str, start: int) -> str:
    return "ellipsis" if text.startswith("..", start) else "syntax"


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t":
        position += 1
    return position


def _number_value(found: re.Match[str], end: int) -> Scalar:
    digits = (found["whole"] or "").replace("_", "")
    sign = -1 if found["sign"] == "-" else 1
    if found["hex"]:
        return Scalar(sign * int(found["hex"], 16), end, "number_format")
    fraction, exponent = found["fraction"], found["exponent"]
    odd = not digits.isascii() or (len(digits) > 1 and digits.startswith("0"))
    odd = (
        odd
        or found["sign"] == "+"
        or "_" in (found["whole"] or "")
        or fraction == "."
        or not digits
    )
    repair = "number_format" if odd else ""
    if fraction is None and exponent is None:
        return Scalar(sign * int(digits), end, repair)
    value = sign * float(f"{digits or 0}{fraction or ''}{exponent or ''}")
    if value in (float("inf"), float("-inf")):
        return Scalar(None, end, trouble="number_too_long")
    return Scalar(value, end, repair)


def _bare_text(text: str, start: int, *, in_list: bool) -> Scalar:
    """A string without quotes, up to the end of its member or element."""
    end = _bare_end(text, start, in_list=in_list)
    raw = text[start:end].rstrip()
    stray = raw.endswith('"') and raw.count('"') == 1
    if stray:
        value = unescape(raw[:-1].rstrip())
        return Scalar(value.text, start + len(raw), "missing_opening_quote", value.trouble)
    if _COMPUTED.search(raw):
        kind = "template" if "{{" in raw or "${" in raw else "arithmetic"
        return Scalar(None, start, trouble="ellipsis" if ".." in raw else kind)
    return Scalar(raw, start + len(raw), "unquoted_value")


def _bare_end(text: str, start: int, *, in_list: bool) -> int:
    """Where a bare text ends: a comma inside it does not end it when no key follows."""
    for mark in _BARE_END.finditer(text, start):
        at = mark.start()
        if in_list or mark.group() not in SURE_COMMAS:
            return at
        after = _skip(text, mark.end())
        if (
            text.startswith(("#", "//", "/*"), after)
            or text[after : after + 1] in ("", "\n", "\r", "}", "]")
            or KEY.match(text, after)
        ):
            return at
    return len(text)


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


def read_literal(cursor: Cursor, frame: Frame) -> object:
    """Read a number, a literal or a bare word; NaN becomes None and a lossy note.

    Raises:
        Halt: It computes, stands for something else, or is cut off.
    """
    in_object = frame.is_object
    scalar = read_scalar(cursor.text, cursor.at, in_list=not in_object)
    bare = scalar.value if scalar.repair == "unquoted_value" else ""
    alone = frame.plain_last and not in_object and _LAST.match(cursor.text, scalar.end)
    if alone and _SEVERAL_WORDS.search(bare) and not _bare_elsewhere(cursor, bare):
        raise cursor.halt("ellipsis")
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


def _bare_elsewhere(cursor: Cursor, bare: str) -> bool:
    """Whether a bare text is a name, or one of several texts without quotes."""
    return bare[0].isupper() or any(one.name == "unquoted_value" for one in cursor.repairs)


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
