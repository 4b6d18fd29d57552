"""Optional request parameters: given up for models that refuse them; and marks for prompt caches.

Nobody knows beforehand what a model behind an OpenAI-compatible address accepts. A request starts
with everything that helps; a refusal that blames a parameter gives that parameter up for the model
and for the rest of the run. The request itself, and so its identity, never changes.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from libriscribe2.llm.backend import BackendError, Message, Request

_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json mode", "schema", "grammar")
_BLAME = {
    "json_schema": _FORMAT_WORDS,
    "json_object": _FORMAT_WORDS,
    "temperature": ("temperature",),
    "stream_options": ("stream_options", "include_usage"),
}
"""Which words in a refusal blame which parameter, the costliest to keep first."""

_SCHEMALESS_PROVIDERS: Final = frozenset({"anthropic"})
"""Providers whose schema stands in the prompt only: older Claude models would get it as a forced
tool call."""


def knows_formats(
    model: str, provider: str | None, known: Callable[..., Collection[str] | None]
) -> bool:
    """Whether the provider of a model takes a `response_format` at all.

    Args:
        model: The model as LiteLLM spells it.
        provider: LiteLLM's name of its provider; None where it knows none.
        known: LiteLLM's list of the parameters that a provider takes.
    """
    if provider is None or provider in _SCHEMALESS_PROVIDERS:
        return False
    name = model.removeprefix(f"{provider}/")
    return "response_format" in (known(model=name, custom_llm_provider=provider) or ())


class CapabilityFallbacks:
    """What each model has refused so far."""

    def __init__(self) -> None:
        self._given_up: defaultdict[str, set[str]] = defaultdict(set)

    def parameters(
        self, request: Request, *, formats: bool, streamed: bool = False
    ) -> dict[str, Any]:
        """The optional parameters that the request may carry.

        Args:
            request: The request.
            formats: Whether the provider knows `response_format` at all.
            streamed: Whether the reply is streamed.
        """
        given_up = self._given_up[request.model]
        wanted: dict[str, Any] = {}
        if request.temperature is not None and "temperature" not in given_up:
            wanted["temperature"] = request.temperature
        if streamed and "stream_options" not in given_up:
            wanted["stream_options"] = {"include_usage": True}
        if formats and request.schema is not None:
            wanted |= _response_format(request.schema, given_up)
        return wanted

    def give_up(self, model: str, sent: Mapping[str, Any], error: BackendError) -> bool:
        """Give up the parameter that a refusal blames.

        Args:
            model: Who refused.
            sent: The parameters that the request carried.
            error: The refusal.

        Returns:
            Whether another try has a chance; False where nothing that was sent is to blame.
        """
        if error.kind != "bad_request":
            return False
        carried = {_format_type(sent)} | set(sent)
        said = error.message.lower()
        for parameter, words in _BLAME.items():
            if parameter in carried and any(word in said for word in words):
                self._given_up[model].add(parameter)
                return True
        return False


def _format_type(sent: Mapping[str, Any]) -> str:
    """`json_schema`, `json_object` or "" for none."""
    return str(sent.get("response_format", {}).get("type", ""))


def _response_format(schema: Mapping[str, Any], given_up: set[str]) -> dict[str, Any]:
    """The strongest form that the model has not refused.

    Providers accept nothing but objects at the top, so a list is asked for in the prompt only.
    """
    if schema.get("type") != "object":
        return {}
    if "json_schema" not in given_up:
        name = "".join(c if c.isalnum() else "_" for c in str(schema.get("title", "reply")))[:64]
        wanted = {"name": name, "schema": dict(schema), "strict": is_closed(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    if "json_object" not in given_up:
        return {"response_format": {"type": "json_object"}}
    return {}


def is_closed(schema: Any) -> bool:
    """Whether every object in a JSON Schema forbids extra keys and requires all its own.

    OpenAI's strict mode accepts nothing else; other schemas go without the flag.
    """
    if isinstance(schema, list):
        return all(is_closed(part) for part in schema)
    if not isinstance(schema, Mapping):
        return True
    if isinstance(properties := schema.get("properties"), Mapping):
        required = set(schema.get("required", ()))
        if schema.get("additionalProperties") is not False or required != set(properties):
            return False
        return all(is_closed(part) for part in properties.values())
    return all(is_closed(part) for part in schema.values())


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
