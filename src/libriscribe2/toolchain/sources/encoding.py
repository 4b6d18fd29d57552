"""Bytes to text: the encoding that a file declares, else the one that fits."""

import codecs
import re
from typing import Final

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
GUESSED: Final = "encoding_guessed"
"""Flag of a text whose encoding nobody declared and that is not UTF-8."""


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
