"""The repair parser: damaged JSON read in one linear pass, every change named."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from libriscribe2.replies.repair.cursor import doubtful_structure
from libriscribe2.replies.repair.parser import RepairParser
from libriscribe2.replies.repair.patterns import COMMA, SEPARATORS
from libriscribe2.replies.repair.state import Policy, RepairOutcome, Trouble
from libriscribe2.replies.strict_json import same_json

_QUOTE: Final = r"\"'“”„«»‘’`＂「」『』‹›"
_GAP: Final = re.compile(
    rf"""\\?[{_QUOTE}]{{0,3}}+
    (?:\\(?=\s) | [\s\u200b-\u200f\u2060\ufeff{{}}\[\]｛｝［］{SEPARATORS}:：=+>]++
      | //[^\n]*+ | \#[^\n]*+ | /\*.*?\*/ | <!--.*?-->)*+
    \\?[{_QUOTE}]{{0,3}}+""",
    re.VERBOSE | re.DOTALL,
)


def conserved(
    text: str, start: int, outcome: RepairOutcome, contents: Sequence[tuple[int, int]]
) -> RepairOutcome:
    """The outcome of a parse, or its refusal when text is missing from its value.

    Args:
        text: The text.
        start: Where the damaged value begins.
        outcome: What the parser made of it.
        contents: Start and end of every stretch that became content, in order.
    """
    lost = lost_content(text, start, outcome.end, contents)
    if outcome.value is None or lost is None:
        return outcome
    return replace(outcome, value=None, trouble=Trouble("ambiguous", lost))


def lost_content(
    text: str, start: int, end: int, contents: Sequence[tuple[int, int]]
) -> int | None:
    """The place of the first text that is in no value, or None when all is conserved.

    Args:
        text: The text.
        start: Where the damaged value begins.
        end: Where it ends.
        contents: Start and end of every stretch that became content, in order.
    """
    position = start
    for first, last in contents:
        if first < position or _GAP.fullmatch(text, position, first) is None:
            return position
        position = last
    return position if _GAP.fullmatch(text, position, end) is None else None


_MAX_REREAD: Final = 300_000
_DEFAULT: Final = Policy()
_OTHERS: Final = (
    Policy(structure_wins=True),
    Policy(closing=("wrong_closer", "extra_closer", "missing_closer")),
    Policy(closing=("extra_closer", "missing_closer", "wrong_closer")),
)


def repair_json(
    text: str, start: int = 0, schema: Mapping[str, Any] | None = None
) -> RepairOutcome:
    """Read the damaged JSON value that begins at `start`.

    Args:
        text: The text.
        start: Index of the opening bracket.
        schema: The wanted JSON Schema; where a closing bracket is missing, its property names
            say which object a key belongs to.

    Where two readings are possible both are made: if only one comes out sound it is taken, if both
    do and they differ the value is refused as ambiguous.
    """
    first, doubts = _proven(text, start, _DEFAULT)
    chosen = _least_edited(text, start, first) if doubts else first
    if schema and lacks_end(chosen):
        placed, _ = _proven(text, start, Policy(schema=schema))
        if placed.trouble is None and not lacks_end(placed):
            return placed
    return chosen


def lacks_end(outcome: RepairOutcome) -> bool:
    """Whether closing brackets had to be added at the end of the value."""
    last = outcome.repairs[-1] if outcome.repairs else None
    return last is not None and last.name == "missing_closer" and last.position == outcome.end


def _least_edited(text: str, start: int, first: RepairOutcome) -> RepairOutcome:
    """The sound reading that changes the fewest brackets; ambiguous when two are as good.

    A very long text is not read several times.
    """
    if first.work > _MAX_REREAD:
        return replace(first, value=None, trouble=Trouble("ambiguous", start))
    sound = [first] if first.trouble is None else []
    for policy in _OTHERS:
        other, _ = _proven(text, start, policy)
        if other.trouble is None and not any(same_json(other.value, o.value) for o in sound):
            sound.append(other)
    if not sound:
        return first
    sound.sort(key=lambda outcome: _edits(text, outcome))
    if len(sound) == 1 or _edits(text, sound[0]) < _edits(text, sound[1]):
        return sound[0]
    trouble = Trouble("ambiguous", sound[0].repairs[0].position)
    return replace(first, value=None, trouble=trouble, work=first.work * len(_OTHERS))


def _edits(text: str, outcome: RepairOutcome) -> int:
    """How many brackets a reading added, changed or dropped; what it leaves unread weighs more."""
    unread = COMMA.match(text, outcome.end) is not None
    return unread * 10 + sum(repair.name.endswith("_closer") for repair in outcome.repairs)


def _proven(text: str, start: int, policy: Policy) -> tuple[RepairOutcome, int]:
    """One reading with its conservation checked, and how many doubts it met."""
    parser = RepairParser(text, start, policy)
    outcome = conserved(text, start, parser.run(), parser.cursor.contents)
    doubt = doubtful_structure(text, outcome)
    if doubt is not None:
        outcome = replace(outcome, value=None, trouble=doubt)
    return outcome, parser.doubts
