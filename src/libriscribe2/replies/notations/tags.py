"""Calls in tags: of a tool's name, between two marks, or named by the tag itself."""

import re
from dataclasses import replace
from typing import Final

from libriscribe2.replies.call_elements import (
    CALL_WORDS,
    NAMESPACE,
    TAG_OPENER,
    Grammar,
    attribute_name,
    attributes_of,
    elements_in,
    grammar_of,
    next_begins,
    read_elements,
    read_parameters,
)
from libriscribe2.replies.call_objects import (
    CUT_OFF,
    UNBALANCED,
    clean_name,
    closed,
    is_definition,
    json_at,
    json_region,
    named_call,
    read_json_call,
    read_named_json,
    typed_value,
)
from libriscribe2.replies.call_source import (
    TAG_START,
    Found,
    ReadCall,
    Source,
    ToolFormat,
    after_space,
    control_token,
)
from libriscribe2.replies.notations.lines import code_end, read_python_calls


def read_tag_call(source: Source, start: int, body: int) -> Found | None:
    """One call from its opening tag; None where the tag stands in prose."""
    text = source.text
    tag = text[start:body]
    name = clean_name(attribute_name(tag))
    if name is None:
        return None
    if tag.endswith("/>"):
        given = attributes_of(tag).items()
        typed = {key: typed_value(one, source.parameters(name).get(key)) for key, one in given}
        typed.pop("name", None)
        return Found(body, (ReadCall(name, typed),))
    grammar = grammar_of(tag)
    place = after_space(text, body)
    if text[place : place + 1] == "{":
        return read_json_call(source, name, place, grammar.closer)
    return read_named(source, grammar, name, place)


def read_named(source: Source, grammar: Grammar, name: str, place: int) -> Found | None:
    """The call of a name with parameters, or with elements in their place."""
    found = read_parameters(source, grammar, name, place)
    if not (found.calls and found.issue):
        return found
    if found.calls[0].arguments:
        issue = "" if next_begins(source.text, found.end) else UNBALANCED
        return Found(found.end, () if issue else found.calls, issue=issue)
    elements = elements_in(rf"{CALL_WORDS}[^<>]*", grammar.closer)
    return read_elements(source, elements, name, place)


_ARGUMENTS: Final = r"(?:arguments|parameters|args|input)"
_HEAD: Final = re.compile(
    rf"\s*<(?:tool_)?name>\s*([^\s<>]+)\s*</(?:tool_)?name>\s*<{_ARGUMENTS}>\s*(?=[{{<])",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(rf"\s*</{_ARGUMENTS}>\s*(?:</[\w:]+>)?", re.IGNORECASE)
_CHILDREN: Final = elements_in(rf"{_ARGUMENTS}(?:>\s*</[\w:]+)?", _TAIL)


def read_child_tags(source: Source, body: int) -> Found | None:
    """The call behind an opening wrapper, or None if it is not in this form."""
    head = _HEAD.match(source.text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    if source.text[head.end()] == "<":
        found = read_elements(source, _CHILDREN, name, head.end())
        calls = found.calls if found else ()
        return None if any(is_definition({}, call.arguments) for call in calls) else found
    value, end = json_at(source, head.end())
    tail = _TAIL.match(source.text, end) if end >= 0 else None
    if tail is None:
        return Found(len(source.text), issue=CUT_OFF)
    return named_call(name, value, tail.end())


_GLM_NAME: Final = r"[^\s<>{}\[\]()]+"
_OPENER: Final = rf"<{NAMESPACE}arg_key>"
_GLM_END: Final = rf"</{NAMESPACE}tool_call\w{{0,8}}>"
_GLM_HEAD: Final = re.compile(
    rf"\s?({_GLM_NAME})(?:\s*(?={_OPENER})|\n?(?={_GLM_END})|\s*<tool_sep>\s*)"
)
_GLM: Final = Grammar(
    closer=re.compile(_GLM_END),
    parameter=re.compile(
        rf"{_OPENER}([^<]*)(?:</{NAMESPACE}arg_key>\s*)+"
        rf"(?:<{NAMESPACE}arg_type>[^<]*</{NAMESPACE}arg_type>\s*)?(?:<{NAMESPACE}arg_value>|(?=[^<]+</{NAMESPACE}arg_value>))"
    ),
    edge=rf"<(?P<slash>/)?{NAMESPACE}(?:(?P<call>tool_call\w{{0,8}})|arg_value)>",
)


def read_glm_call(source: Source, body: int) -> Found | None:
    """The call behind `<tool_call>`, or None if it is not in this form."""
    head = _GLM_HEAD.match(source.text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    found = read_parameters(source, _GLM, name, head.end())
    if not (found.calls and found.issue):
        return found
    whole = found.calls[0].arguments and _INNER_WRAPPER.match(source.text, found.end)
    return replace(found, issue="") if whole else Found(len(source.text), issue=CUT_OFF)


_WORDS: Final = (
    r"(?:function_calls|tool_calls?|function_call|functioncall|tool_use|toolcall|tool_code)"
)
WRAPPER_OPENER: Final = rf"(?i:<{NAMESPACE}{_WORDS}\s*>)"
WRAPPER_CLOSER: Final = rf"(?i:</{NAMESPACE}{_WORDS}\s*>)"
_PAIR: Final = rf"(?i:<{NAMESPACE}(?:invoke|tool)\s*>(?=\s*<(?:tool_)?name>))"
_INNER_TAG: Final = re.compile(f"{TAG_OPENER}|{_PAIR}")
_INNER_WRAPPER: Final = re.compile(WRAPPER_OPENER)
_NAME: Final = re.compile(r"\s*([\w.\-/:]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\]\s*)?(?=\{)")
_CALL_OF_NAME: Final = re.compile(r"(?:\[\s*)?[A-Za-z_][\w.]*\(")


def region(name: str, opener: str, closer: str, begins: str = TAG_START) -> ToolFormat:
    """One row: what opens, closes and begins a region (patterns without capturing groups)."""
    ends = re.compile(closer)

    def read(source: Source, _start: int, body: int) -> Found | None:
        return (
            _wrapper(source, body)
            or json_region_or_python(source, body, ends)
            or read_glm_call(source, body)
            or read_child_tags(source, body)
            or read_named_json(source, _NAME, body, ends)
        )

    return ToolFormat(name, opener, read, rank=30, begins=begins)


def json_region_or_python(source: Source, body: int, closer: re.Pattern[str]) -> Found | None:
    """A region that holds JSON, or calls in Python's spelling."""
    place = after_space(source.text, body)
    if _CALL_OF_NAME.match(source.text, place) is None:
        return json_region(source, body, closer)
    end = code_end(source.text, place)
    if end < 0:
        return Found(len(source.text), issue=CUT_OFF)
    calls = read_python_calls(source, source.text[place:end])
    after = closed(source, end, closer)
    if not calls:
        return Found(after, issue="A tool call could not be read; use literal keyword arguments.")
    return Found(after, calls)


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
    grammar = elements_in(re.escape(name), re.compile(f"</{re.escape(name)}>"))
    if source.text[place] == "{":
        return read_json_call(source, name, place, grammar.closer)
    found = read_elements(source, grammar, name, place)
    if found is None or not found.calls:
        return found
    edge = source.search(re.compile(rf"</?{re.escape(name)}>"), found.end)
    if edge is not None and edge[0].startswith("</"):  # what closed the call belonged to a value
        return Found(len(source.text), issue=UNBALANCED)
    return found


NOTATIONS: Final = (
    ToolFormat("named_tags", TAG_OPENER, read_tag_call, rank=10),
    region("wrapper_tags", WRAPPER_OPENER, WRAPPER_CLOSER),
    region("tool_element", _PAIR, r"(?i:</tool>)"),
    region("tool_call_token", r"<\|tool_call\|>", r"<\|/tool_call\|>"),
    region("tool_call_start", r"<\|tool_call_start\|>", r"<\|tool_call_end\|>"),
    region("internlm", r"<\|action_start\|>\s*<\|plugin\|>", r"<\|action_end\|>"),
    region("cohere", r"<\|START_ACTION\|>", r"<\|END_ACTION\|>"),
    region("apertus", r"<\|tools_prefix\|>", r"<\|tools_suffix\|>"),
    region("mistral", r"\[TOOL_CALLS\]", r"\s*(?:\[/TOOL_CALLS\]|</s>)|\Z", r"\["),
    region("python_tag", r"<\|python_tag\|>", r"\s*<\|(?:eom_id|eot_id)\|>|\Z"),
    region("functools", r"\bfunctools(?=\s*\[\s*\{)", r"\Z", "functools"),
    region("llama4", r"<\|python_start\|>", r"<\|python_end\|>"),
    control_token("wrapper_closer", WRAPPER_CLOSER),
    ToolFormat("own_tags", OWN_TAG_OPENER, read_own_tag, rank=160),
)
