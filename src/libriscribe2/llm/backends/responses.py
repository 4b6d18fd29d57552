"""One reply out of what LiteLLM hands over: a whole response, or the pieces of a stream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from libriscribe2.llm.backend import BYTES_PER_TOKEN, DEFAULT_SIZE_CAP, BackendError, Message, Usage

_LONGEST_TOKEN = 8
"""Far more than tokens take on average: a reply beyond `max_tokens` times this is a runaway."""


@dataclass(slots=True)
class Reply:
    """A reply while it is being put together.

    Attributes:
        cap: Longest text in characters, thoughts and tool calls included.
        pieces: Pieces of the answer, in order.
        thoughts: Pieces of the reasoning, in order.
        tool_calls: Native tool calls by their index.
        finish_reason: Why the model stopped, once somebody said.
        model: Who answered, once somebody said.
        refused: Whether the provider says that the text is a refusal.
    """

    cap: int = DEFAULT_SIZE_CAP
    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    tool_calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    finish_reason: str | None = None
    model: str = ""
    refused: bool = False
    _size: int = 0

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self.pieces)

    @property
    def reasoning(self) -> str | None:
        """The thoughts so far, or None."""
        return "".join(self.thoughts) if self.thoughts else None

    @property
    def started(self) -> bool:
        """Whether anything has come."""
        return bool(self.pieces or self.thoughts or self.tool_calls)

    def add(self, part: Any) -> str:
        """Take in a message or a delta.

        Returns:
            Its piece of the answer, "" for none.

        Raises:
            BackendError: The reply is larger than any reply should be.
        """
        said = attributes(part)
        text = said.get("content") or self._refusal_in(said)
        if text:
            self.pieces.append(text)
            self._grow(len(text))
        thought = said.get("reasoning_content")
        if thought:
            self.thoughts.append(thought)
            self._grow(len(thought))
        calls = said.get("tool_calls")
        if calls:
            self._add_calls(calls)
        return text or ""

    def _refusal_in(self, said: Mapping[str, Any]) -> str:
        """OpenAI's `refusal`, which comes in place of a content; LiteLLM keeps it apart."""
        refusal = (said.get("provider_specific_fields") or {}).get("refusal")
        if not isinstance(refusal, str) or not refusal:
            return ""
        self.refused = True
        return refusal

    def _grow(self, length: int) -> None:
        self._size += length
        if self._size > self.cap:
            raise BackendError("malformed", f"the reply is longer than {self.cap} characters")

    def _add_calls(self, calls: Sequence[Any]) -> None:
        """Join the parts of native tool calls, which may come in pieces."""
        for at, part in enumerate(calls):
            index = getattr(part, "index", None)
            call = self.tool_calls.setdefault(
                at if index is None else index,
                {"id": "", "type": "function", "function": {"name": "", "arguments": ""}},
            )
            call["id"] = part.id or call["id"]
            function = call["function"]
            function["name"] += part.function.name or ""
            arguments = part.function.arguments or ""
            function["arguments"] += arguments
            self._grow(len(arguments))


def attributes(part: Any) -> Mapping[str, Any]:
    """What LiteLLM put into an object of its own, by name.

    Asking such an object for an attribute that it lacks costs more than all else that is done
    with a piece of a stream.
    """
    more = getattr(part, "__pydantic_extra__", None)
    return {**vars(part), **more} if more else vars(part)


def size_cap(max_tokens: int | None) -> int:
    """The longest believable reply in characters."""
    return DEFAULT_SIZE_CAP if max_tokens is None else max_tokens * _LONGEST_TOKEN


def cost_of(reported: Any) -> float | None:
    """US dollars that the provider says a call cost; None where it says none, or 0."""
    told = getattr(reported, "cost", None)
    return float(told) if isinstance(told, int | float) and told > 0 else None


def usage_of(reported: Any) -> Usage | None:
    """The provider's count, or None where it gave none."""
    asked = _count(reported, "prompt_tokens")
    written = _count(reported, "completion_tokens")
    if asked + written == 0:
        return None
    return Usage(
        input_tokens=asked,
        output_tokens=written,
        cached_tokens=_count(getattr(reported, "prompt_tokens_details", None), "cached_tokens"),
        reasoning_tokens=_count(
            getattr(reported, "completion_tokens_details", None), "reasoning_tokens"
        ),
        known=True,
    )


def estimated_usage(messages: Sequence[Message], reply: Reply) -> Usage:
    """A guess from the length in bytes, for providers that do not count."""
    asked = sum(_size_of(message) for message in messages)
    thoughts = reply.reasoning
    thought = len(thoughts.encode("utf-8")) if thoughts is not None else 0
    written = len(reply.text.encode("utf-8")) + thought
    return Usage(
        input_tokens=asked // BYTES_PER_TOKEN,
        output_tokens=written // BYTES_PER_TOKEN,
        reasoning_tokens=thought // BYTES_PER_TOKEN,
    )


def answered(response: Any) -> Any:
    """The response that LiteLLM gave.

    Raises:
        BackendError: It gave none, as for a 422 that names no parameter to leave out.
    """
    if response is None:
        raise BackendError("bad_request", "the request cannot be processed", status=422)
    return response


def finish_of(response: Any, reply: Reply) -> str:
    """Why the model stopped.

    LiteLLM makes up a "stop" where a stream just ends, so its own chunks cannot be believed; what
    the provider said is kept beside them.

    Raises:
        BackendError: Nobody said: the stream was cut, or held nothing that could be read.
    """
    said = response.received_finish_reason or response.intermittent_finish_reason
    if said:
        return str(said)
    if not reply.started and not response.chunks:
        raise BackendError("malformed", "the stream had no readable content")
    raise BackendError("cut", "the stream ended without saying why")


def usage_in(chunks: list[Any]) -> Any:
    """The usage that the provider sent; LiteLLM's own estimate is not in the chunks."""
    told = (usage for chunk in reversed(chunks) if (usage := attributes(chunk).get("usage")))
    return next(told, None)


def _count(holder: Any, name: str) -> int:
    value = getattr(holder, name, None)
    return value if isinstance(value, int) else 0


def _size_of(message: Mapping[str, Any]) -> int:
    return len(str(message.get("content") or "").encode("utf-8"))
