"""The standard streams: those that are not there, and readers that go away.

Whoever reads the output may leave early, as in `... --json | head -1`: that ends without a word.
"""

import os
import sys
from typing import Final

EXIT_CLOSED_PIPE: Final = 141
"""What a shell reports of a program that SIGPIPE ended: 128 + 13."""


def open_closed() -> None:
    """Give the process the standard streams that it was started without, as from some daemons.

    A file of a book would otherwise get the number of one of them, and what is printed with it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8"))


def reader_gone(error: BaseException) -> bool:
    """Whether an error says that nobody reads stdout or stderr any more.

    Typer and rich turn the broken pipe into a `SystemExit(1)`; it is then its context.
    """
    return isinstance(error, BrokenPipeError) or (
        isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError)
    )


def stop_writing() -> None:
    """Send what is still to be written nowhere, so that the interpreter's end is silent too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
