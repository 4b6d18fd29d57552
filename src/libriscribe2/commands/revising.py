"""Small changes of a chapter: what the author asks for as patches, and earlier versions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from libriscribe2.agents.agent_mender import MenderAgent, Revised
from libriscribe2.commands.noting import Part, part_of
from libriscribe2.commands.projects import open_project, read_brief, stage_called, wanted_stages
from libriscribe2.commands.runs import OpenBook
from libriscribe2.editing.versions import (
    Version,
    diff_lines,
    made_with,
    put_back,
    replace_text,
    version,
    versions_of,
)
from libriscribe2.engine.engine import follow
from libriscribe2.errors import MaxRetriesExceededError, ProjectError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.observe.events import EventConsumer
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import peek


@dataclass(frozen=True, slots=True)
class Revision:
    """A small change of a chapter that the author has still to accept.

    Attributes:
        name: The chapter's file.
        old: Its text as it is.
        revised: What it would be.
    """

    name: str
    old: str
    revised: Revised

    @property
    def lines(self) -> list[str]:
        """What would be different, as the lines of a diff."""
        return diff_lines(self.name, self.old, self.revised.text)


def chapter_named(typed: str, view: ProjectView, brief: Brief) -> int:
    """The number of the chapter that a user names.

    Raises:
        UsageError: It is no chapter of the book.
    """
    part = part_of(typed, view, brief)
    if part.chapter is None or part.scene is not None:
        raise UsageError(f"{typed!r} is no chapter.", fix="Name one by its number, such as 7.")
    return part.chapter


async def revise(
    book: OpenBook, consumers: Sequence[EventConsumer], number: int, wish: str
) -> Revision:
    """Have a chapter changed as its author wants; nothing is saved yet.

    Raises:
        ProjectError: The chapter is not written.
        LibriScribeError: A question got no usable reply.
    """
    name = chapter_file(number)
    old = Book(book.store).text(name)
    run = book.ask(MenderAgent, lambda mender: mender.revise(number, old, wish))
    try:
        return Revision(name, old, await follow(run, *consumers))
    except MaxRetriesExceededError as error:
        error.fix = "run the same command to ask again; the replies are in the dumps"
        raise


def keep_revision(store: ProjectStore, revision: Revision) -> None:
    """Save a change that the author accepts; the old text goes to the trash.

    Raises:
        ProjectError: The chapter was changed since; nothing is done.
        StorageError: The system refused.
    """
    name, text = revision.name, revision.revised.text
    if Book(store).text(name) != revision.old:
        raise ProjectError(f"{name} was changed meanwhile", fix="Ask for the change again.")
    made = made_with(store, name, text, revision.revised.keys)
    replace_text(store, name, text, f"revise {name}", made)


def file_of(typed: str, view: ProjectView, brief: Brief) -> str:
    """The file of the part of a book that a user names.

    Raises:
        UsageError: There is no such part, or it has no one file.
    """
    part: Part = part_of(typed, view, brief)
    if part.chapter is not None and part.scene is None:
        return chapter_file(part.chapter)
    agent = stage_called(part.stage, wanted_stages(brief)) if part.stage else None
    if agent is None or agent.per_chapter():
        raise UsageError(
            f"{typed!r} is no file of the book.",
            fix="Name a chapter by its number (7), or a stage of the whole book (outline).",
        )
    return agent.writes


def all_versions(paths: ProjectPaths, typed: str) -> tuple[str, list[Version]]:
    """The file that a user names, and its earlier texts.

    Raises:
        UsageError: There is no such file.
    """
    view = peek(paths)
    name = file_of(typed, view, read_brief(paths))
    return name, versions_of(view, name)


def one_version(paths: ProjectPaths, typed: str, number: int) -> dict[str, Any]:
    """An earlier text of a file, and how the present one differs from it.

    Raises:
        UsageError: There is no such version.
    """
    view = peek(paths)
    name = file_of(typed, view, read_brief(paths))
    found = version(view, name, number)
    now = (view.read_bytes(name) or b"").decode("utf-8", "replace")
    diff = diff_lines(name, now, found.text)
    return {"file": name, "version": found.number, "text": found.text, "diff": diff}


def restore(paths: ProjectPaths, typed: str, number: int | None = None) -> tuple[str, Version]:
    """Put back an earlier text of a file: that of a number, or the last.

    Raises:
        UsageError: There is no such version.
        ProjectInUseError: Another process works on the book.
        StorageError: The system refused.
    """
    with ProjectStore.open(paths) as store:
        name = file_of(typed, store, open_project(store))
        found = version(store, name, number)
        put_back(store, name, found.text, f"versions {name} {found.number}")
    return name, found
