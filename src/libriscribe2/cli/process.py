"""The process: its standard streams, its end, and errors that nobody expected."""

import os
import sys
import traceback
from contextlib import suppress
from typing import Final, NoReturn

from libriscribe2.llm.redaction import redact, secrets_in
from libriscribe2.wording import clean, one_line

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


def leave(code: int) -> NoReturn:
    """End the process at once.

    What has to last is on the disk by now. The interpreter would spend seconds on taking down
    LiteLLM's modules, and would wait for threads that hang in a connection.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody listens any more
            stream.flush()
    os._exit(code)


def traceback_of(error: Exception) -> str:
    """Where an error comes from, without the values of variables and without a key."""
    return clean(redact("".join(traceback.format_exception(error)), secrets_in(os.environ)))


def bug_of(error: Exception) -> str:
    """An error that nobody expected in one line, without a key."""
    return one_line(redact(f"{type(error).__name__}: {error}", secrets_in(os.environ)))
