"""Marking what a provider should keep of a prompt, where it wants to be told."""

from collections.abc import Iterable
from typing import Any, Final

from libriscribe2.llm.backend import Message

MARKED_PROVIDERS: Final = frozenset({"anthropic", "bedrock", "bedrock_converse", "vertex_ai"})
"""LiteLLM's names of the providers whose Claude models keep only what is marked."""

FEWEST_CHARACTERS: Final = 4_000
"""A shorter beginning is not kept: providers want 1,024 tokens at least."""


def may_want_marks(model: str) -> bool:
    """Whether it may be a model whose provider wants marks, by its name alone."""
    return "claude" in model.casefold()


def marked(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The messages with the mark behind the system message.

    It is set when a request is sent only: the key of the request does not know of it.
    """
    return [_marked(message) for message in messages]


def _marked(message: Message) -> dict[str, Any]:
    content = message.get("content")
    long = isinstance(content, str) and len(content) >= FEWEST_CHARACTERS
    if message.get("role") != "system" or not long:
        return dict(message)
    block = {"type": "text", "text": content, "cache_control": {"type": "ephemeral"}}
    return {**message, "content": [block]}
