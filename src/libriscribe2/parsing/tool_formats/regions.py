"""Calls between an opening and a closing mark: tags around JSON, and control tokens around it.

Hermes and Qwen `<tool_call>`, the seed's `<function_calls>`, Jamba, MiniMax and Hunyuan
`<tool_calls>`, Nemotron `<TOOLCALL>`, Granite and Phi-4 `<|tool_call|>`, InternLM `<|plugin|>`,
Cohere `<|START_ACTION|>`, Apertus `<|tools_prefix|>`, Llama 4 `<|python_start|>`, LFM2
`<|tool_call_start|>`. One row each; the reading is the same.
"""

import re
from dataclasses import dataclass
from typing import Final

from libriscribe2.parsing.tool_formats.child_tags import read_child_tags
from libriscribe2.parsing.tool_formats.glm import read_glm_call
from libriscribe2.parsing.tool_formats.json_values import CUT_OFF, json_region
from libriscribe2.parsing.tool_formats.legacy_invoke import LEGACY_OPENER
from libriscribe2.parsing.tool_formats.python_calls import code_end, read_python_calls
from libriscribe2.parsing.tool_formats.reading import Found, Source, ToolFormat, after_space
from libriscribe2.parsing.tool_formats.tag_grammar import NAMESPACE, TAG_OPENER

_WORDS: Final = (
    r"(?:function_calls|tool_calls?|function_call|functioncall|tool_use|toolcall|tool_code)"
)
WRAPPER_OPENER: Final = rf"(?i:<{NAMESPACE}{_WORDS}\s*>)"
WRAPPER_CLOSER: Final = rf"(?i:</{NAMESPACE}{_WORDS}\s*>)"
_INNER_TAG: Final = re.compile(f"{TAG_OPENER}|{LEGACY_OPENER}")
_INNER_WRAPPER: Final = re.compile(WRAPPER_OPENER)
_CALL_OF_NAME: Final = re.compile(r"(?:\[\s*)?[A-Za-z_][\w.]*\(")


@dataclass(frozen=True, slots=True)
class Region:
    """One row: what opens and what closes (patterns without capturing groups)."""

    name: str
    opener: str
    closer: str


REGIONS: Final = (
    Region("wrapper_tags", WRAPPER_OPENER, WRAPPER_CLOSER),
    Region("tool_element", r"(?i:<tool>(?=\s*<(?:tool_)?name>))", r"(?i:</tool>)"),
    Region("tool_call_token", r"<\|tool_call\|>", r"<\|/tool_call\|>"),
    Region("tool_call_start", r"<\|tool_call_start\|>", r"<\|tool_call_end\|>"),
    Region("internlm", r"<\|action_start\|>\s*<\|plugin\|>", r"<\|action_end\|>"),
    Region("cohere", r"<\|START_ACTION\|>", r"<\|END_ACTION\|>"),
    Region("apertus", r"<\|tools_prefix\|>", r"<\|tools_suffix\|>"),
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
        )

    return ToolFormat(region.name, region.opener, read)


def json_region_or_python(source: Source, body: int, closer: re.Pattern[str]) -> Found | None:
    """A region that holds JSON, or calls in Python's spelling."""
    place = after_space(source.text, body)
    if _CALL_OF_NAME.match(source.text, place) is None:
        return json_region(source, body, closer)
    end = code_end(source.text, place)
    if end < 0:
        return Found(len(source.text), issue=CUT_OFF)
    calls = read_python_calls(source, source.text[place:end])
    closing = closer.match(source.text, after_space(source.text, end))
    after = closing.end() if closing is not None else end
    if not calls:
        return Found(after, issue="A tool call could not be read; use literal keyword arguments.")
    return Found(after, calls)


def _wrapper(source: Source, body: int) -> Found | None:
    """A wrapper around other tags: it ends at once, and what it holds is read on its own."""
    place = after_space(source.text, body)
    inside = _INNER_TAG.match(source.text, place) or _INNER_WRAPPER.match(source.text, place)
    return Found(body) if inside is not None else None
