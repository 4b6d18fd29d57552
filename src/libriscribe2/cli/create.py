"""`libriscribe2 create`: a new book from a premise."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from libriscribe2.app import AppOptions
from libriscribe2.cli.frame import (
    DryRunOption,
    Frame,
    OptionGroup,
    ProjectNameOption,
    RunOptions,
    UntilOption,
    VariantsOption,
    YesOption,
    command_with_events,
    is_interactive,
    model_for,
)
from libriscribe2.cli.run_output import command_line, run_book, run_dry, tell_quote
from libriscribe2.commands.forecasts import quote_new
from libriscribe2.commands.new_book import (
    GivenFile,
    NewBook,
    begin_book,
    brief_from,
    continued,
    earlier_note,
    kind_note,
    read_earlier,
    read_samples,
    read_sources,
    with_drafting,
)
from libriscribe2.commands.projects import new_paths
from libriscribe2.commands.runs import OpenBook
from libriscribe2.errors import UsageError
from libriscribe2.forecast.quote import Quote, save_quote
from libriscribe2.llm.providers import ModelChoice, is_recorded
from libriscribe2.models.brief import MOST_PREMISE, Brief
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.schema import Settings

FROM_STDIN: Final = "-"
"""The premise that says to read one."""

_MOST_BYTES: Final = 8 * MOST_PREMISE


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
    person: Annotated[
        str | None, typer.Option(help="Person of the narration, such as first person, Hester.")
    ] = None
    tense: Annotated[str | None, typer.Option(help="Tense of the narration.")] = None
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
class BroughtOptions(OptionGroup):
    """What the author brings along."""

    samples: Annotated[
        list[Path] | None,
        typer.Option(
            "--samples",
            metavar="FILE",
            help="A text of your own whose voice the book takes; repeatable.",
        ),
    ] = None
    sources: Annotated[
        list[Path] | None,
        typer.Option(
            "--sources",
            metavar="FILE|FOLDER",
            help="A file or folder with sources for the facts; repeatable.",
        ),
    ] = None
    outline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Your plan in Markdown: a heading for each chapter."),
    ] = None
    bible: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="Your story bible: a Markdown file, or a folder of them."
        ),
    ] = None
    notes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What every request should follow.")
    ] = None
    after: Annotated[
        str | None,
        typer.Option(
            metavar="PROJECT",
            help="The previous book of a series, whose cast, world and facts this one shares.",
        ),
    ] = None

    def added_to(self, keys: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[GivenFile, ...]]:
        """The keys of a brief with what follows from the texts, and the files that hold them.

        Raises:
            UsageError: A text cannot be used, or says another number of chapters.
        """
        if not any((self.outline, self.bible, self.notes)):
            return keys, ()
        # Few books pass this room.
        from libriscribe2.commands.bringing import brought  # noqa: PLC0415

        return brought(keys, self.outline, self.bible, self.notes)


@command_with_events
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
    brought: BroughtOptions,
    description: Annotated[
        str | None, typer.Option("--description", "-d", help="Same as PREMISE.")
    ] = None,
    project_name: ProjectNameOption = None,
    until: UntilOption = None,
    variants: VariantsOption = None,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    steps: Annotated[list[str] | None, typer.Option("--stage", hidden=True)] = None,
    options: RunOptions,
) -> None:
    """Write a new book from a premise.

    Example: libriscribe2 create "A lighthouse keeper on a drowned coast" --chapters 8

    Everything goes to projects/NAME. Ctrl-C is safe: `libriscribe2 resume NAME` continues. On a
    terminal it asks for everything where there is no PREMISE, says what the book would take, and
    stops at the plan for your approval; --yes writes it without asking. --variants 3 writes three
    concepts to `pick` from.
    """
    keys = {**asked.keys(), "premise": premise_of(premise, description)}
    named = steps or [] if until is None else [until]
    stages = [] if "all" in named else named
    wanted = Wanted(keys, brought, project_name, stages, options)
    settings = frame.settings(options)
    asks = is_interactive(settings) and not (yes or frame.renderer.as_json or dry_run)
    if not (keys["premise"] or "").strip() and not is_recorded(settings.models.default.model):
        wanted = _asked(frame, wanted, can_ask=is_interactive(settings))
    book = _prepared(frame, wanted)
    if dry_run:
        tell_quote(frame.renderer, _quoted(book))
        return
    if asks:
        book = _agreed(frame, wanted, book)
    begun = begin_book(book.paths, book.brief, book.settings, book.choice, book.new)
    with begun as (store, request):
        if book.quote is not None:
            save_quote(book.paths, book.quote)
        opened = OpenBook(store, book.brief, book.settings, book.choice, AppOptions(command_line()))
        if variants is None:
            run_book(frame.renderer, opened, request)
    if variants is not None:
        from libriscribe2.cli.pick import write_variants  # noqa: PLC0415 - few are written

        settings = frame.settings(book.options, book.paths)
        write_variants(frame.renderer, book.paths, settings, "concept", variants)
    elif asks and not stages:
        from libriscribe2.cli.approval import Approval  # noqa: PLC0415 - for terminals alone

        settings = frame.settings(book.options, book.paths)
        Approval(frame.renderer, book.paths, settings).of_plan()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a command line, or its author by answers, wants of a new book.

    Attributes:
        keys: Keys of the brief; None was not given.
        brought: What the author has already.
        name: The project's name; None has one made.
        stages: Stages to run up to; none means all.
        options: Options of the run.
    """

    keys: Mapping[str, Any]
    brought: BroughtOptions
    name: str | None
    stages: Sequence[str]
    options: RunOptions

    def as_options(self) -> dict[str, Any]:
        """The same as options of a command line."""
        run = asdict(self.options)
        run.update(mock=self.options.mock or None, no_input=self.options.no_input or None)
        texts = asdict(self.brought)
        first = {key: texts.pop(key) for key in ("samples", "sources", "after")}
        until = self.stages[0] if self.stages else None
        return {**self.keys, **first, "project_name": self.name, "until": until, **texts, **run}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A book that can be begun.

    Attributes:
        paths: Where it goes.
        brief: What is asked for.
        settings: The settings in force.
        choice: Its model, and why it is the one.
        new: How it is made.
        options: Options of the run.
        quote: What the whole of it would take, where its author has seen it.
    """

    paths: ProjectPaths
    brief: Brief
    settings: Settings
    choice: ModelChoice
    new: NewBook
    options: RunOptions
    quote: Quote | None = None


def _prepared(frame: Frame, wanted: Wanted) -> Prepared:
    """All that can be known before the folder of a book is made.

    Raises:
        LibriScribeError: Something cannot be used, or there is no model.
    """
    settings, texts = frame.settings(wanted.options), wanted.brought
    after = texts.after
    earlier = read_earlier(after, settings) if after else None
    given, shared = wanted.keys, earlier.files if earlier is not None else ()
    choice: ModelChoice | None = None
    if is_recorded(settings.models.default.model):
        # Other books never pass this room.
        from libriscribe2.commands.recordings import played_book  # noqa: PLC0415

        files = {"samples": texts.samples or None, "sources": texts.sources or None}
        asked_for = {**given, **files, "after": after}
        given, settings, choice, shared = played_book(asked_for, settings)
    given, made = texts.added_to(given)
    brief = continued(brief_from(given), earlier)
    brief, order_note = with_drafting(brief, settings.pipeline.max_concurrency)
    for note in filter(None, (kind_note(brief), order_note, earlier_note(earlier))):
        frame.renderer.note(note, once=True)
    choice = model_for(settings) if choice is None else choice
    own = (*read_samples(texts.samples or ()), *read_sources(texts.sources or ()))
    new = NewBook(wanted.name, wanted.stages, (*own, *shared, *made))
    paths = new_paths(brief, settings, new.name)
    frame.is_about(paths)
    return Prepared(paths, brief, settings, choice, new, wanted.options)


def _quoted(book: Prepared) -> Quote:
    """What the whole book would take."""
    return run_dry(
        quote_new(book.brief, book.settings, book.choice, book.new, book.paths.root.name)
    )


def _asked(
    frame: Frame, wanted: Wanted, *, can_ask: bool, before: Mapping[str, Any] | None = None
) -> Wanted:
    """The same with what its author answers, who may keep each answer of `before`.

    Raises:
        UsageError: Nobody can be asked.
    """
    if not can_ask:
        raise UsageError(
            "There is no premise.",
            why="No question can be asked: this is not a terminal, or --no-input was given.",
            fix='Say what the book is about: libriscribe2 create "A lighthouse keeper ..."',
        )
    from libriscribe2.cli.wizard import equal_command, interview  # noqa: PLC0415 - for terminals

    named = frame.settings(wanted.options).models.default.model
    keys, model, samples, sources = interview(
        frame.renderer,
        wanted.keys,
        model=named,
        samples=wanted.brought.samples or (),
        sources=wanted.brought.sources or (),
        before=before,
    )
    options = replace(wanted.options, model=model) if model and not named else wanted.options
    brought = replace(wanted.brought, samples=[*samples], sources=[*sources])
    answered = replace(wanted, keys=keys, options=options, brought=brought)
    told = equal_command(answered.as_options())
    frame.renderer.note(f"\nTo skip the questions next time: {told}")
    return answered


def _agreed(frame: Frame, wanted: Wanted, book: Prepared) -> Prepared:
    """The book as its author wants it begun, who has seen what it would take; it ends at the plan.

    Raises:
        typer.Exit: The answer was no.
    """
    from libriscribe2.cli.wizard import may_start  # noqa: PLC0415 - for terminals alone

    while True:
        quote = _quoted(replace(book, new=replace(book.new, until=())))
        name, model = book.paths.root.name, book.choice.model
        stops = not wanted.stages
        answer = may_start(frame.renderer, name, book.brief, model, quote, stops=stops)
        if answer == "n":
            frame.renderer.note("Nothing was started.")
            raise typer.Exit(0)
        if answer == "y":
            break
        again = replace(wanted, keys={**wanted.keys, **dict.fromkeys(_ASKED_AGAIN)})
        wanted = _asked(frame, again, can_ask=True, before=wanted.keys)
        book = _prepared(frame, wanted)
    new = book.new if wanted.stages else replace(book.new, until=("plan",))
    return replace(book, new=new, quote=quote.model_copy(update={"job": "resume"}))


_ASKED_AGAIN: Final = (
    *("category", "book_kind", "genre", "language", "words", "chapters", "project_type"),
    *("person", "tense"),
)
"""Answers that may be changed before a book is begun."""


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
