r"""GLM's calls: a name, then keys and values in tags of their own.

`<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>`
"""

import re
from typing import Any, Final

from libriscribe2.parsing.tool_formats.call_objects import clean_name
from libriscribe2.parsing.tool_formats.json_values import CUT_OFF
from libriscribe2.parsing.tool_formats.reading import Found, ReadCall, Source, after_space
from libriscribe2.parsing.tool_formats.typed_values import typed_value

_NAME: Final = r"[^\s<>{}\[\]()]+"
_HEAD: Final = re.compile(rf"\s?({_NAME})(?:\s*(?=<arg_key>)|\n?(?=</tool_call>))")
_KEY: Final = re.compile(r"<arg_key>([^<]*)</arg_key>\s*<arg_value>")
_VALUE_END: Final = re.compile(r"</arg_value>(?=\s*(?:<arg_key>|</tool_call>|\Z))")
_CLOSER: Final = re.compile(r"</tool_call>")


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
        arguments[parameter] = typed_value(text[key.end() : value_end.start()], schema)
        place = after_space(text, value_end.end())
    closer = _CLOSER.match(text, place)
    if closer is None:
        return Found(len(text), issue=CUT_OFF)
    return Found(closer.end(), (ReadCall(name, arguments),))
