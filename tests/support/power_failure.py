"""Power failures while a book is made: every legal disk after one, and what is wrong with it."""

import random
from pathlib import Path

from tests.support.project_book import BookMaker
from tests.support.project_faults import QuickOps, RecordingOps

from libriscribe2.errors import LibriScribeError
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import STATE
from libriscribe2.project.records import scan

Moment = tuple[dict[str, bytes], set[str]]
"""What is on the disk after a power failure, and the keys of the replies acknowledged before it."""


def moments(book: BookMaker, rng: random.Random, *, files: bool, folders: bool) -> list[Moment]:
    """Every legal disk after a power failure at any moment while the book is made."""
    book.paths.root.mkdir(parents=True)
    ops = RecordingOps(book.paths.root, syncs_files=files, syncs_folders=folders)
    found: list[Moment] = []

    def note() -> None:
        known = set(book.model.known)
        modes = ("none", "all", "some", "some", "some", "some", "some")
        found.extend((ops.disk.after_power_loss(mode, rng), known) for mode in modes)

    ops.after = note
    book.run(ops)
    return found


def violations(folder: Path, moment: Moment, contents: dict[str, bytes]) -> set[str]:
    """What is wrong with a project after a power failure and a further run."""
    disk, acknowledged = moment
    book = BookMaker(folder)
    book.paths.state.mkdir(parents=True)
    for name, data in disk.items():
        (book.paths.root / name).parent.mkdir(exist_ok=True)
        (book.paths.root / name).write_bytes(data)
    journal = disk.get(f"{STATE}/journal.jsonl", b"")
    replies = Manifest(scan(journal).records)
    lost = any(replies.reply(key) is None for key in acknowledged)
    try:
        edited = "edited" in book.resume(QuickOps())
    except LibriScribeError:
        return {"no recovery"}
    different = book.contents() != contents
    faults = {"lost reply": lost, "taken for an edit": edited, "different book": different}
    return {fault for fault, is_there in faults.items() if is_there}
