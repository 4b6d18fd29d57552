"""JSON of values that hold long texts: requests, replies, records of them.

`json.JSONEncoder` takes 5 ns for a character of a text, the encoder of Pydantic under 1 ns. The
latter knows one layout and another spelling of fractions, so it writes the texts alone.
"""

import json
from collections.abc import Iterable
from typing import Any, Final

from pydantic_core import PydanticSerializationError, to_json

_LONG: Final = 1_000
"""A text of so many characters is worth the way to the other encoder."""

_HOLDERS: Final = (dict, list, tuple)

_DEPTH: Final = 3
"""So deep the texts of a request lie: in a field of a message of the conversation."""


class TextEncoder:
    """Writes what an encoder writes, character by character the same, and long texts sooner.

    Args:
        encoder: An encoder in one line that leaves Unicode as it is.
    """

    def __init__(self, encoder: json.JSONEncoder) -> None:
        self._encoder = encoder

    def encode(self, value: Any) -> str:
        """The value as JSON.

        Raises:
            TypeError: It is not plain.
        """
        return self._within(value, _DEPTH)

    def _within(self, value: Any, depth: int) -> str:
        """The same, looking for long texts only so deep."""
        if isinstance(value, str):
            return self._text(value)
        if depth and isinstance(value, dict) and _may_hold_a_text(value.values()):
            # Names of another kind are for the encoder to spell.
            if all(isinstance(name, str) for name in value):
                return self._fields(value, depth - 1)
        elif depth and isinstance(value, (list, tuple)) and _may_hold_a_text(value):
            items = (self._within(one, depth - 1) for one in value)
            return f"[{self._encoder.item_separator.join(items)}]"
        return self._encoder.encode(value)

    def _fields(self, value: dict[str, Any], depth: int) -> str:
        """An object; the names of its fields are texts."""
        names = sorted(value) if self._encoder.sort_keys else value
        colon = self._encoder.key_separator
        fields = (f"{self._text(name)}{colon}{self._within(value[name], depth)}" for name in names)
        return f"{{{self._encoder.item_separator.join(fields)}}}"

    def _text(self, text: str) -> str:
        """A text in quotation marks."""
        if len(text) < _LONG:
            return self._encoder.encode(text)
        try:
            return to_json(text).decode()
        except PydanticSerializationError:  # half a surrogate pair
            return self._encoder.encode(text)


def _may_hold_a_text(values: Iterable[Any]) -> bool:
    """Whether one of these is a long text or may hold one."""
    return any(
        len(value) >= _LONG if isinstance(value, str) else isinstance(value, _HOLDERS)
        for value in values
    )
