"""One turn of a conversation: the reply and what was made of it, and the dump that shows both."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import isawaitable
from pathlib import Path
from typing import Any, Final, Protocol

from libriscribe2.llm.call_records import CallRecord
from libriscribe2.llm.session import Reply
from libriscribe2.project.records import DumpRecord
from libriscribe2.replies.contract import (
    EMPTY_REPLY,
    ParserResult,
    check_result,
    failure,
    payload,
    plain_value,
    split_leading_reasoning,
)
from libriscribe2.replies.outcome import FAILED
from libriscribe2.telemetry import JSON_EXTRACTION_WARNING, JSON_VALIDATION_ERROR

logger = logging.getLogger(__name__)

_TEXT: Final = "text"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One turn of a think-with-retry conversation.

    Attributes:
        call: The request and its reply.
        result: What the parser made of the reply (the parser contract's dict).
        reasoning: The reasoning block that was taken off the reply's start, or None.
        filtered: By what the reply showed that it was filtered; "" for one that was parsed.
    """

    call: CallRecord
    result: ParserResult
    reasoning: str | None = None
    filtered: str = ""

    @property
    def feedback(self) -> str:
        """What the model is told is wrong with its reply; "" where nothing is."""
        return self.result.get("feedback", "") if self.result["status"] == "error" else ""

    @property
    def value(self) -> Any:
        """The parser's `data` or `sections`; only of an attempt without feedback."""
        return payload(self.result)


class AttemptConsumer(Protocol):
    """Takes the attempts of a step's conversations, each once it is recorded."""

    def add(self, attempt: Attempt, /) -> None:
        """Take the next attempt."""
        ...


async def read_reply(
    reply: Reply, parser: Callable[..., Any], cut_feedback: str, **parser_kwargs: Any
) -> Attempt:
    """What a parser makes of a reply; one that is empty or cut never succeeds.

    Args:
        reply: The reply.
        parser: Reads text by the parser contract; it may be async.
        cut_feedback: What the model is told of a reply that was cut at the length limit.
        **parser_kwargs: Passed to the parser.

    Raises:
        TypeError: The parser broke its contract.
    """
    reasoning, answer = split_leading_reasoning(reply.completion.reply)
    if reply.is_cut:
        return Attempt(reply, failure(cut_feedback), reasoning)
    if not answer.strip():
        return Attempt(reply, failure(EMPTY_REPLY), reasoning)
    try:
        read = parser(answer, **parser_kwargs)
        result = check_result(await read if isawaitable(read) else read)
    except (ValueError, LookupError, ArithmeticError) as error:
        result = failure(f"Parse error: {error}. Please check format.")
    return Attempt(reply, result, reasoning)


class DumpWriter(Protocol):
    """Keeps attempts for review, apart from the book."""

    def has(self, key: str) -> bool:
        """Whether there is a dump of the call with this key."""
        ...

    def write(self, record: DumpRecord) -> Path:
        """Write a dump and return its path."""
        ...


def dump_record(stage: str, attempt: Attempt, parser: object = None) -> DumpRecord:
    """The dump of an attempt.

    Args:
        stage: Name of the stage that asked.
        attempt: The attempt.
        parser: What read the reply; only one with `said`, a `ReplyReader`, can be written down.
    """
    request, completion = attempt.call.request, attempt.call.completion.as_record()
    result = attempt.result
    feedback = attempt.feedback
    said = None if attempt.filtered else getattr(parser, "said", None)
    return DumpRecord(
        agent_name=attempt.call.agent,
        raw_response=completion["reply"],
        **_cleanup(result, moved=attempt.reasoning is not None),
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
        reader=said,
        finish_reason=completion["finish_reason"],
        usage=completion["usage"],
        cost_usd=completion["cost_usd"],
        seconds=completion["seconds"],
        key=request.key(),
    )


def _cleanup(result: ParserResult, *, moved: bool) -> dict[str, Any]:
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


def log_cleanup(agent: str, issues: Iterable[str]) -> None:
    """Say what had to be cleaned away of a reply; a clean one says nothing."""
    if named := sorted(issues):
        logger.warning("%s: %s: %s", JSON_EXTRACTION_WARNING, agent, named)


def log_attempt(record: DumpRecord, *, filtered: bool) -> None:
    """Say what had to be cleaned away of a reply, and why it does not validate."""
    log_cleanup(record.agent_name, record.formatting_issues)
    if record.feedback and record.content_type == "json" and not filtered:
        said = (JSON_VALIDATION_ERROR, record.agent_name, record.validation_errors)
        logger.error("%s: %s: %s: %.200r", *said, record.raw_response)
