"""A name changed in all of a book: what that does, shown first, and done in one step."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from libriscribe2.commands.projects import open_project, read_brief, wanted_stages
from libriscribe2.editing.renaming import (
    Form,
    Hit,
    Renamer,
    Renaming,
    book_texts,
    check_names,
    forms_of,
)
from libriscribe2.engine.stages import check_artifacts
from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import ChangedView, peek


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
        UsageError: What was typed is no form.
    """
    chosen = {one.old: one.new for one in forms if one.is_sure or (likely and one.is_likely)}
    for pair in typed:
        old, sign, new = pair.partition("=")
        if not (old.strip() and sign and new.strip()):
            raise UsageError(f"{pair!r} is no form.", fix="Write --form Annas=Olgas.")
        chosen[old.strip()] = new.strip()
    return chosen
