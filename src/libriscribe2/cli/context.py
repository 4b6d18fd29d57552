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
        command: The command's name, as it was typed.
    """

    quiet: bool = False
    debug: bool = False
    command: str = ""

    @classmethod
    def of(cls, ctx: typer.Context) -> "CliContext":
        """The object of the running command; without a root command there is an empty one."""
        return ctx.find_object(cls) or cls()

    @classmethod
    def current(cls) -> "CliContext":
        """The same for the boundaries, which outlive the command or were not given its context."""
        return _current.get(cls())

    def keep(self) -> None:
        """Make this the current one; no project is named yet."""
        _current.set(self)
        _projects.set(frozenset())

    @staticmethod
    def name_project(called: str) -> None:
        """Remember how a project of the running command is called in commands."""
        _projects.set(_projects.get(frozenset()) | {called})

    @staticmethod
    def project() -> str:
        """How the one project of the running command is called in commands; "" without one."""
        named = _projects.get(frozenset())
        return next(iter(named)) if len(named) == 1 else ""


_current: ContextVar[CliContext] = ContextVar("cli_context")
_projects: ContextVar[frozenset[str]] = ContextVar("cli_projects")
