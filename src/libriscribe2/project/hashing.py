"""The identity of a content: what counts as the same text, and what as an edit."""

import hashlib
import json
import unicodedata
from functools import lru_cache
from typing import Any, Final

from libriscribe2.project.json_text import canonical_json

_BOM: Final = b"\xef\xbb\xbf"


@lru_cache(maxsize=256)
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
        text = data.removeprefix(_BOM).decode("utf-8")
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
