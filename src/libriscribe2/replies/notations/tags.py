"""Calls in tags: of a tool's name, between two marks, or named by the tag itself."""

import re
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.replies.call_elements import (
    NAMESPACE,
    TAG_OPENER,
    Frame,
    Grammar,
    grammar_of,
    lacks_nothing,
    next_begins,
    read_elements,
    value_end,
)
from libriscribe2.replies.call_objects import (
    CUT_OFF,
    TWICE,
    UNBALANCED,
    add_argument,
    clean_name,
    is_definition,
    json_at,
    json_region,
    named_call,
    read_json_call,
    typed_value,
)
from libriscribe2.replies.call_source import (
    CONTROL,
    TAG_START,
    Found,
    ReadCall,
    Source,
    ToolFormat,
    after_space,
    no_call,
    passed,
)
from libriscribe2.replies.normalise import attributes_of
from libriscribe2.replies.notations.lines import code_end, read_python_calls

_ATTRIBUTE: Final = re.compile(
    r"""\bname\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s<>"'/]+))|^<[^\s=<>]+\s*=\s*["']?([^<>"']+)""",
    re.IGNORECASE,
)
_IS_STRING: Final = re.compile(r"""\bstring\s*=\s*["']true["']""", re.IGNORECASE)


def read_tag_call(source: Source, start: int, body: int) -> Found | None:
    """One call from its opening tag; None where the tag stands in prose."""
    text = source.text
    tag = text[start:body]
    name = clean_name(_attribute_name(tag))
    if name is None:
        return None
    if tag.endswith("/>"):
        given = attributes_of(tag)
        given.pop("name", None)
        typed = {key: _value(source, name, key, "", text) for key, text in given.items()}
        return Found(body, (ReadCall(name, typed),))
    place = after_space(text, body)
    if text[place : place + 1] == "{":
        return read_json_call(source, name, place, grammar_of(tag).closer)
    return read_parameters(source, grammar_of(tag), name, place, tag)


def _attribute_name(tag: str) -> str:
    """The value of a tag's `name` attribute, or what follows `=` in `<function=f>`, or ""."""
    match = _ATTRIBUTE.search(tag)
    groups = match.groups() if match else ()
    return next((group.strip() for group in groups if group is not None), "")


def read_parameters(
    source: Source, grammar: Grammar, name: str, place: int, tag: str = "<function>"
) -> Found | None:
    """One call from its parameters on, which begin at `place` behind its opening tag."""
    text = source.text
    arguments: dict[str, Any] = {}
    while (opening := grammar.parameter.match(text, place)) is not None:
        closing = value_end(source, grammar, opening.end())
        if closing is None:
            return Found(len(text), issue=UNBALANCED)
        end, place = closing
        key = _attribute_name(opening[0])
        value = _value(source, name, key, opening[0], text[opening.end() : end])
        if not add_argument(arguments, key, value):
            return Found(len(text), issue=TWICE)
        place = after_space(text, place)
    closer = grammar.closer.match(text, place)
    if closer is not None:
        return Found(closer.end(), (ReadCall(name, arguments),))
    if place == len(text):
        call = ReadCall(name, arguments)
        whole = lacks_nothing(source, call, place)
        return Found(place, (call,)) if whole else Found(place, issue=CUT_OFF)
    if not arguments and text[place] == "<":
        return read_elements(source, name, place, Frame(re.compile(re.escape(tag)), grammar.closer))
    went_on = next_begins(text, place)
    return Found(place, (ReadCall(name, arguments),)) if arguments and went_on else None


def _value(source: Source, tool: str, key: str, tag: str, text: str) -> Any:
    if _IS_STRING.search(tag):
        return typed_value(text, {"type": "string"})
    return typed_value(text, source.property_schema(tool, key))


LEGACY_OPENER: Final = rf"(?i:<{NAMESPACE}invoke\s*>\s*<tool_name>)"
_LEGACY_NAME: Final = re.compile(r"\s*([^\s<>]+)\s*</tool_name>\s*<parameters>\s*", re.IGNORECASE)
_LEGACY_END: Final = re.compile(rf"</parameters>\s*</{NAMESPACE}invoke\s*>", re.IGNORECASE)
_LEGACY_FRAME: Final = Frame(re.compile("<tool_name>", re.IGNORECASE), _LEGACY_END)


def read_legacy_invoke(source: Source, _start: int, body: int) -> Found | None:
    """One call from its opening tags; None where they stand in prose."""
    head = _LEGACY_NAME.match(source.text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    found = read_elements(source, name, head.end(), _LEGACY_FRAME)
    return found or Found(len(source.text), issue=UNBALANCED)


_HEAD: Final = re.compile(
    r"\s*<(?:tool_)?name>\s*([^\s<>]+)\s*</(?:tool_)?name>\s*"
    r"<(?:arguments|parameters|args|input)>\s*(?=[{<])"
)
_TAIL: Final = re.compile(r"\s*(?:</(?:arguments|parameters|args|input)>\s*)(?:</[\w:]+>)?")
_CHILD_FRAME: Final = Frame(re.compile(r"<(?:arguments|parameters|args|input)>"), _TAIL)


def read_child_tags(source: Source, body: int) -> Found | None:
    """The call behind an opening wrapper, or None if it is not in this form."""
    head = _HEAD.match(source.text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    if source.text[head.end()] == "<":
        return _elements(source, name, head.end())
    value, end = json_at(source, head.end())
    tail = _TAIL.match(source.text, end) if end >= 0 else None
    if tail is None:
        return Found(len(source.text), issue=CUT_OFF)
    return named_call(name, value, tail.end())


def _elements(source: Source, name: str, place: int) -> Found | None:
    found = read_elements(source, name, place, _CHILD_FRAME)
    defines = found is not None and any(is_definition({}, call.arguments) for call in found.calls)
    return None if defines else found


_GLM_NAME: Final = r"[^\s<>{}\[\]()]+"
_OPENER: Final = rf"<{NAMESPACE}arg_key>"
_GLM_END: Final = rf"</{NAMESPACE}tool_call\w{{0,8}}>"
_GLM_HEAD: Final = re.compile(
    rf"\s?({_GLM_NAME})(?:\s*(?={_OPENER})|\n?(?={_GLM_END})|\s*<tool_sep>\s*)"
)
_KEY: Final = re.compile(
    rf"{_OPENER}([^<]*)(?:</{NAMESPACE}arg_key>\s*)+"
    rf"(?:<{NAMESPACE}arg_type>[^<]*</{NAMESPACE}arg_type>\s*)?<{NAMESPACE}arg_value>"
)
_VALUE_END: Final = re.compile(
    rf"</{NAMESPACE}arg_value>(?=\s*(?:{_OPENER}|<{NAMESPACE}tool_call>|{_GLM_END}|\Z))"
    rf"|(?={_GLM_END}\s*(?:\Z|<{NAMESPACE}tool_call>))"
)
_CLOSER: Final = re.compile(_GLM_END)


def read_glm_call(source: Source, body: int) -> Found | None:
    """The call behind `<tool_call>`, or None if it is not in this form."""
    text = source.text
    head = _GLM_HEAD.match(text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    arguments: dict[str, Any] = {}
    place = head.end()
    while (key := _KEY.match(text, place)) is not None:
        value_end = source.search(_VALUE_END, key.end())
        if value_end is None:
            return Found(len(text), issue=CUT_OFF)
        parameter = key[1].strip()
        schema = source.property_schema(name, parameter)
        value = typed_value(text[key.end() : value_end.start()], schema)
        if not add_argument(arguments, parameter, value):
            return Found(len(text), issue=TWICE)
        place = after_space(text, value_end.end())
    closer = _CLOSER.match(text, place)
    call = ReadCall(name, arguments)
    whole = arguments and _INNER_WRAPPER.match(text, place) is not None
    if closer is not None or whole or lacks_nothing(source, call, place):
        return Found(closer.end() if closer else place, (call,))
    return Found(len(text), issue=CUT_OFF)


_WORDS: Final = (
    r"(?:function_calls|tool_calls?|function_call|functioncall|tool_use|toolcall|tool_code)"
)
WRAPPER_OPENER: Final = rf"(?i:<{NAMESPACE}{_WORDS}\s*>)"
WRAPPER_CLOSER: Final = rf"(?i:</{NAMESPACE}{_WORDS}\s*>)"
_INNER_TAG: Final = re.compile(f"{TAG_OPENER}|{LEGACY_OPENER}")
_INNER_WRAPPER: Final = re.compile(WRAPPER_OPENER)
_NAME: Final = re.compile(r"\s*([\w.\-/:]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\]\s*)?(?=\{)")
_CALL_OF_NAME: Final = re.compile(r"(?:\[\s*)?[A-Za-z_][\w.]*\(")


@dataclass(frozen=True, slots=True)
class Region:
    """One row: what opens, closes and begins it (patterns without capturing groups)."""

    name: str
    opener: str
    closer: str
    begins: str = TAG_START


REGIONS: Final = (
    Region("wrapper_tags", WRAPPER_OPENER, WRAPPER_CLOSER),
    Region("tool_element", r"(?i:<tool>(?=\s*<(?:tool_)?name>))", r"(?i:</tool>)"),
    Region("tool_call_token", r"<\|tool_call\|>", r"<\|/tool_call\|>"),
    Region("tool_call_start", r"<\|tool_call_start\|>", r"<\|tool_call_end\|>"),
    Region("internlm", r"<\|action_start\|>\s*<\|plugin\|>", r"<\|action_end\|>"),
    Region("cohere", r"<\|START_ACTION\|>", r"<\|END_ACTION\|>"),
    Region("apertus", r"<\|tools_prefix\|>", r"<\|tools_suffix\|>"),
    Region("mistral", r"\[TOOL_CALLS\]", r"\s*(?:\[/TOOL_CALLS\]|</s>)|\Z", r"\["),
    Region("python_tag", r"<\|python_tag\|>", r"\s*<\|(?:eom_id|eot_id)\|>|\Z"),
    Region("functools", r"\bfunctools(?=\s*\[\s*\{)", r"\Z", "functools"),
    Region("llama4", r"<\|python_start\|>", r"<\|python_end\|>"),
)


def region_format(region: Region) -> ToolFormat:
    """The tool format of one row."""
    closer = re.compile(region.closer)

    def read(source: Source, _start: int, body: int) -> Found | None:
        return (
            _wrapper(source, body)
            or json_region_or_python(source, body, closer)
            or read_glm_call(source, body)
            or read_child_tags(source, body)
            or _named(source, body, closer)
        )

    return ToolFormat(region.name, region.opener, read, rank=30, begins=region.begins)


def json_region_or_python(source: Source, body: int, closer: re.Pattern[str]) -> Found | None:
    """A region that holds JSON, or calls in Python's spelling."""
    place = after_space(source.text, body)
    if _CALL_OF_NAME.match(source.text, place) is None:
        return json_region(source, body, closer)
    end = code_end(source.text, place)
    if end < 0:
        return Found(len(source.text), issue=CUT_OFF)
    calls = read_python_calls(source, source.text[place:end])
    after = max(end, passed(closer, source.text, after_space(source.text, end)))
    if not calls:
        return Found(after, issue="A tool call could not be read; use literal keyword arguments.")
    return Found(after, calls)


def _named(source: Source, body: int, closer: re.Pattern[str]) -> Found | None:
    """A tool's name and its arguments as JSON, as in `<tool_call>search {...}</tool_call>`."""
    head = _NAME.match(source.text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    return read_json_call(source, name, head.end(), closer)


def _wrapper(source: Source, body: int) -> Found | None:
    """A wrapper around other tags: it ends at once, and what it holds is read on its own."""
    place = after_space(source.text, body)
    inside = _INNER_TAG.match(source.text, place) or _INNER_WRAPPER.match(source.text, place)
    own = _OWN_TAG.match(source.text, place)
    known = own is not None and own[0][1:-1] in source.tools
    return Found(body) if inside is not None or known else None


OWN_TAG_OPENER: Final = r"<[A-Za-z_][\w.\-]{0,127}>(?=\s*(?:</?[A-Za-z_]|\{))"
_OWN_TAG: Final = re.compile(OWN_TAG_OPENER)


def read_own_tag(source: Source, start: int, body: int) -> Found | None:
    """One call from its opening tag; None for tags that are no tool's, or that stand in prose."""
    name = source.text[start + 1 : body - 1]
    if name not in source.tools:
        return None
    place = after_space(source.text, body)
    if source.text.startswith("</", place) and source.schemas.get(name, {}).get("required"):
        return None
    frame = Frame(re.compile(f"<{re.escape(name)}>"), re.compile(f"</{re.escape(name)}>"))
    if source.text[place] == "{":
        return read_json_call(source, name, place, frame.closer)
    found = read_elements(source, name, place, frame)
    if found is not None and found.calls and _is_open(source, name, found.end):
        return Found(len(source.text), issue=UNBALANCED)
    return found


def _is_open(source: Source, name: str, end: int) -> bool:
    """Whether the tool's tag is closed once more: what closed the call belonged to a value."""
    edge = source.search(re.compile(rf"<(?P<slash>/)?{re.escape(name)}>"), end)
    return edge is not None and edge["slash"] is not None


NOTATIONS: Final = (
    ToolFormat("named_tags", TAG_OPENER, read_tag_call, rank=10),
    ToolFormat("legacy_invoke", LEGACY_OPENER, read_legacy_invoke, rank=20),
    *(region_format(region) for region in REGIONS),
    ToolFormat("wrapper_closer", WRAPPER_CLOSER, no_call, rank=CONTROL),
    ToolFormat("own_tags", OWN_TAG_OPENER, read_own_tag, rank=160),
)
