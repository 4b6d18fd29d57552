"""Calls between or behind control tokens, one section for each family of models.

The last one reads what is left where a server took the tokens out: a tool's name among marks and
words that name formats, and its arguments behind it, as in `functions.search:0{...}`,
`to=functions.search json {...}`, `>>>search`, `search[ARGS]{...}`, `<function=search={...}</function>`,
`search` before `<arg_key>`.
"""

import json
import re
from dataclasses import replace
from typing import Any, Final

from libriscribe2.replies.call_elements import (
    NAMESPACE,
    PARAMETER_WORDS,
    TAG_OPENER,
    Grammar,
    attribute_name,
    attributes_of,
    grammar_of,
    read_parameters,
)
from libriscribe2.replies.call_objects import (
    ARGUMENT_KEYS,
    CUT_OFF,
    NAME_KEYS,
    UNBALANCED,
    clean_name,
    is_definition,
    json_at,
    json_region,
    marked_call,
    named_call,
    read_json_call,
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
    passed,
)
from libriscribe2.replies.notations.tags import WRAPPER_OPENER, read_glm_call, read_named
from libriscribe2.replies.schema_fit import properties_of, resolve
from libriscribe2.replies.strict_json import strict_parse

_BAR: Final = "[|｜]"
_GAP: Final = "[_▁: ]"
CALL_BEGIN: Final = rf"<{_BAR}tool{_GAP}call{_GAP}begin{_BAR}>"
CONTROL_TOKENS: Final = (
    rf"<{_BAR}tool{_GAP}calls(?:{_GAP}section)?{_GAP}(?:begin|end){_BAR}>"
    rf"|<{_BAR}tool{_GAP}(?:call{_GAP}end|sep){_BAR}>|<\|(?:open|close)\|>tools<\|sep\|>"
    r"|<\|(?:eot_id|eom_id|eot|eom|im_end|endoftext|end|return|call)\|>|</s>|<｜end▁of▁sentence｜>"
)
_CALL_END: Final = re.compile(rf"\s*(?:`{{3,}}\s*)?<{_BAR}tool{_GAP}call{_GAP}end{_BAR}>")
_HEAD: Final = re.compile(
    rf"\s*(?:[^\s<>{{}}]*<\|tool_call:name\|>)?([^\s<>{{}}]+)\s*"
    rf"<{_BAR}(?:tool{_GAP}sep|tool{_GAP}call{_GAP}arg(?:s|ument{_GAP}begin)){_BAR}>"
)
_NAME_LINE: Final = re.compile(r"[ \t]*([^\s<>{}`]+)\s*")
_TICKS: Final = re.compile(r"\s*`{3,}(?:json)?\s*")
_INVOKE: Final = re.compile(TAG_OPENER)
_NUMBER: Final = re.compile(r":\d+$")


def read_token_call(source: Source, _start: int, body: int) -> Found | None:
    """One call behind a begin token."""
    text = source.text
    head = _HEAD.match(text, body)
    if head is None:
        return json_region(source, body, _CALL_END) or _cut_head(source, body)
    name, place = head[1], head.end()
    start = after_space(text, place)
    if _INVOKE.match(text, start):
        return Found(start)
    if text[start : start + 1] not in {"{", "`"}:
        line = _NAME_LINE.match(text, place)
        if line is None:
            return Found(len(text), issue=CUT_OFF)
        name, place = line[1], line.end()
    place = after_space(text, passed(_TICKS, text, place))
    return read_json_call(source, clean_name(_NUMBER.sub("", name)), place, _CALL_END)


def _cut_head(source: Source, body: int) -> Found | None:
    """A begin token whose call has no end is cut off; one in running text is prose."""
    is_cut = source.search(_CALL_END, body) is None and len(source.text) - body < 200
    return Found(len(source.text), issue=CUT_OFF) if is_cut else None


_GEMMA_HEAD: Final = re.compile(r"\s*:?call:([^\s{}()<>]+)\s*(?=[{(])")
_EDGE: Final = re.compile(
    r"""(?P<quote><escape>|<\|"\|>)|<end_function_call>|<(?:tool_call|turn)\|>"""
)
_BARE_KEY: Final = re.compile(r"([{(,]\s*)([A-Za-z_][\w.-]*)\s*[:=]")


def read_gemma_call(source: Source, _start: int, body: int) -> Found | None:
    """One call behind its opening token."""
    head = _GEMMA_HEAD.match(source.text, body)
    if head is None:
        return None
    pieces: list[str] = []
    place, in_text = head.end(), False
    for edge in _EDGE.finditer(source.text, head.end()):
        if edge["quote"] is not None:
            pieces.append(source.text[place : edge.start()])
            place, in_text = edge.end(), not in_text
        elif not in_text:
            pieces.append(source.text[place : edge.start()])
            return _gemma_call(head[1], pieces, edge.end())
    return Found(len(source.text), issue=CUT_OFF)


def _gemma_call(raw_name: str, pieces: list[str], end: int) -> Found:
    """The call from its pieces: structure at even places, texts at odd ones."""
    written = "".join(
        json.dumps(piece) if index % 2 else _BARE_KEY.sub(r'\1"\2":', piece)
        for index, piece in enumerate(pieces)
    ).strip()
    if written.startswith("(") and written.endswith(")"):
        written = f"{{{written[1:-1]}}}"
    parsed = strict_parse(written)
    value = parsed.value if parsed.end == len(written) else None
    return named_call(clean_name(raw_name), value, end)


_K3: Final = Grammar(
    closer=re.compile(r"<\|close\|>call<\|sep\|>"),
    parameter=re.compile(r"<\|open\|>(?:argument|json)\b[^<>]*<\|sep\|>"),
    edge=r"<\|(?:open|(?P<slash>close))\|>(?:(?P<call>call)|argument|json)\b[^<>]*<\|sep\|>",
)


def read_k3_call(source: Source, start: int, body: int) -> Found | None:
    """One call from its opening element; None if it names no tool."""
    name = clean_name(attributes_of(source.text[start:body]).get("tool"))
    if name is None:
        return None
    found = read_parameters(source, _K3, name, after_space(source.text, body))
    return replace(found, calls=()) if found.issue else found


_MARK: Final = re.escape("]<]minimax[>[")
_M3: Final = Grammar(
    closer=re.compile(rf"{_MARK}</invoke>"),
    parameter=re.compile(rf"{_MARK}<([\w.\-]+)>"),
    edge=rf"{_MARK}<(?P<slash>/)?(?:KEY|(?P<call>invoke)\b[^<>]*)>",
)
_STEPS: Final = 500
_MAX_DEPTH: Final = 64
_CHILD: Final = re.compile(rf"\s*{_MARK}<([\w.\-]+)>(.*?){_MARK}</\1>\s*", re.DOTALL)


def read_m3_call(source: Source, start: int, body: int) -> Found:
    """One call, whose values may be elements themselves."""
    name = clean_name(attribute_name(source.text[start:body])) or ""
    found = read_parameters(source, _M3, name, after_space(source.text, body))
    if found.issue or not name:
        return Found(len(source.text), issue=found.issue or "A tool call has no name.")
    marks = len(re.findall(_MARK, source.text[start : found.end]))
    if not source.spend(marks * (found.end - start) // _STEPS):
        return Found(len(source.text), issue=UNBALANCED)
    given = found.calls[0].arguments.items()
    call = ReadCall(
        name, {key: _nested(one, source.parameters(name).get(key)) for key, one in given}
    )
    if re.search(_MARK, str(call.arguments)):
        return Found(found.end, issue=UNBALANCED)
    return Found(found.end, (call,))


def _nested(value: Any, schema: Any, depth: int = 0) -> Any:
    """The list or the object that elements are; anything else as it is."""
    if (
        depth > _MAX_DEPTH
        or not isinstance(value, str)
        or not re.match(_MARK, value)
        or _CHILD.sub("", value)
    ):
        return value
    node, children = resolve(schema, {}), _CHILD.findall(value)
    if all(word == "item" for word, _ in children):
        kind = node.get("items")
        return [_nested(typed_value(one, kind), kind, depth + 1) for _, one in children]
    kinds = properties_of(node)
    return {
        word: _nested(typed_value(one, kinds.get(word)), kinds.get(word), depth + 1)
        for word, one in children
    }


# A reply may begin behind `<|start|>assistant`, which the prompt ended with.
HARMONY_OPENER: Final = r"<\|start\|>|<\|channel\|>|\A\s*to=(?=[^\s<>]+\s*<\|)"
# Possessive: a run of text could otherwise be split in millions of ways.
_HARMONY_HEAD: Final = re.compile(
    r"(?:<\|start\|>)?+(?:[^<>|]{0,200}+(?:<\|(?:channel|constrain)\|>)?+){1,4}+<\|message\|>"
)
_PERSONS: Final = frozenset({"user", "assistant", "all", "self"})
_RECIPIENT: Final = re.compile(r"\bto=([^\s<>]+)")
_MESSAGE_END: Final = re.compile(r"<\|(?:call|end|return|eom|eot)\|>|(?=<\|start\|>)")
_INNER_TAGS: Final = re.compile(f"{WRAPPER_OPENER}|{TAG_OPENER}")
_HARMONY_END: Final = re.compile(r"\s*<\|(?:call|end)\|>")


def read_harmony(source: Source, start: int, _body: int) -> Found | None:
    """One message: a call if it is addressed to a tool, else text for the user or thoughts."""
    head = _HARMONY_HEAD.match(source.text, start)
    if head is None:
        return None
    address = _RECIPIENT.search(head[0])
    recipient = address[1] if address is not None else "user"
    if recipient not in _PERSONS:
        return _harmony_call(source, clean_name(recipient), head.end())
    body_end, after = _until(source, _MESSAGE_END, head.end())
    shown = "assistant" in head[0] or not head[0].startswith("<|start|>")
    is_text = shown and "analysis" not in head[0] and recipient == "user"
    return Found(after, text=source.text[head.end() : body_end].strip() if is_text else "")


def _until(source: Source, closer: re.Pattern[str], start: int) -> tuple[int, int]:
    """Where a closer begins and ends; both are the end of the reply where it is missing."""
    closing = source.search(closer, start)
    return closing.span() if closing else (len(source.text), len(source.text))


def _harmony_call(source: Source, name: str | None, body: int) -> Found:
    text = source.text
    place = after_space(text, body)
    if _INNER_TAGS.match(text, place):
        return Found(place)
    if text[place : place + 1] != "{":
        _, after = _until(source, _MESSAGE_END, place)
        return Found(after, issue="A tool call whose arguments are not a JSON object.")
    return read_json_call(source, name, place, _HARMONY_END)


_COHERE_END: Final = re.compile(r"<\|END_(?:TEXT|RESPONSE)\|>")


def read_cohere_text(source: Source, _start: int, body: int) -> Found:
    """What is said to the user; the closing token may be missing."""
    text_end, after = _until(source, _COHERE_END, body)
    return Found(after, text=source.text[body:text_end].strip())


_ARGUMENT: Final = rf"<{NAMESPACE}(?:arg_key>|(?i:{PARAMETER_WORDS})[ \t]*[ =])"
_TEXT: Final = r"[\w \t.,:=<>()\[\]/|｜▁\"'-]"
_LEFT_HEAD: Final = re.compile(
    rf"(?P<words>(?![\s\"'|-]|>(?!>>)|\[\s*[\[{{\"\]]){_TEXT}{{1,90}}+(?:\n{_TEXT}{{0,24}}+){{0,2}}+)(?:`{{3}}\w*+\s)?\[?(?=\{{)"
    rf"|(?P<name>[\w.<>/=\"' -]{{1,80}}?)\s{{0,3}}(?={_ARGUMENT})"
)
_PLACE: Final = r"(?m:^)|(?<=[}>])|(?=<\|)|(?=(?:assistant)?commentary[ \t]+to=)"
OPENER: Final = rf"(?:{_PLACE})(?={_LEFT_HEAD.pattern})".replace("?P<words>", "?:").replace(
    "?P<name>", "?:"
)
_TOKEN: Final = r"<[|｜][^<>\n]{1,60}[|｜]>|\[CALL_ID\]\s*[\w-]+|\[/?[A-Z_]{3,20}\]"
_SIGN: Final = re.compile(rf"{_TOKEN}|:\d{{1,3}}(?!\w)|</?|>+|=[\"']?(?=[\w.-])|[\"'](?=>)")
_WORD: Final = re.compile(r"[^\W_][\w.\-]*")
_MARKS: Final = re.compile(r"[\s:,()\[\]/]*=?[\s:,()\[\]]*")
_FORMAT: Final = re.compile(
    r"(?i:assistant|(?:assistant)?commentary|analysis|code|json|to|invoke|recipient|calls?|(?:tool|function)(?:[ _-]?calls?)?s?"
    rf"|{'|'.join((*NAME_KEYS, *ARGUMENT_KEYS))})"
)
_CLOSER: Final = r"</\w*(?:call|func|tool|action|invoke|param|arg)\w*\s*>"
_TAIL: Final = re.compile(rf"(?:\s*(?:[)\]>]|/>|`{{3}}|{_CLOSER}|{_TOKEN}))*+")


def read_stripped(
    source: Source, start: int, _body: int = 0, *, alone: bool = False
) -> Found | None:
    """The call of a known tool; None where anything else stands among the marks.

    Args:
        source: The reply.
        start: Where the marks or the name begin.
        alone: Whether nothing else is in the reply: no mark has to tell then that it is a call.
    """
    head = _LEFT_HEAD.match(source.text, start)
    if head is None or not source.tools:
        return None
    written = head["words"] or head["name"]
    plain = _SIGN.sub(" ", written)
    words = _WORD.findall(plain)
    names = [word for word in words if clean_name(word) in source.tools]
    others = [word for word in words if word not in names]
    if len(set(names)) > 1 or not words or not all(map(_FORMAT.fullmatch, others)):
        return None
    if _MARKS.fullmatch(_WORD.sub("", plain)) is None:
        return None
    name = clean_name(names[0]) if names else None
    if head["name"]:
        if name is None:
            return None
        grammar = grammar_of("<invoke" if "invoke" in others else "<function")
        found = read_glm_call(source, start + written.rfind(names[0]))
        return found or read_named(source, grammar, name, head.end())
    is_marked = _SIGN.search(written) is not None or any(clean_name(one) != one for one in names)
    return _with_object(source, name, head.end(), alone=alone, is_marked=is_marked and bool(names))


def _with_object(
    source: Source, name: str | None, place: int, *, alone: bool, is_marked: bool
) -> Found | None:
    text = source.text
    value, end = json_at(source, place)
    if end < 0:
        return Found(len(text), issue=CUT_OFF) if is_marked else None
    behind, end = end, passed(_TAIL, text, end)
    if not (alone or is_marked or re.search(_CLOSER, text[behind:end])):
        return None
    if name is not None:
        defines = isinstance(value, dict) and is_definition({}, value)
        return None if defines else named_call(name, value, end)
    call = marked_call(value) if alone else None
    return Found(end, (call,)) if call is not None and call.name in source.tools else None


NOTATIONS: Final = (
    ToolFormat("call_tokens", CALL_BEGIN, read_token_call, rank=60),
    ToolFormat("gemma", r"<start_function_call>|<\|tool_call>", read_gemma_call, rank=70),
    control_token("control_tokens", CONTROL_TOKENS),
    ToolFormat("kimi_k3", r"<\|open\|>call\s[^<>]*<\|sep\|>", read_k3_call, rank=40),
    ToolFormat("minimax_m3", rf"{_MARK}<invoke\b[^<>]*>", read_m3_call, rank=50, begins=r"\]"),
    control_token("minimax_m3_edge", rf"{_MARK}</?tool_call>", r"\]"),
    ToolFormat("harmony", HARMONY_OPENER, read_harmony, rank=120, begins=rf"{TAG_START}|(?m:^)"),
    ToolFormat("cohere_text", r"<\|START_(?:TEXT|RESPONSE)\|>", read_cohere_text, rank=110),
    ToolFormat("stripped", OPENER, read_stripped, rank=1_000, begins=rf"{_PLACE}|{TAG_START}"),
)
