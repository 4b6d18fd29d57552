"""What the root command hands to every other: kept by Typer as the context's object."""

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
