"""JSON as this program writes it: one canonical form for machines, one readable form for people."""

import json
from collections.abc import Mapping
from typing import Any, Final

# `json.dumps` makes an encoder for every call that asks for more than the defaults.
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))
_PLAIN: Final = json.JSONEncoder(ensure_ascii=False)


def canonical_json(value: Any) -> str:
    """The one compact form of `value`: keys sorted, no spaces, Unicode as it is."""
    return _CANONICAL.encode(value)


def readable_json(value: Any) -> str:
    """`value` as an author reads it: indented by four, Unicode as it is, ending in a newline."""
    return json.dumps(value, indent=4, ensure_ascii=False) + "\n"


def listed_json(name: str, fields: Mapping[str, Any]) -> str:
    """An object of one name that holds `fields`, one on a line: for records that nobody edits.

    The encoder in C, which does not indent, writes what is long.
    """
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
