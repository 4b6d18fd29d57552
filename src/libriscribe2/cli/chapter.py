"""`libriscribe2 chapter`: list the chapters of a book, and change their order."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from libriscribe2.cli.frame import Frame, RequiredProjectArgument, command_group, command_with_json
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.chapter_edits import (
    ChapterEdit,
    carry_out,
    chapter_list,
    deletion,
    division,
    insertion,
    merger,
    movement,
    preview,
    renaming,
)
from libriscribe2.wording import state_in_words as words

app = command_group("chapter", "List and reorder the chapters of a book.")

ChapterArgument = Annotated[int, typer.Argument(metavar="CHAPTER", help="Number of the chapter.")]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change; change nothing.")
]


@app.command("list")
@command_with_json
def list_chapters(frame: Frame, project: RequiredProjectArgument) -> None:
    """List the chapters with their word counts and states."""
    renderer = frame.renderer
    paths = frame.project(project)
    rows = chapter_list(paths)
    if not renderer.told_json({"project": paths.root.name, "chapters": rows}):
        columns = ("number", "title", "words", "state")
        shown = [{**row, "state": words(row["state"])} for row in rows]
        renderer.table(columns, [[row[column] for column in columns] for row in shown])


@app.command()
@command_with_json
def insert(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: Annotated[int, typer.Argument(metavar="CHAPTER", help="Number of the new chapter.")],
    title: Annotated[str, typer.Option("--title", help="Title of the chapter.")],
    summary: Annotated[str, typer.Option("--summary", help="What happens in it.")],
    scene: Annotated[
        list[str] | None,
        typer.Option(
            "--scene",
            help="What happens in one of its scenes; once for each. Otherwise they are planned.",
        ),
    ] = None,
    dry_run: DryRunOption = False,
) -> None:
    """Insert a new chapter into the outline; `resume` plans and writes it.

    Later chapters move up by one. Those that then follow a different chapter are out of date;
    they are kept until `resume --refresh`.
    """
    edit = insertion(chapter, title, summary, scene or ())
    _edit(frame, project, edit, dry_run=dry_run)


@app.command()
@command_with_json
def move(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: ChapterArgument,
    to: Annotated[int, typer.Argument(metavar="TO", help="Its new number.")],
    dry_run: DryRunOption = False,
) -> None:
    """Move a chapter; those in between are renumbered.

    No text is changed and no model is asked. Chapters that then follow a different chapter are out
    of date; they are kept until `resume --refresh`.
    """
    _edit(frame, project, movement(chapter, to), dry_run=dry_run)


@app.command()
@command_with_json
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
        str,
        typer.Option(
            "--summary", help="Summary of the second part; by default that of its scenes."
        ),
    ] = "",
    first_summary: Annotated[
        str,
        typer.Option(
            "--first-summary", help="Summary of the first part; by default that of its scenes."
        ),
    ] = "",
    dry_run: DryRunOption = False,
) -> None:
    """Split a chapter in two, at a scene break or before a paragraph.

    `resume` then asks for a summary of each part.
    """
    place, summaries = (scene_break, paragraph), (first_summary, summary)
    edit = division(chapter, place, title, summaries)
    _edit(frame, project, edit, dry_run=dry_run)


@app.command()
@command_with_json
def merge(
    frame: Frame,
    project: RequiredProjectArgument,
    first: Annotated[int, typer.Argument(metavar="FIRST", help="A chapter.")],
    second: Annotated[int, typer.Argument(metavar="SECOND", help="The next chapter.")],
    title: Annotated[
        str,
        typer.Option("--title", help="Title of the merged chapter; by default that of the first."),
    ] = "",
    dry_run: DryRunOption = False,
) -> None:
    """Merge two neighbouring chapters, with a scene break in between."""
    _edit(frame, project, merger(first, second, title), dry_run=dry_run)


@app.command()
@command_with_json
def rename(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: ChapterArgument,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Its new title.")],
    dry_run: DryRunOption = False,
) -> None:
    """Rename a chapter, in the outline and in the heading of its text.

    A heading of your own that does not contain the old title is left as it is.
    """
    _edit(frame, project, renaming(chapter, title), dry_run=dry_run)


@app.command()
@command_with_json
def delete(
    frame: Frame,
    project: RequiredProjectArgument,
    chapter: ChapterArgument,
    dry_run: DryRunOption = False,
) -> None:
    """Delete a chapter; its text goes to the project's trash.

    Chapters that followed it or drew on it are out of date; they are kept until `resume --refresh`.
    """
    _edit(frame, project, deletion(chapter), dry_run=dry_run)


def _edit(frame: Frame, project: str, edit: ChapterEdit, *, dry_run: bool) -> None:
    """Change the order of a book's chapters, or only show what that would do."""
    paths, as_json = frame.project(project), frame.renderer.as_json
    record = preview(paths, edit) if dry_run else carry_out(paths, edit)
    if record is None:
        frame.renderer.note("An interrupted earlier run of this change was completed.")
        if as_json:
            frame.renderer.data_json({"change": edit.what, "finished": True})
    elif as_json:
        frame.renderer.data_json(record)
    else:
        _tell(frame.renderer, paths.called, record)


def _tell(renderer: Renderer, name: str, record: Mapping[str, Any]) -> None:
    """The new order on stdout; what became stale or is to be written on stderr."""
    rows = [
        (row["number"], " + ".join(map(str, row["was"])) or "new", row["title"])
        for row in record["chapters"]
    ]
    renderer.table(("chapter", "was", "title"), rows)
    for shift in record["states"]:
        before = f"{words(shift['before'])} -> " if shift["before"] else ""
        after = words(shift["after"])
        reason = shift["reason"].removeprefix(f"{after}, ")
        why = "" if reason == after else f" ({reason})"
        renderer.note(f"{shift['unit']}: {before}{after}{why}")
    for shift in record["later"]:
        renderer.note(
            f"{shift['unit']}: {words(shift['before'])}, {words(shift['after'])} {shift['reason']}"
        )
    if record["dry_run"]:
        renderer.note(f"Nothing was changed; {len(record['files'])} files would be.")
        return
    renderer.note("Replaced and removed texts are in .libriscribe/trash.")
    renderer.note(f"Continue with `libriscribe2 resume {name}`.")
