"""JSON values at a place in a reply: strict first, then repaired where nothing was lost."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.parsing.tool_formats.call_objects import marked_call
from libriscribe2.parsing.tool_formats.reading import (
    FAILURE,
    REPAIR,
    UNCLOSED,
    UNCLOSED_PER,
    Found,
    ReadCall,
    Source,
    after_space,
)
from libriscribe2.parsing.tool_formats.whole_json import whole_json
from libriscribe2.utils.json_utils import JSONProcessor
from libriscribe2.utils.strict_json import brief_parse

LIST_KEYS: Final = ("toolCalls", "tool_calls", "tool_uses")
CUT_OFF: Final = "A tool call is cut off; it was not executed."
TWICE: Final = "A tool call gives one argument twice, with different values; it was not executed."
UNBALANCED: Final = "A tool call is cut off, or its tags do not match; it was not executed."
_SEPARATORS: Final = re.compile(r"[\s,;]*")
_FENCE_LINE: Final = re.compile(r"`{3,}\w*[ \t]*\n?\s*")


@dataclass(frozen=True, slots=True)
class JsonAt:
    """A JSON value that begins at a place.

    Attributes:
        value: The value; None unless `ok`.
        end: Where it ends; -1 if it never does.
        ok: Whether the value is whole and sure.
    """

    value: Any
    end: int
    ok: bool


def json_at(source: Source, start: int, *, repair: bool = True) -> JsonAt:
    """Read the object or list that begins at `start`."""
    if source.effort_left <= 0:
        return JsonAt(None, -1, ok=False)
    parsed = brief_parse(source.text, start)
    if parsed.end >= 0:
        return JsonAt(parsed.value, parsed.end, ok=True)
    source.spend(FAILURE)
    end = JSONProcessor.find_json_end_string_safe(source.text, start)
    if end < 0:
        source.spend(UNCLOSED + (len(source.text) - start) // UNCLOSED_PER)
    if end < 0 or not repair or not source.spend(REPAIR):
        return JsonAt(None, end, ok=False)
    whole = whole_json(source.text[start:end])
    return JsonAt(whole.value, end, ok=whole.ok)


def marked_calls(value: object) -> tuple[list[ReadCall], int]:
    """The calls in a value that stands where calls must stand, and how many items are none."""
    if isinstance(value, Mapping):
        key = next((key for key in LIST_KEYS if isinstance(value.get(key), list)), None)
        items: Iterable[object] = value[key] if key is not None else [value]
    else:
        items = value if isinstance(value, list) else []
    calls = [marked_call(item) for item in items]
    valid = [call for call in calls if call is not None]
    return valid, len(calls) - len(valid)


def json_region(source: Source, body: int, closer: re.Pattern[str]) -> Found | None:
    """Calls written as JSON between an opener and a closer; the closer may be missing.

    Args:
        source: The reply.
        body: Where the opener ends.
        closer: What ends the region.

    Returns:
        The calls; or an issue if they are cut off or damaged; or None if no JSON begins there.
    """
    text = source.text
    place = after_space(text, body)
    fence = _FENCE_LINE.match(text, place)
    place = fence.end() if fence else place
    if text[place : place + 1] not in {"{", "["}:
        return None
    calls: list[ReadCall] = []
    dropped = 0
    while text[place : place + 1] in {"{", "["}:
        read = json_at(source, place)
        if not read.ok:
            return _damaged(source, place, closer, tuple(calls))
        valid, malformed = marked_calls(read.value)
        calls += valid
        dropped += malformed
        place = _after_separators(text, read.end)
    end = _closed(text, place, closer, with_fence=fence is not None)
    return Found(end, tuple(calls), issue=dropped_issue(dropped))


def dropped_issue(count: int) -> str:
    """The sentence about list items that are no tool calls, or ""."""
    if not count:
        return ""
    return f"{count} tool call(s) without a valid `name` and an object `arguments` were dropped."


def _after_separators(text: str, start: int) -> int:
    match = _SEPARATORS.match(text, start)
    return match.end() if match else start


def _closed(text: str, place: int, closer: re.Pattern[str], *, with_fence: bool) -> int:
    """Behind the closer if it stands here, else here."""
    if with_fence:
        fence = _FENCE_LINE.match(text, place)
        place = fence.end() if fence else place
    match = closer.match(text, place)
    return match.end() if match else place


def _damaged(
    source: Source, place: int, closer: re.Pattern[str], calls: tuple[ReadCall, ...]
) -> Found:
    """A value that does not parse on its own: the closer shows where it was meant to end."""
    closing = source.search(closer, place)
    if closing is None:
        return Found(len(source.text), calls, issue=CUT_OFF)
    if not source.spend(REPAIR):
        return Found(closing.end(), calls, issue="There are too many damaged tool calls.")
    whole = whole_json(source.text[place : closing.start()], was_closed=bool(closing[0]))
    if whole.ok:
        valid, dropped = marked_calls(whole.value)
        return Found(closing.end(), (*calls, *valid), issue=dropped_issue(dropped))
    return Found(closing.end(), calls, issue=f"A tool call could not be read. {whole.advice}")
