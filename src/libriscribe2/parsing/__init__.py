"""Parsers: from a raw reply to data, or to feedback for the model.

Every parser keeps the contract of `contract.py` and can be handed to `think_with_retry`;
`parse_llm_response` is called on its own. `parse_search_results` is imported from its module
`search_results`, so that only who reads web pages loads the HTML library.
"""

from libriscribe2.parsing.contract import (
    DEFAULT_FEEDBACK,
    EMPTY_REPLY,
    Parser,
    ParserResult,
    check_result,
    failure,
    payload,
    success,
)
from libriscribe2.parsing.markers import make_marker_parser, parser_template
from libriscribe2.parsing.prose import plain_reply, prose_parser, split_leading_reasoning
from libriscribe2.parsing.sections import multi_section_parser
from libriscribe2.parsing.structured import pydantic_parser
from libriscribe2.parsing.tool_calls import (
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
