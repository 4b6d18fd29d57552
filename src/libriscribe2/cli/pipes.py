"""Ending without a word when whoever reads the output goes away, as in `... --json | head -1`."""

import os
import sys
from typing import Final

EXIT_CLOSED_PIPE: Final = 141
"""What a shell reports of a program that SIGPIPE ended: 128 + 13."""


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
