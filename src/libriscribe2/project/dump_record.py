"""From an attempt of a conversation to its debug dump.

The attempt is described by protocols: the room of the model's client and this one do not know each
other.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from libriscribe2.parsing.contract import ParserResult
from libriscribe2.project.debug_dump import DumpRecord
from libriscribe2.project.dump_reading import ReplyReader, plain_value
from libriscribe2.utils.report import FAILED

_TEXT: Final = "text"


class AskedRequest(Protocol):
    """What was asked."""

    @property
    def step(self) -> str:
        """Path of the work."""
        ...

    @property
    def model(self) -> str:
        """The model that was asked."""
        ...

    @property
    def messages(self) -> Sequence[Mapping[str, Any]]:
        """The conversation."""
        ...

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The wanted JSON Schema; None for prose."""
        ...

    @property
    def attempt(self) -> int:
        """1 for the first request of a conversation."""
        ...

    def key(self) -> str:
        """The request's key in the journal."""
        ...


class GivenCompletion(Protocol):
    """What came back."""

    def as_record(self) -> dict[str, Any]:
        """The completion as plain JSON."""
        ...


class AnsweredCall(Protocol):
    """A request with its reply."""

    @property
    def request(self) -> AskedRequest:
        """What was asked."""
        ...

    @property
    def completion(self) -> GivenCompletion:
        """What came back."""
        ...


class ParsedAttempt(Protocol):
    """A call with what the parser made of its reply."""

    @property
    def call(self) -> AnsweredCall:
        """The call."""
        ...

    @property
    def result(self) -> ParserResult:
        """What the parser said."""
        ...

    @property
    def reasoning(self) -> str | None:
        """The reasoning block that was taken off the reply's start, or None."""
        ...


def dump_record(
    agent: str, stage: str, attempt: ParsedAttempt, reader: ReplyReader | None = None
) -> DumpRecord:
    """The dump of an attempt.

    Args:
        agent: Class name of the agent.
        stage: Name of its stage.
        attempt: The attempt.
        reader: How the reply was read; None where its parser cannot be written down.
    """
    request, completion = attempt.call.request, attempt.call.completion.as_record()
    result = attempt.result
    feedback = result.get("feedback", "") if result["status"] == "error" else ""
    return DumpRecord(
        agent_name=agent,
        raw_response=completion["reply"],
        **_findings(result, moved=attempt.reasoning is not None),
        content_type="prose" if request.schema is None else "json",
        attempt=request.attempt,
        stage=stage,
        step=request.step,
        model=completion["model"] or request.model,
        prompt=request.messages,
        reasoning=completion["reasoning"] or attempt.reasoning,
        validation_errors=tuple(feedback.splitlines()),
        feedback=feedback,
        clean=plain_value(result),
        reader=None if reader is None else reader.said,
        finish_reason=completion["finish_reason"],
        usage=completion["usage"],
        cost_usd=completion["cost_usd"],
        seconds=completion["seconds"],
        key=request.key(),
    )


def _findings(result: ParserResult, *, moved: bool) -> dict[str, Any]:
    """What the cleanup pipeline reports; prose goes through none."""
    around = ("reasoning_block",) if moved else ()
    report = result.get("report")
    if report is None:
        method = _TEXT if result["status"] == "success" else FAILED
        return {"extraction_method": method, "formatting_issues": around}
    return {
        "formatting_issues": (*around, *report.issues),
        "extraction_method": report.method,
        "repairs": [repair._asdict() for repair in report.repairs],
    }
