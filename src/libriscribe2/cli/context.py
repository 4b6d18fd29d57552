"""What the root command hands to every other: kept by Typer as the context's object."""

from contextvars import ContextVar
from dataclasses import dataclass

import typer


@dataclass(frozen=True, slots=True)
class CliContext:
    """What was said before the command's own name.

    Attributes:
        quiet: Leave out all talk but errors and warnings.
        debug: Show the traceback of an error.
    """

    quiet: bool = False
    debug: bool = False

    @classmethod
    def of(cls, ctx: typer.Context) -> "CliContext":
        """The object of the running command; without a root command there is an empty one."""
        return ctx.find_object(cls) or cls()

    @classmethod
    def current(cls) -> "CliContext":
        """The same for the boundaries, which outlive the command or were not given its context."""
        return _current.get(cls())

    def keep(self) -> None:
        """Make this the current one."""
        _current.set(self)


_current: ContextVar[CliContext] = ContextVar("cli_context")
