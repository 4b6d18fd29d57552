"""Carrying out a change of the chapters' order, and telling what came of it."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from libriscribe2.cli.frame import Frame
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import open_project, read_brief, wanted_stages
from libriscribe2.editing.adoption import later_shifts, origins, shifts
from libriscribe2.editing.structure import Edit, Slot, read_slots
from libriscribe2.editing.structure_edits import Slots
from libriscribe2.editing.structure_plan import Planner
from libriscribe2.engine.decisions import book_status, check_artifacts
from libriscribe2.engine.stages import all_stages
from libriscribe2.models.brief import Brief
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import Change, ChangedView, peek
from libriscribe2.project.view import ProjectView


@dataclass(frozen=True, slots=True)
class EditRequest:
    """What a command asks for.

    Attributes:
        asked: The command and its arguments; a change that was interrupted is known by them.
        edit: The edit, given the project and its chapters.
        same_story: Whether the texts follow each other as they did.
        dry_run: Whether nothing is to be changed.
        as_json: Whether stdout is to be JSON.
    """

    asked: tuple[str, ...]
    edit: Callable[[ProjectView, Slots], Slots]
    same_story: bool = False
    dry_run: bool = False
    as_json: bool = False

    @property
    def what(self) -> str:
        """The command in one line."""
        return shlex.join(("chapter", *self.asked))


def carry_out(frame: Frame, project: str, request: EditRequest) -> None:
    """Change the order of a book's chapters, or only show what that would do."""
    renderer = frame.renderer
    paths = frame.project(project)
    done = _shown(paths, request) if request.dry_run else _done(paths, request)
    if done is None:
        renderer.note("This change was interrupted before; it is finished now.")
        if request.as_json:
            renderer.data_json({"change": request.what, "finished": True})
        return
    _tell(renderer, paths.called, request, done)


def _shown(paths: ProjectPaths, request: EditRequest) -> dict[str, Any]:
    """What the change would do; takes no lock and writes nothing."""
    view = peek(paths)
    return _planned(view, read_brief(paths), request)[1]


def _done(paths: ProjectPaths, request: EditRequest) -> dict[str, Any] | None:
    """Do it; None where opening the project has just finished the same change."""
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        if store.finished == request.what:
            return None
        change, record = _planned(store, brief, request)
        store.change(change)
    return record


def _planned(
    view: ProjectView, brief: Brief, request: EditRequest
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
        "dry_run": request.dry_run,
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


def _tell(renderer: Renderer, name: str, request: EditRequest, record: dict[str, Any]) -> None:
    """The new order on stdout; what became stale or is to be written on stderr."""
    if request.as_json:
        renderer.data_json(record)
        return
    rows = [
        (row["number"], " + ".join(map(str, row["was"])) or "new", row["title"])
        for row in record["chapters"]
    ]
    renderer.table(("chapter", "was", "title"), rows)
    for shift in record["states"]:
        before = f"{shift['before']} -> " if shift["before"] else ""
        reason = shift["reason"].removeprefix("stale, ")
        renderer.note(f"{shift['unit']}: {before}{shift['after']} ({reason})")
    for shift in record["later"]:
        renderer.note(f"{shift['unit']}: {shift['before']}, {shift['after']} {shift['reason']}")
    if request.dry_run:
        renderer.note(f"Nothing was changed; {len(record['files'])} files would be.")
        return
    renderer.note("What was replaced or taken out is in .libriscribe/trash.")
    renderer.note(f"Go on with `libriscribe2 resume {name}`.")
