"""Tool formats: how models write calls, one function each, in an ordered registry.

To add a format, write its reading function, add a row here and a folder of cases.
"""

from typing import Final

from libriscribe2.replies.tool_formats.elements import TAG_OPENER
from libriscribe2.replies.tool_formats.python_calls import PYTHON_LIST_OPENER, read_python_list
from libriscribe2.replies.tool_formats.react import (
    QWEN_AGENT_OPENER,
    REACT_OPENER,
    read_qwen_agent,
    read_react,
)
from libriscribe2.replies.tool_formats.reading import Found, ReadCall, Source, ToolFormat
from libriscribe2.replies.tool_formats.tags import (
    LEGACY_OPENER,
    OWN_TAG_OPENER,
    read_legacy_invoke,
    read_own_tag,
    read_tag_call,
)
from libriscribe2.replies.tool_formats.tokens import (
    CALL_BEGIN,
    CALLS_EDGE,
    COHERE_TEXT_OPENER,
    FUNCTOOLS_OPENER,
    GEMMA_OPENER,
    HARMONY_OPENER,
    K3_EDGE,
    K3_OPENER,
    M3_OPENER,
    MISTRAL_OPENER,
    PYTHON_TAG_OPENER,
    REGIONS,
    WRAPPER_CLOSER,
    read_cohere_text,
    read_functools,
    read_gemma_call,
    read_harmony,
    read_k3_call,
    read_m3_calls,
    read_mistral,
    read_python_tag,
    read_token_call,
    region_format,
)

__all__ = ["FIRSTS", "FORMATS", "Found", "ReadCall", "Source", "ToolFormat"]

_STOP_TOKENS: Final = (
    r"<\|(?:eot_id|eom_id|eot|eom|im_end|endoftext|end|return|call)\|>|</s>|<｜end▁of▁sentence｜>"
)


def _nothing(_source: Source, _start: int, body: int) -> Found:
    """A control token that says nothing."""
    return Found(body)


# What each opener below begins with; a tag ends before another begins. A row that begins with
# anything else adds it here, or its opener is never looked for.
FIRSTS: Final = r"(?=<(?![^<>!]*+(?:<|\Z))|[`{\[\]◁✿]|(?m:^)|functools)"
FORMATS: Final[tuple[ToolFormat, ...]] = (
    ToolFormat("named_tags", TAG_OPENER, read_tag_call),
    ToolFormat("legacy_invoke", LEGACY_OPENER, read_legacy_invoke),
    *(region_format(region) for region in REGIONS),
    ToolFormat("kimi_k3", K3_OPENER, read_k3_call),
    ToolFormat("minimax_m3", M3_OPENER, read_m3_calls),
    ToolFormat("call_tokens", CALL_BEGIN, read_token_call),
    ToolFormat("gemma", GEMMA_OPENER, read_gemma_call),
    ToolFormat("mistral", MISTRAL_OPENER, read_mistral),
    ToolFormat("python_tag", PYTHON_TAG_OPENER, read_python_tag),
    ToolFormat("functools", FUNCTOOLS_OPENER, read_functools),
    ToolFormat("cohere_text", COHERE_TEXT_OPENER, read_cohere_text),
    ToolFormat("harmony", HARMONY_OPENER, read_harmony),
    ToolFormat("react", REACT_OPENER, read_react),
    ToolFormat("qwen_agent", QWEN_AGENT_OPENER, read_qwen_agent),
    ToolFormat("python_list", PYTHON_LIST_OPENER, read_python_list),
    ToolFormat("own_tags", OWN_TAG_OPENER, read_own_tag),
    ToolFormat(
        "control_tokens", f"{WRAPPER_CLOSER}|{CALLS_EDGE}|{K3_EDGE}|{_STOP_TOKENS}", _nothing
    ),
)
