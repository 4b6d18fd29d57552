"""`libriscribe2 note`, `revise` and `versions`: what the author says of a book, and takes back."""

from collections.abc import Iterable
from functools import partial
from typing import Annotated

import typer

from libriscribe2.app import AppOptions
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    RequiredProjectArgument,
    RunOptions,
    YesOption,
    command,
    complete_part,
    is_interactive,
    model_for,
)
from libriscribe2.cli.questions import Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import command_line, consult
from libriscribe2.commands.noting import Noted, list_notes, note_down, notes_on, part_of, unheeded
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.commands.revising import (
    all_versions,
    chapter_named,
    keep_revision,
    one_version,
    restore,
)
from libriscribe2.commands.revising import revise as have_revised
from libriscribe2.commands.runs import OpenBook, open_book
from libriscribe2.errors import UsageError
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings import Settings
from libriscribe2.wording import counted

ChapterArgument = Annotated[
    str,
    typer.Argument(metavar="CHAPTER", help="Number of the chapter.", autocompletion=complete_part),
]


@command
def note(
    frame: Frame,
    project: RequiredProjectArgument,
    part: Annotated[
        str | None,
        typer.Argument(
            metavar="PART",
            help="What it is about: book, a chapter (7), a scene (7.2) or a stage (people).",
        ),
    ] = None,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="What you want.")] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the notes: part, first line and words.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Tell the models what you want of a book, a chapter or a scene.

    Example: libriscribe2 note my-book 7 "Tenser. Mara must not learn of the key."

    Notes are plain text in the project's folder `notes`, to be edited there, and outrank the plan.
    What is written from now on follows them, in a run that goes on too; `redo` writes again what is
    there. Without TEXT, the notes are shown; --list gives each a line.
    """
    if listed and text is not None:
        raise UsageError("TEXT and --list cannot be combined", fix="Use one at a time.")
    paths = frame.project(project)
    if text is not None and part is not None:
        tell_noted(frame.renderer, paths, note_down(paths, part, text))
        return
    for name in unheeded(paths):
        frame.renderer.warning(f"{name} is not used: the book has no such part.")
    told = notes_on(paths)
    if part is not None:
        name = part_of(part, look_at(paths), read_brief(paths)).note
        told = {name: told[name]} if name in told else {}
    rows = list_notes(told) if listed else [{"file": n, "note": said} for n, said in told.items()]
    if as_json:
        frame.renderer.data_json(rows)
    elif listed and rows:
        frame.renderer.table(("part", "first line", "words"), [list(row.values()) for row in rows])
    elif told:
        frame.renderer.data("\n\n".join(f"{name}\n{said}" for name, said in told.items()))
    else:
        frame.renderer.note("There are no notes.")


def tell_noted(
    renderer: Renderer, paths: ProjectPaths, noted: Noted, *, again: bool = True
) -> None:
    """Where a note is, and who heeds it; with `again`, how to have written again what is there."""
    what = "noted" if noted.is_new else "that is noted already"
    renderer.note(f"{noted.file}: {what}. What is written from now on follows it.")
    if noted.is_written and noted.is_new and again:
        renderer.note(
            f"What is there stays: `libriscribe2 redo {paths.called} {noted.about}` writes it again."
        )


@command
def revise(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: ChapterArgument,
    wish: Annotated[
        str | None, typer.Argument(metavar="WISH", help="What should be different.")
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Put back the version before instead.")
    ] = False,
    yes: YesOption = False,
    *,
    options: RunOptions,
) -> None:
    """Change something in a chapter, and leave the rest as it is.

    Example: libriscribe2 revise my-book 7 "Cut the letter."

    A model proposes edits; you see them as a diff before they are kept.
    The old text goes to the project's trash: --undo puts it back.
    """
    renderer = frame.renderer
    paths = frame.project(project, options=options)
    if undo:
        _restore(renderer, paths, chapter, None)
        return
    if wish is None or not wish.strip():
        raise UsageError(
            "What should be different?",
            fix=f'Say so: `libriscribe2 revise {paths.called} {chapter} "Cut the letter."`.',
        )
    settings = frame.settings(options, paths)
    with open_book(paths) as (store, brief):
        number = chapter_named(chapter, store, brief)
        book = OpenBook(store, brief, settings, model_for(settings), AppOptions(command_line()))
        asked = partial(have_revised, book, number=number, wish=wish.strip())
        revision = consult(renderer, book, asked)
        show_diff(renderer, revision.lines)
        for reason in revision.revised.refused:
            renderer.warning(f"{revision.name}: not applied: {reason}")
        if not revision.lines:
            renderer.note(f"{revision.name}: nothing is changed.")
        elif is_agreed(renderer, settings, "Keep these changes?", yes=yes):
            keep_revision(store, revision)
            undoing = f"`libriscribe2 revise {paths.called} {number} --undo` puts the old text back"
            changes = counted(revision.revised.patches, "change")
            renderer.note(f"{revision.name}: {changes} kept; {undoing}.")


@command
def versions(
    frame: Frame,
    project: RequiredProjectArgument,
    part: Annotated[
        str,
        typer.Argument(
            metavar="PART",
            help="A chapter (7), or a stage of the whole book (outline).",
            autocompletion=complete_part,
        ),
    ],
    number: Annotated[
        int | None, typer.Argument(metavar="NUMBER", help="The version to show.", min=1)
    ] = None,
    put_back: Annotated[
        bool, typer.Option("--restore", help="Put it back in place of the present text.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show how it differs from the present text.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the earlier versions of a chapter, show one, or put one back.

    Example: libriscribe2 versions my-book 7 2 --restore
    """
    renderer = frame.renderer
    paths = frame.project(project)
    if put_back:
        if number is None:
            raise UsageError("Which version?", fix="Name it: `versions BOOK 7 2 --restore`.")
        _restore(renderer, paths, part, number)
    elif number is not None:
        found = one_version(paths, part, number)
        if as_json:
            renderer.data_json(found)
        elif diff:
            show_diff(renderer, found["diff"])
        else:
            renderer.data(found["text"])
    else:
        _list_versions(renderer, paths, part, as_json=as_json)


def _list_versions(renderer: Renderer, paths: ProjectPaths, part: str, *, as_json: bool) -> None:
    """The earlier versions of a file, the oldest first."""
    name, listed = all_versions(paths, part)
    rows = [{"version": v.number, "replaced": v.replaced, "words": v.words} for v in listed]
    if as_json:
        renderer.data_json(rows)
    elif rows:
        renderer.table(("version", "replaced", "words"), [list(row.values()) for row in rows])
    else:
        renderer.note(f"There is no earlier version of {name}.")


def show_diff(renderer: Renderer, lines: Iterable[str]) -> None:
    """The lines of a diff: green what is new, red what goes."""
    for line in lines:
        name = line.startswith(("+++", "---"))
        style = "bold" if name else {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
        renderer.note(line, style=style)


def is_agreed(renderer: Renderer, settings: Settings, question: str, *, yes: bool) -> bool:
    """Whether the author wants what was shown; where nobody can be asked, --yes says so."""
    if yes:
        return True
    if is_interactive(settings):
        return Questions(renderer).agrees(question)
    renderer.warning("Nothing was changed. The same command with --yes keeps it.")
    return False


def _restore(renderer: Renderer, paths: ProjectPaths, part: str, number: int | None) -> None:
    """Put back an earlier version, and say so."""
    name, found = restore(paths, part, number)
    renderer.note(
        f"{name}: the version from before {found.replaced} is back ({counted(found.words, 'word')}); "
        f"`libriscribe2 versions {paths.called} {part}` lists the others."
    )
