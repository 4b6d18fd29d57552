"""The premise of a book: an argument, an option, or what comes in on stdin."""

import sys
from typing import Final

from libriscribe2.errors import UsageError
from libriscribe2.models.brief import MOST_PREMISE

FROM_STDIN: Final = "-"
"""The premise that says to read one."""

_MOST_BYTES: Final = 8 * MOST_PREMISE


def premise_of(argument: str | None, option: str | None) -> str | None:
    """The premise that the command line gives; None where it gives none.

    Args:
        argument: PREMISE.
        option: `--description`, which means the same.

    Raises:
        UsageError: They say two things, or stdin holds something that is no text.
    """
    if argument and option and argument != option:
        raise UsageError(
            "PREMISE and --description say two things.",
            why="Both mean what the book is about.",
            fix="Give one of them.",
        )
    given = argument if argument is not None else option
    return _typed() if given == FROM_STDIN else given


def _typed() -> str:
    """What comes in on stdin."""
    try:
        return sys.stdin.buffer.read(_MOST_BYTES).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise UsageError(
            "The premise on stdin is not UTF-8 text.",
            why=f"byte {error.start}: {error.reason}",
            fix="Save the text as UTF-8.",
        ) from error
