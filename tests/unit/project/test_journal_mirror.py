"""A journal with a mirror: what either lacks, it gets, and nothing is read that only one has."""

import errno
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support.project_faults import FailingOps, QuickOps

from libriscribe2.errors import (
    LibriScribeError,
    ProjectError,
    ProjectInUseError,
    ProviderError,
    StorageError,
)
from libriscribe2.project.journal import Journal
from libriscribe2.project.lock import Machine, Rescue
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.records import decode_line, done, encode_line, run, sent
from libriscribe2.project.store import ProjectStore

FIRST = encode_line(run("r1", version="1", command="resume"))[:-1]
SECOND = encode_line(sent("k", step="concept", model="m"))[:-1]
THIRD = encode_line(done("k", {"reply": "x", "usage": {}, "cost_usd": None}))[:-1]


@dataclass
class Mirror:
    """Keeps lines in memory.

    Attributes:
        lines: What it has.
        away: Whether it takes nothing.
        refusal: What it then says.
        heard: How many lines it was given each time.
    """

    lines: list[bytes] = field(default_factory=list)
    away: bool = False
    refusal: LibriScribeError = field(default_factory=lambda: ProjectInUseError("away", why="gone"))
    heard: list[int] = field(default_factory=list)

    def meet(self, lines: Sequence[bytes]) -> Sequence[bytes]:
        lacking = self.lines[len(lines) :]
        self.lines += lines[len(self.lines) :]
        return lacking

    def add(self, lines: Sequence[bytes]) -> None:
        if self.away:
            raise self.refusal
        self.heard.append(len(lines))
        self.lines += lines


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def opened(path: Path, mirror: Mirror) -> Journal:
    return Journal.open(path, ops=QuickOps(), mirror=mirror)


def failing_write(number: int) -> FailingOps:
    return FailingOps(number, code=errno.ENOSPC, names=("write",))


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1]


def test_every_record_is_in_the_mirror_when_its_writer_goes_on(path: Path) -> None:
    mirror = Mirror()
    journal = opened(path, mirror)
    for number in range(3):
        journal.append(sent(f"k{number}", step="concept", model="m"))
        assert mirror.lines == lines_of(path)


def test_a_record_that_may_be_lost_goes_with_the_next_one_or_at_the_end(path: Path) -> None:
    mirror = Mirror()
    journal = opened(path, mirror)
    journal.append({"t": "placed", "p": "a"}, durable=False)
    assert (mirror.heard, lines_of(path)) == ([], [])  # a death leaves it in neither
    journal.append({"t": "write", "p": "b"})
    journal.append({"t": "placed", "p": "b"}, durable=False)
    journal.close()
    assert mirror.heard == [2, 1]
    assert mirror.lines == lines_of(path)


def test_what_only_the_mirror_has_is_added_and_read(path: Path) -> None:
    path.write_bytes(FIRST + b"\n")
    journal = opened(path, Mirror([FIRST, SECOND, THIRD]))
    assert [record["t"] for record in journal.found.records] == ["run", "sent", "done"]
    journal.append({"t": "anew", "step": "concept"})
    assert lines_of(path)[:3] == [FIRST, SECOND, THIRD]
    assert decode_line(lines_of(path)[3]) is not None


def test_a_folder_that_is_new_gets_all(path: Path) -> None:
    assert len(opened(path, Mirror([FIRST, SECOND])).found.records) == 2


def test_what_the_mirror_lacks_it_gets_and_a_torn_line_is_none(path: Path) -> None:
    path.write_bytes(FIRST + b"\n" + SECOND + b"\n" + THIRD[:9])
    mirror = Mirror([FIRST])
    opened(path, mirror)
    assert mirror.lines == [FIRST, SECOND]
    assert lines_of(path) == [FIRST, SECOND]


def test_a_torn_copy_of_what_the_mirror_has_is_completed(path: Path) -> None:
    mirror = Mirror([FIRST, SECOND, THIRD])
    with pytest.raises(StorageError):
        Journal.open(path, ops=failing_write(1), mirror=mirror)
    assert path.read_bytes()
    assert len(opened(path, mirror).found.records) == 3
    assert mirror.lines == [FIRST, SECOND, THIRD]


def test_while_the_mirror_is_away_nothing_is_stored_and_the_writer_stops(path: Path) -> None:
    mirror = Mirror()
    journal = opened(path, mirror)
    journal.append(run("r1", version="1", command="resume"))
    journal.append({"t": "placed", "p": "a"}, durable=False)
    mirror.away = True
    for _ in range(2):
        with pytest.raises(ProjectInUseError):
            journal.append(sent("k", step="concept", model="m"))
    journal.close()
    assert mirror.lines == lines_of(path)
    assert len(mirror.lines) == 1


def test_a_record_that_only_the_mirror_took_is_the_last_until_the_next_opening(path: Path) -> None:
    mirror = Mirror()
    journal = Journal.open(path, ops=failing_write(2), mirror=mirror)
    journal.append(run("r1", version="1", command="resume"))
    for _ in range(2):
        with pytest.raises(StorageError):
            journal.append(sent("k", step="concept", model="m"))
    journal.close()
    assert len(mirror.lines) == 2
    assert len(lines_of(path)) == 1
    opened(path, mirror).append({"t": "anew", "step": "concept"})
    assert mirror.lines == lines_of(path)
    assert len(mirror.lines) == 3


@pytest.mark.parametrize("kind", [ProjectInUseError, ProjectError, ProviderError])
def test_a_reply_that_the_mirror_does_not_take_is_rescued_and_adopted(
    tmp_path: Path, kind: type[LibriScribeError]
) -> None:
    mirror = Mirror(refusal=kind("The mirror refuses", why="ReadOnlySqlTransaction", fix="Mend it"))
    reply: dict[str, Any] = {"reply": "x", "usage": {}, "cost_usd": None}
    paths = ProjectPaths(tmp_path / "book", tmp_path / "debug")
    machine = Machine(ops=QuickOps(), rescue=Rescue(tmp_path / "rescue"), mirror=mirror)
    with ProjectStore.create(paths, machine) as store:
        store.call_log.sent("k", step="concept", model="m")
        mirror.away = True
        with pytest.raises(kind, match="could not be stored") as caught:
            store.call_log.done("k", reply)
        assert str(tmp_path / "rescue") in caught.value.why
        assert caught.value.fix == mirror.refusal.fix
    assert mirror.lines == lines_of(paths.journal)
    mirror.away = False
    with ProjectStore.open(paths, machine) as store:
        assert store.call_log.find("k") == reply
    assert mirror.lines == lines_of(paths.journal)


def test_a_reply_that_only_another_machine_had_is_found(tmp_path: Path) -> None:
    paths = ProjectPaths(tmp_path / "book", tmp_path / "debug")
    machine = Machine(
        ops=QuickOps(), rescue=Rescue(tmp_path / "rescue"), mirror=Mirror([FIRST, SECOND, THIRD])
    )
    with ProjectStore.create(paths, machine) as store:
        found = store.call_log.find("k")
        assert found is not None
        assert found["reply"] == "x"
