"""Keys, numbers, literals and bare words of damaged JSON, and strings in several parts."""

import re
from dataclasses import dataclass
from itertools import islice
from math import isinf
from typing import Any, Final

from libriscribe2.replies.repair.cursor import Cursor, Frame, Halt
from libriscribe2.replies.repair.patterns import (
    ADJACENT,
    COLON,
    COLONLESS_KEY,
    CONCATENATION,
    ELEMENT,
    ELLIPSIS,
    KEY,
    LOST_QUOTE,
    NEXT_MEMBER,
    OPEN_QUOTES,
    OPERATOR,
    SEPARATORS,
    SURE_COMMAS,
    StringToken,
    skip_space,
    unescape,
)

_NUMBER: Final = re.compile(
    r"[+-]?(?:(?P<hex>0[xX][0-9A-Fa-f]+)|(?P<whole>\d[\d_]*)?"
    r"(?P<fraction>\.\d*)?(?P<exponent>[eE][+-]?\d+)?)"
)
_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NUMBER_END: Final = re.compile(
    rf"[ \t]*+(?:[{SEPARATORS}}}\]｝］#\r\n]|\Z|//|/\*|<!--|`{{3}}|~{{3}})|\s+(?=[\"'“\d\[{{-])"
)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?")
_LITERALS: Final[dict[str, tuple[Any, str]]] = {
    **dict.fromkeys(("True", "TRUE"), (True, "python_literal")),
    **dict.fromkeys(("False", "FALSE"), (False, "python_literal")),
    **dict.fromkeys(("None", "NULL", "Null"), (None, "python_literal")),
    "undefined": (None, "javascript_literal"), "nil": (None, "foreign_literal"),
    "true": (True, ""), "false": (False, ""), "null": (None, ""),
}  # fmt: skip
_NOT_FINITE: Final = re.compile(r"[+-]?(?:NaN|nan|Infinity|-?inf)\b")
_WORD: Final = re.compile(r"[^\W\d]\w*")
# A bare text that computes, calls or stands for something is no string.
_COMPUTED: Final = re.compile(
    r"[*%^&|<>=+{}\[\]\\~@$]|\w\(|^[^(]*\)\s*$|\s[-/]\s|\s\?\s(?:[^:?]|(?<!\s)\?|\?(?!\s))*+:\s|\w/\w|\.{2,}|…|^\W|[\"'`“”]"
)
_BARE_END: Final = r"[}\]｝］\n]|//|/\*| \#"
_ELEMENT_END: Final = re.compile(rf"[{SURE_COMMAS}]|{_BARE_END}|\Z")
# A comma inside a bare member does not end it when no key follows.
_MEMBER_END: Final = re.compile(
    rf"[{SURE_COMMAS}](?=[ \t]*+(?:\#|//|/\*|[\r\n}}\]]|\Z|{KEY.pattern}))|{_BARE_END}|\Z"
)
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
        return Scalar(None, start, trouble="ellipsis" if text.startswith("..", start) else "syntax")
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


def _number_value(found: re.Match[str], end: int) -> Scalar:
    digits = found[0].replace("_", "")
    repair = "" if _JSON_NUMBER.fullmatch(found[0]) else "number_format"
    if found["hex"]:
        return Scalar(int(digits, 16), end, repair)
    if found["fraction"] is None and found["exponent"] is None:
        return Scalar(int(digits), end, repair)
    value = float(digits)
    return (
        Scalar(None, end, trouble="number_too_long") if isinf(value) else Scalar(value, end, repair)
    )


def _bare_text(text: str, start: int, *, in_list: bool) -> Scalar:
    """A string without quotes, up to the end of its member or element."""
    end = (_ELEMENT_END if in_list else _MEMBER_END).search(text, start)
    raw = text[start : end.start() if end else len(text)].rstrip()
    if raw.endswith('"') and raw.count('"') == 1:
        value = unescape(raw[:-1].rstrip())
        return Scalar(value.text, start + len(raw), "missing_opening_quote", value.trouble)
    if _COMPUTED.search(raw):
        kind = "template" if "{{" in raw or "${" in raw else "arithmetic"
        return Scalar(None, start, trouble="ellipsis" if ".." in raw else kind)
    return Scalar(raw, start + len(raw), "unquoted_value")


def read_text(cursor: Cursor, *, in_object: bool, depth: int) -> tuple[str, bool]:
    """Read a string, and the literals joined to it by a plus sign or by adjacency.

    Returns:
        The text, and whether the first literal was without any damage.

    Raises:
        Halt: The string is cut off or not to be trusted.
    """
    role = "member" if in_object else "element"
    token = cursor.strings.read(cursor.at, role, depth)
    text = cursor.accept(token)
    while (joint := _joint(cursor, in_object=in_object)) is not None:
        cursor.note("string_concatenation", cursor.at)
        cursor.at = joint
        text += cursor.accept(cursor.strings.read(joint, role, depth))
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
        return cursor.accept(cursor.strings.read(cursor.at, "key", depth))
    if char in OPEN_QUOTES and not cursor.is_fence():
        return _quoted_key(cursor, depth)
    return _bare_key(cursor, char)


def read_colon(cursor: Cursor) -> None:
    """Pass the colon after a key, or note that it is missing.

    Raises:
        Halt: No value can follow here.
    """
    cursor.skip()
    colon = COLON.match(cursor.text, cursor.at)
    if colon is not None:
        if colon.group().strip() != ":":
            cursor.note("wrong_colon", cursor.at)
        cursor.at = colon.end()
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
