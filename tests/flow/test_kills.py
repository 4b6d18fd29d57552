"""A process that is interrupted, ended or killed, and the one that goes on after it."""

import signal
import subprocess
from contextlib import AbstractContextManager
from time import monotonic

import pytest
from tests.support.authors import Author
from tests.support.desk import PREMISE, SMALL, Desk
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer

BOOK = ("--chapters", "8", "--scenes-per-chapter", "2", "--words", "2400")
SLOW = ("-m", "tests.support.slow_author")


def silent_from(desk: Desk, call: int) -> "AbstractContextManager[subprocess.Popen[str]]":
    """A running book whose author does not answer from call number `call` on."""
    command = ("create", PREMISE, "--mock", "-p", "book", *SMALL)
    return desk.running(*command, env={"SILENT_FROM": str(call)}, program=SLOW)


def wait_for_line(process: "subprocess.Popen[str]", start: str) -> None:
    """Read the talk of a process up to a line."""
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(start):
            return
    raise AssertionError(f"the process never said {start!r}")


@pytest.mark.soak
def test_XC_04_killed_at_any_moment_the_book_comes_out_the_same(desk: Desk) -> None:
    desk.create(name="undisturbed", size=BOOK)
    command: tuple[str, ...] = ("create", PREMISE, "--mock", "-p", "book", *BOOK)
    for line in ("\u2713 Concept", "\u2713 Scenes", "\u2713 Chapter 2", "\u2713 Chapter 6"):
        with desk.running(*command) as process:
            wait_for_line(process, line)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        command = ("resume", "book")
    author = Author()
    desk.run("resume", "book", backend=author)
    book = desk.project()
    assert book.contents() == desk.project("undisturbed").contents()
    answered = [record["k"] for record in book.records("done")]
    assert len(answered) == len(set(answered))
    sent = [record["k"] for record in book.records("sent")]
    assert len(sent) - len(answered) <= 4 * 4


# Bar 8 sends both.
@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)]
)
def test_XC_08_a_signal_ends_the_run_at_once_with_130_and_the_resume_command(
    desk: Desk, number: signal.Signals
) -> None:
    with silent_from(desk, 8) as process:
        wait_for_line(process, "\u2713 Outline")
        start = monotonic()
        process.send_signal(number)
        out, err = process.communicate()
        took = monotonic() - start
    assert process.returncode == 130
    assert took <= 2
    assert "libriscribe2 resume book" in err
    assert "Interrupted:" in err
    assert "Traceback" not in err
    assert out == ""
    author = Author()
    desk.run("resume", "book", backend=author)
    assert "scenes/ch01-02" in author.steps[:2]
    assert desk.project().path("manuscript.md").exists()


@pytest.mark.slow
def test_XC_08_an_interrupt_while_a_server_does_not_answer(desk: Desk) -> None:
    stall = Fault("stall", seconds=20)
    with OpenAIServer([Fault("ok"), stall]) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-1"}
        command = ("--json", "--model", "openai/x", "-p", "book", *SMALL)
        with desk.running("create", PREMISE, *command, env=env) as process:
            assert process.stdout is not None
            seen = next(line for line in process.stdout if '"llm.call"' in line)
            start = monotonic()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
            took = monotonic() - start
        assert process.returncode == 130
        assert took <= 2
        assert '"concept/draft"' in seen
        assert '"run.interrupted"' in out
        assert "libriscribe2 resume book" in err


@pytest.mark.slow
def test_XC_08_a_project_belongs_to_one_process_at_a_time(desk: Desk) -> None:
    with silent_from(desk, 5) as process:
        wait_for_line(process, "\u2713 Concept")
        before = desk.project().contents()
        author = Author()
        for command in (("resume", "book"), ("redo", "book", "concept")):
            ran = desk.run(*command, backend=author, expect=9)
            assert ran.err.startswith("error: ")
            assert "Traceback" not in ran.err
        assert author.asked == []
        assert desk.project().contents() == before
        assert desk.run("status", "book", "--json").value["units"][0]["state"] == "fresh"
        process.kill()
        process.communicate()
    desk.run("resume", "book")


@pytest.mark.slow
def test_XC_08_a_reader_who_goes_away_is_no_error_message(desk: Desk) -> None:
    """`libriscribe2 create ... | head -1` ends quietly; the book can be resumed."""
    command = ("create", PREMISE, "--mock", "--json", "-p", "book", *SMALL)
    with desk.running(*command) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        talk = process.stderr.read()
        assert process.wait() == 141
    assert "Traceback" not in talk
    assert "bug in LibriScribe2" not in talk
    desk.run("resume", "book")
