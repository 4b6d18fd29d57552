"""How a step wants its calls made, and what is told about each of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libriscribe2.llm.backend import Completion, Request


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
class CallOptions:
    """How one step makes its calls.

    Attributes:
        step: Path of the work, such as `chapters/ch03/scene02`.
        agent: Class name of the agent, for dumps and counters.
        stage: Name of the agent's stage, for dumps.
        temperature: Sampling temperature; None leaves it to the provider.
        max_tokens: Longest reply; None leaves it to the provider.
        schema: The wanted JSON Schema of a structured reply.
        tools: Functions that the model may call, in OpenAI's form.
        prose: Whether a reply that was cut at the length limit is continued and joined.
        streamed: Whether the pieces of the reply are reported while they arrive.
    """

    step: str = ""
    agent: str = ""
    stage: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    prose: bool = False
    streamed: bool = False
