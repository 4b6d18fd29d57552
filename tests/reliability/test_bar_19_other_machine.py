"""Bar 19 without a shared folder: a machine dies, and another one goes on from the database."""

import json
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar, Trial, Trials, pause
from tests.support.batches import FAST_PACE, WorkerProcess, add_books, alone, paid_twice, states
from tests.support.desk import Desk
from tests.support.machines import (
    LONG,
    WRITE,
    die,
    end_session_of,
    journal_lines,
    keep_line,
    kept_lines,
    machine,
    other_machine,
    until,
)

from libriscribe2.project.records import write

BAR: Final = Bar(19, seed=1_919, file="test_bar_19_other_machine.py")
ONE_BY_ONE: Final = ("--max-concurrency", "1")
AT_ONCE: Final = 4
BOOKS: Final = 20
KILLS: Final = 8
SLOTS: Final = 2

pytestmark = pytest.mark.postgres


@pytest.fixture
def whole(trials: Trials) -> Trial:
    """The same book, written in one go."""
    trial = trials.new(LONG)
    trial.run("create")
    return trial


def test_bar_19_killed_at_three_calls_a_book_is_finished_elsewhere(
    dsn: str, trials: Trials, whole: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    first = machine(trials, dsn, beside=True)
    for call in (2, 7, 9):  # each machine counts its own calls
        first.run(*WRITE, *ONE_BY_ONE, dies_at=call, expect=-signal.SIGKILL)
        assert kept_lines(dsn) == journal_lines(first)
        first = other_machine(trials, dsn, first)
    first.run(*WRITE, *ONE_BY_ONE)
    assert first.repaid() == 0  # none of the three had been answered
    assert first.book.contents() == whole.book.contents()
    assert kept_lines(dsn) == journal_lines(first)
    BAR.tell(capsys, f"3 of 3 machines died, {len(first.answered())} calls, 0 paid twice")


def test_bar_19_killed_at_any_time_a_book_is_finished_elsewhere(
    dsn: str, trials: Trials, whole: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    rng, repaid = BAR.rng(), 0
    first = machine(trials, dsn, beside=True)
    second = other_machine(trials, dsn, first)
    for _ in range(4):  # by turns, so that each comes back to a folder that is behind
        # Far enough that there is something to lose, and not to the end.
        target = len(first.answered()) + rng.randrange(2, 8)
        writing = first.start(*WRITE, pause=0.02)
        while len(first.answered()) < target:
            pause(0.001)
        pause(rng.uniform(0.0, 0.02))
        die(writing)
        first, second = second, first
    first.run(*WRITE)
    repaid = first.repaid()
    assert repaid <= 4 * AT_ONCE
    assert first.book.contents() == whole.book.contents()
    BAR.tell(capsys, f"4 of 4 kills survived elsewhere, {repaid} of at most {4 * AT_ONCE} repaid")


def test_bar_19_without_its_database_a_book_stops_and_makes_up_for_it(
    dsn: str, trials: Trials, whole: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    first = machine(trials, dsn, beside=True)
    gate = first.desk.folder.parent / "gate"
    writing = first.start(*WRITE, *ONE_BY_ONE, gate=str(gate))
    until(lambda: len(kept_lines(dsn)) >= 2)  # the run, and the call that waits at the gate
    end_session_of(writing, dsn)
    gate.touch()
    stopped = writing.wait()
    assert stopped.code == 9
    told = json.loads(stopped.err.splitlines()[-1])
    assert "A reply came and could not be stored" in told["message"]
    assert "it is safe in" in told["why"]
    assert sum(first.answered().values()) == 1
    assert kept_lines(dsn) == journal_lines(first)
    first.run(*WRITE)
    assert kept_lines(dsn) == journal_lines(first)
    assert first.repaid() == 0
    assert first.book.contents() == whole.book.contents()
    BAR.tell(capsys, "a lost session stopped the book before its next call, 0 paid twice")


def test_bar_19_a_machine_that_was_behind_takes_the_brief_and_the_journal_of_the_other(
    dsn: str, trials: Trials, whole: Trial
) -> None:
    first = machine(trials, dsn, beside=True)
    first.run(*WRITE, *ONE_BY_ONE, dies_at=4, expect=-signal.SIGKILL)
    second = other_machine(trials, dsn, first)
    begun_otherwise = second.book.text("book.toml").replace("drowned", "flooded")
    second.book.write("book.toml", begun_otherwise)
    second.run(*WRITE)
    assert second.book.contents() == whole.book.contents()
    assert begun_otherwise in second.book.trash()
    first.run(*WRITE)  # it is behind, and everything is there
    assert first.repaid() == 0
    assert first.book.contents() == whole.book.contents()
    assert journal_lines(first) == kept_lines(dsn)


def test_bar_19_a_book_that_began_in_the_database_stays_there(dsn: str, trials: Trials) -> None:
    first = machine(trials, dsn, beside=True)
    first.run(*WRITE, *ONE_BY_ONE, dies_at=2, expect=-signal.SIGKILL)
    second = machine(trials, dsn)  # nobody told this one
    second.ledger = first.ledger
    second.run(*WRITE)
    assert second.repaid() == 0
    assert kept_lines(dsn) == journal_lines(second)


def test_bar_19_a_book_whose_research_is_elsewhere_is_not_paid_for_again(
    dsn: str, trials: Trials
) -> None:
    first = machine(trials, dsn, beside=True)
    first.run(*WRITE, *ONE_BY_ONE, dies_at=4, expect=-signal.SIGKILL)
    keep_line(
        dsn, write("research/notes.json", "0" * 64, step="research", inputs={}, params={}, keys=())
    )
    second = other_machine(trials, dsn, first)
    asked = second.answered()
    refused = second.run(*WRITE, expect=3)
    assert "The research of book is on another machine" in refused.err
    assert second.answered() == asked


def test_bar_19_two_journals_that_differ_are_told_and_kept(dsn: str, trials: Trials) -> None:
    first = machine(trials, dsn, beside=True)
    first.run(*WRITE, *ONE_BY_ONE, dies_at=4, expect=-signal.SIGKILL)
    second = machine(trials, dsn)
    second.run("resume", "book", "--mock", "--until", "concept")  # by hand, beside the batch
    second.desk.environment["LIBRISCRIBE2_BATCH__JOURNAL"] = "database"
    asked, kept, there = second.answered(), kept_lines(dsn), journal_lines(second)
    refused = second.run(*WRITE, expect=3)
    told = json.loads(refused.err.splitlines()[-1])
    assert "differ from line 1 on" in told["message"]
    assert "one is projects/book/.libriscribe/journal.jsonl (" in told["why"]
    assert "'spring/book' in postgresql://writer:***@" in told["why"]
    assert "batch forget book" in told["fix"]
    assert (second.answered(), kept_lines(dsn), journal_lines(second)) == (asked, kept, there)


@pytest.mark.soak
def test_bar_19_no_book_of_twenty_is_lost_on_machines_that_share_no_folder(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng, names = BAR.rng(BOOKS), [f"book-{number}" for number in range(BOOKS)]
    desks = [Desk(tmp_path / name) for name in ("first", "second", "third")]
    for desk in desks:
        desk.folder.mkdir()
        desk.environment |= {**FAST_PACE, "LIBRISCRIBE2_BATCH__DSN": dsn}
    add_books(desks[0], names)
    with ExitStack() as stack:

        def start(place: int) -> WorkerProcess:
            options = ("--books", str(SLOTS), "--drain", "--journal", "database")
            return stack.enter_context(WorkerProcess(desks[place], *options))

        running = [start(0), start(1)]
        for _ in range(KILLS):
            while not any(one.is_writing() for one in running):
                assert not all(one.is_over() for one in running), "too few books for the kills"
                pause(0.01)
            pause(rng.uniform(0.0, 4.0))
            place = rng.choice([n for n, one in enumerate(running) if one.is_writing()] or [0])
            running[place].signal(signal.SIGKILL, books_too=rng.random() < 0.5)
            running[place] = start(place)
        assert [one.wait() for one in running] == [0, 0]
    assert set(states(desks[2]).values()) == {"done"}
    desks[2].run("batch", "fetch")
    repeats = sum(paid_twice(desks[2], name) for name in names)
    assert repeats <= SLOTS * AT_ONCE * KILLS
    for name in names:
        assert desks[2].project(name).contents() == alone(tmp_path, name)
    told = f"{BOOKS} of {BOOKS} books fetched after {KILLS} kills, {repeats} calls repeated"
    BAR.tell(capsys, told, soak=True)
