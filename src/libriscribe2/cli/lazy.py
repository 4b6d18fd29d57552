"""Commands whose modules are imported when they are run, so that `--help` costs next to nothing."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typing_extensions import override

from libriscribe2.cli.commands import COMMANDS, CommandEntry


class LazyCommand(TyperCommand):
    """Stands for a command in listings and turns into it when it is run."""

    def __init__(self, entry: CommandEntry) -> None:
        super().__init__(entry.name, help=entry.help, hidden=entry.hidden)
        self._entry = entry

    def load(self) -> Any:
        """The command itself."""
        module, _, attribute = self._entry.target.partition(":")
        found = getattr(import_module(module), attribute)
        if not isinstance(found, typer.Typer):
            only = typer.Typer(add_completion=False)
            only.command(name=self._entry.name)(found)
            found = only
        command = typer.main.get_command(found)
        command.name = self._entry.name
        return command

    @override
    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: Any = None,
        **extra: Any,
    ) -> Any:
        """The context of the command itself."""
        return self.load().make_context(info_name, args, parent, **extra)


class RootGroup(TyperGroup):
    """The root command: knows every other by name."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands.update({entry.name: LazyCommand(entry) for entry in COMMANDS})

    @override
    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order of the table, not of the alphabet."""
        del ctx
        return [entry.name for entry in COMMANDS]
