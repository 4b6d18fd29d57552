"""`libriscribe2 import`: a manuscript from elsewhere, or a copy of a book with changes."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.agents.agent_importer import ManuscriptReader, TakenOver
from libriscribe2.app import AppOptions
from libriscribe2.cli.author import is_agreed, show_diff
from libriscribe2.cli.frame import (
    Frame,
    ProjectNameOption,
    RunOptions,
    YesOption,
    command_with_json,
    is_interactive,
    model_for,
)
from libriscribe2.cli.questions import Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import command_line, consult
from libriscribe2.commands.importing import (
    AGAIN,
    ManuscriptImport,
    diffs,
    import_paths,
    keep_returned,
    open_import,
    read_import,
    read_returned,
    take_over,
)
from libriscribe2.commands.runs import OpenBook, open_book
from libriscribe2.editing.manuscript_import import MANUSCRIPT_SAMPLE
from libriscribe2.editing.returned_edits import Returned
from libriscribe2.models.brief import MOST
from libriscribe2.project.paths import ProjectPaths, project_name_from
from libriscribe2.prose import prose_words
from libriscribe2.settings.parts import check_models
from libriscribe2.wording import counted


def take_back(frame: Frame, file: Path, project: str, *, yes: bool) -> None:
    """Show what an edited Word file changes, and keep it at a yes.

    Raises:
        UsageError: The file cannot be read.
        ProjectError: There is no such book.
        StorageError: The system refused.
    """
    renderer, paths = frame.renderer, frame.project(project)
    returned = read_returned(paths, file)
    if not renderer.told_json(_record(returned)):
        show_diff(renderer, diffs(paths, returned))
        for name, text in returned.notes:
            renderer.note(f"{name}: comment: {text}")
    for one in returned.unplaced:
        renderer.warning(f"not placed, as the book has no place for it: {one}")
    changes = counted(returned.changes, "change")
    if returned.untracked:
        changes += f" ({returned.untracked} of them not tracked)"
    told = f"{changes}, {counted(len(returned.notes), 'comment')}"
    if not returned.texts and not returned.notes:
        renderer.note(f"{file.name}: nothing is changed.")
        return
    settings = frame.settings(paths=paths)
    if not is_agreed(renderer, settings, f"Keep {told}?", yes=yes):
        return
    with open_book(paths) as (store, _):
        for one in keep_returned(store, returned, file):
            renderer.warning(f"not noted: {one}")
    renderer.note(f"{told} kept; the chapters are yours, and the old texts are in the trash.")


def _record(returned: Returned) -> dict[str, object]:
    return {
        "chapters": sorted(returned.texts),
        "changes": returned.changes,
        "untracked": returned.untracked,
        "unplaced": returned.unplaced,
        "notes": [{"file": name, "note": text} for name, text in returned.notes],
    }


@command_with_json
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
        take_back(frame, back, str(file), yes=yes)
        return
    given = {"title": title, "author": author, "genre": genre, "language": language}
    given |= {"category": category, "audience": audience, "tone": tone, "premise": premise}
    settings = frame.settings(options)
    if not (kind or category or renderer.as_json) and is_interactive(settings):
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
    if not renderer.told_json(work.record(paths, taken)):
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
