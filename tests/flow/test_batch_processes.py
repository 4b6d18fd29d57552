"""The processes of a batch: what books share, and that nothing of one reaches another."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import add_books, alone, children_of, states
from tests.support.desk import Desk
from tests.support.machines import until
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer
from typing_extensions import override

from libriscribe2.batch.forking import BookServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="books are forked on Linux alone"),
]

TINY: Mapping[str, Any] = {
    "chapters": 1,
    "scenes_per_chapter": 1,
    "words": 100,
    "model": "openai/test-model",
    "worldbuilding": False,
    "story_bible": False,
    "revision": False,
}
RUN = ("batch", "run", "--books", "2")
LONGEST_SECONDS = 240.0
"""LiteLLM takes seconds to import, and on a busy machine several times as many."""


class HeldServer(OpenAIServer):
    """A server that answers nothing before it is released.

    Attributes:
        asked: Released by every question.
        released: Set once it is.
    """

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.released = threading.Event()
        super().__init__()

    @override
    def answer(self, body: Mapping[str, Any], fault: Fault) -> str:
        self.asked.release()
        self.released.wait(LONGEST_SECONDS)
        return super().answer(body, fault)


@pytest.fixture
def server(desk: Desk) -> Iterator[HeldServer]:
    """Holds what the books of the desk ask."""
    with HeldServer() as found:
        desk.environment |= {
            "OPENAI_BASE_URL": found.url,
            "OPENAI_API_KEY": "sk-none",
            "LIBRISCRIBE2_BATCH__RETRY_SECONDS": "0.2",
        }
        yield found
        found.released.set()


def process_of(desk: Desk, name: str) -> int:
    """The process that writes a book; 0 while there is none."""
    lock = desk.project(name).path(".libriscribe/lock")
    words = lock.read_text(encoding="utf-8").split() if lock.exists() else []
    return int(words[words.index("pid") + 1]) if "pid" in words else 0


def parent_of(pid: int) -> int:
    """The process that started a process; 0 where it is gone."""
    try:
        about = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if about[0] == "Z" else int(about[1])


def both_ask(desk: Desk, server: HeldServer) -> None:
    """Wait until both books wait for an answer."""
    assert all(server.asked.acquire(timeout=LONGEST_SECONDS) for _ in range(2))
    until(lambda: all(parent_of(process_of(desk, name)) for name in ("one", "two")))


def test_books_at_once_are_children_of_one_process_that_ends_with_the_batch(
    desk: Desk, server: HeldServer
) -> None:
    add_books(desk, ["one", "two"], row=TINY)
    with desk.running(*RUN, seconds=LONGEST_SECONDS) as batch:
        both_ask(desk, server)
        books = [process_of(desk, name) for name in ("one", "two")]
        (parent,) = {parent_of(book) for book in books}
        assert children_of(batch.pid) == [parent]
        assert sorted(children_of(parent)) == sorted(books)
        assert all(os.getsid(book) == book for book in books)
        server.released.set()
        _, talk = batch.communicate()
    assert batch.returncode == 0, talk
    assert "2 of 2 books done" in talk
    assert not parent_of(parent)


def test_where_their_process_is_killed_the_books_are_begun_again_and_it_is_told(
    desk: Desk, server: HeldServer
) -> None:
    add_books(desk, ["one", "two"], row=TINY)
    with desk.running(*RUN, seconds=LONGEST_SECONDS) as batch:
        both_ask(desk, server)
        (parent,) = children_of(batch.pid)
        books = children_of(parent)
        os.kill(parent, signal.SIGKILL)
        until(lambda: not any(map(parent_of, books)))
        both_ask(desk, server)
        server.released.set()
        _, talk = batch.communicate()
    assert batch.returncode == 0, talk
    assert "has died, and they with it" in talk
    assert "killed by signal 9" in talk
    assert set(states(desk).values()) == {"done"}


def test_a_book_that_is_killed_hurts_no_other(desk: Desk, server: HeldServer) -> None:
    desk.environment["LIBRISCRIBE2_BATCH__MAX_TRIES"] = "1"
    add_books(desk, ["one", "two"], row=TINY)
    with desk.running(*RUN, seconds=LONGEST_SECONDS) as batch:
        both_ask(desk, server)
        killed = process_of(desk, "one")
        os.kill(killed, signal.SIGKILL)
        until(lambda: not parent_of(killed))
        server.released.set()
        batch.communicate()
    assert batch.returncode == 5
    assert states(desk) == {"one": "failed", "two": "done"}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_a_batch(
    desk: Desk, server: HeldServer, number: signal.Signals
) -> None:
    add_books(desk, ["one", "two"], row=TINY)
    with desk.running(*RUN, seconds=LONGEST_SECONDS) as batch:
        both_ask(desk, server)
        (parent,) = children_of(batch.pid)
        processes = [parent, *children_of(parent)]
        batch.send_signal(number)
        batch.communicate()
        until(lambda: not any(map(parent_of, processes)))
    assert batch.returncode == (-9 if number == signal.SIGKILL else 130)
    assert set(states(desk).values()) <= {"queued", "running"}


def test_where_no_process_can_be_shared_each_book_has_its_own_and_it_is_told_once(
    desk: Desk, tmp_path: Path
) -> None:
    add_books(desk, ["one", "two"])
    lacking = tmp_path / "lacking"
    lacking.mkdir()
    (lacking / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if 'libriscribe2.cli.book_server' in sys.orig_argv:\n"
        "    os.write(2, b'No room for another one\\n')\n"
        "    os._exit(3)\n",
        encoding="utf-8",
    )
    path = os.pathsep.join((str(lacking), desk.whole_environment()["PYTHONPATH"]))
    ran = desk.run_apart(*RUN, "--mock", env={"PYTHONPATH": path})
    assert ran.err.count("share no memory: No room for another one") == 1
    assert "2 of 2 books done" in ran.err
    assert desk.project("one").contents() == alone(tmp_path, "one")


def test_a_module_in_the_working_folder_is_not_imported(desk: Desk) -> None:
    for name in ("json.py", "httpx.py", "typer.py"):
        (desk.folder / name).write_text("raise SystemExit(3)", encoding="utf-8")
    add_books(desk, ["one"])
    with desk.running(program=("-P", "-m", "libriscribe2", *RUN, "--mock")) as batch:
        _, talk = batch.communicate()
    assert batch.returncode == 0, talk
    assert "share no memory" not in talk


async def said(
    books: BookServer, words: Sequence[str], environment: Mapping[str, str]
) -> tuple[int, str, str]:
    """How a command ended, and what it printed."""
    process = await books.start(words, environment)
    assert process.stdout is not None
    assert process.stderr is not None
    reading = asyncio.gather(process.wait(), process.stdout.read(), process.stderr.read())
    code, out, err = await reading
    return code, out.decode(), err.decode()


def test_a_process_has_its_own_variables_words_and_exit_code_and_no_others(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.folder)
    usual, name = desk.whole_environment(), "LIBRISCRIBE2_BATCH__BOOKS"

    async def work() -> None:
        async with BookServer([]) as books:
            for environment, wanted in (({**usual, name: "7"}, "7"), (usual, "2")):
                code, out, _ = await said(books, ("config", "show"), environment)
                assert (code, f"batch.books\t{wanted}\n" in out) == (0, True), out
            code, _, err = await said(books, ("resume", "nobody", "--no-input"), usual)
            assert (code, "There is no project" in err) == (3, True), err
            listed = await asyncio.gather(
                *(said(books, ("resume", f"b-{number}"), usual) for number in range(4))
            )
            assert all(f"b-{number}" in err for number, (_, _, err) in enumerate(listed))

    asyncio.run(work())
    assert [path.name for path in desk.folder.iterdir()] == []
