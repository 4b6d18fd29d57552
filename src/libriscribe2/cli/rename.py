"""`libriscribe2 rename`: a name changed in all of a book, shown place by place before."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Final

import typer

from libriscribe2.cli.author import is_agreed
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    RequiredProjectArgument,
    YesOption,
    command,
    is_interactive,
)
from libriscribe2.cli.questions import Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.new_names import NewName, chosen_forms, forms_in, places_of
from libriscribe2.commands.new_names import rename as carry_out
from libriscribe2.editing.renaming import Form, Hit
from libriscribe2.project.paths import CHAPTER_FILES
from libriscribe2.wording import counted

_SHOWN: Final = 40
"""Most places that are shown before the question; --dry-run shows all."""


@command
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
    as_json: JsonOption = False,
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
    if left and not (yes or dry_run or as_json) and is_interactive(settings):
        chosen |= _asked(renderer, left)
    left = [one for one in left if one.old not in chosen]
    places = places_of(paths, chosen)
    if dry_run or as_json:
        _tell(renderer, places, left, as_json=as_json)
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


def _tell(
    renderer: Renderer, places: Sequence[Hit], left: Sequence[Form], *, as_json: bool
) -> None:
    """Every place, and what ends a preview, as data."""
    if as_json:
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
