"""Where an error of the program becomes words on stderr and an exit code."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import typer

from libriscribe2.cli.context import CliContext
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.tracebacks import traceback_of
from libriscribe2.cli.way_on import interrupted, with_way_on
from libriscribe2.errors import EXIT_INTERRUPTED, LibriScribeError

_WITHOUT_PROJECT: Final = re.compile(r"`libriscribe2 (resume|adopt|estimate)`")


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
        error.fix = _with_project(error.fix)
        renderer.error(error, as_json=as_json)
        raise typer.Exit(error.exit_code) from error


@contextmanager
def resumable(renderer: Renderer, called: str) -> Iterator[None]:
    """Say how to go on with a project, whatever ends the run in the block before its time.

    Args:
        renderer: Shows it.
        called: How a command names the project.

    Raises:
        LibriScribeError: The run failed; its advice names the command.
        typer.Exit: Ctrl-C came while no loop was running.
    """
    try:
        yield
    except LibriScribeError as error:
        error.fix = with_way_on(error.fix, called)
        raise
    except KeyboardInterrupt as error:
        renderer.warning(interrupted(called))
        raise typer.Exit(EXIT_INTERRUPTED) from error


def _with_project(fix: str) -> str:
    """Advice whose commands can be typed: rooms below do not know how the project is called."""
    project = CliContext.project()
    if not project:
        return fix
    return _WITHOUT_PROJECT.sub(lambda found: f"`libriscribe2 {found[1]} {project}`", fix)
