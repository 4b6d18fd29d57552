"""The root command: the table of commands, and their modules imported when they are run.

`--help` imports none of them, so that it costs next to nothing.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer import BadParameter
from typer.core import TyperCommand, TyperGroup
from typing_extensions import override

from libriscribe2 import __version__
from libriscribe2.cli.process import (
    EXIT_CLOSED_PIPE,
    Invocation,
    bug_of,
    interrupted,
    reader_gone,
    stop_writing,
    traceback_of,
    typed_to_resume,
)
from libriscribe2.cli.table import (
    COMMANDS,
    FAMILIES,
    FIRST,
    GONE_COMMANDS,
    GONE_OPTIONS,
    RENAMED_OPTIONS,
    SHOWN_OPTIONS,
    Entry,
)
from libriscribe2.errors import EXIT_INTERRUPTED, LibriScribeError, UsageError
from libriscribe2.project.atomic import DEVICE_ERRORS, storage_error
from libriscribe2.wording import json_line, one_line, plain_fault

_UsageFault: Final[type[Any]] = BadParameter.__mro__[1]
_CommandLineFault: Final[type[Any]] = BadParameter.__mro__[2]
"""Click's UsageError and ClickException: Typer exports only what derives from them."""

_HELP_ALL: Final = "--help-all"
_JSON: Final = "--json"
_NAMED: Final = {entry.name: entry for entry in COMMANDS}

_PROGRAM: Final = "libriscribe2"
_OF_ROOT: Final = ("--quiet", "-q", "--debug", "--version", "-V")
"""Options of the root command."""


_SURPLUS: Final = "unexpected extra argument"
"""What Click says of words beyond those that a command takes."""


class LazyCommand(TyperCommand):
    """Stands for a command in listings and turns into it when it is run."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.name, help=entry.help, hidden=entry.hidden)
        self._entry = entry
        self._loaded: Any = None

    def load(self) -> Any:
        """The command itself."""
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> Any:
        module, _, attribute = self._entry.target.partition(":")
        found = getattr(import_module(f"libriscribe2.cli.{module}"), attribute)
        if not isinstance(found, typer.Typer):
            only = typer.Typer(add_completion=False, rich_markup_mode=None)
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
        other = next((word for word in args if word in FAMILIES.get(self.name or "", {})), None)
        if other is not None:
            name, *before = FAMILIES[self.name or ""][other].split()
            rest = [word for word in args if word != other]
            return LazyCommand(_NAMED[name]).make_context(name, [*before, *rest], parent, **extra)
        older = RENAMED_OPTIONS.get(self._entry.target.rpartition(":")[2], {})
        renamed = [older.get(word, word) for word in args]
        with _interrupts(sys.argv[1:]):
            command = self.load()
            if _HELP_ALL in renamed:
                renamed = ["--help" if word == _HELP_ALL else word for word in renamed]
            elif not {"--help", "-h"}.isdisjoint(renamed):
                _hide_most(command, SHOWN_OPTIONS.get(self._entry.target, ()))
            return command.make_context(info_name, renamed, parent, **extra)


def _hide_most(command: Any, shown: Sequence[str]) -> None:
    """Leave options out of a command's help, and say how to see them; () leaves out none."""
    if not shown:
        return
    rest = [
        one
        for one in command.params
        if one.param_type_name == "option" and one.name not in (*shown, "help") and not one.hidden
    ]
    for option in rest:
        option.hidden = True
    command.epilog = f"{_HELP_ALL} shows {len(rest)} more options."


class RootGroup(TyperGroup):
    """The root command: knows every other by name."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._typed: Sequence[str] = ()
        self.suggest_commands = False  # it would name commands that help leaves out
        self.commands.update({entry.name: LazyCommand(entry) for entry in COMMANDS})

    @override
    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line; one that cannot be understood is told in one line."""
        self._typed = sys.argv[1:] if args is None else args
        try:
            try:
                try:
                    code = super().main(
                        args, prog_name, complete_var, False, windows_expand_args, **extra
                    )
                except BadParameter as error:
                    named = self._with_book(error)
                    if named is None:
                        raise
                    code = super().main(
                        named, prog_name, complete_var, False, windows_expand_args, **extra
                    )
            except _CommandLineFault as error:
                _tell(error, self._path(self._typed), as_json=_JSON in self._typed)
                code = error.exit_code
            except typer.Abort:
                code = EXIT_INTERRUPTED
            sys.stdout.flush()
        except (BrokenPipeError, SystemExit) as error:
            if not reader_gone(error):
                raise
            stop_writing()
            code = EXIT_CLOSED_PIPE
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else 0)
        return code

    @override
    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: Any = None,
        **extra: Any,
    ) -> Any:
        """The context of the root command."""
        with _interrupts(self._typed):
            return super().make_context(info_name, args, parent, **extra)

    def _with_book(self, error: BadParameter) -> list[str] | None:
        """The command line with the book that goes without saying; None where there is none."""
        context = error.ctx
        if context is None or not any(one.name == "project" for one in context.command.params):
            return None
        from libriscribe2.cli.books import with_book_here  # noqa: PLC0415 - few come by here

        try:
            return with_book_here(self._typed, context.command_path.split()[1:])
        except (LibriScribeError, ValueError):
            return None

    def _path(self, words: Sequence[str]) -> str:
        """The command that some words name, as far as there is one."""
        command, path = self, [_PROGRAM]
        for word in words:
            found = getattr(command, "commands", {}).get(word)
            if found is not None:
                command = found.load() if isinstance(found, LazyCommand) else found
                path.append(word)
        return " ".join(path)

    @override
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named; for a wrong name one that help lists is suggested."""
        try:
            return super().resolve_command(ctx, args)
        except _UsageFault as error:
            listed = [entry.name for entry in COMMANDS if not entry.hidden]
            close = get_close_matches(args[0], listed, n=1)
            hint = f". Did you mean {close[0]!r}?" if close else ""
            if args[0] in GONE_COMMANDS:
                hint = f": {GONE_COMMANDS[args[0]]}"
            error.message = f"No such command {args[0]!r}{hint}"
            raise

    @override
    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands below headings, the most used ones first."""
        del ctx
        shown = {entry.name: entry for entry in COMMANDS if not entry.hidden}
        groups = {"Commands": [shown[name] for name in FIRST]}
        for entry in shown.values():
            if entry.name not in FIRST:
                groups.setdefault(entry.group, []).append(entry)
        for heading, entries in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(entry.name, entry.help) for entry in entries])

    @override
    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order of the table, not of the alphabet."""
        del ctx
        return [entry.name for entry in COMMANDS]


@contextmanager
def _interrupts(words: Sequence[str]) -> Iterator[None]:
    """Say how to go on with a book after Ctrl-C that comes before its command has begun."""
    try:
        yield
    except KeyboardInterrupt:
        called = typed_to_resume(words)
        if called:
            typer.echo(f"warning: {one_line(interrupted(called))}", err=True)
        raise


def _tell(error: Any, command: str, *, as_json: bool) -> None:
    """Say in one line what was wrong with a command line; without arguments, show the help.

    Args:
        error: What was wrong.
        command: The command that the words name, such as `libriscribe2 create`.
        as_json: Whether the line is JSON, as that of every other error is with `--json`.
    """
    faults = getattr(error.__cause__, "errors", None)  # Typer has Pydantic read the values
    if faults is not None:
        first = faults(include_url=False)[0]
        error.message = f"{plain_fault(first)}, not {first['input']!r}"
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else command
    told = error.format_message().strip()
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(told, err=True)
        return
    sentence = one_line(told).rstrip(".")
    if as_json:
        typer.echo(json_line(UsageError(sentence, fix=_fix(error, command)).as_record()), err=True)
        return
    end = "" if sentence.endswith("?") else "."
    typer.echo(f"error: {sentence}{end} fix: {_fix(error, command)}", err=True)


def _fix(error: Any, command: str) -> str:
    """What to do about a command line that cannot be understood."""
    option = getattr(error, "option_name", "")  # only a wrong option has one
    if option in _OF_ROOT and command != _PROGRAM:
        named = command.removeprefix(f"{_PROGRAM} ")
        return f"{option} comes before the command: `{_PROGRAM} {option} {named} ...`"
    if option in GONE_OPTIONS:
        return f"{GONE_OPTIONS[option]}; see `{command} --help`"
    of_premise = _SURPLUS in error.message and command.endswith((" create", " create-book"))
    return f"{'put the premise into quotes; ' if of_premise else ''}see `{command} --help`"


app = typer.Typer(
    name="libriscribe2",
    cls=RootGroup,
    rich_markup_mode=None,
    help="Turn a premise into a finished book. Try `libriscribe2 demo`: it needs no key.",
    invoke_without_command=True,
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
            help="Print the version and exit.",
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only warnings and errors.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Turn a premise into a finished book. Try `libriscribe2 demo`: it needs no key."""
    ctx.obj = Invocation(quiet=quiet, debug=debug, command=ctx.invoked_subcommand or "")
    ctx.obj.keep()
    if ctx.invoked_subcommand is None:
        _alone(ctx)


def _alone(ctx: typer.Context) -> None:
    """The program without a command: the shelf, or the help where there is no book yet."""
    from libriscribe2.cli.books import books, has_books  # noqa: PLC0415 - few come by here

    if has_books():
        books(ctx=ctx)
    else:
        typer.echo(ctx.get_help())


def exit_code_of(error: Exception) -> int:
    """Print an error that no command expected; its exit code.

    What the system refused while the output was written is told as such, anything else as a bug.
    """
    if not isinstance(error, OSError) or error.errno not in DEVICE_ERRORS:
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
    bug = f"this is a bug in LibriScribe2: {bug_of(error)}"
    fix = "run it again as `libriscribe2 --debug ...`, and report what it shows."
    if _JSON in sys.argv:
        typer.echo(json_line(LibriScribeError(bug, fix=fix).as_record()), err=True)
    else:
        typer.echo(f"error: {bug}\n  fix: {fix}", err=True)
    return LibriScribeError.exit_code
