"""JSON as this program writes it: one canonical form for machines, one readable form for people."""

import json
from typing import Any


def canonical_json(value: Any) -> str:
    """The one compact form of `value`: keys sorted, no spaces, Unicode as it is."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def readable_json(value: Any) -> str:
    """`value` as an author reads it: indented by four, Unicode as it is, ending in a newline."""
    return json.dumps(value, indent=4, ensure_ascii=False) + "\n"


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
