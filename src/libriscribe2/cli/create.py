"""`libriscribe2 create` and `demo`: a new book from a premise."""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import ValidationError

from libriscribe2.app import AppOptions
from libriscribe2.cli.frame import (
    DryRunOption,
    Frame,
    JsonLinesOption,
    ModelOptions,
    OptionGroup,
    ProjectNameOption,
    RunOptions,
    UntilOption,
    command,
    is_interactive,
    model_for,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import command_line, run_book, run_dry, tell_quote
from libriscribe2.commands.forecasts import quote_new
from libriscribe2.commands.new_book import (
    NewBook,
    begin_book,
    brief_from,
    continued,
    earlier_note,
    kind_note,
    option_of,
    read_earlier,
    read_samples,
    with_drafting,
)
from libriscribe2.commands.projects import free_name, new_paths
from libriscribe2.commands.runs import OpenBook
from libriscribe2.errors import UsageError
from libriscribe2.llm.providers import DEMO_MODEL, ModelChoice, is_recorded
from libriscribe2.models.brief import MOST_PREMISE, Brief
from libriscribe2.settings import Settings
from libriscribe2.wording import plain_fault

FROM_STDIN: Final = "-"
"""The premise that says to read one."""

_MOST_BYTES: Final = 8 * MOST_PREMISE

DEMO_NAME: Final = "demo"
DEMO_BRIEF: Final = Brief(
    premise="A lighthouse keeper on a drowned coast finds a logbook that records tomorrow's wrecks",
    genre="Mystery",
    project_type="short_story",
    chapters="3",
    characters="4",
    scenes_per_chapter="3",
    words=3_600,
)


@dataclass(frozen=True, kw_only=True)
class BriefOptions(OptionGroup):
    """What the author asks for; the fields are keys of the brief."""

    title: Annotated[str | None, typer.Option("--title", "-t", help="Title.")] = None
    author: Annotated[str | None, typer.Option(help="Name on the title page.")] = None
    genre: Annotated[str | None, typer.Option("--genre", "-g", help="Genre.")] = None
    category: Annotated[
        str | None,
        typer.Option(
            "--category", "-c", help="Fiction, Fantasy, Business, ...", show_default="Fiction"
        ),
    ] = None
    book_kind: Annotated[
        str | None,
        typer.Option("--kind", help="fiction or non-fiction.", show_default="by the category"),
    ] = None
    language: Annotated[
        str | None,
        typer.Option("--language", "-l", help="Language of the book.", show_default="English"),
    ] = None
    audience: Annotated[
        str | None, typer.Option("--target-audience", help="Who it is for.", show_default="General")
    ] = None
    tone: Annotated[str | None, typer.Option(help="Tone of the book.")] = None
    project_type: Annotated[
        str | None,
        typer.Option(help="short_story, novella, book, novel or epic.", show_default="novel"),
    ] = None
    chapters: Annotated[str | None, typer.Option(help="How many: 10 or 8-12.")] = None
    characters: Annotated[str | None, typer.Option(help="How many: 5, 3-7 or 5+.")] = None
    scenes_per_chapter: Annotated[
        str | None, typer.Option(help="How many: 5, 3-6, or one entry per chapter: 3,4,5.")
    ] = None
    words: Annotated[int | None, typer.Option(min=1, help="Words of the whole book.")] = None
    worldbuilding: Annotated[
        bool | None, typer.Option("--worldbuilding/--no-worldbuilding", help="Build a world first.")
    ] = None
    story_bible: Annotated[
        bool | None,
        typer.Option(
            "--story-bible/--no-story-bible", help="Record the facts that each chapter states."
        ),
    ] = None
    drafting: Annotated[
        str | None,
        typer.Option(
            help="Order of the chapters: sequential, redblack or parallel.",
            show_default="by --max-concurrency",
        ),
    ] = None
    revision: Annotated[
        bool | None,
        typer.Option("--revision/--no-revision", help="Have each chapter critiqued and revised."),
    ] = None
    auto_title: Annotated[
        bool, typer.Option("--auto-title", help="Choose a title from the finished text.")
    ] = False
    research: Annotated[
        bool | None,
        typer.Option(
            "--research/--no-research",
            help="Research facts first.",
            show_default="for non-fiction",
        ),
    ] = None

    def keys(self) -> dict[str, Any]:
        """The keys of the brief; None was not given."""
        return {**asdict(self), "auto_title": self.auto_title or None}


@dataclass(frozen=True, kw_only=True)
class StepOptions(OptionGroup):
    """Options of the original LibriScribe2 that name the stages to run up to."""

    run_all: Annotated[bool, typer.Option("--all", hidden=True)] = False
    generate_concept: Annotated[bool, typer.Option("--generate-concept", hidden=True)] = False
    generate_characters: Annotated[bool, typer.Option("--generate-characters", hidden=True)] = False
    generate_worldbuilding: Annotated[
        bool, typer.Option("--generate-worldbuilding", hidden=True)
    ] = False
    generate_outline: Annotated[bool, typer.Option("--generate-outline", hidden=True)] = False
    write_chapters: Annotated[bool, typer.Option("--write-chapters", hidden=True)] = False
    format_book: Annotated[bool, typer.Option("--format-book", hidden=True)] = False

    def stages(self) -> list[str]:
        """The stages that are named; none means all."""
        named = {
            "concept": self.generate_concept,
            "characters": self.generate_characters,
            "world": self.generate_worldbuilding,
            "outline": self.generate_outline,
            "chapters": self.write_chapters,
            "manuscript": self.format_book,
        }
        return [stage for stage, wanted in named.items() if wanted and not self.run_all]


@command
def create(
    frame: Frame,
    premise: Annotated[
        str | None,
        typer.Argument(
            metavar="PREMISE", help="The idea of the book in your words; - reads it from stdin."
        ),
    ] = None,
    *,
    asked: BriefOptions,
    samples: Annotated[
        list[Path] | None,
        typer.Option(
            "--samples",
            metavar="FILE",
            help="A text of your own whose voice the book takes; repeatable.",
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            metavar="PROJECT",
            help="The previous book of a series, whose cast, world and facts this one shares.",
        ),
    ] = None,
    description: Annotated[
        str | None, typer.Option("--description", "-d", help="Same as PREMISE.")
    ] = None,
    project_name: ProjectNameOption = None,
    until: UntilOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonLinesOption = False,
    steps: StepOptions,
    options: RunOptions,
) -> None:
    """Write a new book from a premise.

    Example: libriscribe2 create "A lighthouse keeper on a drowned coast" --chapters 8

    Everything goes to projects/NAME. Ctrl-C is safe: `libriscribe2 resume NAME` continues.
    """
    renderer = frame.renderer
    settings = frame.settings(options)
    of_run = {
        "model": options.model,
        "mock": options.mock or None,
        "until": until,
        "project_name": project_name,
        "max_concurrency": options.max_concurrency,
        "max_cost": options.max_cost,
        "max_calls": options.max_calls,
        "max_minutes": options.max_minutes,
        "dry_run": dry_run or None,
        "samples": samples,
        "after": after,
        "log_level": options.log_level,
        "as_json": as_json or None,
    }
    earlier = read_earlier(after, settings) if after else None
    given = {**asked.keys(), "premise": premise_of(premise, description)}
    shared = earlier.files if earlier is not None else ()
    choice: ModelChoice | None = None
    if is_recorded(settings.models.default.model):
        # Other books never pass this room.
        from libriscribe2.commands.recordings import played_book  # noqa: PLC0415

        asked_for = {**given, "samples": samples, "after": after}
        given, settings, choice, shared = played_book(asked_for, settings)
    brief = continued(_brief(given, of_run, settings, renderer), earlier)
    brief, order_note = with_drafting(brief, settings.pipeline.max_concurrency)
    for note in filter(None, (kind_note(brief), order_note, earlier_note(earlier))):
        renderer.note(note)
    choice = model_for(settings) if choice is None else choice
    stages = steps.stages() if until is None else [until]
    new = NewBook(project_name, stages, (*read_samples(samples or ()), *shared))
    paths = new_paths(brief, settings, new.name)
    frame.is_about(paths)
    if dry_run:
        quote = run_dry(quote_new(brief, settings, choice, new, paths.root.name))
        tell_quote(renderer, quote, as_json=as_json)
        return
    with begin_book(paths, brief, settings, choice, new) as (store, request):
        book = OpenBook(store, brief, settings, choice, AppOptions(command_line()))
        run_book(renderer, book, request, as_json=as_json)


def _brief(
    options: Mapping[str, Any], of_run: Mapping[str, Any], settings: Settings, renderer: Renderer
) -> Brief:
    """The brief, asked for on a terminal where no premise was given."""
    premise = options["premise"]
    if premise is not None and premise.strip():
        return brief_from(options)
    if not is_interactive(settings):
        raise UsageError(
            "There is no premise.",
            why="No question can be asked: this is not a terminal, or --no-input was given.",
            fix='Say what the book is about: libriscribe2 create "A lighthouse keeper ..."',
        )
    answers = ask_for_brief(options)
    renderer.note(f"To skip the questions next time: {equal_command({**answers, **of_run})}")
    return brief_from(answers)


@command
def demo(
    frame: Frame, project_name: ProjectNameOption = None, as_json: JsonLinesOption = False
) -> None:
    """Write a short book with the stand-in author, without a key."""
    frame.renderer.note(
        "A short book by the stand-in author, which is no language model, to show what the program "
        "does."
    )
    settings = frame.settings(ModelOptions(mock=True))
    paths = new_paths(DEMO_BRIEF, settings, project_name or free_name(settings, DEMO_NAME))
    frame.is_about(paths)
    choice = ModelChoice(DEMO_MODEL, "the demo needs no key")
    with begin_book(paths, DEMO_BRIEF, settings, choice, NewBook()) as (store, request):
        book = OpenBook(store, DEMO_BRIEF, settings, choice, AppOptions(command_line()))
        run_book(frame.renderer, book, request, as_json=as_json)


def premise_of(argument: str | None, option: str | None) -> str | None:
    """The premise that the command line gives; None where it gives none.

    Args:
        argument: PREMISE.
        option: `--description`, which means the same.

    Raises:
        UsageError: They say two things, or stdin holds something that is no text.
    """
    if argument and option and argument != option:
        raise UsageError(
            "PREMISE and --description differ.",
            why="Both mean what the book is about.",
            fix="Give one of them.",
        )
    given = argument if argument is not None else option
    return _typed() if given == FROM_STDIN else given


def _typed() -> str:
    """What comes in on stdin."""
    try:
        return sys.stdin.buffer.read(_MOST_BYTES).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise UsageError(
            "The premise on stdin is not UTF-8 text.",
            why=f"byte {error.start}: {error.reason}",
            fix="Save the text as UTF-8.",
        ) from error


def ask_for_brief(options: Mapping[str, Any]) -> dict[str, Any]:
    """Ask a few questions about what the options leave open, each until the answer can be used.

    Returns:
        The options with the answers.

    Raises:
        UsageError: An option is wrong; nothing was asked then.
    """
    brief_from({**options, "premise": "not known yet"})
    answers = dict(options)
    questions = (
        ("premise", "What is your book about?", None),
        ("category", "Category (Fiction, Business, History, Cookbook, ...)", "Fiction"),
        ("genre", "Genre (optional)", ""),
        ("language", "Language", "English"),
        ("chapters", "Number of chapters, such as 10 or 8-12", "12"),
    )
    for key, question, default in questions:
        if key == "premise" or answers.get(key) is None:
            check = _usable(key)
            end = " " if question.endswith("?") else ": "
            answers[key] = typer.prompt(
                question, default=default, value_proc=check, err=True, prompt_suffix=end
            )
    return answers


def equal_command(options: Mapping[str, Any]) -> str:
    """The command line that says the same as the answers; None and "" need no option."""
    given: list[str] = []
    for key, value in options.items():
        name = option_of(key)
        if isinstance(value, bool):
            given.append(name if value else f"--no-{name[2:]}")
        elif isinstance(value, list):
            given += [word for one in value for word in (name, str(one))]
        elif key != "premise" and value not in (None, ""):
            given += [name, str(value)]
    premise = str(options["premise"])
    words = [*given, "--", premise] if premise.startswith("-") else [premise, *given]
    return shlex.join(["libriscribe2", "create", *words])


def _usable(key: str) -> Callable[[str], str]:
    """A check of an answer; a wrong one makes Typer say why and ask again."""

    def check(answer: str) -> str:
        try:
            Brief.model_validate({"premise": "not known yet", key: answer})
        except ValidationError as error:
            raise typer.BadParameter(plain_fault(error.errors(include_url=False)[0])) from error
        return answer

    return check
