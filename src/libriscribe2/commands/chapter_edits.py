"""An author's changes of files: the order of chapters, names, edits as the new base."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from libriscribe2.commands.projects import look_at, open_project, read_brief, wanted_stages
from libriscribe2.editing import structure as edits
from libriscribe2.editing.adoption import (
    Adopted,
    edited_files,
    file_name,
    later_shifts,
    origins,
    shifts,
)
from libriscribe2.editing.adoption import adopt as take
from libriscribe2.editing.renaming import (
    Form,
    Hit,
    Renamer,
    Renaming,
    book_texts,
    check_names,
    forms_of,
)
from libriscribe2.editing.splitting import chapter_rows, planned_scenes, raw_text, texts_of
from libriscribe2.editing.splitting import division as split_place
from libriscribe2.editing.structure import Edit, Outlined, Slot, Slots, read_slots
from libriscribe2.editing.structure_plan import Planner
from libriscribe2.engine.stages import all_stages, book_status, check_artifacts
from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.paths import ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import Change, ChangedView, peek


@dataclass(frozen=True, slots=True)
class ChapterEdit:
    """A change of the order of chapters.

    Attributes:
        asked: The command and its arguments; a change that was interrupted is known by them.
        edit: The edit, given the project and its chapters.
        same_story: Whether the texts follow each other as they did.
    """

    asked: tuple[str, ...]
    edit: Callable[[ProjectView, Slots], Slots]
    same_story: bool = False

    @property
    def what(self) -> str:
        """The command in one line."""
        return shlex.join(("chapter", *self.asked))


def chapter_list(paths: ProjectPaths) -> list[dict[str, Any]]:
    """The chapters of a book, with their words and the state of their text."""
    view, brief = look_at(paths), read_brief(paths)
    return chapter_rows(view, brief, wanted_stages(brief))


def insertion(chapter: int, title: str, summary: str, scenes: Sequence[str]) -> ChapterEdit:
    """A new chapter of the outline; without scenes it is still to be planned."""

    def edit(view: ProjectView, slots: Slots) -> Slots:
        planned = planned_scenes(view, scenes, summary)
        return edits.insert(slots, chapter, Outlined(title, summary, planned))

    return ChapterEdit(("insert", str(chapter), title, summary, *scenes), edit)


def movement(chapter: int, to: int) -> ChapterEdit:
    """Another place for a chapter."""
    return ChapterEdit(
        ("move", str(chapter), str(to)), lambda _view, slots: edits.move(slots, chapter, to)
    )


def division(
    chapter: int,
    place: tuple[int | None, int | None],
    title: str,
    summaries: tuple[str, str] = ("", ""),
) -> ChapterEdit:
    """Two chapters made of one.

    Args:
        chapter: The chapter.
        place: The scene break, or the paragraph with which the second part begins.
        title: The title of the second part.
        summaries: Of the first and the second part; "" takes those of the scenes.
    """
    first, second = summaries

    def edit(view: ProjectView, slots: Slots) -> Slots:
        at = split_place(view, chapter, len(slots), *place)
        return edits.split(slots, chapter, at, (Outlined(summary=first), Outlined(title, second)))

    asked = ("split", f"{chapter}", title, second, first, f"{place[0]}/{place[1]}")
    return ChapterEdit(asked, edit, same_story=True)


def merger(first: int, second: int, title: str = "") -> ChapterEdit:
    """One chapter made of two neighbours."""

    def edit(view: ProjectView, slots: Slots) -> Slots:
        for chapter in (first, second):
            check_chapter(chapter, len(slots))
        if second != first + 1:
            why = f"{second} does not directly follow {first}"
            raise UsageError(f"Chapters {first} and {second} are not adjacent", why=why)
        return edits.merge(slots, first, (texts_of(view, first), texts_of(view, second)), title)

    return ChapterEdit(("merge", str(first), str(second), title), edit, same_story=True)


def renaming(chapter: int, title: str) -> ChapterEdit:
    """Another title of a chapter, in the outline and in the heading of its text."""

    def edit(view: ProjectView, slots: Slots) -> Slots:
        check_chapter(chapter, len(slots))
        return edits.rename(slots, chapter, title, raw_text(view, chapter_file(chapter)))

    return ChapterEdit(("rename", str(chapter), title), edit, same_story=True)


def deletion(chapter: int) -> ChapterEdit:
    """A chapter taken out of the book."""
    return ChapterEdit(("delete", str(chapter)), lambda _view, slots: edits.delete(slots, chapter))


def preview(paths: ProjectPaths, edit: ChapterEdit) -> dict[str, Any]:
    """What a change would do, as a record; takes no lock and writes nothing.

    Raises:
        UsageError: The book has no such chapter or place.
        ProjectError: The book cannot be read.
    """
    view = peek(paths)
    return {**_planned(view, read_brief(paths), edit)[1], "dry_run": True}


def carry_out(paths: ProjectPaths, edit: ChapterEdit) -> dict[str, Any] | None:
    """Change the order of chapters.

    Returns:
        What was done, as a record; None where opening the project has just finished the same
        change, which was interrupted.

    Raises:
        UsageError: The book has no such chapter or place.
        ProjectError: The book cannot be read, or another process works on it.
        StorageError: The system refuses.
    """
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        if store.finished == edit.what:
            return None
        change, record = _planned(store, brief, edit)
        store.change(change)
    return record


def _planned(
    view: ProjectView, brief: Brief, request: ChapterEdit
) -> tuple[Change, dict[str, Any]]:
    """The change, and what it does as a record."""
    stages = wanted_stages(brief)
    check_artifacts(stages, view)
    slots = read_slots(view)
    edited = Edit(request.what, request.edit(view, slots), request.same_story)
    change = Planner(view, brief, all_stages(), len(slots)).plan(edited)
    before = book_status(stages, brief, view)
    changed = ChangedView(view, change)
    after = book_status(stages, brief, changed)
    moved = shifts(before, after, origins(before, edited.slots))
    record = {
        "change": request.what,
        "dry_run": False,
        "chapters": _rows(edited.slots),
        "files": {one.name: "removed" if one.text is None else "written" for one in change.files},
        "states": [asdict(shift) for shift in moved],
        "later": [asdict(shift) for shift in later_shifts(stages, brief, changed, after)],
    }
    return change, record


def _rows(slots: Sequence[Slot]) -> list[dict[str, Any]]:
    """The chapters in their new order, each with the numbers that it had."""
    return [
        {"number": number, "was": list(slot.sources), "title": slot.title}
        for number, slot in enumerate(slots, start=1)
    ]


def adopt_files(paths: ProjectPaths, typed: Sequence[str]) -> Adopted:
    """Take edited files as the new base: those that are named, or all.

    Raises:
        UsageError: A name is none of an edited file.
        ProjectError: The book cannot be read, or another process works on it.
    """
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        stages = wanted_stages(brief)
        check_artifacts(stages, store)
        named = tuple(file_name(name, paths.root) for name in typed)
        return take(store, brief, stages, named or edited_files(store, brief, stages))


@dataclass(frozen=True, slots=True)
class NewName:
    """A name and what is to stand in its place.

    Attributes:
        old: The name.
        new: The new one.
    """

    old: str
    new: str

    @property
    def what(self) -> str:
        """The command in one line: a change that was interrupted is known by it."""
        return shlex.join(("rename", self.old, self.new))


def forms_in(paths: ProjectPaths, name: NewName) -> list[Form]:
    """The forms in which a name stands in a book.

    Raises:
        UsageError: The name cannot be changed so.
        ProjectError: The book cannot be read.
    """
    view, brief = peek(paths), read_brief(paths)
    texts = book_texts(view, wanted_stages(brief))
    check_names(name.old, name.new, texts)
    book = Book(view)
    named = [one.name for one in book.characters()]
    named += [one.name for one in (*book.places(), *book.terms())]
    return forms_of(name.old, name.new, texts, named)


def places_of(paths: ProjectPaths, forms: Mapping[str, str]) -> list[Hit]:
    """Every place in a book where one of the forms stands."""
    view, brief = peek(paths), read_brief(paths)
    return _renaming(view, brief, forms).hits()


def rename(paths: ProjectPaths, name: NewName, forms: Mapping[str, str]) -> int | None:
    """Change a name in every file; the number of files.

    Returns:
        None where opening the project has just finished the same change, which was interrupted.

    Raises:
        UsageError: The name cannot be changed so, or some file would no longer be what it is.
        ProjectError: The book cannot be read.
        ProjectInUseError: Another process works on it.
        StorageError: The system refused.
    """
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        if store.finished == name.what:
            return None
        stages = wanted_stages(brief)
        check_artifacts(stages, store)
        check_names(name.old, name.new, book_texts(store, stages))
        renaming = _renaming(store, brief, forms)
        change = renaming.plan(name.what)
        for agent in stages:
            if not renaming.keeps_meaning(agent, ChangedView(store, change)):
                raise UsageError(
                    f"{name.old!r} cannot be renamed.",
                    why=f"{agent.writes} uses the word as more than a name",
                    fix="Change it by hand where it is a name.",
                )
        store.change(change)
        return len(change.files)


def _renaming(view: ProjectView, brief: Brief, forms: Mapping[str, str]) -> Renaming:
    return Renaming(view, brief, wanted_stages(brief), Renamer(forms))


def chosen_forms(forms: Sequence[Form], typed: Sequence[str], *, likely: bool) -> dict[str, str]:
    """The forms to change without a question.

    Args:
        forms: All forms.
        typed: Those that the command line names, such as `Annas=Olgas`.
        likely: Whether those that are very likely forms of the name are among them.

    Raises:
        UsageError: What was typed is not a form.
    """
    chosen = {one.old: one.new for one in forms if one.is_sure or (likely and one.is_likely)}
    for pair in typed:
        old, sign, new = pair.partition("=")
        if not (old.strip() and sign and new.strip()):
            raise UsageError(f"{pair!r} is not a form.", fix="Write --form Annas=Olgas.")
        chosen[old.strip()] = new.strip()
    return chosen
