"""`libriscribe2 import --back`: what an editor did to an exported Word file."""

from pathlib import Path

from libriscribe2.cli.author import is_agreed, show_diff
from libriscribe2.cli.frame import Frame
from libriscribe2.commands.returning import diffs, keep_returned, read_returned
from libriscribe2.commands.runs import open_book
from libriscribe2.editing.returned_edits import Returned
from libriscribe2.wording import counted


def take_back(frame: Frame, file: Path, project: str, *, yes: bool, as_json: bool) -> None:
    """Show what an edited Word file changes, and keep it at a yes.

    Raises:
        UsageError: The file cannot be read.
        ProjectError: There is no such book.
        StorageError: The system refused.
    """
    renderer, paths = frame.renderer, frame.project(project)
    returned = read_returned(paths, file)
    if as_json:
        renderer.data_json(_record(returned))
    else:
        show_diff(renderer, diffs(paths, returned))
        for name, text in returned.notes:
            renderer.note(f"{name}: comment: {text}")
    for one in returned.unplaced:
        renderer.warning(f"not placed, the book has no such passage any more: {one}")
    changes = counted(returned.changes, "change")
    if returned.untracked:
        changes += f" ({returned.untracked} of them not tracked)"
    told = f"{changes}, {counted(len(returned.notes), 'comment')}"
    if not returned.texts and not returned.notes:
        renderer.note(f"{file.name}: nothing is changed.")
        return
    settings = frame.settings(paths=paths)
    if not is_agreed(renderer, settings, f"Keep {told}?", yes=yes):
        return
    with open_book(paths) as (store, _):
        for one in keep_returned(store, returned, file):
            renderer.warning(f"not noted: {one}")
    renderer.note(f"{told} kept; the chapters are yours, and the old texts are in the trash.")


def _record(returned: Returned) -> dict[str, object]:
    return {
        "chapters": sorted(returned.texts),
        "changes": returned.changes,
        "untracked": returned.untracked,
        "unplaced": returned.unplaced,
        "notes": [{"file": name, "note": text} for name, text in returned.notes],
    }
