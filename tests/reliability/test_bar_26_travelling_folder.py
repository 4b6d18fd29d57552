"""Bar 26: the folder travels while a run goes on, and no answered call is lost or paid twice.

Again: .venv/bin/pytest tests/reliability/test_bar_26_travelling_folder.py
"""

import os
import shutil
import signal
import subprocess
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar, Launched, Trial, Trials, pause
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.backends.demo import DemoAuthor

BAR: Final = Bar(26, 26, "test_bar_26_travelling_folder.py")
JOURNAL: Final = ".libriscribe/journal.jsonl"
IN_USE: Final = 9
BUDGET: Final = 8
CONCURRENCY: Final = 4


@dataclass
class Traveller:
    """An author who keeps his own ledger, and to whose folder something happens at a call.

    Attributes:
        at: Number of the call, from 1, before whose reply it happens.
        what: What happens.
        answered: Keys of the requests that were answered, in order.
    """

    at: int
    what: Callable[[], object]
    answered: list[str] = field(default_factory=list)
    _author: DemoAuthor = field(default_factory=DemoAuthor)

    async def complete(self, request: Request) -> Completion:
        """Answer, and write down that it was answered."""
        self.answered.append(request.key())
        if len(self.answered) == self.at:
            self.what()
        return await _COMPLETE(self._author, request)

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The same in one piece."""
        yield await self.complete(request)


_COMPLETE: Final = DemoAuthor.complete


def renamed_over(book: ProjectFolder, older: bytes) -> None:
    """What rsync, Syncthing, git and editors do."""
    copy = book.path(".libriscribe/copy")
    copy.write_bytes(older)
    copy.replace(book.path(JOURNAL))


def written_in_place(book: ProjectFolder, older: bytes) -> None:
    """What `cp` does."""
    book.path(JOURNAL).write_bytes(older)


def cut_in_a_line(book: ProjectFolder, older: bytes) -> None:
    """What a copy does that is not through yet."""
    book.path(JOURNAL).write_bytes(older[:-40])


def with_line_ends_of_windows(book: ProjectFolder, older: bytes) -> None:
    """What git does where `core.autocrlf` is set."""
    renamed_over(book, older.replace(b"\n", b"\r\n"))


def removed(book: ProjectFolder, older: bytes) -> None:
    """What `git stash -u` does."""
    del older
    book.path(JOURNAL).unlink()


def put_back_as_it_is(book: ProjectFolder, older: bytes) -> None:
    """What `git stash` and `git stash pop` do together."""
    del older
    renamed_over(book, book.path(JOURNAL).read_bytes())


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A book whose concept is there."""
    desk = Desk(tmp_path / "desk")
    desk.folder.mkdir()
    desk.create("--until", "concept")
    return desk


TURNS: Final = (
    renamed_over,
    written_in_place,
    cut_in_a_line,
    with_line_ends_of_windows,
    removed,
    put_back_as_it_is,
)


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.__name__)
def test_bar_26_a_journal_that_is_replaced_in_a_run_has_every_reply_in_the_end(
    desk: Desk, turn: Callable[[ProjectFolder, bytes], None]
) -> None:
    book = desk.project()
    older = book.path(JOURNAL).read_bytes()
    author = Traveller(5, lambda: turn(book, older))
    ran = desk.run("resume", "book", backend=author)
    known = {record["k"] for record in book.records_there("done")}
    assert set(author.answered) <= known
    assert len(author.answered) == len(set(author.answered))
    told = "journal.jsonl was replaced"
    assert (told in ran.err) == (turn is not put_back_as_it_is), ran.err
    assert "Traceback" not in ran.err
    checked = desk.run("check", "book", expect=None)
    assert ("No problems found" in checked.err) == (turn is not cut_in_a_line), checked
    desk.run("resume", "book", backend=(later := Traveller(0, lambda: None)))
    assert later.answered == []
    desk.run("replay", "book")


@pytest.mark.parametrize("turn", TURNS[:5], ids=lambda turn: turn.__name__)
def test_bar_26_a_cap_holds_over_a_journal_that_is_replaced(
    desk: Desk, turn: Callable[[ProjectFolder, bytes], None]
) -> None:
    book = desk.project()
    older = book.path(JOURNAL).read_bytes()
    before, cap = len(book.records("sent")), len(book.records("sent")) + 8
    author = Traveller(5, lambda: turn(book, older))
    desk.run("resume", "book", "--max-calls", str(cap), expect=BUDGET, backend=author)
    again = Traveller(0, lambda: None)
    desk.run("resume", "book", "--max-calls", str(cap), expect=BUDGET, backend=again)
    assert before + len(author.answered) + len(again.answered) == cap


def test_bar_26_what_others_did_meanwhile_counts_for_the_cap(desk: Desk, tmp_path: Path) -> None:
    desk.environment["LIBRISCRIBE2_PIPELINE__MAX_CONCURRENCY"] = "1"
    other = desk.copied_to(tmp_path / "other")
    other.run("resume", "book", "--until", "outline")
    book, theirs = desk.project(), other.project().path(JOURNAL).read_bytes()
    cap = len(other.project().records("sent")) + 4
    author = Traveller(2, lambda: renamed_over(book, theirs))
    ran = desk.run("resume", "book", "--max-calls", str(cap), expect=BUDGET, backend=author)
    assert "of others taken up" in ran.err
    assert len(book.records("sent")) == cap
    assert set(author.answered) <= {record["k"] for record in book.records("done")}


def test_bar_26_a_place_that_takes_no_journal_stops_the_run_before_the_next_request(
    desk: Desk,
) -> None:
    book = desk.project()

    def blocked() -> None:
        book.path(JOURNAL).unlink()
        book.path(JOURNAL).mkdir()

    author = Traveller(5, blocked)
    ran = desk.run("resume", "book", expect=IN_USE, backend=author)
    assert "cannot be put there" in ran.err
    assert len(author.answered) < 5 + CONCURRENCY


def git(book: ProjectFolder, *words: str) -> None:
    """A git command in a project."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false")
    subprocess.run(["git", *who, *words], cwd=book.root, check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("lock", ["in git", "ignored"])
def test_bar_26_git_stash_and_pop_in_a_run_that_is_then_killed(
    trials: Trials, capsys: pytest.CaptureFixture[str], lock: str
) -> None:
    trial = trials.new()
    trial.run("create", dies_at=6, expect=-signal.SIGKILL)
    book, gate = trial.book, trial.desk.folder / "gate"
    git(book, "init", "-q")
    git(book, "add", "-A", *(["-f"] if lock == "in git" else []))
    git(book, "commit", "-q", "-m", "begun")
    gate.touch()
    running = trial.start("resume", "book", gate=str(gate), pause=0.02)
    wait_for(trial, 10)
    gate.unlink()
    wait_until_still(book)
    git(book, "stash", "-u", "-q")
    git(book, "stash", "pop", "-q")
    gate.touch()
    if lock == "ignored":
        wait_for(trial, 14)
        os.kill(running.pid, signal.SIGKILL)
        assert running.wait().code == -signal.SIGKILL
    else:
        assert running.wait().code == IN_USE
    answered, recorded = trial.answered(), trial.recorded()
    lost = len(answered.keys() - recorded)
    assert lost <= (CONCURRENCY if lock == "ignored" else 0)
    trial.run("resume", "book")
    assert trial.repaid() <= lost
    trial.run("check", "book")
    BAR.tell(capsys, f"{sum(answered.values())} answered, {lost} lost that were in flight")


def wait_for(trial: Trial, answers: int, running: Launched | None = None) -> None:
    """Wait until so many calls are answered, or a process is over."""
    for _ in range(4_000):
        if sum(trial.answered().values()) >= answers:
            return
        if running is not None and running.is_over():
            return
        pause(0.002)
    raise AssertionError(f"never {answers} answers")


def wait_until_still(book: ProjectFolder) -> None:
    """Wait until a run has written what came before its replies stopped."""
    last, same = -1, 0
    for _ in range(2_000):
        newest = max(path.stat().st_mtime_ns for path in book.root.rglob("*") if path.is_file())
        same = same + 1 if newest == last else 0
        if same == 50:
            return
        last = newest
        pause(0.005)
    raise AssertionError("never still")


def test_bar_26_a_record_of_another_shape_locks_no_book(desk: Desk) -> None:
    book = desk.project()
    body = b'{"t":"done","k":"x"}'
    with book.path(JOURNAL).open("ab") as file:
        file.write(b"%08x %s\n" % (zlib.crc32(body), body))
    desk.run("status", "book")
    assert "the record is damaged" in desk.run("check", "book", expect=None).out
    desk.run("resume", "book")


def test_bar_26_what_an_older_copy_lacks_is_named_then_and_later(desk: Desk) -> None:
    book = desk.project()
    older = book.path(JOURNAL).read_bytes()
    desk.run("resume", "book")
    newer = book.path(JOURNAL).read_bytes()
    lost = newer.count(b"\n") - older.count(b"\n")
    renamed_over(book, older)
    assert f"at least {lost} records missing" in desk.run("check", "book", expect=None).out
    author = Traveller(0, lambda: None)
    desk.run("resume", "book", backend=author)
    assert author.answered == []
    assert f"at least {lost} records missing" in desk.run("check", "book", expect=None).out
    with book.path(JOURNAL).open("ab") as file:
        file.write(newer)
    assert "No problems found" in desk.run("check", "book").err


def test_bar_26_a_whole_folder_that_was_put_back_is_not_sound(desk: Desk, tmp_path: Path) -> None:
    book, copy = desk.project(), tmp_path / "older"
    desk.run("resume", "book", "--until", "world")
    shutil.copytree(book.root, copy)
    desk.run("resume", "book")
    assert "No problems found" in desk.run("check", "book").err
    newer = book.path(JOURNAL).read_bytes()
    shutil.rmtree(book.root)
    shutil.copytree(copy, book.root)
    for _ in range(2):
        assert "of later runs on this machine missing" in desk.run("check", "book").out
        desk.run("resume", "book")
    with book.path(JOURNAL).open("ab") as file:
        file.write(newer)
    assert "No problems found" in desk.run("check", "book").err


def test_bar_26_a_journal_that_is_gone_is_missed_in_an_older_folder_too(desk: Desk) -> None:
    book = desk.project()
    book.path(JOURNAL).unlink()
    book.path(".libriscribe/journal.head").unlink()
    checked = desk.run("check", "book", expect=None)
    assert "at least 1 record missing" in checked.out


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_bar_26_two_copies_that_both_went_on_are_merged_by_git(desk: Desk, tmp_path: Path) -> None:
    book = desk.project()
    git(book, "init", "-q", "-b", "main")
    book.write(".gitignore", ".libriscribe/lock\n.libriscribe/*.log\n.libriscribe/events*\n")
    git(book, "add", "-A")
    git(book, "commit", "-q", "-m", "begun")
    git(book, "branch", "other")
    asked = []
    for branch, stage in (("other", "characters"), ("main", "world")):
        git(book, "checkout", "-q", branch)
        author = Traveller(0, lambda: None)
        desk.run("resume", "book", "--until", stage, backend=author)
        asked += author.answered
        git(book, "add", "-A")
        git(book, "commit", "-q", "-m", stage)
    git(book, "merge", "-q", "-m", "both", "other")
    assert "No problems found" in desk.run("check", "book").err
    later = Traveller(0, lambda: None)
    desk.run("resume", "book", backend=later)
    assert not set(asked) & set(later.answered)
    assert "No problems found" in desk.run("check", "book").err
    desk.run("replay", "book")
