"""Batches whose workers are processes: their books, and what these were asked to pay."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pytest
from tests.support.desk import PREMISE, SMALL, Desk

from libriscribe2.project.records import scan

ROW: Final[dict[str, Any]] = {"chapters": 2, "scenes_per_chapter": 1, "words": 200}
FAST_PACE: Final = {
    "LIBRISCRIBE2_BATCH__HEARTBEAT_SECONDS": "0.2",
    "LIBRISCRIBE2_BATCH__STALLED_SECONDS": "1",
    "LIBRISCRIBE2_BATCH__POLL_SECONDS": "0.1",
    "LIBRISCRIBE2_BATCH__RETRY_SECONDS": "0.2",
    "LIBRISCRIBE2_BATCH__MAX_TRIES": "50",
}
JOURNAL: Final = ".libriscribe/journal.jsonl"
_LONGEST_SECONDS: Final = 1_800


class WorkerProcess:
    """A worker with its books' processes; a context manager that kills what is left of them.

    Attributes:
        said: What it has said, once it is over.

    Args:
        desk: Where it works.
        options: Further words of its command.
        mock: Whether the stand-in author writes the books.
        source: The folder of another version of the program (`earlier_version`).
        within: Words that start a command in another place, such as a network of its own.
    """

    def __init__(
        self,
        desk: Desk,
        *options: str,
        mock: bool = True,
        source: Path | None = None,
        within: Sequence[str] = (),
    ) -> None:
        words = ("batch", "worker", *(("--mock",) if mock else ()), *options)
        self.said = ""
        self._process = subprocess.Popen(
            [*within, sys.executable, "-m", "libriscribe2", *words],
            cwd=desk.folder,
            env=desk.whole_environment({"PYTHONPATH": str(source)} if source else None),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def signal(self, number: signal.Signals, *, books_too: bool = True) -> None:
        """Send a signal to it and, as if it were to the machine, to its books' processes."""
        servers = children_of(self._process.pid) if books_too else []
        books = self.books() if books_too else []
        for pid in (self._process.pid, *servers, *books):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def is_writing(self) -> bool:
        """Whether a process of a book of its is there."""
        return bool(self.books())

    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def wait(self, seconds: float = _LONGEST_SECONDS) -> int:
        """The exit code, once it is over; a worker that takes longer than so long is killed."""
        try:
            _, self.said = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            _, self.said = self._process.communicate()
        return self._process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self.signal(signal.SIGKILL)
        self._process.communicate()

    def books(self) -> list[int]:
        """The processes of its books."""
        return [book for server in children_of(self._process.pid) for book in children_of(server)]


def earlier_version(commit: str, folder: Path) -> Path:
    """The sources of an earlier commit, put into a folder; a checkout without it skips the test."""
    place = folder / commit
    place.mkdir(parents=True)
    root = os.environ.get("VERSIONS_FROM") or Path(__file__).parents[2]
    packed = subprocess.run(
        ["git", "archive", commit, "src"], cwd=root, capture_output=True, check=False
    )
    if packed.returncode != 0:
        pytest.skip(f"the commit {commit} is not in this checkout")
    subprocess.run(["tar", "-x", "-C", str(place)], input=packed.stdout, check=True)
    return place / "src"


def children_of(pid: int) -> list[int]:
    """The processes that a process started and that are there."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    if not children.exists():
        return []
    return [int(child) for child in children.read_text(encoding="utf-8").split()]


def premise(name: str) -> str:
    return f"{PREMISE}, told by keeper {name}"


def add_books(
    desk: Desk, names: Sequence[str], *options: str, row: Mapping[str, Any] = ROW
) -> None:
    """Queue a book for each name, small unless a row says otherwise, in the batch `books`."""
    rows = [{"name": name, "premise": premise(name), **row} for name in names]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (desk.folder / "books.jsonl").write_text(text, encoding="utf-8")
    desk.run("batch", "add", "books.jsonl", *options)


def states(desk: Desk) -> dict[str, str]:
    books = desk.run("batch", "status", "--json").value["books"]
    return {book["book"]: book["state"] for book in books}


def alone(folder: Path, name: str) -> dict[str, bytes]:
    """What the same book is when it is written alone."""
    desk = Desk(folder / f"alone-{name}")
    desk.folder.mkdir()
    desk.run("create", premise(name), "--mock", "-p", name, *SMALL)
    return desk.project(name).contents()


@dataclass
class Sent:
    """The requests of books, by their journals.

    Attributes:
        count: How many left.
        open: The stages of those without an answer as yet.
        lost: The stages of those that left again because their run had ended before the answer.
        wrong: The stages of those that left again for any other reason.
    """

    count: int = 0
    open: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def sent_by(journals: Iterable[bytes]) -> Sent:
    """What journals say of requests, all together."""
    said = Sent()
    for journal in journals:
        seen, under_way, left = set[str](), dict[str, str](), set[str]()
        for record in scan(journal).records:
            key = record.get("k", "")
            if record["t"] == "run":
                left = set(under_way)
            elif record["t"] == "sent":
                if key in seen:
                    (said.lost if key in left else said.wrong).append(record["step"])
                seen.add(key)
                under_way[key] = record["step"]
                said.count += 1
            elif record["t"] in {"done", "fail"}:
                under_way.pop(key, None)
        said.open += under_way.values()
    return said


def paid_twice(desk: Desk, name: str) -> int:
    """How many requests of a book left more than once, by its journal."""
    said = sent_by([desk.project(name).path(JOURNAL).read_bytes()])
    return len(said.lost) + len(said.wrong)
