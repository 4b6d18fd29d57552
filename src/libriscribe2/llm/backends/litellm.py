"""Answers through LiteLLM, which speaks to every provider.

LiteLLM neither retries, nor remembers, nor reports for us: `max_retries=0, num_retries=0` on every
call.
"""

import asyncio
import os
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from libriscribe2.llm.backend import (
    SCHEMA_AFTER,
    SCHEMA_BEFORE,
    BackendError,
    Completion,
    Message,
    Request,
    Usage,
)
from libriscribe2.llm.backends.responses import (
    Reply,
    answered,
    cost_of,
    estimated_usage,
    finish_of,
    size_cap,
    usage_in,
    usage_of,
)
from libriscribe2.llm.failures import classify
from libriscribe2.llm.limits.retries import TimeLimits, paced, within
from libriscribe2.llm.litellm_library import load_litellm, loaded, model_info, provider_of
from libriscribe2.llm.server_addresses import server_arguments
from libriscribe2.wording import secrets_in

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
        if formats and request.schema is not None and not request.in_text:
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


def without_schema(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message without the schema that is sent apart, and the rules of form in one line."""
    content = message.get("content")
    if not isinstance(content, str):
        return dict(message)
    if message.get("role") == "system":
        return {**message, "content": _RULES.sub(ONE_RULE, content)}
    before, start, rest = content.rpartition(SCHEMA_BEFORE)
    told = f"{before}{rest.partition(SCHEMA_AFTER)[2]}" if start else content
    return {**message, "content": told}


def _is_known(call: Mapping[str, Any]) -> bool:
    """Whether a call goes to the provider itself, which surely reads the schema that is sent apart."""
    moved = ("_BASE_URL", "_API_BASE")
    return "api_base" not in call and not any(name.endswith(moved) for name in os.environ)


_RULES: Final = re.compile(r"^CRITICAL FORMAT RULES.*(?:\n- .*)*(?:\n\Z)?", re.MULTILINE)
"""The rules of form, wherever they stand in a message."""

ONE_RULE: Final = "Answer with one JSON object by the given schema, and nothing around it."


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

FEWEST_TOKENS: Final = 1_024
LONG_FEWEST_TOKENS: Final = 4_096
_LONG: Final = ("opus", "haiku-4")
"""A shorter beginning is not kept; by some models none below the larger number."""

CHARACTERS_PER_TOKEN: Final = 3.5
"""Of Claude's English, on the safe side: a mark too early is an empty one."""

MOST_MARKS: Final = 4

_MARKED_FAMILY: Final = "claude"
"""Where a model's name does not say this, nobody is asked who provides it."""


def messages_for(
    request: Request, provider_of: Callable[[str], str | None]
) -> list[dict[str, Any]]:
    """The conversation as it is sent, with marks where the provider wants some.

    Args:
        request: What is asked.
        provider_of: LiteLLM's name of the provider of a model.
    """
    model = request.model.casefold()
    if _MARKED_FAMILY in model and provider_of(request.model) in MARKED_PROVIDERS:
        fewest = LONG_FEWEST_TOKENS if any(one in model for one in _LONG) else FEWEST_TOKENS
        return marked(request.messages, round(fewest * CHARACTERS_PER_TOKEN))
    return [_plain(message) for message in request.messages]


def _plain(message: Message) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name != "levels"}


def marked(messages: Iterable[Message], fewest: int) -> list[dict[str, Any]]:
    """The messages with marks at the ends of their levels: the first ones and the last.

    Marks are set when a request is sent only: the key of the request does not know of them.

    Args:
        messages: The conversation.
        fewest: So many characters at least stand before a mark.
    """
    sent: list[dict[str, Any]] = []
    ends: list[dict[str, Any]] = []
    size = 0
    for message in messages:
        content, own = message.get("content"), _plain(message)
        levels = list(message.get("levels", ()))
        if isinstance(content, str) and content and (levels or message.get("role") == "system"):
            edges = [0, *levels, len(content)]
            pieces = [content[a:b] for a, b in pairwise(edges) if a < b]
            blocks: list[dict[str, Any]] = [{"type": "text", "text": one} for one in pieces]
            for at, one in enumerate(blocks):
                size += len(one["text"])
                is_end = at < len(levels) or message.get("role") == "system"
                ends += [one] if is_end and size >= fewest else []
            own["content"] = blocks
        sent.append(own)
    for one in (*ends[:2], *ends[2:][-(MOST_MARKS - 2) :]):
        one["cache_control"] = {"type": "ephemeral"}
    return sent


_OWN_TOOLS = {"_skip_mcp_handler": True}
"""Our tools are never MCP servers; LiteLLM 1.106 would import the absent `mcp` package to look."""

_NO_CLOCK: Final = 86_400.0
"""Seconds: our own clocks end a wait. LiteLLM's would give up what lies in the socket of a process
that stood still."""

Price = Callable[[str, Usage, Any], float | None]
"""US dollars of a call of a model, by our count of its tokens and by what the provider said."""

_UNPRICED: Final[set[str]] = set()
"""Models that the price map was found not to know; asking it again takes a tenth of a call."""


@dataclass(eq=False)
class LiteLLMBackend:
    """Answers requests through LiteLLM, whoever serves the model.

    Args:
        url: Base address of the server; None leaves it to the provider.
        api_key: The key; None leaves it to the provider's variable.
        limits: Our clocks over each request.
        always_apart: Whether a schema is sent apart even where many requests begin alike.
    """

    _url: str | None
    _api_key: str | None
    limits: TimeLimits = field(default_factory=TimeLimits)
    always_apart: bool = False
    _capabilities: CapabilityFallbacks = field(default_factory=CapabilityFallbacks)

    async def complete(self, request: Request) -> Completion:
        """Answer at once.

        Raises:
            BackendError: No usable reply came.
        """
        began = time.monotonic()
        return self.read(request, await self._send(request, streamed=False), began)

    def read(
        self, request: Request, response: Any, began: float, price: Price | None = None
    ) -> Completion:
        """The completion in a whole response of LiteLLM.

        Args:
            request: What was asked.
            response: A `ModelResponse`.
            began: When the request left, on the monotonic clock.
            price: What a call costs; None is the price of an ordinary one.

        Raises:
            BackendError: It holds no reply.
        """
        if not response.choices:
            raise BackendError("malformed", "the reply has no choices")
        reply = Reply(size_cap(request.max_tokens))
        choice = response.choices[0]
        reply.add(choice.message)
        reply.finish_reason = "content_filter" if reply.refused else choice.finish_reason
        reply.model = response.model or request.model
        usage = getattr(response, "usage", None)
        return self._completion(request, reply, usage, began, price or _price)

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """Answer in pieces; the last item is the whole `Completion`.

        Raises:
            BackendError: The stream broke off, never began or fell silent.
        """
        began = time.monotonic()
        started = asyncio.get_running_loop().time()
        response = await self._send(request, streamed=True)
        reply = Reply(size_cap(request.max_tokens), model=request.model)
        async with aclosing(response):
            try:
                async for chunk in paced(response, self.limits, started=started):
                    del response.chunks[8:-128]  # LiteLLM would keep and copy them all
                    if chunk.choices:
                        piece = reply.add(chunk.choices[0].delta)
                        if piece:
                            yield piece
            except Exception as error:  # noqa: BLE001 - the boundary: LiteLLM raises anything
                raise self._failure(error, started=reply.started) from None
            reply.finish_reason = finish_of(response, reply)
            usage = usage_in(response.chunks)
            named = (getattr(chunk, "model", None) for chunk in response.chunks)
            reply.model = next(filter(None, named), reply.model)
        yield self._completion(request, reply, usage, began, _price)

    async def aclose(self) -> None:
        """Close the connections that LiteLLM keeps open, if it was ever loaded."""
        if load_litellm.cache_info().currsize:
            litellm = load_litellm()
            await litellm.close_litellm_async_clients()
            litellm.in_memory_llm_clients_cache.flush_cache()
            shared = vars(litellm).get("module_level_aclient")
            if shared is not None:
                await shared.close()

    async def _send(self, request: Request, *, streamed: bool) -> Any:
        """LiteLLM's response; parameters that the model refuses are given up on the way."""
        litellm = await loaded()
        limits = self.limits
        seconds = min(limits.first_piece, limits.whole_call) if streamed else limits.whole_call
        deadline = asyncio.get_running_loop().time() + seconds
        what = f"no answer within {seconds:g} seconds"
        while True:
            call, optional = self.wording(request, streamed=streamed)
            try:
                response = await within(litellm.acompletion(**call), deadline, what)
            except Exception as error:  # noqa: BLE001 - the boundary: LiteLLM raises anything
                failure = self._failure(error)
                if not self.give_up(request, optional, failure):
                    raise failure from None
            else:
                return answered(response)

    def wording(
        self, request: Request, *, streamed: bool = False
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arguments of `acompletion`, and those of them that may be given up. It may load LiteLLM."""
        formats = False
        if self.always_apart:
            request = replace(request, in_text=False)
        if request.schema is not None:
            known = load_litellm().get_supported_openai_params
            formats = knows_formats(request.model, provider_of(request.model), known)
        optional = self._capabilities.parameters(request, formats=formats, streamed=streamed)
        call = self._arguments(request) | optional | {"stream": streamed}
        if _format_type(optional) == "json_schema" and _is_known(call):
            call["messages"] = [without_schema(one) for one in call["messages"]]
        return call, optional

    def give_up(self, request: Request, optional: Mapping[str, Any], failure: BackendError) -> bool:
        """Give up what a refusal blames; whether the request is worth another try."""
        return self._capabilities.give_up(request.model, optional, failure)

    def _arguments(self, request: Request) -> dict[str, Any]:
        """What every call says."""
        wanted: dict[str, Any] = {
            "model": request.model,
            "messages": messages_for(request, provider_of),
            "max_retries": 0,
            "num_retries": 0,
            "timeout": _NO_CLOCK,
        }
        if request.max_tokens is not None:
            wanted["max_tokens"] = request.max_tokens
        if request.tools:
            wanted |= {"tools": [dict(tool) for tool in request.tools], **_OWN_TOOLS}
        return wanted | server_arguments(self._url, self._api_key, model=request.model)

    def _failure(self, error: Exception, *, started: bool = False) -> BackendError:
        """The failure in our terms, without the key.

        It is raised `from None`: the exceptions below it may quote the key in a traceback.
        """
        own = (self._api_key,) if self._api_key is not None else ()
        return classify(error, started=started, secrets=(*own, *secrets_in(os.environ)))

    def _completion(
        self, request: Request, reply: Reply, reporting: Any, began: float, price: Price
    ) -> Completion:
        """The finished reply with what it took."""
        usage = usage_of(reporting)
        if usage is None:
            usage = estimated_usage(request.messages, reply)
        return Completion(
            reply=reply.text,
            reasoning=reply.reasoning,
            finish_reason=reply.finish_reason,
            usage=usage,
            cost_usd=price(request.model, usage, reporting),
            model=reply.model,
            tool_calls=tuple(call for _, call in sorted(reply.tool_calls.items())),
            seconds=time.monotonic() - began,
        )


def _price(model: str, usage: Usage, reporting: Any) -> float | None:
    """US dollars of a call: what the provider says it cost, else by the bundled price map.

    LiteLLM answers 0 for models that it only guesses; 0 therefore counts as unknown.
    """
    told = cost_of(reporting)
    if told is not None:
        return told
    if model in _UNPRICED:
        return None
    asked: Mapping[str, Any] = {"usage_object": reporting} if usage.known else {}
    try:
        prices = load_litellm().cost_per_token(
            model=model,
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
            **asked,
        )
    except Exception:  # noqa: BLE001 - unknown models raise anything, a bare Exception included
        if model_info(model) is None:
            _UNPRICED.add(model)
        return None
    price = float(sum(prices))
    return price if price > 0 else None
