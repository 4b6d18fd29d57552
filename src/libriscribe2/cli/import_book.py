"""`libriscribe2 import`: a manuscript that was written elsewhere becomes a project."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from libriscribe2.agents.agent_importer import ManuscriptReader, TakenOver, questions
from libriscribe2.app import App, AppOptions
from libriscribe2.cli.author_file import read_author_file
from libriscribe2.cli.book_run import Screen, begin_run
from libriscribe2.cli.brief_options import brief_from
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    ProjectNameOption,
    RunOptions,
    command,
)
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import (
    kept_settings,
    new_paths,
)
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.documents.manuscript_reader import Manuscript
from libriscribe2.editing.manuscript_import import (
    MANUSCRIPT_SAMPLE,
    as_written,
    completed,
    keep,
    size_of,
)
from libriscribe2.engine.engine import follow
from libriscribe2.errors import BudgetError, LibriScribeError, UsageError
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import MOST, MOST_PREMISE, Brief
from libriscribe2.observe.event_file import recorders
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import BOOK_TOML, STATE, ProjectPaths, project_name_from
from libriscribe2.project.store import ProjectStore
from libriscribe2.prose import prose_words, shorten
from libriscribe2.settings import Settings
from libriscribe2.settings.parts import check_models
from libriscribe2.wording import counted

_FIX: Final = (
    "Name a manuscript as .md, .txt, .docx or .epub (save it anew where it is another kind)."
)
_AGAIN: Final = "Run the same import again: it goes on where it stopped."
_UNKNOWN: Final = "not known yet"


@command
def import_book(
    frame: Frame,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The manuscript: .md, .txt, .docx or .epub.")
    ],
    title: Annotated[
        str | None, typer.Option("--title", "-t", help="Title.", show_default="the file's own")
    ] = None,
    author: Annotated[
        str | None, typer.Option(help="Name on the title page.", show_default="the file's own")
    ] = None,
    premise: Annotated[
        str | None,
        typer.Option(help="The idea of the book.", show_default="the file's own, or as it is read"),
    ] = None,
    genre: Annotated[
        str | None, typer.Option("--genre", "-g", help="Genre.", show_default="as it is read")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="fiction or non-fiction.", show_default="fiction")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language", "-l", help="Language of the book.", show_default="the file's own"
        ),
    ] = None,
    chapters: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST,
            help="How many it is to have in all; more than it has are planned.",
            show_default="as many as it has",
        ),
    ] = None,
    project_name: ProjectNameOption = None,
    as_json: JsonOption = False,
    *,
    options: RunOptions,
) -> None:
    """Take over a manuscript that was written elsewhere.

    Example: libriscribe2 import novel.docx --chapters 30

    Its chapters become files that are never written over. A model reads each of them once, for
    the outline, the cast and the world; `libriscribe2 resume NAME` makes what is missing and goes
    on writing.
    """
    renderer = frame.renderer
    given = {"title": title, "author": author, "genre": genre, "language": language}
    asked = {**given, "book_kind": kind, "premise": premise}
    settings = frame.settings(options)
    found = _read(file)
    more = _more(found, chapters)
    brief = _brief(found, asked, size_of(found, more))
    name = project_name or project_name_from(brief.title or file.stem)
    work = _Import(found, more, brief, settings, model_for(settings))
    paths = new_paths(brief, settings, name, may_hold=_is_begun)
    frame.is_about(paths)
    check_models(settings, work.choice, [ManuscriptReader])
    _tell_found(renderer, found, more)
    with _hold(paths) as store:
        taken = _take_over(renderer, store, work, premise or found.description)
    _tell(renderer, paths, work, taken, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Import:
    """What is imported, and how.

    Attributes:
        found: The manuscript.
        more: How many chapters are to follow.
        brief: What is known of the book before it is read.
        settings: The settings in force.
        choice: The default model and why it is the one.
    """

    found: Manuscript
    more: int
    brief: Brief
    settings: Settings
    choice: ModelChoice


def _read(file: Path) -> Manuscript:
    """The manuscript.

    Raises:
        UsageError: There is none that can be read.
        StorageError: The system refuses.
    """
    # The readers load libraries for Word and EPUB, which no other command needs.
    from libriscribe2.documents.manuscript_reader import (  # noqa: PLC0415
        LARGEST_MANUSCRIPT,
        MANUSCRIPT_ENDINGS,
        read_manuscript,
    )

    data = read_author_file(file, MANUSCRIPT_ENDINGS, most=LARGEST_MANUSCRIPT, fix=_FIX)
    try:
        return read_manuscript(file.name, data)
    except DocumentError as error:
        raise UsageError(str(error), fix=_FIX) from error


def _more(found: Manuscript, wanted: int | None) -> int:
    """How many chapters are to follow.

    Raises:
        UsageError: Fewer are wanted than there are.
    """
    there = len(found.chapters)
    if wanted is not None and wanted < there:
        raise UsageError(
            f"--chapters {wanted} is fewer than the manuscript has",
            why=f"it has {there}, and none of them is thrown away",
            fix=f"Leave the option out, or say {there + 1} or more to have the book continued.",
        )
    return 0 if wanted is None else wanted - there


def _brief(found: Manuscript, asked: Mapping[str, Any], size: Mapping[str, Any]) -> Brief:
    """What is known of the book: what the author says outranks what the file says."""
    language = "English" if found.language.lower().startswith("en") else found.language
    said = {
        "title": found.title,
        "author": found.author,
        "language": language or None,
        "premise": shorten(found.description, MOST_PREMISE) or _UNKNOWN,
    }
    given = {key: value for key, value in asked.items() if value is not None}
    return brief_from({**said, **given, **size}, "import")


def _is_begun(root: Path) -> bool:
    """Whether a folder holds an import that was broken off: records, and no book yet."""
    return (root / STATE).is_dir() and not (root / BOOK_TOML).exists()


def _hold(paths: ProjectPaths) -> ProjectStore:
    begun = paths.root.is_dir() and _is_begun(paths.root)
    return ProjectStore.open(paths) if begun else ProjectStore.create(paths)


def _take_over(renderer: Renderer, store: ProjectStore, work: _Import, premise: str) -> TakenOver:
    """Have the manuscript read, and make the project.

    Raises:
        LibriScribeError: It could not be read; what was read is not asked again.
        typer.Exit: The run was interrupted.
    """
    begin_run(renderer, store, work.settings, work.choice)
    command = " ".join(sys.argv[1:])
    with recorders(store.paths, os.environ, renderer.warning) as recording, renderer.live():
        options = AppOptions(command)
        engine = App(store, work.brief, work.settings, work.choice, options).engine
        written = as_written(work.found)
        try:
            run = engine.consult(ManuscriptReader, lambda reader: reader.read(written, work.more))
            taken = run_async(
                follow(run, *recording, Screen(renderer)),
                lambda: renderer.warning(f"Interrupted. {_AGAIN}"),
            )
        except LibriScribeError as error:
            # Until all is read there is no book that `resume` could go on with.
            if isinstance(error, BudgetError):
                error.fix = f"Raise the cap. {_AGAIN}"
            elif not error.fix or "resume" in error.fix:
                error.fix = _AGAIN
            else:
                error.fix = f"{error.fix.rstrip('.')}. {_AGAIN}"
            raise
    brief = completed(work.brief, taken, premise=premise)
    keep(store, brief, work.found, taken)
    kept = kept_settings(work.settings, work.choice)
    write_book_toml(store.paths.book_toml, brief.model_dump(), kept)
    return taken


def _tell_found(renderer: Renderer, found: Manuscript, more: int) -> None:
    """What the file holds, before anything is paid for."""
    words = sum(prose_words(one.text) for one in found.chapters)
    chapters = counted(len(found.chapters), "chapter")
    renderer.note(f"{chapters}, {words:,} words, told apart by: {found.how}.")
    for one in found.left_out:
        renderer.note(f"not taken over: {one}")
    asked = counted(questions(as_written(found), more), "question")
    renderer.note(f"Reading it takes {asked} to the model.")


def _tell(
    renderer: Renderer, paths: ProjectPaths, work: _Import, taken: TakenOver, *, as_json: bool
) -> None:
    """The chapters, and how to go on."""
    name = paths.root.name
    rows = [
        {"chapter": number, "title": one.title, "words": prose_words(one.text)}
        for number, one in enumerate(work.found.chapters, start=1)
    ]
    if as_json:
        renderer.data_json(
            {
                "project": name,
                "path": str(paths.root),
                "title": work.brief.title,
                "author": work.brief.author,
                "chapters": rows,
                "characters": [one.name for one in taken.book.characters],
                "planned": [one.title for one in taken.following],
                "how": work.found.how,
                "left_out": list(work.found.left_out),
            }
        )
        return
    renderer.table(tuple(rows[0]), [tuple(map(str, row.values())) for row in rows])
    if taken.following:
        planned = counted(len(taken.following), "chapter")
        renderer.note(f"{planned} planned that are to follow, in the voice of {MANUSCRIPT_SAMPLE}.")
    renderer.note(
        f"Your chapters are never written over. Go on with `libriscribe2 resume {paths.called}`."
    )
    renderer.data(str(paths.root))
