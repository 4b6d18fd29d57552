"""What a model says beside a value or a call: structure alone tells how much it weighs."""

import re
from typing import Final

_QUESTION: Final = re.compile(r"[?？؟՞](?=[)\]\"'”’»」*_~]*(?:\s|\Z))|[？؟]")
_LAST_GROUP: Final = re.compile(r"\s*\([^()]{0,60}\)\s*\Z")
_ASKED: Final = re.compile(r"[?？؟][)\]\"'”’»」*_~\s]*\Z")


def asks(text: str) -> bool:
    """Whether a text holds a question."""
    return _QUESTION.search(text) is not None


def ends_asking(text: str) -> bool:
    """Whether a text ends with a question; what stands in parentheses behind it is a part of it."""
    return _ASKED.search(_LAST_GROUP.sub("", text)) is not None
