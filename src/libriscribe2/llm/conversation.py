"""The turns of a conversation: how it begins, goes on after a refusal, and continues a cut reply."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Final

from libriscribe2.llm.backend import Completion, Message, Request, Usage
from libriscribe2.replies.contract import split_leading_reasoning

Messages = str | Iterable[str | Message]
"""A conversation: one user message, several, or turns with roles."""

MOST_PARTS: Final = 5
"""Of how many replies a long text is joined before it is refused."""

CUT: Final = "Your response was cut off at the length limit. Please answer again, more briefly."
CUT_WITH_ROOM: Final = (
    "Your response was cut off at the length limit. There is more room now. Please answer again, "
    "from the beginning to the end."
)
CONTINUE: Final = "Continue exactly where you stopped. Do not repeat anything and add no remarks."


def as_messages(messages: Messages) -> tuple[Message, ...]:
    """Text, texts or role dicts as a conversation; the caller's list is left alone."""
    if isinstance(messages, str):
        messages = [messages]
    return tuple(
        {"role": "user", "content": turn} if isinstance(turn, str) else turn for turn in messages
    )


def with_feedback(request: Request, reply: str, feedback: str) -> tuple[Message, ...]:
    """The conversation that asks again after a refusal.

    Args:
        request: What was asked, which may be simpler than what was wanted.
        reply: What came.
        feedback: What is wrong with it.
    """
    return (
        *request.messages,
        {"role": "assistant", "content": reply},
        {"role": "user", "content": feedback},
    )


def joined(first: Completion, more: Completion) -> Completion:
    """Two parts of a reply as one: each without its reasoning block, tokens and cost summed."""
    parts = [split_leading_reasoning(part.reply) for part in (first, more)]
    thoughts = [first.reasoning, parts[0][0], more.reasoning, parts[1][0]]
    known = first.cost_usd is not None and more.cost_usd is not None
    return replace(
        more,
        reply="".join(text for _, text in parts),
        reasoning="\n".join(thought for thought in thoughts if thought) or None,
        usage=_sum(first.usage, more.usage),
        cost_usd=(first.cost_usd or 0.0) + (more.cost_usd or 0.0) if known else None,
        seconds=first.seconds + more.seconds,
    )


def _sum(one: Usage, other: Usage) -> Usage:
    """The tokens of both; known only where both are."""
    counts = {
        field.name: getattr(one, field.name) + getattr(other, field.name)
        for field in fields(Usage)
        if field.name != "known"
    }
    return Usage(**counts, known=one.known and other.known)
