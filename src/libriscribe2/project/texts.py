"""Texts of files: decoded, as readable or canonical JSON, hashed; UTC time."""

import hashlib
import json
import unicodedata
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NoReturn

from libriscribe2.errors import ProjectError

MAX_JSON_BYTES: Final = 10 * 2**20
"""Longest JSON file that is read."""

_ZEROS: Final = "\0" * 16
"""What a crash leaves of a file whose blocks were never written; a model writes one at most."""


def decode_text(name: str, data: bytes) -> str:
    """The text of a file: without byte order mark, with line feeds only.

    Args:
        name: What the error calls the file.
        data: The file's bytes.

    Raises:
        ProjectError: The file is empty, holds zero bytes in a row, or is not UTF-8; the error
            names the line.
    """
    try:
        text = data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ProjectError(
            f"{name} is not UTF-8 text",
            why=f"line {line}, byte {error.start}: {error.reason}",
            fix="Save the file as UTF-8.",
        ) from error
    if _ZEROS in text:
        line = text.count("\n", 0, text.index(_ZEROS)) + 1
        raise ProjectError(
            f"{name} is damaged",
            why=f"line {line} has zero bytes in place of text",
            fix="Restore it; a file that the program made can be deleted and is made again.",
        )
    if not text or text.isspace():
        raise ProjectError(
            f"{name} is empty",
            fix="Restore it; a file that the program made can be deleted and is made again.",
        )
    return text.replace("\r\n", "\n")


_HALVES: Final = ("<<<<<<< ", "=======", ">>>>>>> ")
_FENCES: Final = ("```", "~~~")


def check_settled(name: str, text: str) -> None:
    """Make sure that a text holds no two halves of a merge; in a block of code they may stand.

    Raises:
        ProjectError: It does; the error names the line.
    """
    if "\n>>>>>>> " not in text:
        return
    seen, begun, code = 0, 0, False
    for number, line in enumerate(text.split("\n"), start=1):
        code ^= line.startswith(_FENCES)
        if code:
            continue
        if line.startswith(_HALVES[0]):
            seen, begun = 1, number
        elif seen and line.startswith(_HALVES[seen]):
            seen += 1
        if seen == len(_HALVES):
            raise ProjectError(
                f"{name} contains an unresolved git conflict",
                why=f"both versions are in it, from line {begun} on",
                fix="Keep one half, and take out the lines of <<<<<<<, ======= and >>>>>>>.",
            )


def parse_json(name: str, text: str) -> Any:
    """The value of a JSON file that an author may have edited.

    Args:
        name: What the error calls the file.
        text: The file's text.

    Raises:
        ProjectError: The text is not JSON as RFC 8259 has it, is too long or nested too deep, or
            an object has a key twice; the error names the place where there is one.
    """
    if len(text) > MAX_JSON_BYTES:
        raise _bad_json(name, f"it is longer than {MAX_JSON_BYTES // 2**20} MiB")
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _bad_json(name, f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except ValueError as error:
        raise _bad_json(name, str(error)) from error
    except RecursionError as error:
        raise _bad_json(name, "it is nested too deeply") from error


def _bad_json(name: str, why: str) -> ProjectError:
    fix = "Correct it; a file that the program made can be deleted and is made again."
    return ProjectError(f"{name} is not valid JSON", why=why, fix=fix)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise ValueError(f"the key {key!r} is there twice")
        mapping[key] = value
    return mapping


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


# `json.dumps` makes an encoder for every call that asks for more than the defaults.
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))
_PLAIN: Final = json.JSONEncoder(ensure_ascii=False)


def canonical_json(value: Any) -> str:
    """The one compact form of `value`: keys sorted, no spaces, Unicode as it is."""
    return _CANONICAL.encode(value)


def readable_json(value: Any) -> str:
    """`value` as an author reads it: indented by four, Unicode as it is, ending in a newline."""
    return f"{json.dumps(value, indent=4, ensure_ascii=False)}\n"


def listed_json(name: str, fields: Mapping[str, Any]) -> str:
    """An object of one name that holds `fields`, one on a line: for records that nobody edits."""
    plain = _PLAIN.encode
    lines = ",\n".join(f"        {plain(one)}: {plain(value)}" for one, value in fields.items())
    return f"{{\n    {plain(name)}: {{\n{lines}\n    }}\n}}\n"


def utf8(text: str) -> bytes:
    r"""JSON text as UTF-8; half a surrogate pair, which UTF-8 cannot hold, as its `\uXXXX`.

    Only for JSON: there the escape means the same character.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(map(_escaped_half, text)).encode("utf-8")


def _escaped_half(character: str) -> str:
    return f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character


def content_sha(name: str, data: bytes) -> str:
    r"""The SHA-256 of a file's content, in 64 hex digits, blind to what editors and git change.

    Line ends, a byte order mark, blanks at the very end and the composition of accents do not
    count; in a `.json` file neither do layout and the order of keys. Bytes that are not UTF-8
    count as they are.

    Args:
        name: The file's name; only its ending matters.
        data: The file's bytes.
    """
    try:
        text = data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        return _sha(data)
    if name.endswith(".json"):
        text = _same_json(text)
    plain = text.replace("\r\n", "\n").rstrip(" \t\r\n")
    return _sha(unicodedata.normalize("NFC", plain).encode("utf-8", "surrogatepass"))


def value_sha(value: Any) -> str:
    """The SHA-256 of a plain JSON value, such as one setting of `book.toml`.

    Raises:
        TypeError: The value is not plain JSON.
    """
    text = unicodedata.normalize("NFC", canonical_json(value))
    return _sha(text.encode("utf-8", "surrogatepass"))


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _same_json(text: str) -> str:
    """The canonical form of JSON text; the text itself where that would hide something."""
    try:
        return canonical_json(json.loads(text, object_pairs_hook=_without_repeats))
    except (ValueError, RecursionError):
        return text


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's pairs; two of one name would let an edit hide behind the last one."""
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("a key is there twice")
    return mapping


Clock = Callable[[], datetime]
"""Gives the present moment with its time zone."""


def utc_now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


def iso_utc(moment: datetime) -> str:
    """`moment` as ISO 8601 in UTC, to the second: `2025-01-12T10:30:00Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def compact_utc(moment: datetime) -> str:
    """`moment` in UTC as part of a file name: `20250112T103000Z`."""
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
