"""Habits of form, read off the very passages that the prompt shows."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from libriscribe2.llm.offline.canon_notes import item_of

_SAMPLES: Final = re.compile(r"<samples>(.*?)</samples>", re.DOTALL)
_LABEL: Final = re.compile(r"(?m)^Passage \d+:$")
_END: Final = re.compile(r"(?<=[.!?\u2026])\s+|\n+")
_SHORTEST_QUOTE: Final = 10
_LONGEST_QUOTE: Final = 18
_SHORT: Final = 5
_LONG: Final = 20

_HABITS: Final[tuple[tuple[str, str, Callable[[str], object]], ...]] = (
    ("sentences", "Sets a very short sentence among longer ones.", lambda s: _count(s) <= _SHORT),
    ("sentences", "Lets a sentence run on through several clauses.", lambda s: _count(s) >= _LONG),
    ("dialogue", "Lets people speak in brief turns.", re.compile('["\u201c\u201e\u00ab]').search),
    ("punctuation", "Breaks a thought off with a dash.", re.compile("\u2014|--").search),
    ("punctuation", "Joins two statements with a semicolon.", re.compile(";").search),
    ("narration", "Asks where others would state.", re.compile(r"\?").search),
    ("viewpoint", "Speaks in the first person.", re.compile(r"\b(?:I|[Ii]ch|[Jj]e)\b").search),
    ("imagery", "Compares with plain things.", re.compile(r"\b(?:like an?|as if)\b").search),
    (
        "rhythm",
        "Begins a sentence with a conjunction.",
        re.compile(r"^(?:And|But|Und|Aber)\b").search,
    ),
)
"""Aspect and wording of a rule, with what a sentence has that shows it."""


def states_style(schema: Mapping[str, Any]) -> bool:
    """Whether a schema asks for the habits of an author, with quotes."""
    return {"aspect", "rule", "quote"} <= item_of(schema, "rules")


def style_notes(prompt: str) -> dict[str, Any]:
    """The habits that the shown passages have, each with the first sentence that has it."""
    block = _SAMPLES.search(prompt)
    told = _END.split(_LABEL.sub("", block[1]).strip()) if block is not None else []
    told = [one for one in told if len(one) >= _SHORTEST_QUOTE]
    found = [
        {"aspect": aspect, "rule": rule, "quote": _quote(shown)}
        for aspect, rule, has in _HABITS
        if (shown := next((one for one in told if has(one)), None)) is not None
    ]
    quote = _quote(told[0]) if told else "none"
    plain = {"aspect": "sentences", "rule": "Writes plain sentences.", "quote": quote}
    return {"rules": found or [plain]}


def _quote(sentence: str) -> str:
    return " ".join(sentence.split()[:_LONGEST_QUOTE])


def _count(sentence: str) -> int:
    return len(sentence.split())
