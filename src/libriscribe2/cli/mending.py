"""What `resume --refresh` does before it goes on: an edit is mended forward, and shown first."""

from functools import partial

from libriscribe2.cli.frame import is_interactive
from libriscribe2.cli.questions import Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import consult, held_book, run_book
from libriscribe2.commands.mending import (
    Proposal,
    diff_of,
    keep,
    propose,
    readings_due,
    what_mending_asks,
)
from libriscribe2.commands.projects import read_brief
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import peek
from libriscribe2.settings import Settings
from libriscribe2.wording import counted


def mend_forward(
    renderer: Renderer, paths: ProjectPaths, settings: Settings, *, replace_mine: bool, yes: bool
) -> None:
    """Read the chapters that were changed, and patch later sentences that contradict them.

    Args:
        renderer: Shows it.
        paths: The project.
        settings: The settings in force.
        replace_mine: Whether chapters that the author wrote or edited are patched, too.
        yes: Whether patches are kept without a question.

    Raises:
        LibriScribeError: A question got no usable reply, or a file was changed meanwhile.
    """
    with held_book(paths, settings) as book:
        store, due = book.store, readings_due(book.store, book.brief)
        if due is not None:
            run_book(renderer, book, due, as_json=False, brief=True)
        asked = partial(propose, book, replace_mine=replace_mine)
        proposal = consult(renderer, book, asked)
        _show(renderer, store, proposal)
        _tell_touched(renderer, store)
        if not proposal.mended or yes or _is_agreed(renderer, settings, paths):
            keep(store, proposal)


def tell_mending(renderer: Renderer, paths: ProjectPaths) -> None:
    """Say what mending would ask, beside what the run itself would."""
    view, brief = peek(paths), read_brief(paths)
    _tell_touched(renderer, view)
    read, searches, patched = what_mending_asks(view, brief)
    if not patched:
        renderer.note("No chapter was changed since it was read: there is nothing to mend.")
        return
    renderer.note(
        f"Mending would read {counted(read, 'chapter')} that you changed (a call each), look for "
        f"what contradicts the change (at most {counted(searches, 'call')}), and patch at most "
        f"{counted(patched, 'later chapter')} (a call each)."
    )


def _tell_touched(renderer: Renderer, view: ProjectView) -> None:
    """Say which scenes were written by another plan: they are no matter of patches."""
    called, book = view.paths.called, Book(view)
    for number in range(1, book.chapters() + 1):
        if touched := book.touched_scenes(number):
            one = len(touched) == 1
            renderer.note(
                f"{chapter_file(number)}: the plan of scene{'' if one else 's'} "
                f"{', '.join(map(str, touched))} was changed. `libriscribe2 redo {called} "
                f"{number}.{touched[0]}` writes {'it' if one else 'the first'} again, `libriscribe2 "
                f"resume {called} --rewrite` all that is out of date."
            )


def _show(renderer: Renderer, store: ProjectStore, proposal: Proposal) -> None:
    """What would be changed, line by line, and what is not."""
    for number in proposal.edited:
        renderer.note(f"{chapter_file(number)}: your change bears on the story.")
    for one in (*proposal.mended, *proposal.withheld):
        for line in diff_of(store, one):
            renderer.note(line, style={"+": "green", "-": "red"}.get(line[:1], ""))
        for reason in one.refused:
            renderer.warning(f"{chapter_file(one.number)}: not applied: {reason}")
    for one in proposal.withheld:
        if one.patches:
            renderer.warning(
                f"{chapter_file(one.number)} is your own text and stays as it is; --replace-mine "
                "patches it, too."
            )
    if proposal.edited and not proposal.mended:
        renderer.note("No later chapter is changed.")


def _is_agreed(renderer: Renderer, settings: Settings, paths: ProjectPaths) -> bool:
    """Whether the author wants the patches."""
    if is_interactive(settings):
        return Questions(renderer).agrees("Keep these changes?")
    again = f"`libriscribe2 resume {paths.called} --refresh --yes`"
    renderer.warning(f"Nothing was changed. {again} keeps these changes.")
    return False
