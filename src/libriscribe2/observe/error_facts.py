"""Why a reply was refused, without a word of the reply.

The feedback that a model gets quotes what it wrote. An event names the field and the rule.
"""

import re
from collections.abc import Sequence
from typing import Final

MOST: Final = 20
"""Errors of one reply that are named; its dump has all."""

LONGEST: Final = 200
"""Characters of one."""

_ITEM: Final = "- "
_VALUE: Final = " (it was "
_QUOTED: Final = re.compile(r"[`'\"].*[`'\"]", re.DOTALL)
_SENTENCE_END: Final = re.compile(r"[.!?](?:\s|$)|:\s")


def error_facts(feedback: Sequence[str]) -> tuple[str, ...]:
    """What the lines of a feedback complain of.

    Args:
        feedback: The lines that the model was told: wrong fields as a list, or a sentence.
    """
    fields = [line.removeprefix(_ITEM) for line in feedback if line.startswith(_ITEM)]
    found = fields or [_SENTENCE_END.split(line)[0] for line in feedback[:1]]
    return tuple(_unquoted(one.partition(_VALUE)[0])[:LONGEST] for one in found[:MOST])


def _unquoted(text: str) -> str:
    """The text without what stands between its first quotation mark and its last."""
    return " ".join(_QUOTED.sub("…", text).split())
