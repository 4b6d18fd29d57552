"""What is left to say when a damaged value has been read."""

from collections.abc import Sequence

from libriscribe2.utils.repair.cursor import Cursor
from libriscribe2.utils.repair.outcome import Trouble
from libriscribe2.utils.repair.patterns import CLOSERS
from libriscribe2.utils.report import Repair


def note_leftover(cursor: Cursor) -> None:
    """Note the brackets after the value that close nothing."""
    closers = CLOSERS.match(cursor.text, cursor.at)
    for _ in "".join(closers.group().split()) if closers else "":
        cursor.note("extra_closer", cursor.at)


def lost_number(repairs: Sequence[Repair]) -> Trouble | None:
    """The trouble of a value that JSON cannot hold, such as NaN."""
    for repair in repairs:
        if repair.name == "not_a_number":
            return Trouble(repair.name, repair.position)
    return None
