"""What a new book shares with the one before it in a series."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from libriscribe2.checks.continuity.fact_rules import is_death
from libriscribe2.checks.continuity.story_bible import bible_of
from libriscribe2.commands.projects import locate, look_at, read_brief
from libriscribe2.commands.runs import GivenFile
from libriscribe2.context.prompt_context import facts_in_force
from libriscribe2.errors import IncompleteError, ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import Attribute, Fact
from libriscribe2.models.story import CharactersFile, SeriesFile, lasting_facts
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CHARACTERS,
    SERIES_CANON,
    SERIES_CAST,
    SERIES_WORLD,
    WORLD,
    ProjectPaths,
    chapter_file,
)
from libriscribe2.project.texts import readable_json
from libriscribe2.project.view import ProjectView
from libriscribe2.settings import Settings
from libriscribe2.wording import counted

_TAKEN_OVER: Final = ("genre", "category", "book_kind", "language", "audience", "tone", "author")
"""Keys of the brief that the next book has from the one before, unless its author says otherwise."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The book before.

    Attributes:
        name: The name of its project.
        keys: Keys of the brief that the new book has from it.
        files: What the new book is given.
        facts: How many of its facts the new book is shown and compared with.
    """

    name: str
    keys: Mapping[str, Any]
    files: tuple[GivenFile, ...]
    facts: int


def read_earlier(project: str, settings: Settings) -> Earlier:
    """What a book gives to the next one; it is only read.

    Raises:
        ProjectError: There is no such project, or it has neither people nor a world yet.
    """
    paths = locate(project, None, settings)
    view, brief = look_at(paths), read_brief(paths)
    book = Book(view)
    bible = _bible(paths, brief, view, settings)
    dead = _dead(bible)
    cast = [one for one in book.characters() if one.name not in dead]
    files = [_json(SERIES_CANON, bible)]
    if cast:
        files.append(_json(SERIES_CAST, CharactersFile(characters=cast)))
    if book.has(WORLD):
        files.append(GivenFile(SERIES_WORLD, book.raw(WORLD)))
    if len(files) == 1:
        raise ProjectError(
            f"{paths.root.name} has nothing yet that another book could share.",
            why=f"there is neither {CHARACTERS} nor {WORLD}",
            fix=f"Finish it first: `libriscribe2 resume {paths.called}`.",
        )
    return Earlier(paths.root.name, _keys(paths, brief), tuple(files), len(bible.facts))


def continued(brief: Brief, earlier: Earlier | None) -> Brief:
    """The brief of a new book, with what its author leaves open taken from the book before."""
    if earlier is None:
        return brief
    said = brief.model_fields_set
    return brief.model_copy(
        update={key: value for key, value in earlier.keys.items() if key not in said}
    )


def earlier_note(earlier: Earlier | None) -> str:
    """What to tell of the book before; "" where there is none."""
    if earlier is None:
        return ""
    shared = [
        name
        for name in (CHARACTERS, WORLD)
        if any(f.name.endswith(f"/{name}") for f in earlier.files)
    ]
    facts = counted(earlier.facts, "fact")
    return f"after {earlier.name}: shares {' and '.join(shared)}; {facts} to keep to."


def _keys(paths: ProjectPaths, brief: Brief) -> dict[str, Any]:
    """What the next book's brief has from this one's."""
    keys: dict[str, Any] = {key: value for key in _TAKEN_OVER if (value := getattr(brief, key))}
    if brief.series:
        keys["series"] = brief.series
        if brief.series_number.isdecimal():
            keys["series_number"] = str(int(brief.series_number) + 1)
    return {**keys, "follows": paths.root.name}


def _bible(paths: ProjectPaths, brief: Brief, view: ProjectView, settings: Settings) -> SeriesFile:
    """What holds at a book's end; of one that was not read for its facts, what it was given."""
    book, beside = Book(view), settings.projects_dir / "book"
    try:
        bible = bible_of(brief, view)
        told = [*bible.before, *bible.facts]
    except IncompleteError:
        told = book.stated_before()

    def file_of(fact: Fact) -> str:
        own = fact.origin or chapter_file(fact.chapter)
        return Path(os.path.relpath(paths.root / own, beside)).as_posix()

    return lasting_facts(paths.root.name, facts_in_force(told, book.chapters() + 1), file_of)


def _dead(bible: SeriesFile) -> set[str]:
    """Who has died; the facts are the last word of the book."""
    return {
        fact.entity
        for fact in bible.facts
        if fact.attribute is Attribute.ALIVE and is_death(fact.as_fact())
    }


def _json(name: str, value: SeriesFile | CharactersFile) -> GivenFile:
    return GivenFile(name, readable_json(value.model_dump(mode="json")).encode())
