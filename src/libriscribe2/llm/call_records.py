"""How a step wants its calls made, and what the calls of a run report while they go on.

Reports are plain records, put into an outbox; whoever runs the clients owns the outbox and decides
what becomes of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.limits.retries import Wait
from libriscribe2.project.records import DumpRecord


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
        in_text: Whether the schema is to stand in the text alone (`Request.in_text`).
        tools: Functions that the model may call, in OpenAI's form.
        prose: Whether a reply that was cut at the length limit is continued and joined.
        streamed: Whether the pieces of the reply are reported while they arrive.
        picture: Pixels of the picture that is wanted in place of text (`Request.picture`).
    """

    step: str = ""
    agent: str = ""
    stage: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    in_text: bool = False
    tools: tuple[Mapping[str, Any], ...] = ()
    prose: bool = False
    streamed: bool = False
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a reply that arrived.

    Attributes:
        step: Path of the work that asked.
        text: The piece.
    """

    step: str
    text: str


@dataclass(frozen=True, slots=True)
class DumpWritten:
    """A dump that was written of an attempt.

    Attributes:
        record: What the dump holds.
        name: Name of its file.
    """

    record: DumpRecord
    name: str


CallReport = CallRecord | Wait | Piece | DumpWritten
"""An answered request (a replay, too), a wait before a request leaves, a piece, or a dump."""


class Outbox(Protocol):
    """Takes the reports of all clients of a run."""

    def put(self, item: CallReport, /) -> None:
        """Take a report; it must neither wait nor raise."""
        ...


class NoOutbox:
    """An outbox that nobody reads."""

    def put(self, item: CallReport, /) -> None:
        """Nothing is kept."""


class ListOutbox(list[CallReport]):
    """An outbox that keeps every report, oldest first."""

    def put(self, item: CallReport, /) -> None:
        """Keep the report."""
        self.append(item)
