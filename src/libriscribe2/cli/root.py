"""The root command: what can be said before a command's name, and the last line of defence."""

import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from libriscribe2 import __version__
from libriscribe2.cli.lazy import RootGroup
from libriscribe2.cli.process import Invocation, bug_of, leave, open_closed, traceback_of
from libriscribe2.errors import LibriScribeError
from libriscribe2.project.atomic import DEVICE_ERRORS, storage_error

app = typer.Typer(
    name="libriscribe2",
    cls=RootGroup,
    rich_markup_mode=None,
    help="Turn a premise into a finished book. Try `libriscribe2 demo`: it needs no key.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(*, wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        typer.echo(f"libriscribe2 {__version__}")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    _version_wanted: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            callback=lambda wanted: _version(wanted=wanted),
            is_eager=True,
            help="Print the version and end.",
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say only what is wrong.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Turn a premise into a finished book. Try `libriscribe2 demo`: it needs no key."""
    ctx.obj = Invocation(quiet=quiet, debug=debug, command=ctx.invoked_subcommand or "")
    ctx.obj.keep()


def main() -> None:
    """Run the command line; an error that nobody expected ends in one line and exit code 1."""
    open_closed()
    try:
        code = app(standalone_mode=False)
    except OSError as error:
        code = _refused(error)
    except Exception as error:  # noqa: BLE001 - the last boundary before the user
        code = _bug(error)
    leave(code if isinstance(code, int) else 0)


def _refused(error: OSError) -> int:
    """Tell what the system refused while the output was written; anything else is a bug."""
    if error.errno not in DEVICE_ERRORS:
        return _bug(error)
    told = storage_error("write", Path("the output"), error)
    with suppress(OSError):  # the output may be the very thing that cannot be written
        from libriscribe2.cli.render import Renderer  # noqa: PLC0415 - only a failure pays for it

        Renderer(out=StringIO()).error(told)
    return told.exit_code


def _bug(error: Exception) -> int:
    """Tell an error that nobody expected."""
    if Invocation.current().debug:
        sys.stderr.write(traceback_of(error))
    bug = f"error: this is a bug in LibriScribe2: {bug_of(error)}"
    fix = "  fix: run it again as `libriscribe2 --debug ...`, and report what it shows."
    typer.echo(f"{bug}\n{fix}", err=True)
    return LibriScribeError.exit_code
