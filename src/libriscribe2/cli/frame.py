"""The frame of every command: its options, settings and project, its errors and its exit code.

A command is a function that takes a `Frame` and its own options, and may return an exit code. The
decorator `command` makes of it what Typer runs: it adds the options of each group, and turns an
error into words on stderr and the error's exit code. No command prints by itself or catches errors.
"""

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Concatenate, Final, ParamSpec, get_type_hints

import typer
from typer.core import TyperGroup
from typing_extensions import override

from libriscribe2.cli.process import (
    Invocation,
    interrupted,
    run_async,
    traceback_of,
    typed_to_resume,
    with_next_step,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import (
    here,
    loaded_for,
    locate,
    look_at,
    project_names,
    stage_names,
)
from libriscribe2.errors import EXIT_INTERRUPTED, LibriScribeError, ProjectError, UsageError
from libriscribe2.llm.default_model import LocalServer, choose_model, find_local_servers
from libriscribe2.llm.providers import ModelChoice, is_built_in
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.schema import Settings


def complete_project(incomplete: str) -> list[str]:
    """The names of books that begin so, for a shell."""
    names = project_names(loaded_for(None, {}).settings)
    return [name for name in names if name.startswith(incomplete)]


def complete_stage(incomplete: str) -> list[str]:
    """The names of stages that begin so, for a shell."""
    return [name for name in stage_names() if name.startswith(incomplete)]


def complete_part(ctx: typer.Context, incomplete: str) -> list[str]:
    """The numbers of the chapters of the project that was typed, and the stages, for a shell."""
    settings, typed = loaded_for(None, {}).settings, ctx.params.get("project")
    paths = locate(typed, None, settings) if typed else here(settings)
    chapters = Book(look_at(paths)).chapters() if paths is not None else 0
    numbers = (str(n) for n in range(1, chapters + 1))
    return [one for one in (*numbers, *stage_names()) if one.startswith(incomplete)]


_PROJECT: Final = typer.Argument(
    metavar="PROJECT",
    help="Name of the project, its beginning, or its folder; the only one needs no name.",
    autocompletion=complete_project,
)
ProjectArgument = Annotated[str | None, _PROJECT]
RequiredProjectArgument = Annotated[str, _PROJECT]
ProjectNameOption = Annotated[
    str | None,
    typer.Option("--project-name", "-p", help="Name of the project, where no PROJECT is given."),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", "-m", help="Model as LiteLLM spells it, such as openai/gpt-4o-mini."),
]
MockOption = Annotated[
    bool, typer.Option("--mock", help="Use the stand-in author; same as --model demo.")
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="STAGE",
        help="Stop after this stage, such as outline or plan, or after a chapter: chapter:5.",
        autocompletion=complete_stage,
    ),
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option("--max-concurrency", min=1, max=64, help="Maximum requests in flight at once."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON to stdout.")]
JsonLinesOption = Annotated[
    bool, typer.Option("--json", help="Write one JSON event per line to stdout.")
]
NoInputOption = Annotated[bool, typer.Option("--no-input", help="Never ask questions.")]
RefreshOption = Annotated[
    bool,
    typer.Option(
        "--refresh",
        help="Also read the chapters that you changed, and patch later sentences that contradict "
        "them.",
    ),
]
RewriteOption = Annotated[
    bool,
    typer.Option(
        "--rewrite",
        help="Write again everything that is out of date; the old text goes to the trash.",
    ),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Answer every question with yes.")]
ReplaceMineOption = Annotated[
    bool, typer.Option("--replace-mine", help="Also replace text that you edited or imported.")
]
VariantsOption = Annotated[
    int | None,
    typer.Option("--variants", metavar="N", min=2, max=5, help="Write it N times, to `pick` from."),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option(
        "--max-cost", metavar="USD", min=0, help="Maximum cost of the whole book in US dollars."
    ),
]
MaxCallsOption = Annotated[
    int | None,
    typer.Option("--max-calls", metavar="N", min=0, help="Maximum requests for the whole book."),
]
MaxMinutesOption = Annotated[
    float | None,
    typer.Option("--max-minutes", metavar="M", min=0, help="Maximum minutes of this run."),
]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Only estimate calls, tokens and cost; send nothing."),
]
LogLevelOption = Annotated[
    str | None, typer.Option("--log-level", help="DEBUG, INFO, WARNING or ERROR.")
]

_LAST: Final = (
    *("model", "mock", "until", "refresh", "rewrite", "yes", "max_concurrency", "max_cost"),
    *("max_calls", "max_minutes", "dry_run", "dsn", "journal", "log_level", "no_input", "as_json"),
)
"""What `--help` of a command with groups lists after its own options, in this order."""

_NAMED: Final = 8
"""Most projects that an error names."""

_WITHOUT_PROJECT: Final = re.compile(
    r"`libriscribe2 (answer|resume|accept|adopt|estimate|debug list)(?=`| --)"
)

P = ParamSpec("P")


@dataclass(frozen=True, kw_only=True)
class OptionGroup:
    """Options that a command takes as one parameter; each field is an option."""


@dataclass(frozen=True, kw_only=True)
class ModelOptions(OptionGroup):
    """Options of a command that asks a model."""

    model: ModelOption = None
    mock: MockOption = False

    def flags(self) -> dict[str, Any]:
        """The settings that they stand for, by dotted key; None was not given."""
        return {"models.default": self.model, "no_input": True}


@dataclass(frozen=True, kw_only=True)
class BudgetOptions(ModelOptions):
    """Options of a command that asks a model several things."""

    max_cost: MaxCostOption = None
    max_calls: MaxCallsOption = None
    max_minutes: MaxMinutesOption = None
    log_level: LogLevelOption = None

    @override
    def flags(self) -> dict[str, Any]:
        """As for `ModelOptions`."""
        return super().flags() | {
            "budget.max_cost": self.max_cost,
            "budget.max_calls": self.max_calls,
            "budget.max_minutes": self.max_minutes,
            "log_level": self.log_level,
        }


@dataclass(frozen=True, kw_only=True)
class RunOptions(BudgetOptions):
    """Options of a command that writes a book, or a part of it."""

    max_concurrency: ConcurrencyOption = None
    no_input: NoInputOption = False

    @override
    def flags(self) -> dict[str, Any]:
        """As for `ModelOptions`."""
        return super().flags() | {
            "pipeline.max_concurrency": self.max_concurrency,
            "no_input": self.no_input or None,
        }


class Frame:
    """What a command works with.

    Attributes:
        renderer: Prints.
    """

    def __init__(self, renderer: Renderer, *, command: str = "") -> None:
        self.renderer = renderer
        self._command = command
        self._projects: set[str] = set()
        self._said: set[str] = set()

    def project(
        self, typed: str | None, named: str | None = None, options: ModelOptions | None = None
    ) -> ProjectPaths:
        """The project that the command line names.

        Args:
            typed: The PROJECT argument: a name, or the path of a folder.
            named: The value of --project-name.
            options: May say where projects lie.

        Raises:
            UsageError: No project was named.
            ProjectError: There is no such project.
            ConfigError: The settings cannot be used.
            StorageError: The folder cannot be read.
        """
        settings = self._loaded(None, options.flags() if options is not None else {})
        try:
            paths = locate(typed, named, settings) if typed or named else here(settings)
        except ProjectError as error:
            from libriscribe2.commands.noting import is_of_book  # noqa: PLC0415 - for errors

            if typed and is_of_book(typed, here(settings)):
                # The root command puts in the book that goes without saying, and runs it again.
                raise typer.BadParameter(error.what) from error
            raise
        if paths is None:
            command, names = self._command or "status", ", ".join(project_names(settings)[:_NAMED])
            fix = f"Name one: `libriscribe2 {command} PROJECT`" + (f", of {names}" if names else "")
            raise UsageError("Which project?", fix=f"{fix}.")
        self.is_about(paths)
        return paths

    def settings(
        self,
        options: ModelOptions | None = None,
        paths: ProjectPaths | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Settings:
        """The settings in force.

        Args:
            options: What the command line says.
            paths: The project; None is for none.
            more: Further values of the command line, by dotted key.

        Raises:
            ConfigError: A file or a variable cannot be used.
            UsageError: The options contradict each other.
        """
        flags = {**(options.flags() if options is not None else {}), **(more or {})}
        mock = options is not None and options.mock
        return self._loaded(
            paths.root if paths is not None else None, flags, mock=mock, asks=options is not None
        )

    def _loaded(
        self, root: Path | None, flags: Mapping[str, Any], *, mock: bool = False, asks: bool = False
    ) -> Settings:
        """The settings, and once what is to be said of them: to whom texts go only if they may go."""
        loaded = loaded_for(root, flags, mock=mock)
        asks = asks and not is_built_in(loaded.settings.models.default.model)
        for warning in loaded.warnings:
            if warning not in self._said:
                self.renderer.warning(warning)
        for note in loaded.notes if asks else ():
            if note not in self._said:
                self.renderer.note(note)
        self._said.update(loaded.warnings, loaded.notes if asks else ())
        return loaded.settings

    @property
    def _called(self) -> str:
        """How a command names the one project of this one; "" of none or several."""
        return next(iter(self._projects)) if len(self._projects) == 1 else ""

    def is_about(self, paths: ProjectPaths) -> None:
        """Note the project, whose name advice then gives; of two or more it gives none."""
        self._projects.add(paths.called)

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Print an error of the block, and end the command with its exit code.

        Raises:
            typer.Exit: The block failed, or Ctrl-C came.
        """
        try:
            yield
        except KeyboardInterrupt as error:
            if self._command == "resume":
                self.renderer.warning(interrupted(self._called or typed_to_resume(sys.argv[1:])))
            raise typer.Exit(EXIT_INTERRUPTED) from error
        except LibriScribeError as error:
            if Invocation.current().debug:
                self.renderer.trace(traceback_of(error))
            error.fix = _with_project(error.fix, self._called)
            self.renderer.error(error)
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
        error.fix = with_next_step(error.fix, called)
        raise
    except KeyboardInterrupt as error:
        renderer.warning(interrupted(called))
        raise typer.Exit(EXIT_INTERRUPTED) from error


def command(
    body: Callable[Concatenate[Frame, P], int | None], *, json: Any = None
) -> Callable[..., None]:
    """The command that Typer runs, made of its body.

    The body's first parameter is the frame. A parameter whose type is a group of
    options (`OptionGroup`) becomes an option for each field. What the body returns
    is the exit code; None is 0.

    Args:
        body: The command's own work.
        json: The option `--json`, which sets `Renderer.as_json`; None where there is none.
    """
    own, groups = _parameters(body, json)

    @wraps(body)
    def run(ctx: typer.Context, **typed: Any) -> None:
        said = Invocation.of(ctx)
        renderer = Renderer(quiet=said.quiet, as_json=typed.pop("as_json", False))
        frame = Frame(renderer, command=said.command)
        for name, group in groups.items():
            typed[name] = group(**{one.name: typed.pop(one.name) for one in fields(group)})
        try:
            with frame.reporting():
                code = body(frame, **typed)  # type: ignore[call-arg]  # Typer calls by name alone
        except typer.BadParameter as error:
            error.ctx = ctx
            raise
        if code:
            raise typer.Exit(code)

    context = inspect.Parameter(
        "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    signature = inspect.Signature([context, *own])
    run.__signature__ = signature  # type: ignore[attr-defined]  # what `inspect` looks for
    run.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
    return run


command_with_json: Final = partial(command, json=JsonOption)
"""`command` with `--json`: what the command prints is one JSON value."""

command_with_events: Final = partial(command, json=JsonLinesOption)
"""`command` with `--json`: what the command prints is one JSON object per line."""


def command_group(name: str, help_text: str, cls: type[TyperGroup] = TyperGroup) -> typer.Typer:
    """An empty group of commands, such as `libriscribe2 chapter ...`; alone it prints its help.

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


def _parameters(
    body: Callable[..., Any], json: Any
) -> tuple[list[inspect.Parameter], dict[str, type[OptionGroup]]]:
    """What Typer is to read from the command line, and the groups of options by parameter."""
    _frame, *parameters = inspect.signature(body).parameters.values()
    found: list[inspect.Parameter] = []
    groups: dict[str, type[OptionGroup]] = {}
    for one in parameters:
        if isinstance(one.annotation, type) and issubclass(one.annotation, OptionGroup):
            groups[one.name] = one.annotation
            hints = get_type_hints(one.annotation, include_extras=True)
            found += [
                one.replace(name=field.name, annotation=hints[field.name], default=field.default)
                for field in fields(one.annotation)
            ]
        else:
            found.append(one)
    if json is not None:
        kind = inspect.Parameter.KEYWORD_ONLY
        found.append(inspect.Parameter("as_json", kind, annotation=json, default=False))
    ordered = found
    if groups:
        ordered = sorted(found, key=lambda one: _LAST.index(one.name) if one.name in _LAST else -1)
    return [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in ordered], groups


def _with_project(fix: str, project: str) -> str:
    """Advice whose commands can be typed: rooms below do not know how the project is called."""
    if not project:
        return fix
    return _WITHOUT_PROJECT.sub(lambda found: f"`libriscribe2 {found[1]} {project}", fix)


def local_servers() -> Sequence[LocalServer]:
    """The local servers whose model list answers; a third of a second at most.

    Raises:
        KeyboardInterrupt: Ctrl-C came, as it would anywhere else before a run.
    """
    try:
        return run_async(find_local_servers(), lambda: None)
    except typer.Exit as error:
        raise KeyboardInterrupt from error


def is_interactive(settings: Settings) -> bool:
    """Whether questions may be asked."""
    return not settings.no_input and sys.stdin.isatty() and sys.stderr.isatty()


def model_for(
    settings: Settings, *, probe: Callable[[], Sequence[LocalServer]] = local_servers
) -> ModelChoice:
    """The default model of a run, and why it is the one."""
    named = settings.models.default.model

    def consent(server: LocalServer) -> bool:
        if not is_interactive(settings):
            return True
        from libriscribe2.cli.questions import Questions  # noqa: PLC0415 - for terminals alone

        question = f"{server.name} serves {server.models[0]} at {server.url}. Use it?"
        return Questions(Renderer()).agrees(question)

    return choose_model(named, os.environ, probe, consent)
