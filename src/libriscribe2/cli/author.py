"""`libriscribe2 note`: the author's own words, which every request heeds that they concern."""

from typing import Annotated

import typer

from libriscribe2.cli.frame import Frame, JsonOption, RequiredProjectArgument, command
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.noting import Noted, note_down, notes_on, part_of
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.project.paths import ProjectPaths


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
    as_json: JsonOption = False,
) -> None:
    """Tell the models what you want of a book, a chapter or a scene.

    Example: libriscribe2 note my-book 7 "Tenser. Mara must not learn of the key."

    Notes are plain text in the project's folder `notes`, to be edited there, and outrank the plan.
    What is written from now on heeds them, in a run that goes on too; `redo` writes again what is
    there. Without TEXT, the notes are shown.
    """
    paths = frame.project(project)
    if text is not None and part is not None:
        tell_noted(frame.renderer, paths, note_down(paths, part, text))
        return
    told = notes_on(paths)
    if part is not None:
        name = part_of(part, look_at(paths), read_brief(paths)).note
        told = {name: told[name]} if name in told else {}
    if as_json:
        frame.renderer.data_json([{"file": name, "note": said} for name, said in told.items()])
    elif told:
        frame.renderer.data("\n\n".join(f"{name}\n{said}" for name, said in told.items()))
    else:
        frame.renderer.note("There are no notes.")


def tell_noted(
    renderer: Renderer, paths: ProjectPaths, noted: Noted, *, again: bool = True
) -> None:
    """Where a note is, and who heeds it; with `again`, how to have written again what is there."""
    what = "noted" if noted.is_new else "that is noted already"
    renderer.note(f"{noted.file}: {what}. What is written from now on heeds it.")
    if noted.is_written and noted.is_new and again:
        renderer.note(
            f"What is there stays: `libriscribe2 redo {paths.called} {noted.about}` writes it again."
        )
