"""`libriscribe2 import`: a manuscript that was written elsewhere becomes a project."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.agents.agent_importer import ManuscriptReader, TakenOver
from libriscribe2.app import AppOptions
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    ProjectNameOption,
    RunOptions,
    YesOption,
    command,
    is_interactive,
    model_for,
)
from libriscribe2.cli.questions import Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.returned import take_back
from libriscribe2.cli.run_output import command_line, consult
from libriscribe2.commands.importing import (
    AGAIN,
    ManuscriptImport,
    import_paths,
    open_import,
    read_import,
    take_over,
)
from libriscribe2.commands.runs import OpenBook
from libriscribe2.editing.manuscript_import import MANUSCRIPT_SAMPLE
from libriscribe2.models.brief import MOST
from libriscribe2.project.paths import ProjectPaths, project_name_from
from libriscribe2.prose import prose_words
from libriscribe2.settings.parts import check_models
from libriscribe2.wording import counted


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
        typer.Option(help="The idea of the book.", show_default="the file's own, or from the text"),
    ] = None,
    genre: Annotated[
        str | None, typer.Option("--genre", "-g", help="Genre.", show_default="from the text")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="fiction or non-fiction.", show_default="asked for, else fiction"),
    ] = None,
    category: Annotated[
        str | None,
        typer.Option("--category", "-c", help="Category.", show_default="of facts, from the text"),
    ] = None,
    audience: Annotated[
        str | None, typer.Option(help="Audience.", show_default="of facts, from the text")
    ] = None,
    tone: Annotated[str | None, typer.Option(help="Tone.", show_default="none")] = None,
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
            help="Total number of chapters; those it lacks are planned.",
            show_default="as many as it has",
        ),
    ] = None,
    back: Annotated[
        Path | None,
        typer.Option(
            metavar="DOCX",
            help="An exported Word file that an editor changed; FILE is then the book.",
        ),
    ] = None,
    yes: YesOption = False,
    project_name: ProjectNameOption = None,
    as_json: JsonOption = False,
    *,
    options: RunOptions,
) -> None:
    """Import a manuscript that was written elsewhere.

    Example: libriscribe2 import novel.docx --chapters 30

    Its chapters become files that are never overwritten. A model reads each of them once for the
    outline, the cast and the world; `libriscribe2 resume NAME` adds what is missing and continues
    the book. With --back, tracked changes and comments of an editor come into a book: you see them
    as a diff before they are kept.
    """
    renderer = frame.renderer
    if back is not None:
        take_back(frame, back, str(file), yes=yes, as_json=as_json)
        return
    given = {"title": title, "author": author, "genre": genre, "language": language}
    given |= {"category": category, "audience": audience, "tone": tone, "premise": premise}
    settings = frame.settings(options)
    if not (kind or category or as_json) and is_interactive(settings):
        is_story = Questions(renderer).agrees("Is it a story?")
        kind = "fiction" if is_story else "non-fiction"
    work = read_import(file, {**given, "book_kind": kind}, chapters)
    name = project_name or project_name_from(work.brief.title or file.stem)
    choice = model_for(settings)
    paths = import_paths(work, settings, name)
    frame.is_about(paths)
    check_models(settings, choice, [ManuscriptReader])
    _tell_found(renderer, work)
    with open_import(paths) as store:
        book = OpenBook(store, work.brief, settings, choice, AppOptions(command_line()))
        asked = partial(take_over, book, work)
        taken = consult(renderer, book, asked, f"Interrupted. {AGAIN}", live=True)
    if as_json:
        renderer.data_json(work.record(paths, taken))
    else:
        _tell(renderer, paths, work, taken)


def _tell_found(renderer: Renderer, work: ManuscriptImport) -> None:
    """What the file holds, before anything is paid for."""
    found = work.manuscript
    words = sum(prose_words(one.text) for one in found.chapters)
    chapters = counted(len(found.chapters), "chapter")
    renderer.note(f"{chapters}, {words:,} words, divided by {found.how}.")
    for one in found.left_out:
        renderer.note(f"not imported: {one}")
    renderer.note(f"Reading it takes {counted(work.questions, 'request')} to the model.")


def _tell(
    renderer: Renderer, paths: ProjectPaths, work: ManuscriptImport, taken: TakenOver
) -> None:
    """The chapters, and how to go on."""
    rows = work.chapters()
    renderer.table(tuple(rows[0]), [tuple(map(str, row.values())) for row in rows])
    if taken.following:
        planned = counted(len(taken.following), "chapter")
        renderer.note(f"{planned} to follow are planned, in the voice of {MANUSCRIPT_SAMPLE}.")
    renderer.note(
        f"Your chapters are never overwritten. Continue with `libriscribe2 resume {paths.called}`."
    )
    renderer.data(str(paths.root))
