"""Reading files that an author may have edited: strict, with an error that names the place."""

import json
from codecs import BOM_UTF8
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
        # The codec `utf-8-sig` is written in Python and copies; this costs a fifth of it.
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
            why=f"line {line} holds zero bytes where a text was",
            fix="Restore it; a file that the program made can be deleted and is made again.",
        )
    if not text or text.isspace():
        raise ProjectError(
            f"{name} is empty",
            fix="Restore it; a file that the program made can be deleted and is made again.",
        )
    return text.replace("\r\n", "\n") if "\r" in text else text


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
        raise _bad_json(name, "it is nested too deep") from error


def _bad_json(name: str, why: str) -> ProjectError:
    fix = "Mend it; a file that the program made can be deleted and is made again."
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
