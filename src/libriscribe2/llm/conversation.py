"""The think-with-retry conversation: ask, parse, and answer a bad reply with feedback."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Protocol

from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.llm.attempt import Attempt
from libriscribe2.llm.backend import Message
from libriscribe2.llm.options import CallRecord
from libriscribe2.replies.parsers import (
    EMPTY_REPLY,
    ParserResult,
    check_result,
    failure,
    split_leading_reasoning,
)

Messages = str | Iterable[str | Message]
"""A conversation: one user message, several, or turns with roles."""

CUT = "Your response was cut off at the length limit. Please answer again, more briefly."
CUT_WITH_ROOM = (
    "Your response was cut off at the length limit. There is more room now. Please answer again, "
    "from the beginning to the end."
)


def as_messages(messages: Messages) -> tuple[Message, ...]:
    """Text, texts or role dicts as a conversation; the caller's list is left alone."""
    if isinstance(messages, str):
        messages = [messages]
    return tuple(
        {"role": "user", "content": turn} if isinstance(turn, str) else turn for turn in messages
    )


class Ask(Protocol):
    """Sends a conversation and returns the call."""

    async def __call__(
        self, messages: tuple[Message, ...], *, attempt: int, cuts: int
    ) -> CallRecord:
        """Send `messages` as attempt number `attempt`, after `cuts` that were cut."""
        ...


Parse = Callable[[str], Awaitable[object]]
"""Reads a reply by the parser contract."""


async def converse(
    ask: Ask,
    messages: tuple[Message, ...],
    parse: Parse,
    attempts: int,
    *,
    on_cut: str = CUT,
) -> AsyncIterator[Attempt]:
    """Ask until `parse` accepts a reply.

    Args:
        ask: Sends the conversation.
        messages: Its first turns.
        parse: Reads a reply by the parser contract.
        attempts: How many requests are made at most.
        on_cut: What the model is told of a reply that was cut at the length limit.

    Yields:
        Every attempt; the last one was accepted.

    Raises:
        MaxRetriesExceededError: The last of the attempts was refused too.
        TypeError: The parser broke its contract.
        ValueError: `attempts` is below 1.
    """
    if attempts < 1:
        raise ValueError(f"max_retries counts attempts and must be at least 1, not {attempts}")
    reply = feedback = ""
    cuts = 0
    for attempt in range(1, attempts + 1):
        call = await ask(messages, attempt=attempt, cuts=cuts)
        cuts += call.completion.finish_reason == "length"
        reply = call.completion.reply
        reasoning, answer = split_leading_reasoning(reply)
        cut = on_cut if call.completion.finish_reason == "length" else ""
        result = await _read(answer, cut, parse)
        yield Attempt(call, result, reasoning)
        if result["status"] == "success":
            return
        feedback = result["feedback"]
        messages = (
            *call.request.messages,  # what was asked, which may be simpler than what was wanted
            {"role": "assistant", "content": reply},
            {"role": "user", "content": feedback},
        )
    raise MaxRetriesExceededError(attempts, feedback, reply)


async def _read(reply: str, cut: str, parse: Parse) -> ParserResult:
    """What the parser says of a reply; a reply that is empty or cut never succeeds."""
    if cut:
        return failure(cut)
    if not reply.strip():
        return failure(EMPTY_REPLY)
    try:
        return check_result(await parse(reply))
    except (ValueError, LookupError, ArithmeticError) as error:
        return failure(f"Parse error: {error}. Please check format.")
