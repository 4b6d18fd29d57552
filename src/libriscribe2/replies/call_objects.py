"""Calls as objects and in envelopes: names, arguments, values by type."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.replies.call_source import (
    FAILURE,
    REPAIR,
    SEARCHED,
    Found,
    JsonObject,
    ReadCall,
    Source,
    after_space,
    passed,
    whole_json,
)
from libriscribe2.replies.remarks import TYPE_NAMES
from libriscribe2.replies.schema_fit import alternatives, resolve, types_of
from libriscribe2.replies.strict_json import find_json_end_string_safe, strict_parse

NAME_KEYS: Final = (
    "name", "tool_name", "toolName", "tool", "function_name", "functionName", "function",
    "action", "recipient_name",
)  # fmt: skip
ARGUMENT_KEYS: Final = (
    "arguments", "parameters", "args", "input", "tool_input", "toolInput", "action_input",
    "params", "kwargs",
)  # fmt: skip
_NESTED_KEYS: Final = (
    "function", "functionCall", "function_call", "toolUse", "tool_use", "tool_call", "toolCall",
    "tool",
)  # fmt: skip
SIDE_KEYS: Final = frozenset({
    "id", "type", "index", "call_id", "callId", "tool_call_id", "toolUseId", "status", "object",
    "needsMoreWork", "needs_more_work", "thought", "thoughts", "reason", "reasoning",
    "explanation", "role", "content", "caller",
})  # fmt: skip
_CALL_TYPES: Final = ("tool_use", "tool_call", "function_call", "function", "tool")
SURE_ARGUMENTS: Final = ("arguments", "parameters", "args", "action_input")
_SCHEMA_TYPES: Final = TYPE_NAMES | {"null", "str", "int", "float"}
CALL_KEYS: Final = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, *_NESTED_KEYS, "type"})
_NAME: Final = re.compile(r"[^\W\d][\w.\-/:]{0,127}")
_NAMESPACES: Final = ("functions.", "function.", "default_api.", "tools.")


def clean_name(value: object) -> str | None:
    """A tool's name without its namespace (`functions.search` -> `search`), or None if it is none.

    Names are identifiers; `<tool>` or a sentence is a placeholder or prose.
    """
    if not isinstance(value, str):
        return None
    name = value.strip()
    for namespace in _NAMESPACES:
        name = name.removeprefix(namespace)
    return name if _NAME.fullmatch(name) else None


def marked_call(value: object) -> ReadCall | None:
    """The call in an object that stands where a call must stand: in tags, in an envelope.

    Missing or null arguments are no arguments; what else the object holds stays beside them.
    """
    if not isinstance(value, Mapping):
        return None
    item = _unnested(value)
    name_key = _first_key(item, NAME_KEYS)
    if name_key is None:
        return _name_as_key(item)
    name = clean_name(item[name_key])
    argument_key = _first_key(item, ARGUMENT_KEYS)
    arguments = read_arguments(item[argument_key]) if argument_key is not None else {}
    if name is None or arguments is None or is_definition(item, arguments):
        return None
    beside = {key: item[key] for key in item if key not in (name_key, argument_key)}
    return ReadCall(name, arguments, beside)


def bare_call(value: Mapping[str, Any], known_names: frozenset[str] | None) -> ReadCall | None:
    """The call in an object that nothing marks as one; it must leave no doubt.

    Args:
        value: A JSON object from the reply.
        known_names: The tools that exist, or None if the caller did not say.

    Returns:
        The call, or None for definitions, sheets and other data.
    """
    item = _unnested(value)
    name_key = _first_key(item, NAME_KEYS)
    argument_key = _first_key(item, ARGUMENT_KEYS)
    call = marked_call(item)
    if call is None or name_key is None:
        return None
    if known_names is not None and (call.beside or argument_key is not None):
        return call if call.name in known_names or "tool_uses" in call.arguments else None
    if argument_key is None or item[argument_key] is None:
        return None
    is_sure = argument_key in SURE_ARGUMENTS or name_key not in ("name", "function", "action")
    typed = item.get("type") in _CALL_TYPES
    extra = item.keys() - {name_key, argument_key} - SIDE_KEYS | item.keys() & {"role", "content"}
    is_format = call.name in NAME_KEYS
    return call if (is_sure or typed) and not (extra or is_format) else None


def read_arguments(value: object) -> dict[str, Any] | None:
    """Arguments as an object; a string is read as JSON, as the native API sends it.

    Returns:
        The arguments, or None if the value is no object or not surely a whole one.
    """
    if value is None:
        return {}
    if isinstance(value, str):
        value = whole_json(value.strip() or "{}")[0]
    return dict(value) if isinstance(value, Mapping) else None


def is_definition(item: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Whether an object describes a tool instead of calling one."""
    is_schema = (
        isinstance(arguments.get("properties"), Mapping) and arguments.get("type") == "object"
    )
    if is_schema or item.keys() & {"input_schema", "inputSchema"}:
        return True
    stated = [one.get("type") if isinstance(one, Mapping) else one for one in arguments.values()]
    describes = all(isinstance(one, str) and one.casefold() in _SCHEMA_TYPES for one in stated)
    return "arguments" not in item and ("description" in item or bool(stated and describes))


def _unnested(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The inner object of `{"type": "function", "function": {...}}` and its like."""
    for key in _NESTED_KEYS:
        inner = value.get(key)
        beside = value.keys() - {key} - SIDE_KEYS
        if isinstance(inner, Mapping) and beside <= set(ARGUMENT_KEYS) - inner.keys():
            return {**inner, **{name: value[name] for name in beside}}
    return value


def _first_key(item: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if key in item), None)


def _name_as_key(item: Mapping[str, Any]) -> ReadCall | None:
    """The call in `{"search": {"q": "x"}}`, the name being the only key."""
    if len(item) != 1:
        return None
    ((key, value),) = item.items()
    name = clean_name(key)
    arguments = {} if value is None else value
    if name is None or key in CALL_KEYS | SIDE_KEYS or not isinstance(arguments, Mapping):
        return None
    return None if is_definition(item, arguments) else ReadCall(name, dict(arguments))


LIST_KEYS: Final = ("toolCalls", "tool_calls", "tool_uses")
CUT_OFF: Final = "A tool call is cut off; it was not executed."
TWICE: Final = "A tool call gives one argument twice, with different values; it was not executed."
BESIDE_TEXT: Final = (
    "A tool call stands beside other text or a question; it was not executed. "
    "If it is meant, send it with nothing behind it."
)
UNBALANCED: Final = "A tool call is cut off, or its tags do not match; it was not executed."
_SEPARATORS: Final = re.compile(r"[\s,;]*")
_FENCE_LINE: Final = re.compile(r"`{3,}\w*[ \t]*\n?\s*")


def json_at(source: Source, start: int, *, repair: bool = True) -> tuple[Any, int]:
    """The object or list that begins at `start`, and its end.

    Returns:
        None for a value that is not whole and sure; the end is -1 if there is none.
    """
    if source.effort_left <= 0:
        return None, -1
    parsed = strict_parse(source.text, start)
    if parsed.end >= 0:
        return parsed.value, parsed.end
    source.spend(FAILURE)
    end = find_json_end_string_safe(source.text, start)
    if end < 0:
        source.spend((len(source.text) - start) // SEARCHED)
    if end < 0 or not repair or not source.spend(REPAIR):
        return None, end
    return whole_json(source.text[start:end])[0], end


def read_named_json(
    source: Source, head: re.Pattern[str], start: int, closer: re.Pattern[str]
) -> Found | None:
    """The call of the name in what `head` matches at `start`, with the JSON object behind it."""
    named = head.match(source.text, start)
    name = clean_name(named[1]) if named else None
    return read_json_call(source, name, named.end(), closer) if named and name else None


def read_json_call(source: Source, name: str | None, start: int, closer: re.Pattern[str]) -> Found:
    """The call of a name whose arguments are the JSON object at `start`; a closer is passed.

    The closer shows where arguments end that lack their last brackets.
    """
    value, end = json_at(source, start)
    if end >= 0:
        return named_call(name, value, closed(source, end, closer))
    closing = source.search(closer, start)
    if closing and closing[0] and source.spend(REPAIR):
        value, _ = whole_json(source.text[start : closing.start()], was_closed=True)
    if closing is None or value is None:
        return Found(len(source.text), issue=CUT_OFF)
    return named_call(name, value, closing.end())


def closed(source: Source, end: int, closer: re.Pattern[str]) -> int:
    """The end of the closer behind what ends at `end`, which may be missing."""
    closing = closer.match(source.text, after_space(source.text, end))
    return closing.end() if closing else end


def named_call(name: str | None, value: object, end: int) -> Found:
    """The call of a name with these arguments, or what is wrong with it."""
    if name is None:
        return Found(end, issue="A tool call without a name or with damaged arguments.")
    if not isinstance(value, Mapping):
        issue = f"A tool call with damaged arguments: those of `{name}` are not a JSON object."
        return Found(end, issue=issue)
    return Found(end, (ReadCall(name, dict(value)),))


def marked_calls(value: object) -> tuple[list[ReadCall], str]:
    """The calls in a value that stands where calls must stand, and what is said of other items."""
    if isinstance(value, Mapping):
        lists = (value[key] for key in LIST_KEYS if isinstance(value.get(key), list))
        value = next(lists, [value])
    items = value if isinstance(value, list) else []
    calls = [marked_call(item) for item in items]
    valid = [call for call in calls if call is not None]
    count = f"{len(calls) - len(valid)} tool call(s) without a valid `name` and an object"
    return valid, f"{count} `arguments` were dropped." if None in calls else ""


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
    place = passed(_FENCE_LINE, text, after_space(text, body))
    if text[place : place + 1] not in {"{", "["}:
        return None
    calls: list[ReadCall] = []
    issue = ""
    while text[place : place + 1] in {"{", "["}:
        value, end = json_at(source, place)
        if value is None:
            return _damaged(source, place, closer, tuple(calls))
        valid, dropped = marked_calls(value)
        calls += valid
        issue = issue or dropped
        place = passed(_SEPARATORS, text, end)
    end = passed(closer, text, passed(_FENCE_LINE, text, place))
    return Found(end, tuple(calls), issue=issue)


def _damaged(
    source: Source, place: int, closer: re.Pattern[str], calls: tuple[ReadCall, ...]
) -> Found:
    """A value that does not parse on its own: the closer shows where it was meant to end."""
    closing = source.search(closer, place)
    if closing is None:
        return Found(len(source.text), calls, issue=CUT_OFF)
    if not source.spend(REPAIR):
        return Found(closing.end(), calls, issue="There are too many damaged tool calls.")
    written = source.text[place : closing.start()]
    written = _decoded(written) if "&quot;" in written else written
    value, advice = whole_json(written, was_closed=bool(closing[0]))
    valid, dropped = marked_calls(value)
    issue = f"A tool call could not be read. {advice}" if advice else dropped
    return Found(closing.end(), (*calls, *valid), issue=issue)


_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_CDATA: Final = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)


def typed_value(text: str, schema: JsonObject | None = None) -> Any:
    """The value that a parameter's text stands for.

    Args:
        text: The text between the tags, as written.
        schema: JSON Schema of the parameter, if the tool is known.

    Returns:
        With a schema that wants a string, the text less one line break at each end; else the JSON
        value if the trimmed text is one, repaired if the schema wants a list or an object; else
        the trimmed text.
    """
    plain = _decoded(text)
    node = resolve(schema, schema or {})
    kinds = {kind for branch in alternatives(node, node) for kind in types_of(branch)}
    trimmed = plain.strip()
    if "null" in kinds and trimmed.casefold() in {"null", "none"}:
        return None
    if "string" in kinds and kinds <= {"string", "null"}:
        return plain.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")
    if trimmed in (node.get("enum") or ()):
        return trimmed
    parsed = strict_parse(trimmed)
    if parsed.end == len(trimmed):
        return parsed.value
    value = whole_json(trimmed)[0] if kinds & {"array", "object"} else None
    return trimmed if value is None else value


def add_argument(arguments: dict[str, Any], name: str, value: Any) -> bool:
    """Add an argument; False if it is there already with another value: which is meant?"""
    if name in arguments:
        return bool(arguments[name] == value)
    arguments[name] = value
    return True


def _decoded(text: str) -> str:
    """The text without XML escapes; raw markup in it shows that nothing was escaped."""
    cdata = _CDATA.fullmatch(text)
    if cdata:
        return cdata[1]
    if "&" not in text or "<" in text:
        return text
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


@dataclass(frozen=True, slots=True)
class Envelope:
    """A reply as its model put it into JSON.

    Attributes:
        calls: The valid calls.
        content: The text for the user; None if the envelope has none.
        needs_more_work: What the model said about it; None if nothing.
        issue: What was wrong with calls that were dropped, or "".
    """

    calls: list[ReadCall]
    content: str | None
    needs_more_work: bool | None
    issue: str


def read_envelope(value: object) -> Envelope | None:
    """The envelope in a JSON value, or None if it is something else."""
    if not isinstance(value, Mapping):
        return None
    value = _unnested(value)
    if isinstance(value.get("content"), list):
        return _anthropic_message(value["content"])
    list_key = next((key for key in LIST_KEYS if isinstance(value.get(key, ""), list | None)), None)
    more_keys = ("needsMoreWork", "needs_more_work")
    flags = [flag for key in more_keys if (flag := _flag(value.get(key, ""))) != ""]
    if list_key is None and (not flags or marked_call(value) is not None):
        return None
    calls, dropped = marked_calls(value[list_key] or []) if list_key is not None else ([], "")
    if not flags:
        flags = [True if calls and list_key != "toolCalls" else None]
    content = value.get("content")
    return Envelope(calls, content if isinstance(content, str) else None, flags[0], dropped)


def read_open_calls(value: object, known_names: frozenset[str] | None) -> list[ReadCall]:
    """The calls of a value that nothing marks: one call object, or a list of them.

    A list counts when it holds a call and nothing in it is of another kind; items that lack a
    valid name or arguments are left out.
    """
    items: list[Any] = value if isinstance(value, list) else [value]
    named = [_name_as_key(item) for item in items if isinstance(item, Mapping)]
    calls = [call for call in named if call and call.name in (known_names or ())]
    if calls and len(calls) == len(items):
        return calls
    if not all(
        isinstance(item, Mapping) and not CALL_KEYS.isdisjoint(item) and not is_definition(item, {})
        for item in items
    ):
        return []
    bare = [bare_call(item, known_names) for item in items]
    return [call for call in bare if call is not None]


def _flag(value: object) -> Any:
    """Whether a value is true or false; None as it is, "" for anything else."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().casefold(), "")
    return value if isinstance(value, bool | None) else ""


def _anthropic_message(blocks: list[Any]) -> Envelope | None:
    """The envelope of a message in content blocks: texts and `tool_use` objects."""
    if not all(isinstance(block, Mapping) and "type" in block for block in blocks):
        return None
    calls, dropped = marked_calls([block for block in blocks if block["type"] == "tool_use"])
    texts = [str(block.get("text", "")) for block in blocks if block["type"] == "text"]
    text = "\n\n".join(texts) or None
    return Envelope(calls, text, True, dropped) if calls else None  # noqa: FBT003
