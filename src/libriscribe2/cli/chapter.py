"""`libriscribe2 chapter`: list the chapters of a book, and change their order."""

from typing import Annotated

import typer

from libriscribe2.cli.chapter_edit import EditRequest, carry_out
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    RequiredProjectArgument,
    command,
    command_group,
)
from libriscribe2.commands.projects import look_at, read_brief, wanted_stages
from libriscribe2.editing import structure_edits as edits
from libriscribe2.editing.splitting import (
    chapter_rows,
    division,
    planned_scenes,
    raw_text,
    texts_of,
)
from libriscribe2.editing.structure_edits import Outlined, Slots
from libriscribe2.errors import UsageError
from libriscribe2.project.paths import CHAPTER_FILES
from libriscribe2.project.view import ProjectView

app = command_group("chapter", "List the chapters of a book, and change their order.")

ChapterArgument = Annotated[int, typer.Argument(metavar="CHAPTER", help="The chapter's number.")]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
]


@app.command("list")
@command
def list_chapters(
    frame: Frame, project: RequiredProjectArgument, as_json: JsonOption = False
) -> None:
    """List the chapters with their words and the state of their text."""
    renderer = frame.renderer
    paths = frame.project(project)
    view, brief = look_at(paths), read_brief(paths)
    rows = chapter_rows(view, brief, wanted_stages(brief))
    if as_json:
        renderer.data_json({"project": paths.root.name, "chapters": rows})
    else:
        columns = ("number", "title", "words", "state")
        renderer.table(columns, [[row[column] for column in columns] for row in rows])


@app.command()
@command
def insert(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: Annotated[
        int, typer.Argument(metavar="CHAPTER", help="The number that the new chapter gets.")
    ],
    title: Annotated[str, typer.Option("--title", help="Title of the chapter.")],
    summary: Annotated[str, typer.Option("--summary", help="What happens in it.")],
    scene: Annotated[
        list[str] | None,
        typer.Option(
            "--scene", help="What happens in one of its scenes; once for each. Else it is planned."
        ),
    ] = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put a new chapter into the outline; `resume` plans and writes it.

    The chapters after it get the next numbers. Those that then follow another chapter than
    before are stale; they are kept until `resume --refresh`.
    """

    def edit(view: ProjectView, slots: Slots) -> Slots:
        scenes = planned_scenes(view, scene or (), summary)
        return edits.insert(slots, chapter, Outlined(title, summary, scenes))

    asked = ("insert", str(chapter), title, summary, *(scene or ()))
    carry_out(frame, project, EditRequest(asked, edit, dry_run=dry_run, as_json=as_json))


@app.command()
@command
def move(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: ChapterArgument,
    to: Annotated[int, typer.Argument(metavar="TO", help="The number that it gets.")],
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Give a chapter another place; those in between make room.

    No text is changed and nothing is asked of a model. Chapters that then follow another chapter
    than before are stale; they are kept until `resume --refresh`.
    """

    def edit(view: ProjectView, slots: Slots) -> Slots:
        del view
        return edits.move(slots, chapter, to)

    asked = ("move", str(chapter), str(to))
    carry_out(frame, project, EditRequest(asked, edit, dry_run=dry_run, as_json=as_json))


@app.command()
@command
def split(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: ChapterArgument,
    title: Annotated[str, typer.Option("--title", help="Title of the second part.")],
    scene_break: Annotated[
        int | None,
        typer.Option("--break", min=1, help="Split at this scene break, counted from 1."),
    ] = None,
    paragraph: Annotated[
        int | None, typer.Option("--paragraph", min=2, help="Begin with this paragraph.")
    ] = None,
    summary: Annotated[
        str, typer.Option("--summary", help="Of the second part; else that of its scenes.")
    ] = "",
    first_summary: Annotated[
        str, typer.Option("--first-summary", help="Of the first part; else that of its scenes.")
    ] = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make two chapters of one, at a scene break or before a paragraph.

    `resume` then asks for a summary of each part.
    """

    def edit(view: ProjectView, slots: Slots) -> Slots:
        at = division(view, chapter, len(slots), scene_break, paragraph)
        parts = (Outlined(summary=first_summary), Outlined(title, summary))
        return edits.split(slots, chapter, at, parts)

    asked = ("split", f"{chapter}", title, summary, first_summary, f"{scene_break}/{paragraph}")
    carry_out(
        frame, project, EditRequest(asked, edit, same_story=True, dry_run=dry_run, as_json=as_json)
    )


@app.command()
@command
def merge(
    frame: Frame,
    project: RequiredProjectArgument,
    first: Annotated[int, typer.Argument(metavar="FIRST", help="A chapter.")],
    second: Annotated[int, typer.Argument(metavar="SECOND", help="The one after it.")],
    title: Annotated[
        str, typer.Option("--title", help="Title of the whole; else that of the first.")
    ] = "",
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make one chapter of two neighbours, with a scene break in between."""

    def edit(view: ProjectView, slots: Slots) -> Slots:
        if second != first + 1:
            why = f"{second} does not come right after {first}"
            raise UsageError(f"Chapters {first} and {second} are no neighbours", why=why)
        return edits.merge(slots, first, (texts_of(view, first), texts_of(view, second)), title)

    asked = ("merge", str(first), str(second), title)
    carry_out(
        frame, project, EditRequest(asked, edit, same_story=True, dry_run=dry_run, as_json=as_json)
    )


@app.command()
@command
def rename(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: ChapterArgument,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Its new title.")],
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Give a chapter another title, in the outline and in the heading of its text.

    A heading of your own that does not name the old title is left as it is.
    """

    def edit(view: ProjectView, slots: Slots) -> Slots:
        return edits.rename(slots, chapter, title, raw_text(view, CHAPTER_FILES, chapter))

    asked = ("rename", str(chapter), title)
    carry_out(
        frame, project, EditRequest(asked, edit, same_story=True, dry_run=dry_run, as_json=as_json)
    )


@app.command()
@command
def delete(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: ChapterArgument,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take a chapter out of the book; its text goes to the project's trash.

    Chapters that followed it or remembered it are stale; they are kept until `resume --refresh`.
    """

    def edit(view: ProjectView, slots: Slots) -> Slots:
        del view
        return edits.delete(slots, chapter)

    asked = ("delete", str(chapter))
    carry_out(frame, project, EditRequest(asked, edit, dry_run=dry_run, as_json=as_json))
