"""What is left to say when a damaged value has been read."""

from collections.abc import Sequence

from libriscribe2.utils.repair.cursor import Cursor, Halt
from libriscribe2.utils.repair.frames import SEPARATOR_STATE, Frame
from libriscribe2.utils.repair.outcome import Trouble
from libriscribe2.utils.repair.patterns import CLOSERS
from libriscribe2.utils.report import Repair


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
    for _ in "".join(closers.group().split()) if closers else "":
        cursor.note("extra_closer", cursor.at)


def lost_number(repairs: Sequence[Repair]) -> Trouble | None:
    """The trouble of a value that JSON cannot hold, such as NaN."""
    for repair in repairs:
        if repair.name == "not_a_number":
            return Trouble(repair.name, repair.position)
    return None
