"""A finished book whose chapters change places, and all that can be said of it from outside."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.desk import Desk, ProjectFolder
from tests.support.project_faults import QuickOps

from libriscribe2.commands.projects import read_brief, wanted_stages
from libriscribe2.editing.structure import Edit, Slots, read_slots
from libriscribe2.editing.structure_plan import Planner
from libriscribe2.engine.stages import all_stages, book_status
from libriscribe2.project.atomic import FileOps
from libriscribe2.project.lock import Machine, Rescue
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import Change, peek

CHAPTERS = 6
SIZE = ("--chapters", str(CHAPTERS), "--scenes-per-chapter", "2", "--words", "600")


@dataclass(frozen=True)
class Picture:
    """A book as anybody can see it: the bytes of its files, and the state of each.

    Attributes:
        files: Every file of the book.
        states: State and reason of every unit.
    """

    files: dict[str, bytes]
    states: Mapping[str, tuple[str, str]]

    def state(self, name: str) -> str:
        return self.states[name][0]

    def stale(self) -> set[str]:
        """The chapters that are stale."""
        return {
            name
            for name, (state, _) in self.states.items()
            if state == "stale" and name.startswith("chapters/")
        }


class ShapedBook:
    """A book in a folder of its own.

    Args:
        desk: Where commands are run on it.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.folder: ProjectFolder = desk.project()
        self.paths = ProjectPaths(self.folder.root, self.folder.debug)

    def copy(self, folder: Path) -> "ShapedBook":
        """The same book at another desk."""
        shutil.copytree(self.desk.folder, folder, dirs_exist_ok=True)
        return ShapedBook(Desk(folder))

    def picture(self) -> Picture:
        """The book as it is now, whatever was interrupted."""
        view, brief = peek(self.paths), read_brief(self.paths)
        found = book_status(wanted_stages(brief), brief, view)
        states = {one.unit.output: (one.state, one.reason) for one in found}
        return Picture(self.folder.contents(), states)

    def open(self, ops: FileOps | None = None) -> ProjectStore:
        """Hold the book; interrupted changes are finished."""
        rescue = Rescue(self.desk.folder / "rescue")
        quick = ops if ops is not None else QuickOps()
        return ProjectStore.open(self.paths, Machine(ops=quick, rescue=rescue))

    def planned(self, slots: Slots, *, same_story: bool = False, what: str = "chapter x") -> Change:
        """The change that another order comes to."""
        view, brief = peek(self.paths), read_brief(self.paths)
        planner = Planner(view, brief, all_stages(), len(read_slots(view)))
        return planner.plan(Edit(what, slots, same_story))

    def slots(self) -> Slots:
        """The chapters in their order."""
        return read_slots(peek(self.paths))

    def change(self, slots: Slots, *, same_story: bool = False) -> Picture:
        """Give the book another order."""
        planned = self.planned(slots, same_story=same_story)
        with self.open() as store:
            store.change(planned)
        return self.picture()

    def titles(self) -> list[str]:
        return [slot.title for slot in self.slots()]

    def numbers(self) -> list[Any]:
        """The numbers in `scenes.json`."""
        return [plan["chapter"] for plan in self.folder.json("scenes.json")["chapters"]]


def new_book(folder: Path, *options: str) -> ShapedBook:
    """A finished book of `CHAPTERS` chapters with two scenes each, made with other options, too."""
    folder.mkdir(parents=True, exist_ok=True)
    desk = Desk(folder)
    desk.create(*options, size=SIZE)
    return ShapedBook(desk)
