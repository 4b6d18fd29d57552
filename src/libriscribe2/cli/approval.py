"""Between the parts of a book: its author decides on the plan, a chapter, or patches."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from libriscribe2.cli.frame import is_interactive, resumable
from libriscribe2.cli.questions import Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import carry_out, consult, held_book, run_book
from libriscribe2.commands.mending import (
    Proposal,
    diff_of,
    keep,
    propose,
    readings_due,
    what_mending_asks,
)
from libriscribe2.commands.noting import BOOK, note_down
from libriscribe2.commands.projects import look_at, read_brief, wanted_stages
from libriscribe2.commands.remaking import Redo
from libriscribe2.commands.runs import PLAN_STAGE, Prepare, going_on
from libriscribe2.engine.stages import book_status, check_artifacts
from libriscribe2.errors import LibriScribeError
from libriscribe2.exporters.pandoc import environment
from libriscribe2.models.story import ConceptFile, OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import CHAPTER_FILES, CONCEPT, OUTLINE, ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import peek
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import counted

_PLAN: Final = "w  write the book\nc  say what to change\ne  edit the plan\na  again from the idea\ns  stop here"
_ABOUT: Final = {
    "the chapters: the outline and its scenes are made again": "outline",
    "the people: they are, and all that follows from them": "characters",
    "the world: the same": "world",
    "the whole story: all of it is made again from the idea": BOOK,
}
_LATE: Final = "\nu  bring {} up to date with your changes"
_CHAPTER: Final = "k keep and go on, e edit, n note and again, s stop"
_EDITORS: Final = ("VISUAL", "EDITOR")
_STORY: Final = 1_800
"""Characters of the story that are shown."""


class Approval:
    """Carries on with a book as far as its author wants.

    Args:
        renderer: The screen.
        paths: The project.
        settings: The settings in force.
        run: Carries out a run; None has the book's model asked.
    """

    def __init__(
        self,
        renderer: Renderer,
        paths: ProjectPaths,
        settings: Settings,
        run: Callable[[Prepare], None] | None = None,
    ) -> None:
        self._renderer = renderer
        self._paths = paths
        self._settings = settings
        self._run = run or self._ask_model
        going_on = f"Continue with `libriscribe2 resume {paths.called}`."
        self._asks = Questions(renderer, going_on)

    def of_plan(self) -> None:
        """Show the plan until it is to be written, or the author stops.

        Raises:
            LibriScribeError: A run failed; finished parts are kept.
        """
        with resumable(self._renderer, self._paths.called):
            self._ask_of_plan()

    def _ask_of_plan(self) -> None:
        while True:
            self._show_plan()
            late = plan_due(self._paths)
            self._renderer.note(_PLAN + (_LATE.format(", ".join(late)) if late else ""))
            key = self._asks.key("What now? [w] ", "wceasu" if late else "wceas")
            if key == "w":
                self._run(going_on(None, refresh=False))
                return
            if key == "s":
                self._renderer.note(f"Continue with `libriscribe2 resume {self._paths.called}`.")
                return
            if self._is_changed(key):
                self._run(going_on(PLAN_STAGE, refresh=True))

    def _is_changed(self, key: str) -> bool:
        """Whether what the author does by a key asks for another plan."""
        if key == "c":
            said = self._asks.line("What should be different? ")
            if said:
                note_down(self._paths, self._concerned(), said)
            return bool(said)
        if key == "e":
            return self._edit(OUTLINE)
        if key == "a":
            self._run(Redo("concept").prepare)
        return True

    def _concerned(self) -> str:
        """The part of the plan that a wish is about: it is made again, and what follows from it."""
        there = {one.name for one in wanted_stages(read_brief(self._paths), [PLAN_STAGE])}
        about = {told: part for told, part in _ABOUT.items() if part == BOOK or part in there}
        told = list(about)
        known = Questions.one_of(told)
        return about[self._asks.choose("What is it about?", told, "1", known)]

    def by_chapter(self) -> None:
        """Write a chapter at a time, and ask after each.

        Raises:
            LibriScribeError: A run failed; finished parts are kept.
        """
        while (number := self._next_chapter()) is not None:
            self._run(going_on(f"chapter:{number}", refresh=False))
            if number == 0:
                continue  # the plan is there now
            if not self._kept(number):
                self._renderer.note(
                    f"Continue with `libriscribe2 resume {self._paths.called} --step`."
                )
                return
        self._run(going_on(None, refresh=False))

    def _kept(self, number: int) -> bool:
        """Show a chapter until the author keeps it; false where he stops."""
        while True:
            self._renderer.note(look_at(self._paths).read_text(chapter_file(number)))
            match self._asks.key(f"Chapter {number}: {_CHAPTER} [k]: ", "kens"):
                case "k":
                    return True
                case "e":
                    self._edit(chapter_file(number))
                case "n":
                    if said := self._asks.line("What should be different? "):
                        note_down(self._paths, str(number), said)
                        self._run(Redo("chapters", number).prepare)
                case _:
                    return False

    def _next_chapter(self) -> int | None:
        """The first chapter that is not written; 0 before there is a plan, None after the last."""
        view = look_at(self._paths)
        planned, there = Book(view).chapters(), view.names(CHAPTER_FILES)
        if not planned:
            return 0
        return next((n for n in range(1, planned + 1) if chapter_file(n) not in there), None)

    def _ask_model(self, prepare: Prepare) -> None:
        carry_out(self._renderer, self._paths, self._settings, prepare, anew=False)

    def _show_plan(self) -> None:
        """The story in ten lines, the cast and the chapters."""
        view, brief = look_at(self._paths), read_brief(self._paths)
        book = Book(view)
        concept = book.load(CONCEPT, ConceptFile).concept
        told = " ".join(concept.description.split())
        self._renderer.note(f"\n{book.title(brief)}", style="bold")
        lines = [_shortened(told, _STORY), ""]
        lines += [f"  {one.name}: {_shortened(one.role, 60)}" for one in book.characters()]
        planned = book.load(OUTLINE, OutlineFile).chapters if book.has(OUTLINE) else []
        lines += ["", *(f"  {n:>2}. {one.title}" for n, one in enumerate(planned, 1)), ""]
        self._renderer.note("\n".join(lines))

    def _edit(self, name: str) -> bool:
        """Open a file of the book in the author's editor; whether it was changed and can be used."""
        words = editor_words(self._renderer)
        path = self._paths.resolve(name)
        if not words:
            self._renderer.note(f"Edit {path}, then go on here.")
            return self._changed_by(name, lambda: self._asks.line("Press Enter when it is done. "))
        env = environment("TERM", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
        return self._changed_by(name, lambda: self._started([*words, str(path)], env))

    def _started(self, words: list[str], env: dict[str, str]) -> None:
        try:
            ended = subprocess.run(words, env=env, check=False).returncode
        except OSError as error:
            self._renderer.warning(f"{Path(words[0]).name} cannot be started: {error.strerror}.")
            return
        if ended:
            self._renderer.warning(f"{Path(words[0]).name} ended with {ended}.")

    def _changed_by(self, name: str, work: Callable[[], object]) -> bool:
        """Whether a file is another one after some work, and can still be read; else it is put back."""
        path = self._paths.resolve(name)
        before = path.read_bytes()
        work()
        if path.read_bytes() == before:
            self._renderer.note(f"{name} is as it was.")
            return False
        try:
            check_artifacts(wanted_stages(read_brief(self._paths)), look_at(self._paths))
        except LibriScribeError as error:
            self._renderer.error(error)
            kept = path.with_name(f"{path.stem}.edited{path.suffix}")
            kept.write_bytes(path.read_bytes())
            path.write_bytes(before)
            self._renderer.note(f"{name} is as it was; your edit is in {kept}.")
            return False
        return True


def plan_due(paths: ProjectPaths) -> list[str]:
    """The files of the plan that are missing or out of date, as long as no chapter is written."""
    view, brief = look_at(paths), read_brief(paths)
    if view.names(CHAPTER_FILES):
        return []
    plan = book_status(wanted_stages(brief, [PLAN_STAGE]), brief, view, refresh=True)
    return [one.unit.output for one in plan if one.runs]


def editor_words(renderer: Renderer) -> list[str]:
    """The author's editor as a command; empty where there is none, and the reason is said."""
    name = next((one for one in _EDITORS if os.environ.get(one)), "")
    if not name:
        renderer.warning("No editor is set in EDITOR.")
        return []
    words = shlex.split(os.environ[name])
    found = shutil.which(words[0]) if words else None
    if found is None:
        renderer.warning(f"There is no editor {os.environ[name]!r}, which {name} names.")
        return []
    return [found, *words[1:]]


def _shortened(text: str, most: int) -> str:
    """The beginning of a text, to the end of a word."""
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0]} ..."


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
            run_book(renderer, book, due, brief=True)
        asked = partial(propose, book, replace_mine=replace_mine)
        proposal = consult(renderer, book, asked)
        _show(renderer, store, proposal)
        patched = [one.number for one in proposal.mended if one.replanned]
        _tell_touched(renderer, store, patched)
        if not proposal.mended or yes or _is_agreed(renderer, settings, paths):
            keep(store, proposal)


def tell_mending(renderer: Renderer, paths: ProjectPaths) -> None:
    """Say what mending would ask, beside what the run itself would."""
    view, brief = peek(paths), read_brief(paths)
    _tell_touched(renderer, view)
    read, searches, patched = what_mending_asks(view, brief)
    if not patched:
        renderer.note("No chapter has changed since it was read: there is nothing to patch.")
        return
    renderer.note(
        f"Besides, --refresh would read {counted(read, 'chapter')} that you changed (a call each), "
        f"look for what contradicts the change (at most {counted(searches, 'call')}), and patch at most "
        f"{counted(patched, 'later chapter')} (a call each)."
    )


def _tell_touched(renderer: Renderer, view: ProjectView, patched: Sequence[int] = ()) -> None:
    """Say which scenes were written by another plan, and that patches bring nothing new in."""
    called, book = view.paths.called, Book(view)
    for number in range(1, book.chapters() + 1):
        if touched := book.touched_scenes(number):
            one, why = len(touched) == 1, ""
            if number in patched:
                why = " The patches above mend what contradicts it; what is new in it they do not tell."
            renderer.note(
                f"{chapter_file(number)}: the plan of scene{'' if one else 's'} "
                f"{', '.join(map(str, touched))} was changed.{why} `libriscribe2 redo {called} "
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
