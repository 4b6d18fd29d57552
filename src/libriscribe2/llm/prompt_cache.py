"""Marking what a provider should keep of a prompt, where it wants to be told."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from libriscribe2.llm.backend import Message, Request

MARKED_PROVIDERS: Final = frozenset({"anthropic", "bedrock", "bedrock_converse", "vertex_ai"})
"""LiteLLM's names of the providers whose Claude models keep only what is marked."""

FEWEST_CHARACTERS: Final = 4_000
"""A shorter beginning is not kept: providers want 1,024 tokens at least."""


_MARKED_FAMILY: Final = "claude"
"""Where a model's name does not say this, nobody is asked who provides it."""


def messages_for(
    request: Request, provider_of: Callable[[str], str | None]
) -> list[dict[str, Any]]:
    """The conversation as it is sent, with a mark where the provider wants one.

    Args:
        request: What is asked.
        provider_of: LiteLLM's name of the provider of a model.
    """
    model = request.model
    if _MARKED_FAMILY in model.casefold() and provider_of(model) in MARKED_PROVIDERS:
        return marked(request.messages)
    return [dict(message) for message in request.messages]


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
