"""`libriscribe2 create`: a new book from a premise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from libriscribe2.cli.book_run import run_book
from libriscribe2.cli.brief_options import (
    ask_for_brief,
    brief_from,
    equal_command,
    kind_note,
    with_drafting,
)
from libriscribe2.cli.frame import (
    DryRunOption,
    Frame,
    JsonLinesOption,
    ProjectNameOption,
    RunOptions,
    UntilOption,
    command,
)
from libriscribe2.cli.model_choice import is_interactive, model_for
from libriscribe2.cli.premise import premise_of
from libriscribe2.cli.quotes import run_dry, tell_quote
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.samples import read_samples
from libriscribe2.cli.series import continued, earlier_note, read_earlier
from libriscribe2.commands.forecasts import quote_new
from libriscribe2.commands.projects import (
    kept_settings,
    new_paths,
    wanted_stages,
)
from libriscribe2.commands.runs import GivenFile, RunRequest, place_files
from libriscribe2.errors import UsageError
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings
from libriscribe2.settings.parts import check_models, with_judge


@command
def create(
    frame: Frame,
    premise: Annotated[
        str | None,
        typer.Argument(
            metavar="PREMISE", help="The idea of the book, in your words; - reads it from stdin."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", "-t", help="Title.")] = None,
    author: Annotated[str | None, typer.Option(help="Name on the title page.")] = None,
    genre: Annotated[str | None, typer.Option("--genre", "-g", help="Genre.")] = None,
    category: Annotated[
        str | None,
        typer.Option(
            "--category", "-c", help="Fiction, Fantasy, Business, ...", show_default="Fiction"
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="fiction or non-fiction.", show_default="by the category"),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option("--language", "-l", help="Language of the book.", show_default="English"),
    ] = None,
    target_audience: Annotated[
        str | None, typer.Option(help="Who it is for.", show_default="General")
    ] = None,
    tone: Annotated[str | None, typer.Option(help="Wanted tone.")] = None,
    project_type: Annotated[
        str | None,
        typer.Option(help="short_story, novella, book, novel or epic.", show_default="novel"),
    ] = None,
    chapters: Annotated[str | None, typer.Option(help="How many: 10 or 8-12.")] = None,
    characters: Annotated[str | None, typer.Option(help="How many: 5, 3-7 or 5+.")] = None,
    scenes_per_chapter: Annotated[
        str | None, typer.Option(help="How many: 5, 3-6, or one entry per chapter: 3,4,5.")
    ] = None,
    words: Annotated[int | None, typer.Option(min=1, help="Words of the whole book.")] = None,
    worldbuilding: Annotated[
        bool | None, typer.Option("--worldbuilding/--no-worldbuilding", help="With a world.")
    ] = None,
    canon: Annotated[
        bool | None,
        typer.Option("--canon/--no-canon", help="Keep the facts of each chapter of a story."),
    ] = None,
    drafting: Annotated[
        str | None,
        typer.Option(
            help="Order of the chapters: sequential, redblack or parallel.",
            show_default="by --max-concurrency",
        ),
    ] = None,
    revision: Annotated[
        bool | None,
        typer.Option("--revision/--no-revision", help="Have each chapter criticised and mended."),
    ] = None,
    auto_title: Annotated[
        bool, typer.Option("--auto-title", help="Choose a title from the finished text.")
    ] = False,
    research: Annotated[
        bool | None,
        typer.Option(
            "--research/--no-research",
            help="Look for facts first.",
            show_default="for non-fiction",
        ),
    ] = None,
    samples: Annotated[
        list[Path] | None,
        typer.Option(
            "--samples",
            metavar="FILE",
            help="A text of your own whose voice the book takes; may be given several times.",
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            metavar="PROJECT",
            help="The book before in a series, whose people, world and facts this one shares.",
        ),
    ] = None,
    description: Annotated[
        str | None, typer.Option("--description", "-d", help="The same as PREMISE.")
    ] = None,
    project_name: ProjectNameOption = None,
    until: UntilOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonLinesOption = False,
    run_all: Annotated[bool, typer.Option("--all", hidden=True)] = False,
    generate_concept: Annotated[bool, typer.Option("--generate-concept", hidden=True)] = False,
    generate_characters: Annotated[
        bool, typer.Option("--generate-characters", hidden=True)
    ] = False,
    generate_worldbuilding: Annotated[
        bool, typer.Option("--generate-worldbuilding", hidden=True)
    ] = False,
    generate_outline: Annotated[bool, typer.Option("--generate-outline", hidden=True)] = False,
    write_chapters: Annotated[bool, typer.Option("--write-chapters", hidden=True)] = False,
    format_book: Annotated[bool, typer.Option("--format-book", hidden=True)] = False,
    *,
    options: RunOptions,
) -> None:
    """Write a new book from a premise.

    Example: libriscribe2 create "A lighthouse keeper on a drowned coast" --chapters 8

    Everything lands in projects/NAME; Ctrl-C is safe, `libriscribe2 resume NAME` goes on.
    """
    steps = {
        "concept": generate_concept,
        "characters": generate_characters,
        "world": generate_worldbuilding,
        "outline": generate_outline,
        "chapters": write_chapters,
        "manuscript": format_book,
    }
    said = {
        "title": title,
        "author": author,
        "genre": genre,
        "category": category,
        "book_kind": kind,
        "language": language,
        "audience": target_audience,
        "tone": tone,
        "project_type": project_type,
        "chapters": chapters,
        "characters": characters,
        "scenes_per_chapter": scenes_per_chapter,
        "words": words,
        "worldbuilding": worldbuilding,
        "canon": canon,
        "drafting": drafting,
        "revision": revision,
        "auto_title": auto_title or None,
        "research": research,
    }
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
    opened = {"premise": premise_of(premise, description), **said}
    asked_for = continued(_brief(opened, of_run, settings, renderer), earlier)
    brief, order_note = with_drafting(asked_for, settings.pipeline.max_concurrency)
    for note in filter(None, (kind_note(brief), order_note, earlier_note(earlier))):
        renderer.note(note)
    asked = [stage for stage, wanted in steps.items() if wanted and not run_all]
    until_stages = asked if until is None else [until]
    choice = model_for(settings)
    shared = earlier.files if earlier is not None else ()
    given = (*read_samples(samples or ()), *shared)
    new = NewBook(project_name, until_stages, as_json, dry_run, given)
    begin(frame, brief, settings, choice, new)


@dataclass(frozen=True, slots=True)
class NewBook:
    """How a new project is made.

    Attributes:
        name: The folder's name; None makes one from the title or premise.
        until: Stages to run up to; none means all.
        as_json: Whether events go to stdout.
        dry_run: Whether to say only what it would take.
        given: Files that are there from the beginning: samples, and what a series shares.
    """

    name: str | None = None
    until: Sequence[str] = ()
    as_json: bool = False
    dry_run: bool = False
    given: tuple[GivenFile, ...] = ()


def begin(
    frame: Frame, brief: Brief, settings: Settings, choice: ModelChoice, new: NewBook
) -> None:
    """Make the project and run it.

    What can be known to fail is looked at before the folder is made.

    Raises:
        UsageError: The name or a stage cannot be used.
        ProjectError: There is a project of that name.
        ModelError: A key is missing, or nobody serves the model.
    """
    stages = wanted_stages(brief, new.until)
    paths = new_paths(brief, settings, new.name)
    frame.is_about(paths)
    request = RunRequest(stages, as_json=new.as_json)
    if new.dry_run:
        quote = run_dry(quote_new(brief, settings, choice, request, paths.root.name, new.given))
        tell_quote(frame.renderer, quote, as_json=new.as_json)
        return
    check_models(settings, choice, with_judge(settings, brief, stages))
    with ProjectStore.create(paths) as store:
        place_files(paths, new.given)
        write_book_toml(paths.book_toml, brief.model_dump(), kept_settings(settings, choice))
        run_book(frame.renderer, store, brief, settings, choice, request)


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
            why="Nobody can be asked: this is not a terminal, or --no-input was given.",
            fix='Say what the book is about: libriscribe2 create "A lighthouse keeper ..."',
        )
    answers = ask_for_brief(options)
    renderer.note(f"The same without questions: {equal_command({**answers, **of_run})}")
    return brief_from(answers)
