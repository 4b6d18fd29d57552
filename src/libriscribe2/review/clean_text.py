"""What was read of a reply, as a text that can be laid beside the reply."""

import json
import re
from typing import Any, Final

from libriscribe2.review.calls import Call
from libriscribe2.review.diffs import Piece, character_diff

_INDENT: Final = re.compile(r"[{\[]\n([ \t]+)\S")
_COMPACT: Final = re.compile(r'"[:,]["\[{\d]')


def clean_text(call: Call) -> str | None:
    """The clean value of a call; None where the reply was refused, or the dump does not say.

    A JSON value is laid out as the reply laid it out, so that a comparison shows what was
    cleaned and not what was indented.
    """
    if call.dump.clean is None:
        return None
    if isinstance(call.dump.clean, str):
        return call.dump.clean
    return json_like(call.dump.clean, call.dump.raw_response)


def json_like(value: Any, sample: str) -> str:
    """A value as JSON text in the layout of a sample."""
    indent = _INDENT.search(sample)
    if indent is not None:
        return json.dumps(value, ensure_ascii=False, indent=indent[1])
    tight = "\n" not in sample and _COMPACT.search(sample) is not None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else None)


def raw_against_clean(call: Call) -> list[Piece] | None:
    """The reply and what was read of it as pieces; None where nothing was read."""
    clean = clean_text(call)
    return None if clean is None else character_diff(call.dump.raw_response, clean)
