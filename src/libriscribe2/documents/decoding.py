"""Bytes from outside to clean text, and the refusal of those that are none.

The encoding is the one that a file declares, else the one that fits.
"""

import codecs
import logging
import re
from collections.abc import Mapping
from typing import Any, Final

MOST_CHARACTERS: Final = 10_000_000
"""Most text of one document: ten times the longest novel."""

MOST_LINES: Final = 1_000_000
"""Most lines of a text: each takes some 250 bytes of memory while Markdown is read."""

BINARY: Final = (
    b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"{\\rtf",
)  # fmt: skip
"""How files begin that are no text, whatever their names say."""

GUESSED: Final = "encoding_guessed"
"""Flag of a text whose encoding nobody declared and that is not UTF-8."""

_MEGABYTE: Final = 2**20
_LONGEST_LINE: Final = 300
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META: Final = re.compile(
    rb"""<(?:meta\b[^>]{0,200}?charset\s*=|\?xml\b[^>]{0,100}?encoding\s*=)\s*["']?([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 4096
_NO_TEXT: Final = frozenset(
    {"base64", "bz2", "hex", "idna", "punycode", "quopri", "rot13", "utf-7", "uu", "zlib"}
)
_AS_BROWSERS_DO: Final = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gbk"}


class DocumentError(Exception):
    """A document that cannot be read.

    Attributes:
        status: 413 where it is over a limit, 415 where it is not what its name or type says.
        code: A stable machine-readable name: `source_too_large` or `source_not_readable`.
        message: What is wrong, in a sentence that names the document.
        details: Plain JSON about it.
    """

    def __init__(self, status: int, code: str, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = dict(details)


def too_large(name: str, what: str, **limits: int) -> DocumentError:
    """The refusal of a document that is over a limit.

    Args:
        name: What it is called.
        what: What is too large, with the limit.
        limits: The limit for programs, such as `limit_tags`.
    """
    return DocumentError(413, "source_too_large", f"{name}{what}", {"source": name, **limits})


def too_many_bytes(name: str, what: str, limit: int) -> DocumentError:
    """The refusal of a document that is over a limit in bytes or characters."""
    told = f": {what}; the limit is {limit // _MEGABYTE} MB."
    return too_large(name, told, limit_bytes=limit)


def not_readable(name: str, reason: str) -> DocumentError:
    """The refusal of a document that cannot be read as what its name or type says."""
    return DocumentError(
        415,
        "source_not_readable",
        f"{name} cannot be read: {reason}.",
        {"source": name, "reason": reason},
    )


def tidy(text: str) -> str:
    """Text with line feeds only, without control characters and marks of an encoding."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n"))


def tidy_line(text: str) -> str:
    """A title or heading on one line."""
    return " ".join(tidy(text).split())[:_LONGEST_LINE]


def plain_text(name: str, data: bytes, declared: str = "") -> tuple[str, str]:
    """The text of a file that is nothing but text, and a flag: "" or `GUESSED`.

    Raises:
        DocumentError: 415 where it is no text, 413 where it is too long.
    """
    if data.startswith(BINARY):
        raise not_readable(name, "it is not text, whatever its name says")
    text, flag = decode(data, declared=declared)
    if "\0" in text:
        raise not_readable(name, "it contains bytes that are not text")
    if len(text) > MOST_CHARACTERS:
        raise too_many_bytes(name, f"it has {len(text):,} characters", MOST_CHARACTERS)
    if (lines := text.count("\n") + text.count("\r")) > MOST_LINES:
        told = f": it has {lines:,} lines; the limit is {MOST_LINES:,}."
        raise too_large(name, told, limit_lines=MOST_LINES)
    return text, flag


def decode(data: bytes, *, declared: str = "", is_markup: bool = False) -> tuple[str, str]:
    """The text of some bytes.

    A byte order mark says what it is. Else the first of these that fits every byte: UTF-8, where
    there is a character beyond ASCII to tell it by; what is declared; UTF-8; Windows-1252; Latin-1.

    Args:
        data: The bytes.
        declared: The charset of a `Content-Type`.
        is_markup: Whether a `<meta charset>` or an XML declaration counts as declared.

    Returns:
        The text and a flag: "" or `GUESSED`.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = _strict(data[len(mark) :], encoding)
            if text is not None:
                return text, ""
    wanted = _known(declared) or (_known(_declared_inside(data)) if is_markup else "")
    first = ("utf-8", wanted) if not data.isascii() else (wanted, "utf-8")
    for encoding in first:
        text = _strict(data, encoding) if encoding else None
        if text is not None:
            return text, ""
    guess = _strict(data, "cp1252")
    return (guess if guess is not None else data.decode("latin-1")), GUESSED


def _declared_inside(data: bytes) -> str:
    found = _META.search(data[:_LOOKED_AT])
    return found.group(1).decode("ascii") if found else ""


def _known(name: str) -> str:
    """The codec of that name, as browsers take it; "" where there is none for text."""
    try:
        found = codecs.lookup(name.strip().strip("\"'")).name if name.strip() else ""
    except (LookupError, ValueError):
        return ""
    return "" if found in _NO_TEXT else _AS_BROWSERS_DO.get(found, found)


def _strict(data: bytes, encoding: str) -> str | None:
    """The text, unless a byte does not fit."""
    try:
        return data.decode(encoding)
    except (UnicodeError, ValueError, LookupError):
        return None


def silence(*loggers: str) -> None:
    """Keep a library's log messages, which may repeat what a file says, off the terminal."""
    for name in loggers:
        logger = logging.getLogger(name)
        if logger.propagate:
            logger.addHandler(logging.NullHandler())
            logger.propagate = False
