"""The seed's name for `replies.tool_calls`."""

from libriscribe2.replies.tool_calls import (
    LLMToolCallResponse,
    ToolCall,
    parse_llm_response,
    parse_native_tool_calls,
)

__all__ = ["LLMToolCallResponse", "ToolCall", "parse_llm_response", "parse_native_tool_calls"]
