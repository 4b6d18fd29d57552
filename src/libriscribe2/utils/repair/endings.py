"""What is left to say when a damaged value has been read."""

import re
from collections.abc import Sequence
from typing import Any, Final

from libriscribe2.utils.repair.cursor import Cursor, Halt
from libriscribe2.utils.repair.frames import SEPARATOR_STATE, Frame
from libriscribe2.utils.repair.outcome import RepairOutcome, Trouble
from libriscribe2.utils.repair.patterns import CLOSERS, COMMA, QUOTED_KEY
from libriscribe2.utils.report import Repair

# More of a value although its last bracket was read.
_MORE: Final = re.compile(rf"{COMMA.pattern}(?:[{{\[]\s*[{{\[\"']|{QUOTED_KEY})|\s*{QUOTED_KEY}")
_BRACKET: Final = re.compile(r"[{}\[\]]")
_FAR: Final = 4_000


def text_end(cursor: Cursor, frame: Frame, count: int) -> Halt:
    """The end of the parse where the text ends inside `count` containers."""
    for _ in range(count):
        cursor.note("missing_closer", cursor.at, lossless=False)
    return Halt(Trouble("cut_off", cursor.at), keep=frame.state == SEPARATOR_STATE)


def early_end(cursor: Cursor, frame: Frame, count: int) -> Halt:
    """The end of the parse where `count` containers end before more text.

    One closing bracket can be forgotten; with more of them a list was probably left unfinished.
    """
    if frame.state != SEPARATOR_STATE:
        return cursor.halt("cut_off")
    forgotten = count == 1
    for _ in range(count):
        cursor.note("missing_closer", cursor.at, lossless=forgotten)
    return Halt(None if forgotten else Trouble("cut_off", cursor.at), keep=True)


def note_leftover(cursor: Cursor) -> None:
    """Note the brackets after the value that close nothing."""
    closers = CLOSERS.match(cursor.text, cursor.at)
    for at in range(cursor.at, closers.end() if closers else 0):
        if not cursor.text[at].isspace():
            cursor.note("extra_closer", at)


def doubtful_structure(text: str, outcome: RepairOutcome) -> Trouble | None:
    """The trouble of a sound reading whose brackets may stand elsewhere just as well."""
    changed = [one for one in outcome.repairs if one.name.endswith("_closer")]
    if not changed or outcome.value is None:
        return None
    added = [one for one in changed if one.name == "missing_closer"]
    doubtful = (
        _MORE.match(text, outcome.end) is not None
        or _closes_later(text, outcome.end)
        or _moves_bracket(text, outcome)
        or (added and _nests_alone(outcome.value))
        # Neighbours that read as one string may be items of a list that lost its bracket.
        or any(one.name == "string_concatenation" for one in outcome.repairs)
    )
    return Trouble("ambiguous", changed[0].position) if doubtful else None


def _closes_later(text: str, position: int) -> bool:
    """Whether brackets close in the text after a value that open nowhere in it.

    Those that stand right behind the value are only too many.
    """
    closers = CLOSERS.match(text, position)
    after = position if closers is None else closers.end()
    depth = 0
    for bracket in _BRACKET.finditer(text, after, after + _FAR):
        depth += 1 if bracket.group() in "{[" else -1
        if depth < 0:
            return True
    return False


def _nests_alone(value: Any) -> bool:
    """Whether a list holds one list and nothing else: its bracket may as well stand twice."""
    pending = [value]
    while pending:
        item = pending.pop()
        children = list(item.values()) if isinstance(item, dict) else item
        if isinstance(item, list) and len(item) == 1 and isinstance(item[0], list):
            return True
        pending.extend(child for child in children if isinstance(child, dict | list))
    return False


def _moves_bracket(text: str, outcome: RepairOutcome) -> bool:
    """Whether a list ends before a key although it goes on later.

    Its bracket is left over: it was not forgotten, but something else is wrong before the key,
    such as a lost opening bracket.
    """
    repairs = outcome.repairs
    if not any(one.name == "missing_closer" and _is_colon(text, one) for one in repairs):
        return False
    return any(one.name == "extra_closer" and text[one.position] in "]］" for one in repairs)


def _is_colon(text: str, repair: Repair) -> bool:
    """Whether a repair was made at a colon: a list ended when its last item proved to be a key."""
    return text[repair.position : repair.position + 1] in (":", "：")


def lost_number(repairs: Sequence[Repair]) -> Trouble | None:
    """The trouble of a value that JSON cannot hold, such as NaN."""
    for repair in repairs:
        if repair.name == "not_a_number":
            return Trouble(repair.name, repair.position)
    return None
