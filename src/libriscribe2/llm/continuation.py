"""Going on with a prose reply that was cut at the length limit."""

from dataclasses import fields, replace
from typing import Final

from libriscribe2.llm.backend import Completion, Message, Usage
from libriscribe2.replies.parsers import split_leading_reasoning

MAX_CONTINUATIONS: Final = 4
"""How often a reply is continued before it is refused."""

CONTINUE: Final = "Continue exactly where you stopped. Do not repeat anything and add no remarks."


def next_turn(messages: tuple[Message, ...], so_far: str) -> tuple[Message, ...]:
    """The conversation that asks for the rest of a reply."""
    return (
        *messages,
        {"role": "assistant", "content": so_far},
        {"role": "user", "content": CONTINUE},
    )


def joined(first: Completion, more: Completion) -> Completion:
    """Two pieces of a reply as one: each without its reasoning block, tokens and cost summed."""
    pieces = [split_leading_reasoning(piece.reply) for piece in (first, more)]
    thoughts = [first.reasoning, pieces[0][0], more.reasoning, pieces[1][0]]
    known = first.cost_usd is not None and more.cost_usd is not None
    return replace(
        more,
        reply="".join(text for _, text in pieces),
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
