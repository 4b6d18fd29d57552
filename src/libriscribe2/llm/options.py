"""How a step wants its calls made, and what is told about each of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from libriscribe2.llm.backend import Completion, Request
from libriscribe2.parsing.contract import ParserResult


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One answered request.

    Attributes:
        agent: Class name of the agent that asked.
        request: What was asked.
        completion: What came back, unchanged.
        replayed: Whether the reply came out of the call log and cost nothing.
    """

    agent: str
    request: Request
    completion: Completion
    replayed: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """One turn of a think-with-retry conversation, as the dumps keep it.

    Attributes:
        call: The request and its reply.
        result: What the parser made of the reply (the parser contract's dict).
        reasoning: The reasoning block that was taken off the reply's start, or None.
        withheld: By what the reply showed that it was filtered; "" for one that was parsed.
    """

    call: CallRecord
    result: ParserResult
    reasoning: str | None = None
    withheld: str = ""


@dataclass(frozen=True, slots=True)
class CallOptions:
    """How one step makes its calls.

    Attributes:
        step: Path of the work, such as `chapters/ch03/scene02`.
        agent: Class name of the agent, for dumps and counters.
        temperature: Sampling temperature; None leaves it to the provider.
        max_tokens: Longest reply; None leaves it to the provider.
        schema: The wanted JSON Schema of a structured reply.
        tools: Functions that the model may call, in OpenAI's form.
        prose: Whether a reply that was cut at the length limit is continued and joined.
        on_piece: Hears each piece of text while it arrives; makes the call a stream.
        on_attempt: Hears each attempt after its reply was parsed.
    """

    step: str = ""
    agent: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    prose: bool = False
    on_piece: Callable[[str], None] | None = None
    on_attempt: Callable[[Attempt], None] | None = None
