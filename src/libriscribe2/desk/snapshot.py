"""A project as it is at one moment, for every page: read only, without its lock."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeVar

from pydantic import BaseModel

from libriscribe2.checks.project_health import finding_of
from libriscribe2.commands.calls import Call, CallFolder, own_calls
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.engine.stages import AgentType, RunDecision, all_stages, book_status, stages_of
from libriscribe2.errors import LibriScribeError
from libriscribe2.models.brief import Brief
from libriscribe2.models.findings import Finding
from libriscribe2.models.languages import UNKNOWN, language_of
from libriscribe2.observe.events import Event
from libriscribe2.observe.run_files import last_run
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.lock import holder_may_live
from libriscribe2.project.paths import BOOK_TOML, CHAPTER_FILES, OUTLINE, ProjectPaths
from libriscribe2.project.project_view import ProjectView
from libriscribe2.prose import prose_words

NUMBER: Final = re.compile(r"/([0-9]+)\.md$")
"""The number in the name of a chapter's file."""


@dataclass(frozen=True, slots=True)
class ChapterEntry:
    """A chapter in the list.

    Attributes:
        key: Its number with two digits or more.
        title: Its heading.
        words: How long it is, without headings.
        state: How its file stands.
        text: Its Markdown.
        fault: Why it cannot be read.
    """

    key: str
    title: str
    words: int
    state: str
    text: str
    fault: str = ""


def read_chapters(view: ProjectView, states: Mapping[str, str]) -> tuple[ChapterEntry, ...]:
    """The chapters that are there, in order; one that cannot be read says why.

    A file whose name is no number is none.

    Args:
        view: The project.
        states: How the files stand, by name.
    """
    return tuple(
        _entry(view, name, number[1], states.get(name, ""))
        for name in view.names(CHAPTER_FILES)
        if (number := NUMBER.search(name)) is not None
    )


def _entry(view: ProjectView, name: str, key: str, state: str) -> ChapterEntry:
    try:
        text = view.read_text(name)
    except LibriScribeError as error:
        return ChapterEntry(key, f"Chapter {key}", 0, state, "", error.what)
    heading, _, _ = text.partition("\n")
    title = heading.lstrip("# ").strip() if heading.startswith("#") else f"Chapter {key}"
    return ChapterEntry(key, title, prose_words(text), state, text)


T = TypeVar("T")
U = TypeVar("U")
ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True)
class ProjectSource:
    """Where a project is read from.

    Attributes:
        paths: The project.
        look: The project as it is now.
        brief: What the author asked for.
        max_cost: The cap in US dollars, or None.
        earlier: Figures of an earlier report, by name.
    """

    paths: ProjectPaths
    max_cost: float | None = None
    earlier: Mapping[str, float] = field(default_factory=dict)

    def calls(self) -> CallFolder:
        """The project's dumps."""
        return CallFolder(self.paths.dumps)


@dataclass(frozen=True)
class Snapshot:
    """What there is.

    Attributes:
        name: The project's name.
        title: The book's title; the project's name before there is one.
        view: The files.
        brief: What the author asked for; None where it cannot be read.
        stages: The stages that the book has, in running order.
        units: How every unit stands.
        calls: Every call, oldest first.
        events: What the newest run told.
        faults: What could not be read.
        max_cost: The cap in US dollars, or None.
        may_run: Whether the process of the newest run may still be at work.
        earlier: Figures of an earlier report, by name.
    """

    name: str
    title: str
    view: ProjectView
    brief: Brief | None
    stages: Sequence[AgentType]
    units: Sequence[RunDecision]
    calls: Sequence[Call]
    events: Sequence[Event] = ()
    faults: Sequence[Finding] = field(default=())
    max_cost: float | None = None
    may_run: bool = True
    earlier: Mapping[str, float] = field(default_factory=dict)

    @property
    def book(self) -> Book:
        """The reader of the artifacts."""
        return Book(self.view)

    @property
    def lang(self) -> str:
        """The tag of the book's language; "" where nobody can tell."""
        tag = language_of(self.brief.language).tag if self.brief is not None else UNKNOWN
        return "" if tag == UNKNOWN else tag

    @property
    def direction(self) -> str:
        """`ltr`, `rtl`, or `auto` where the language is unknown."""
        if not self.lang:
            return "auto"
        return "rtl" if language_of(self.lang).right_to_left else "ltr"

    @cached_property
    def chapters(self) -> tuple[ChapterEntry, ...]:
        """The chapters that are there, in order."""
        return read_chapters(self.view, {unit.unit.output: unit.state for unit in self.units})

    def planned_chapters(self) -> int:
        """How many chapters the outline has; 0 where it cannot be read."""
        return readable(self.book.chapters, 0)


def take(source: ProjectSource, folder: CallFolder) -> Snapshot:
    """A snapshot; what cannot be read is a fault of it, so that the rest is shown.

    Raises:
        ProjectError: There is no project, or a newer version wrote it.
        StorageError: Its folder cannot be read.
    """
    view = look_at(source.paths)
    faults: list[Finding] = []
    brief = None
    try:
        brief = read_brief(source.paths)
    except LibriScribeError as error:
        faults.append(finding_of(error, BOOK_TOML))
    stages = all_stages() if brief is None else stages_of(brief)
    units: list[RunDecision] = []
    try:
        units = [] if brief is None else book_status(stages, brief, view)
    except LibriScribeError as error:
        faults.append(finding_of(error, OUTLINE))
    with storage_errors("read", source.paths.events):
        events = last_run(source.paths.events)
    name = source.paths.root.name
    title = "" if brief is None else readable(lambda: Book(view).title(brief), "")
    return Snapshot(
        name,
        title or name,
        view,
        brief,
        stages,
        units,
        own_calls(folder.read(), view.manifest),
        events,
        faults,
        source.max_cost,
        holder_may_live(source.paths),
        source.earlier,
    )


def artifact(book: Book, name: str, shape: type[ModelT]) -> ModelT | None:
    """A file of the book; None where it is missing or damaged."""
    return readable(lambda: book.load(name, shape) if book.has(name) else None, None)


def readable(read: Callable[[], T], otherwise: U) -> T | U:
    """What can be read, else something in its place; the fault is told by the page of problems."""
    try:
        return read()
    except LibriScribeError:
        return otherwise
