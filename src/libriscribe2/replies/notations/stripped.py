"""Calls whose tokens were taken out on their way, or stand in a form of their own.

A tool's name among marks, tokens and words that name formats, and its arguments behind it:
`functions.search:0{...}`, `to=functions.search json {...}`, `>>>search`, `search[ARGS]{...}`,
`<function=search={...}</function>`, `search` before `<arg_key>`.
"""

import re
from collections.abc import Mapping
from typing import Final

from libriscribe2.replies.call_elements import NAMESPACE, PARAMETER_WORDS, grammar_of
from libriscribe2.replies.call_objects import (
    ARGUMENT_KEYS,
    CUT_OFF,
    NAME_KEYS,
    clean_name,
    is_definition,
    json_at,
    marked_call,
    named_call,
)
from libriscribe2.replies.call_source import TAG_START, Found, Source, ToolFormat, passed
from libriscribe2.replies.notations.tags import read_glm_call, read_named

_ELEMENT: Final = rf"<{NAMESPACE}(?:arg_key>|(?i:{PARAMETER_WORDS})[ \t]*[ =])"
_TEXT: Final = r"[\w \t.,:=<>()\[\]/|｜▁\"'-]"
_HEAD: Final = re.compile(
    rf"(?P<words>(?![\s\"'|-]|>(?!>>)|\[\s*[\[{{\"\]]){_TEXT}{{1,90}}+(?:\n{_TEXT}{{0,24}}+){{0,2}}+)(?:`{{3}}\w*+\s)?\[?(?=\{{)"
    rf"|(?P<name>[\w.<>/=\"' -]{{1,80}}?)\s{{0,3}}(?={_ELEMENT})"
)
_PLACE: Final = r"(?m:^)|(?<=[}>])|(?=<\|)|(?=(?:assistant)?commentary[ \t]+to=)"
OPENER: Final = rf"(?:{_PLACE})(?={_HEAD.pattern})".replace("?P<words>", "?:").replace(
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
_CLOSING: Final = (
    r"</\w*(?:call|func|tool|action|invoke|param|arg)\w*\s*>|<[|｜][^<>\n]{1,60}[|｜]>"
)
_CLOSER: Final = re.compile(_CLOSING)
_TAIL: Final = re.compile(rf"(?:\s*(?:[)\]>]|/>|`{{3}}|{_CLOSING}|{_TOKEN}))*+")


def read_stripped(
    source: Source, start: int, _body: int = 0, *, alone: bool = False
) -> Found | None:
    """The call of a known tool; None where anything else stands among the marks.

    Args:
        source: The reply.
        start: Where the marks or the name begin.
        alone: Whether nothing else is in the reply: no mark has to tell then that it is a call.
    """
    head = _HEAD.match(source.text, start)
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
    if not (alone or is_marked or _CLOSER.search(text, behind, end)):
        return None
    if name is not None:
        defines = isinstance(value, Mapping) and is_definition({}, value)
        return None if defines else named_call(name, value, end)
    call = marked_call(value) if alone else None
    return Found(end, (call,)) if call is not None and call.name in source.tools else None


NOTATIONS: Final = (
    ToolFormat("stripped", OPENER, read_stripped, rank=1_000, begins=rf"{_PLACE}|{TAG_START}"),
)
