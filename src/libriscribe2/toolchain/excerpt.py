"""JSON values made fit to be shown to a model: short, and unable to end the block they stand in."""

import json
from collections.abc import Mapping
from typing import Any, Final

DATA_BUDGET: Final = 12_000
"""Most characters of data in one prompt."""

_LONGEST_TEXTS: Final = (4_000, 1_000, 250, 60)
_LONGEST_LISTS: Final = (50, 20, 8, 3)


def shown(value: Any, budget: int = DATA_BUDGET) -> str:
    r"""A value as JSON text within a budget, with its long texts and lists cut where they must be.

    `</` is written `<\/`, which JSON reads as the same, so that no text can close a tag.
    """
    text = _dumped(value)
    for longest, most in zip(_LONGEST_TEXTS, _LONGEST_LISTS, strict=True):
        if len(text) <= budget:
            break
        text = _dumped(_cut(value, longest, most))
    return text if len(text) <= budget else f"{text[:budget]} ... (cut)"


def clipped(text: str, budget: int) -> str:
    """The beginning of a text, with the number of characters that are left out."""
    if len(text) <= budget:
        return text
    return f"{text[:budget]} ... ({len(text) - budget} more characters)"


def outline(responses: Mapping[str, Any]) -> str:
    """What results hold, by step, for a message to a person: names, no values."""
    told = (f"{step}: {_names(value)}" for step, value in responses.items())
    return "; ".join(told) or "nothing"


def _names(value: Any) -> str:
    if isinstance(value, Mapping):
        names = list(value)
        more = ", ..." if len(names) > 20 else ""
        return ", ".join(names[:20]) + more if names else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a text" if isinstance(value, str) else json.dumps(value)


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1).replace("</", "<\\/")


def _cut(value: Any, longest: int, most: int) -> Any:
    if isinstance(value, str):
        return clipped(value, longest)
    if isinstance(value, Mapping):
        return {key: _cut(item, longest, most) for key, item in value.items()}
    if isinstance(value, list):
        left_out = [f"... ({len(value) - most} more)"] if len(value) > most else []
        return [*(_cut(item, longest, most) for item in value[:most]), *left_out]
    return value
