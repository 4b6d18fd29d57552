"""What a model says beside a value or a call: structure alone tells how much it weighs."""

import re
from collections.abc import Iterable
from typing import Any, Final

from libriscribe2.replies.strict_json import string_leaves

_QUESTION: Final = re.compile(r"[?？؟՞](?=[)\]\"'”’»」*_~]*(?:\s|\Z))|[？؟]")
_LAST_GROUP: Final = re.compile(r"\s*\([^()]{0,60}\)\s*\Z")
_ASKED: Final = re.compile(r"[?？؟][)\]\"'”’»」*_~\s]*\Z")


def asks(text: str) -> bool:
    """Whether a text holds a question."""
    return _QUESTION.search(text) is not None


def ends_asking(text: str) -> bool:
    """Whether a text ends with a question; what stands in parentheses behind it is a part of it."""
    return _ASKED.search(_LAST_GROUP.sub("", text)) is not None


_LONGEST: Final = 60
_SHORTEST_NAME: Final = 3
_LONGEST_NAME: Final = 60
# Fences with their language, tags, tokens, rules and a bracket too many are no words.
_MARKS: Final = re.compile(
    r"[`~]{3,}[\w+-]*|<[^<>\n]*>|<\|?\w*\|?>|^[ \t]*+[-*_=]{3,}+[ \t]*+$", re.MULTILINE
)
_QUOTED: Final = re.compile(r"[\"“„«「][^\"”“»」]+[\"”“»」]")
_NUMBER: Final = re.compile(r"(?<![\w.=])(?!\d+[.)]\s)\d{1,6}(?![\w%])")


def words_of(text: str) -> str:
    """What a text beside a value says, without marks of fences and tags; "" for marks alone."""
    plain = _MARKS.sub(" ", text).strip(" \t\r\n`\"'{}[](),;")
    return plain if any(char.isalnum() for char in plain) else ""


def weighs(after: str, value: Any) -> bool:
    """Whether what is said behind a value may change it: the model has to say which counts.

    It is long or asks, or speaks of the value: it names one of its texts, a number, or quotes.
    """
    wide = sum(char > "\u2e80" for char in after)
    if len(after) + 2 * wide > _LONGEST or asks(after):
        return True
    if _NUMBER.search(after) or _QUOTED.search(after):
        return True
    return any(name in after for name in _names(value))


def _names(value: Any) -> Iterable[str]:
    """The short texts of a value: names, titles and other words that a correction would quote."""
    texts = (text.strip() for _, text in string_leaves(value))
    return (text for text in texts if _SHORTEST_NAME <= len(text) <= _LONGEST_NAME)
