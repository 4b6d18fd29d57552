"""Groups of commands, such as `libriscribe2 chapter ...`, all made alike."""

import typer
from typer.core import TyperGroup


def command_group(name: str, help_text: str, cls: type[TyperGroup] = TyperGroup) -> typer.Typer:
    """An empty group; without a command it prints its help.

    Args:
        name: What the user types.
        help_text: What the group is for.
        cls: How its words are read.
    """
    return typer.Typer(
        name=name,
        cls=cls,
        help=help_text,
        no_args_is_help=True,
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_show_locals=False,
    )
