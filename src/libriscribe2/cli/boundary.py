"""Where an error of the program becomes words on stderr and an exit code."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from libriscribe2.cli.context import CliContext
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.tracebacks import traceback_of
from libriscribe2.errors import LibriScribeError


@contextmanager
def reported(renderer: Renderer, *, as_json: bool = False) -> Iterator[None]:
    """Tell an error of the block to the user and end the command with the error's exit code.

    Raises:
        typer.Exit: The block failed; Typer ignores what a command returns.
    """
    try:
        yield
    except LibriScribeError as error:
        if CliContext.current().debug:
            renderer.trace(traceback_of(error))
        renderer.error(error, as_json=as_json)
        raise typer.Exit(error.exit_code) from error
