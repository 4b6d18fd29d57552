"""JSON objects that are tool calls, in the spellings that models and vendors use.

An object is a call when it has a name and an object of arguments. Definitions (arguments that are
a JSON Schema) and character sheets (a name, a list, a description) look alike and are none.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from libriscribe2.parsing.tool_formats.reading import ReadCall
from libriscribe2.parsing.tool_formats.whole_json import whole_json

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
)  # fmt: skip
_SIDE_KEYS: Final = frozenset({
    "id", "type", "index", "call_id", "callId", "tool_call_id", "toolUseId", "status", "object",
    "needsMoreWork", "needs_more_work", "thought", "thoughts", "reason", "reasoning",
    "explanation", "role", "content", "caller",
})  # fmt: skip
_SHEET_KEYS: Final = frozenset({"role", "content"})
_CALL_TYPES: Final = frozenset({"tool_use", "tool_call", "function_call", "function", "tool"})
_SURE_ARGUMENTS: Final = {
    "name": {"arguments", "parameters", "args"},
    "function": {"arguments", "parameters", "args"},
    "action": {"action_input"},
}
_SCHEMA_TYPES: Final = frozenset({
    "string", "integer", "number", "boolean", "array", "object", "null", "str", "int", "float",
})  # fmt: skip
_PLACEHOLDERS: Final = frozenset({
    "tool_name", "toolname", "function_name", "name_of_tool", "name_of_the_tool", "your_tool",
    "example_tool", "name", "tool-name", "function-name",
})  # fmt: skip
CALL_KEYS: Final = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, *_NESTED_KEYS, "type"})
_RESERVED: Final = CALL_KEYS | _SIDE_KEYS
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

    Missing or null arguments are no arguments.
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
    return ReadCall(name, arguments)


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
    if call is None or name_key is None or argument_key is None or item[argument_key] is None:
        return None
    if known_names is not None:
        return call if call.name in known_names else None
    is_sure = argument_key in _SURE_ARGUMENTS.get(name_key, ARGUMENT_KEYS)
    typed = item.get("type") in _CALL_TYPES
    extra = item.keys() - {name_key, argument_key} - _SIDE_KEYS | item.keys() & _SHEET_KEYS
    placeholder = call.name.casefold() in _PLACEHOLDERS
    return call if (is_sure or typed) and not extra and not placeholder else None


def read_arguments(value: object) -> dict[str, Any] | None:
    """Arguments as an object; a string is read as JSON, as the native API sends it.

    Returns:
        The arguments, or None if the value is no object or not surely a whole one.
    """
    if value is None:
        return {}
    if isinstance(value, str):
        if not value.strip():
            return {}
        value = whole_json(value).value
    return dict(value) if isinstance(value, Mapping) else None


def is_definition(item: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Whether an object describes a tool instead of calling one."""
    if "input_schema" in item or "inputSchema" in item:
        return True
    if isinstance(arguments.get("properties"), Mapping) and arguments.get("type") == "object":
        return True
    if "description" in item and "arguments" not in item:
        return True
    if "arguments" in item:
        return False
    return bool(arguments) and all(_describes_type(value) for value in arguments.values())


def _describes_type(value: object) -> bool:
    stated = value.get("type") if isinstance(value, Mapping) else value
    return isinstance(stated, str) and stated.casefold() in _SCHEMA_TYPES


def _unnested(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The inner object of `{"type": "function", "function": {...}}` and its like."""
    for key in _NESTED_KEYS:
        inner = value.get(key)
        if isinstance(inner, Mapping) and not value.keys() - {key} - _SIDE_KEYS:
            return inner
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
    if name is None or key in _RESERVED or not isinstance(arguments, Mapping):
        return None
    return None if is_definition(item, arguments) else ReadCall(name, dict(arguments))
