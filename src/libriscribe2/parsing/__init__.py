"""Parsers by the names of the original designs; they live in `replies`."""

from libriscribe2.replies.contract import (
    DEFAULT_FEEDBACK,
    EMPTY_REPLY,
    Parser,
    ParserResult,
    check_result,
    failure,
    payload,
    plain_reply,
    prose_parser,
    split_leading_reasoning,
    success,
)
from libriscribe2.replies.parsers import pydantic_parser
from libriscribe2.replies.sections import make_marker_parser, multi_section_parser, parser_template
from libriscribe2.replies.tool_calls import (
    LLMToolCallResponse,
    ToolCall,
    parse_llm_response,
    parse_native_tool_calls,
)

__all__ = [
    "DEFAULT_FEEDBACK",
    "EMPTY_REPLY",
    "LLMToolCallResponse",
    "Parser",
    "ParserResult",
    "ToolCall",
    "check_result",
    "failure",
    "make_marker_parser",
    "multi_section_parser",
    "parse_llm_response",
    "parse_native_tool_calls",
    "parser_template",
    "payload",
    "plain_reply",
    "prose_parser",
    "pydantic_parser",
    "split_leading_reasoning",
    "success",
]
