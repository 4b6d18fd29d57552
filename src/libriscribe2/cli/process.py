"""The process of a command: what it was told, its standard streams, its end, and how to go on."""

import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, NoReturn

import typer

from libriscribe2.llm.redaction import redact, secrets_in
from libriscribe2.wording import clean, one_line


@dataclass(frozen=True, slots=True)
class Invocation:
    """What was said before the command's own name.

    Attributes:
        quiet: Leave out all talk but errors and warnings.
        debug: Show the traceback of an error.
        command: The command's name, as it was typed.
    """

    quiet: bool = False
    debug: bool = False
    command: str = ""

    @classmethod
    def of(cls, ctx: typer.Context) -> "Invocation":
        """The object of the running command; without a root command there is an empty one."""
        return ctx.find_object(cls) or cls()

    @classmethod
    def current(cls) -> "Invocation":
        """The same for the boundaries, which outlive the command or were not given its context."""
        return _current.get(cls())

    def keep(self) -> None:
        """Make this the current one."""
        _current.set(self)


_current: ContextVar[Invocation] = ContextVar("cli_invocation")

_OF_ROOT: Final = frozenset({"--quiet", "-q", "--debug"})


_RESUME: Final = "libriscribe2 resume"


def interrupted(called: str) -> str:
    """What is said after Ctrl-C of a project that there is, by its name for a shell."""
    return f"Interrupted. Go on with `{_RESUME} {called}`."


def with_next_step(fix: str, called: str) -> str:
    """Advice after which the reader knows how to go on with the project.

    Args:
        fix: What mends the fault; "" where nothing has to be mended. Advice that names `resume`
            already is kept as it is.
        called: The project's name for a shell.
    """
    if _RESUME in fix:
        return fix
    then = f"go on with `{_RESUME} {called}`"
    if not fix:
        return then
    return f"{fix} Then {then}." if fix.endswith(".") else f"{fix}; then {then}"


def typed_to_resume(words: Sequence[str]) -> str:
    """What a command line of `resume` says after that word, ready for a shell; "" for any other."""
    own = [word for word in words if word not in _OF_ROOT]
    return shlex.join(own[1:]) if own[:1] == ["resume"] else ""


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
