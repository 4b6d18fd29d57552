"""JSON as this program writes it: one canonical form for machines, one readable form for people."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from pydantic_core import PydanticSerializationError, to_json

from libriscribe2.utils.text_encoder import TextEncoder

# `json.dumps` makes an encoder for every call that asks for more than the defaults.
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))
_PLAIN: Final = TextEncoder(json.JSONEncoder(ensure_ascii=False))


def canonical_json(value: Any) -> str:
    """The one compact form of `value`: keys sorted, no spaces, Unicode as it is."""
    return _CANONICAL.encode(value)


def readable_json(value: Any) -> str:
    """`value` as an author reads it: indented by four, Unicode as it is, ending in a newline.

    The encoder in C does not indent, and that in Python takes six times as long as the one in
    Rust, which spells some fractions in another way (`0.00001`) and refuses half a surrogate pair.
    """
    with suppress(PydanticSerializationError, RecursionError):
        if _is_simple(value):
            return f"{to_json(value, indent=4).decode()}\n"
    return f"{json.dumps(value, indent=4, ensure_ascii=False)}\n"


def _is_simple(value: Any) -> bool:
    """Whether both encoders write a value alike: it is plain and holds no fraction."""
    if isinstance(value, str):
        return True
    if isinstance(value, dict):
        return all(map(_is_simple, value.values())) and all(isinstance(key, str) for key in value)
    if isinstance(value, (list, tuple)):
        return all(map(_is_simple, value))
    return value is None or isinstance(value, int)


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
