"""`libriscribe2 note`, `revise`, `cover`, `versions`, `rename`: what the author says of a book."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Annotated, Final

import typer

from libriscribe2.app import AppOptions
from libriscribe2.cli.frame import (
    Frame,
    RequiredProjectArgument,
    RunOptions,
    YesOption,
    command,
    command_with_json,
    complete_part,
    is_interactive,
    model_for,
)
from libriscribe2.cli.questions import Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import command_line, consult
from libriscribe2.commands.chapter_edits import NewName, chosen_forms, forms_in, places_of
from libriscribe2.commands.chapter_edits import rename as carry_out
from libriscribe2.commands.noting import Noted, list_notes, note_down, notes_on, part_of, unheeded
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.commands.revising import (
    all_versions,
    chapter_named,
    have_painted,
    keep_cover,
    keep_revision,
    one_version,
    restore,
)
from libriscribe2.commands.revising import revise as have_revised
from libriscribe2.commands.runs import OpenBook, open_book
from libriscribe2.editing.renaming import Form, Hit
from libriscribe2.errors import UsageError
from libriscribe2.project.paths import CHAPTER_FILES, ProjectPaths
from libriscribe2.settings.parts import resolved
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import counted

_COVER: Final = "cover"
"""The stage whose model paints."""

ChapterArgument = Annotated[
    str,
    typer.Argument(metavar="CHAPTER", help="Number of the chapter.", autocompletion=complete_part),
]


@command_with_json
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
    if frame.renderer.as_json:
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
    """Where a note is, and who heeds it; with `again`, how to have written again what is there.

    With `again` and `--json` that is what the command prints; a redo prints the events of its run.
    """
    if again and renderer.as_json:
        told = {"new": noted.is_new, "written": noted.is_written}
        renderer.data_json({"file": noted.file, "part": noted.about, **told})
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
        bool, typer.Option("--undo", help="Put back the previous version instead.")
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
def cover(
    frame: Frame,
    project: RequiredProjectArgument,
    wish: Annotated[str | None, typer.Argument(metavar="WISH", help="What it should show.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Another picture for the same wish.")
    ] = False,
    yes: YesOption = False,
    *,
    options: RunOptions,
) -> None:
    """Have a model paint a picture for the cover of a book.

    Example: libriscribe2 cover my-book "A lamp over dark water" --model openai/gpt-image-1

    It counts against the budget and is named in AI-DISCLOSURE.md; title and author are set on it.
    A picture that was paid for is not painted twice. Without --model the setting models.cover
    says who paints.
    """
    paths = frame.project(project, options=options)
    settings = frame.settings(options, paths)
    if not settings.models.for_stage(_COVER).model:
        raise UsageError(
            "Which model is to paint?",
            fix="Name one that makes pictures, such as --model openai/gpt-image-1.",
        )
    with open_book(paths) as (store, brief):
        if again:
            store.call_log.anew(_COVER)
        choice = resolved(settings.models.for_stage(_COVER).model, model_for(settings), settings)
        book = OpenBook(store, brief, settings, choice, AppOptions(command_line()))
        asked = partial(have_painted, book, wish=(wish or "").strip())
        name = consult(frame.renderer, book, asked)
        frame.renderer.data(str(paths.resolve(name)))
        if is_agreed(frame.renderer, settings, "Make it the cover?", yes=yes):
            keep_cover(paths, name)
            frame.renderer.note(
                f"{name} is the cover; `libriscribe2 export {paths.called}` sets the title on it."
            )


@command_with_json
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
        if renderer.as_json:
            renderer.data_json(found)
        elif diff:
            show_diff(renderer, found["diff"])
        else:
            renderer.data(found["text"])
    else:
        _list_versions(renderer, paths, part)


def _list_versions(renderer: Renderer, paths: ProjectPaths, part: str) -> None:
    """The earlier versions of a file, the oldest first."""
    name, listed = all_versions(paths, part)
    rows = [{"version": v.number, "replaced": v.replaced, "words": v.words} for v in listed]
    if renderer.as_json:
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
    renderer.warning("Nothing was changed. The same command with --yes makes the change.")
    return False


def _restore(renderer: Renderer, paths: ProjectPaths, part: str, number: int | None) -> None:
    """Put back an earlier version, and say so."""
    name, found = restore(paths, part, number)
    renderer.note(
        f"{name}: the version from before {found.replaced} is back ({counted(found.words, 'word')}); "
        f"`libriscribe2 versions {paths.called} {part}` lists the others."
    )


_SHOWN: Final = 40
"""Most places that are shown before the question; --dry-run shows all."""


@command_with_json
def rename(
    frame: Frame,
    project: RequiredProjectArgument,
    old: Annotated[str, typer.Argument(metavar="NAME", help="The name as the book has it.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new name.")],
    form: Annotated[
        list[str] | None,
        typer.Option(
            "--form", metavar="OLD=NEW", help="Another form to change, such as Annas=Olgas."
        ),
    ] = None,
    forms: Annotated[
        bool, typer.Option("--forms", help="Also change the likely forms, such as Hespers.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show every place; change nothing.")
    ] = False,
    yes: YesOption = False,
) -> None:
    """Change the name of a person or place in every file of a book.

    Example: libriscribe2 rename my-book "Hesper" "Hester"

    You see every place by file and line before. Nothing is sent, and nothing is out of date after
    it. Inflected and short forms (Hespers, Annas) are changed only if you say so.
    """
    renderer = frame.renderer
    paths = frame.project(project)
    settings = frame.settings(paths=paths)
    name = NewName(" ".join(old.split()), " ".join(new.split()))
    found = forms_in(paths, name)
    chosen = chosen_forms(found, form or (), likely=forms)
    left = [one for one in found if one.old not in chosen]
    if left and not (yes or dry_run or renderer.as_json) and is_interactive(settings):
        chosen |= _asked(renderer, left)
    left = [one for one in left if one.old not in chosen]
    places = places_of(paths, chosen)
    if dry_run or renderer.as_json:
        _tell(renderer, places, left)
    else:
        _show(renderer, places, left)
    if not dry_run and is_agreed(renderer, settings, "Rename?", yes=yes):
        carry_out(paths, name, chosen)
        renderer.note(
            f"{counted(len(places), 'place')} renamed, 0 calls. "
            f"`libriscribe2 rename {paths.called} {name.new!r} {name.old!r}` takes it back."
        )


def _asked(renderer: Renderer, forms: Sequence[Form]) -> dict[str, str]:
    """What the author wants in the place of other forms; a form that stays is not in it."""
    renderer.note("Other forms: Enter takes what is proposed, - leaves the form as it is.")
    asks, wanted = Questions(renderer), dict[str, str]()
    for one in forms:
        default = one.new if one.is_likely and one.new else "-"
        proposal = f", perhaps {one.new}" if one.new and default == "-" else ""
        question = f"{one.old} ({counted(one.count, 'place')}{proposal})"
        said = asks.ask(question, default, lambda _answer: "")
        if said != "-":
            wanted[one.old] = said
    return wanted


def _show(renderer: Renderer, places: Sequence[Hit], left: Sequence[Form]) -> None:
    """The first places, those of the text before those of the plan, and what ends a preview."""
    by_file = sorted(places, key=lambda one: not fnmatchcase(one.file, CHAPTER_FILES))
    for one in by_file[:_SHOWN]:
        renderer.change(f"{one.file}:{one.line}", one.left, one.old, one.new, one.right)
    if len(places) > _SHOWN:
        more = counted(len(places) - _SHOWN, "more place")
        renderer.note(
            f"{more} in {counted(_files(by_file[_SHOWN:]), 'file')}; --dry-run shows all of them."
        )
    _tell_end(renderer, places, left)


def _tell(renderer: Renderer, places: Sequence[Hit], left: Sequence[Form]) -> None:
    """Every place, and what ends a preview, as data."""
    if renderer.as_json:
        hits = [
            {"file": one.file, "line": one.line, "before": one.before, "after": one.after}
            for one in places
        ]
        stays = [{"form": one.old, "proposed": one.new, "count": one.count} for one in left]
        renderer.data_json({"places": hits, "files": _files(places), "left": stays})
        return
    for one in places:
        renderer.data(f"{one.file}:{one.line}: {one.before} -> {one.after}")
    _tell_end(renderer, places, left)


def _tell_end(renderer: Renderer, places: Sequence[Hit], left: Sequence[Form]) -> None:
    """The forms that stay, how to have them changed, too, and last how much changes."""
    for one in left:
        renderer.warning(
            f"{one.old} ({counted(one.count, 'place')}) stays; "
            f"--form {one.old}={one.new or '...'} changes it."
        )
    renderer.note(f"{counted(len(places), 'place')} in {counted(_files(places), 'file')}.")


def _files(places: Sequence[Hit]) -> int:
    """In how many files the places are."""
    return len({one.file for one in places})
