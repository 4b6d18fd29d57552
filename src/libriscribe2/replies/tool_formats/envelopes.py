"""JSON values as envelopes: objects that carry calls, text and whether work is left.

The canonical spelling is `{"toolCalls": [...], "content": "...", "needsMoreWork": true}`; OpenAI's
and Anthropic's messages are read alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.replies.tool_formats.call_objects import (
    CALL_KEYS,
    LIST_KEYS,
    bare_call,
    dropped_issue,
    is_definition,
    marked_call,
    marked_calls,
)
from libriscribe2.replies.tool_formats.reading import ReadCall

_MORE_KEYS: Final = ("needsMoreWork", "needs_more_work")
_WORDS: Final = {"true": True, "false": False}
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Envelope:
    """A reply as its model put it into JSON.

    Attributes:
        calls: The valid calls.
        content: The text for the user; None if the envelope has none.
        needs_more_work: What the model said about it; None if nothing.
        issues: What was wrong with calls that were dropped.
    """

    calls: list[ReadCall]
    content: str | None
    needs_more_work: bool | None
    issues: list[str]


def read_envelope(value: object) -> Envelope | None:
    """The envelope in a JSON value, or None if it is something else."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("content"), list):
        return _anthropic_message(value["content"])
    list_key = next((key for key in LIST_KEYS if _is_call_list(value.get(key, _MISSING))), None)
    more_key = next((key for key in _MORE_KEYS if _is_flag(value.get(key, _MISSING))), None)
    if list_key is None and (more_key is None or marked_call(value) is not None):
        return None
    calls, dropped = marked_calls(value[list_key] or []) if list_key is not None else ([], 0)
    flag = _flag(value[more_key]) if more_key is not None else None
    if more_key is None and list_key != "toolCalls" and calls:
        flag = True
    content = value.get("content")
    issue = dropped_issue(dropped)
    return Envelope(
        calls, content if isinstance(content, str) else None, flag, [issue] if issue else []
    )


def read_open_calls(value: object, known_names: frozenset[str] | None) -> list[ReadCall]:
    """The calls of a value that nothing marks: one call object, or a list of them.

    A list counts when it holds a call and nothing in it is of another kind; items that lack a
    valid name or arguments are left out.
    """
    items: list[Any] = value if isinstance(value, list) else [value]
    if not all(isinstance(item, Mapping) and _is_call_like(item) for item in items):
        return []
    calls = [bare_call(item, known_names) for item in items]
    return [call for call in calls if call is not None]


def _is_call_like(item: Mapping[str, Any]) -> bool:
    return not CALL_KEYS.isdisjoint(item) and not is_definition(item, {})


def _is_call_list(value: object) -> bool:
    return isinstance(value, list) or value is None


def _is_flag(value: object) -> bool:
    return isinstance(value, bool) or value is None or _flag(value) is not None


def _flag(value: object) -> bool | None:
    if isinstance(value, str):
        return _WORDS.get(value.strip().casefold())
    return value if isinstance(value, bool) else None


def _anthropic_message(blocks: list[Any]) -> Envelope | None:
    """The envelope of a message in content blocks: texts and `tool_use` objects."""
    if not all(isinstance(block, Mapping) and "type" in block for block in blocks):
        return None
    uses = [block for block in blocks if block["type"] == "tool_use"]
    calls, dropped = marked_calls(uses)
    texts = [str(block.get("text", "")) for block in blocks if block["type"] == "text"]
    if not calls:
        return None
    issue = dropped_issue(dropped)
    return Envelope(
        calls,
        content="\n\n".join(texts) or None,
        needs_more_work=True,
        issues=[issue] if issue else [],
    )
