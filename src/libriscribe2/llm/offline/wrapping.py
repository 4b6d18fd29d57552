"""Wrapping JSON the way models do, in forms that the cleanup pipeline reads without loss."""

import json
from typing import Any

from libriscribe2.llm.offline.dice import Dice

_BEFORE = (
    "Here is the JSON that you asked for:",
    "Sure. This follows the schema:",
    "Below is the result as JSON.",
    "I have kept to the schema that you gave:",
)
_AFTER = (
    "Let me know if you would like anything changed.",
    "I hope that this is what you had in mind.",
    "Every field of the schema is filled.",
    "I can offer another version on request.",
)
_THOUGHTS = (
    "The reply has to be one JSON value that fits the schema. The premise gives me enough to go "
    "on, so I shall keep its words and add the names.",
    "First the counts, then the names, then the rest. Nothing may be left empty.",
    "I should answer with the JSON and nothing that could be mistaken for it.",
)


def as_json(value: Any, dice: Dice) -> str:
    """A JSON value as a reply: three times in four bare, else wrapped.

    Args:
        value: The value.
        dice: Decides about the wrapping.
    """
    bare = json.dumps(value, ensure_ascii=False, indent=2 if dice.chance(2) else None)
    if not dice.chance(4):
        return bare
    fenced = f"```json\n{bare}\n```"
    forms = (
        fenced,
        f"```\n{bare}\n```",
        f"{dice.pick(_BEFORE)}\n\n{fenced}",
        f"{dice.pick(_BEFORE)}\n\n{bare}",
        f"{fenced}\n\n{dice.pick(_AFTER)}",
        f"{dice.pick(_BEFORE)}\n\n{fenced}\n\n{dice.pick(_AFTER)}",
        f"<think>\n{dice.pick(_THOUGHTS)}\n</think>\n\n{bare}",
        f"<think>\n{dice.pick(_THOUGHTS)}\n</think>\n\n{fenced}",
        _trailing_comma(bare),
    )
    return dice.pick(forms)


def _trailing_comma(bare: str) -> str:
    """The JSON with the comma before its last bracket that so many replies have."""
    body, close = bare[:-1].rstrip(), bare[-1]
    if close not in "]}" or body[-1] in "[{":
        return bare
    return f"{body},\n{close}"
