"""The order of a book's chapters as one value, read from its files.

An author's change of the order is a pure function from slots to slots (`structure_edits`); what it
means for the files is worked out afterwards (`structure_plan`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from libriscribe2.editing.structure_contract import renumbered_threads
from libriscribe2.engine.structure_entry import NUMBER
from libriscribe2.errors import ProjectError
from libriscribe2.models.scenes import ScenesFile
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.json_text import readable_json
from libriscribe2.project.paths import OUTLINE, SCENES
from libriscribe2.project.view import ProjectView

Entry = Mapping[str, Any]
"""An entry of `outline.json` or `scenes.json` with every key that the author gave it."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One chapter of the order.

    Attributes:
        entry: Its entry in `outline.json`.
        plan: Its entry in `scenes.json`; None where the book has no such file.
        sources: The numbers that the chapters had of which it is made; none for a new one.
        texts: New content of its files, by the pattern of their names (`chapters/*.md`).
        follows: Whether its other files come along from the first of `sources`; where not, they
            told of another text, and go.
    """

    entry: Entry
    plan: Entry | None
    sources: tuple[int, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    follows: bool = True

    @property
    def title(self) -> str:
        """The chapter's title."""
        return str(self.entry["title"]).strip()

    @property
    def scenes(self) -> list[Any]:
        """The scenes as they are planned; none where nothing is."""
        return [] if self.plan is None else list(self.plan["scenes"])


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of the order.

    Attributes:
        what: The command that asked for it, such as `chapter move 3 6`.
        slots: The chapters in their new order.
        same_story: Whether the texts follow each other as they did.
    """

    what: str
    slots: tuple[Slot, ...]
    same_story: bool = False


def read_slots(view: ProjectView) -> tuple[Slot, ...]:
    """The chapters of a book in their present order.

    Raises:
        ProjectError: There is no outline, a file cannot be read, or the two plans do not have the
            same number of chapters.
    """
    book = Book(view)
    book.load(OUTLINE, OutlineFile)
    entries = view.read_json(OUTLINE)["chapters"]
    plans: Sequence[Entry | None] = [None] * len(entries)
    if book.has(SCENES):
        book.load(SCENES, ScenesFile)
        plans = view.read_json(SCENES)["chapters"]
    if len(plans) != len(entries):
        raise ProjectError(
            f"{OUTLINE} and {SCENES} do not fit together",
            why=f"they plan {len(entries)} and {len(plans)} chapters",
            fix=f"Give both the same chapters, or have {SCENES} made again: "
            f"{redo_of(view, SCENES, 'scenes')}.",
        )
    both = enumerate(zip(entries, plans, strict=True), start=1)
    return tuple(Slot(entry, plan, (number,)) for number, (entry, plan) in both)


def redo_of(view: ProjectView, name: str, stage: str) -> str:
    """The command that has a whole-book file made again, by force where it is the author's own."""
    force = " --force" if view.state(name, {}).kind == "edited" else ""
    return f"`libriscribe2 redo {view.paths.called} {stage}{force}`"


def outline_text(view: ProjectView, slots: Sequence[Slot]) -> str:
    """`outline.json` with the chapters of `slots`, and with their numbers in its threads."""
    whole = {**view.read_json(OUTLINE), "chapters": [slot.entry for slot in slots]}
    if "threads" in whole:
        sources = [slot.sources for slot in slots]
        whole["threads"] = renumbered_threads(whole["threads"], sources)
    return readable_json(whole)


def scenes_text(view: ProjectView, slots: Sequence[Slot]) -> str:
    """`scenes.json` with the plans of `slots`, numbered anew."""
    plans = [_numbered(slot.plan or {}, number) for number, slot in enumerate(slots, start=1)]
    return readable_json({**view.read_json(SCENES), "chapters": plans})


def _numbered(plan: Entry, number: int) -> Entry:
    """A plan with its number, at the place where it had one."""
    return {**plan, NUMBER: number} if NUMBER in plan else {NUMBER: number, **plan}
