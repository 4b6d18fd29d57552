"""Bar 14: every file of a finished book comes out of the journal again, byte for byte, unpaid.

Again: .venv/bin/pytest -m "slow and not soak" tests/reliability/test_bar_14_replay.py -s
"""

import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any, Final

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder

FEW: Final = 8
MANY: Final = 40
SCENES: Final = 10
LONGEST_SECONDS: Final = 2.0
"""For the book of many chapters, in processor time."""


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=[FEW, pytest.param(MANY, marks=pytest.mark.soak)])
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with one book, which no test changes."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    chapters = int(request.param)
    size = ("--chapters", str(chapters), "--scenes-per-chapter", str(SCENES))
    desk.written("--auto-title", size=(*size, "--words", str(200 * chapters)))
    assert calls(desk) > chapters * SCENES
    return desk


def calls(desk: Desk) -> int:
    """How many replies the book is made of."""
    return len(desk.project().records("done"))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: Any) -> None:
        raise AssertionError(f"a replay reached for the network: {arguments}")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refused)


def nobody(desk: Desk) -> Author:
    return Author(range(1, calls(desk) + 1))


def with_nothing_but_the_journal(desk: Desk, name: str) -> ProjectFolder:
    """A copy of the book whose files are gone."""
    book, copy = desk.project(), desk.project(name)
    (copy.root / ".libriscribe").mkdir(parents=True)
    for kept in ("book.toml", ".libriscribe/journal.jsonl", ".libriscribe/format"):
        shutil.copy(book.path(kept), copy.path(kept))
    return copy


@pytest.fixture
def bare(desk: Desk, request: pytest.FixtureRequest) -> Iterator[ProjectFolder]:
    """The book, reduced to what was asked for and what was answered."""
    copy = with_nothing_but_the_journal(desk, "bare")
    yield copy
    shutil.rmtree(copy.root)


def test_bar_14_deleted_files_come_back_byte_for_byte_without_a_call(
    desk: Desk, bare: ProjectFolder
) -> None:
    author = nobody(desk)
    began = process_time()
    ran = desk.run("resume", "bare", backend=author)
    seconds = process_time() - began
    assert bare.contents() == desk.project().contents()
    assert author.asked == []
    assert bare.records("sent") == desk.project().records("sent")
    assert f"calls: 0, {calls(desk)} replayed" in ran.out
    told = (
        f"{calls(desk)} calls replayed in {seconds:.2f} s; the bar is {LONGEST_SECONDS} s for 500"
    )
    sys.stdout.write(f"{told}\n")


def test_bar_14_replay_rebuilds_and_compares_without_touching_the_book(
    desk: Desk, tmp_path: Path
) -> None:
    before = {path: path.stat() for path in desk.project().root.rglob("*")}
    ran = desk.run(
        "replay", "book", "--to", str(tmp_path / "again"), "--json", backend=nobody(desk)
    )
    assert ran.value["rebuilt"] is True
    assert ran.value["replies"] == calls(desk)
    assert {file["likeness"] for file in ran.value["files"]} == {"same"}
    again = ProjectFolder(tmp_path / "again", tmp_path / "none")
    assert again.contents() == desk.project().contents()
    after = {path: path.stat() for path in desk.project().root.rglob("*")}
    assert {path: (stat.st_mtime_ns, stat.st_size) for path, stat in before.items()} == {
        path: (stat.st_mtime_ns, stat.st_size) for path, stat in after.items()
    }
