r"""GLM's calls: a name, then keys and values in tags of their own.

`<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>`; LongCat and K2 Horizon
put a namespace before the words, K2 Horizon adds the type, and Hy3 has `<tool_sep>` behind the name.
"""

import re
from typing import Any, Final

from libriscribe2.parsing.tool_formats.call_objects import clean_name
from libriscribe2.parsing.tool_formats.json_values import CUT_OFF, TWICE
from libriscribe2.parsing.tool_formats.reading import Found, ReadCall, Source, after_space
from libriscribe2.parsing.tool_formats.tag_grammar import NAMESPACE
from libriscribe2.parsing.tool_formats.typed_values import add_argument, typed_value

_NAME: Final = r"[^\s<>{}\[\]()]+"
_OPENER: Final = rf"<{NAMESPACE}arg_key>"
_END: Final = rf"</{NAMESPACE}tool_call>"
_HEAD: Final = re.compile(rf"\s?({_NAME})(?:\s*(?={_OPENER})|\n?(?={_END})|\s*<tool_sep>\s*)")
_KEY: Final = re.compile(
    rf"{_OPENER}([^<]*)</{NAMESPACE}arg_key>\s*"
    rf"(?:<{NAMESPACE}arg_type>[^<]*</{NAMESPACE}arg_type>\s*)?<{NAMESPACE}arg_value>"
)
_VALUE_END: Final = re.compile(rf"</{NAMESPACE}arg_value>(?=\s*(?:{_OPENER}|{_END}|\Z))")
_CLOSER: Final = re.compile(_END)


def read_glm_call(source: Source, body: int) -> Found | None:
    """The call behind `<tool_call>`, or None if it is not in this form."""
    text = source.text
    head = _HEAD.match(text, body)
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
    if closer is None:
        return Found(len(text), issue=CUT_OFF)
    return Found(closer.end(), (ReadCall(name, arguments),))
