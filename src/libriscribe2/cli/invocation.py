"""What the command line said, and how to go on after a run that ended early."""

import shlex
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

import typer


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
