"""The calls of many books sent together, from the command line, over real HTTP."""

import asyncio
import json
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.batch_server import BatchServer
from tests.support.batches import premise, states
from tests.support.desk import Desk
from tests.support.entered import entered
from tests.support.openai_replies import Fault

from libriscribe2.batch.folders import begin_project
from libriscribe2.batch.provider.poller import Poller, kept_meanwhile
from libriscribe2.batch.provider.spool import BookSpool, Spool
from libriscribe2.batch.provider.submitted import PollingOptions, new_batches
from libriscribe2.batch.rows import Row
from libriscribe2.llm.backends.provider_batches import ProviderBatches, close_clients
from libriscribe2.llm.litellm_library import load_litellm
from libriscribe2.models.brief import Brief
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.utils.json_utils import JSONProcessor

KEY = "sk-very-secret-0123456789abcdef"
NAMES = ("one", "two", "three")
TINY: dict[str, Any] = {
    "chapters": 1,
    "scenes_per_chapter": 1,
    "words": 100,
    "worldbuilding": False,
    "story_bible": False,
    "revision": False,
    "model": "openai/test-model",
}
BRIEF = Brief.model_validate(
    {
        "premise": premise("one"),
        **{name: value for name, value in TINY.items() if name != "model"},
    }
)
UNTIL = datetime(2026, 11, 22, 12, tzinfo=UTC)
TOGETHER = ("batch", "run", "--provider-batch", "--books", "3")

# LiteLLM sets this filter itself when it is imported, and pytest takes it away after each test.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the .* attribute on the instance is deprecated"
)


def online(desk: Desk, server: BatchServer) -> None:
    """Have the desk ask a server."""
    desk.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}


def desk_at(folder: Path, server: BatchServer, *names: str, dsn: str = "") -> Desk:
    """A desk with queued books whose model is the server's."""
    folder.mkdir(exist_ok=True)
    desk = Desk(folder)
    online(desk, server)
    desk.environment["LIBRISCRIBE2_BATCH__DSN"] = dsn or None
    desk.environment |= {
        "LIBRISCRIBE2_BATCH__PROVIDER_QUIET_SECONDS": "0.3",
        "LIBRISCRIBE2_BATCH__PROVIDER_POLL_SECONDS": "0.1",
        "LIBRISCRIBE2_BATCH__RETRY_SECONDS": "0.3",
    }
    rows = [{"name": name, "premise": premise(name), **TINY} for name in names]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "books.jsonl").write_text(text, encoding="utf-8")
    desk.run("batch", "add", "books.jsonl")
    return desk


def alone(desk: Desk, folder: Path, *names: str) -> dict[str, dict[str, bytes]]:
    """The same books, written one after the other by ordinary calls of the same server."""
    other = Desk(folder)
    other.environment = dict(desk.environment)
    for name in names:
        project = folder / "projects" / name
        project.mkdir(parents=True)
        shutil.copy(desk.project(name).path("book.toml"), project / "book.toml")
        other.run("resume", name)
    return {name: other.project(name).contents() for name in names}


@pytest.fixture
def loaded() -> None:
    """LiteLLM: two threads of a test must not both be the first to import it."""
    load_litellm()


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer(looks=0) as running:
        yield running


@pytest.mark.soak
def test_books_by_batches_are_byte_for_byte_those_of_ordinary_calls(
    server: BatchServer, tmp_path: Path
) -> None:
    desk = desk_at(tmp_path / "desk", server, *NAMES)
    ran = desk.run(*TOGETHER)
    assert set(states(desk).values()) == {"done"}
    assert server.chats == 0
    assert max(server.answered.values()) == 1
    assert len(server.submitted) < server.charged
    assert "of openai/test-model sent together as batch-1" in ran.err
    spool = desk.folder / "batches/books/provider"
    assert [path.name for path in spool.rglob("*") if path.is_file()] == ["lock"]
    report = json.loads((desk.folder / "batches/books/report.json").read_text(encoding="utf-8"))
    assert report["sums"]["calls"] == server.charged
    for name, contents in alone(desk, tmp_path / "alone", *NAMES).items():
        assert desk.project(name).contents() == contents
    assert server.chats == server.charged


@pytest.mark.soak
def test_who_is_killed_between_submission_and_answer_pays_nothing_twice(
    server: BatchServer, tmp_path: Path
) -> None:
    desk = desk_at(tmp_path / "desk", server, "one")
    server.released.clear()
    with desk.running(*TOGETHER) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "sent together as batch-1" in line:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
    left = list((desk.folder / "batches/books/provider").rglob("*.json*"))
    assert len(left) >= 2
    assert not any(KEY.encode() in path.read_bytes() for path in left)
    assert {path.stat().st_mode & 0o777 for path in left} == {0o600}
    server.released.set()
    ran = desk.run(*TOGETHER)
    assert "1 call submitted earlier: waiting for them" in ran.err
    assert set(states(desk).values()) == {"done"}
    assert server.chats == 0
    assert set(server.answered.values()) == {1}
    bodies = [json.dumps(line["body"]) for lines in server.submitted for line in lines]
    assert len(bodies) == len(set(bodies))


@contextmanager
def kept(desk: Desk, server: BatchServer, **habits: Any) -> Iterator[list[str]]:
    """A keeper of the desk's spool while the block runs, and what it tells."""
    told: list[str] = []
    spool = Spool(desk.folder / "spool")
    how = replace(PollingOptions(quiet=0.05, poll=0.05, tell=told.append), **habits)
    over = threading.Event()

    async def until_over() -> None:
        await asyncio.to_thread(over.wait)

    async def keep() -> None:
        try:
            api = ProviderBatches("openai", server.url)
            await kept_meanwhile(spool, lambda: Poller(spool, lambda *_: api, how), until_over)
        finally:
            await close_clients()

    keeping = threading.Thread(target=lambda: asyncio.run(keep()))
    keeping.start()
    try:
        desk.environment["LIBRISCRIBE2_BATCH__SPOOL"] = str(spool.root)
        yield told
    finally:
        over.set()
        keeping.join()


def begin_one(desk: Desk) -> None:
    """Make the first book's project as the batch would."""
    begin_project(
        ProjectPaths(desk.folder / "projects/one", desk.folder / "debug/one"),
        Row("one", "row", BRIEF.model_dump(mode="json")),
        "books",
        {"models": {"default": {"model": TINY["model"]}}},
    )


def write_one(desk: Desk) -> None:
    """Write the first book of the batch as its process would."""
    begin_one(desk)
    desk.run("resume", "one", "--no-input", "--json")
    assert desk.project("one").chapters()


@pytest.mark.soak
def test_lines_that_fail_are_sent_again_and_an_expired_batch_is_finished_by_calls(
    desk: Desk, loaded: None
) -> None:
    refusals = iter([{"error": {"message": "slow down", "code": "rate_limit_exceeded"}}])

    def judge(_line: object, count: int) -> Fault:
        body = next(refusals, None) if count == 1 else None
        return Fault("ok") if body is None else Fault(status=429, body=body)

    ends = ["completed", "completed", "completed", "failed"]
    with BatchServer(ends, looks=0, judge=judge) as server:
        online(desk, server)
        with kept(desk, server) as told:
            write_one(desk)
    failed = desk.project("one").records("fail")
    assert [(record["kind"], record["status"]) for record in failed] == [("rate", 429)]
    assert "batch-4: failed, 0 of 1 call answered line 1 is not JSON" in told
    assert server.chats == 1
    assert len(desk.project("one").records("done")) == server.charged + server.chats


@pytest.mark.slow
def test_a_server_without_batches_is_told_once_and_answers_ordinary_calls(
    desk: Desk, loaded: None
) -> None:
    with BatchServer(batches=False) as server:
        online(desk, server)
        with kept(desk, server) as told:
            write_one(desk)
    assert server.chats == len(desk.project("one").records("done")) > 5
    assert [line for line in told if "its calls are sent directly (no such page)" in line] == told


@pytest.mark.slow
def test_after_the_deadline_calls_that_wait_are_sent_at_once_and_the_book_ends(
    server: BatchServer, desk: Desk, loaded: None
) -> None:
    def clock() -> datetime:
        return UNTIL + timedelta(seconds=len(server.submitted) - 1)

    online(desk, server)
    server.released.clear()
    with kept(desk, server, until=UNTIL, clock=clock):
        write_one(desk)
    assert [batch["status"] for batch in server.batches.values()] == ["cancelled"]
    # What was answered before it was cancelled is not asked again.
    assert server.charged == 1
    assert server.chats == len(desk.project("one").records("done")) - 1


@pytest.mark.slow
def test_a_model_without_a_batch_api_is_named_before_anything_starts(desk: Desk) -> None:
    rows = [{"name": "one", "premise": premise("one"), **TINY, "model": "demo"}]
    (desk.folder / "books.jsonl").write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    desk.run("batch", "add", "books.jsonl")
    ran = desk.run(*TOGETHER, "--model", "demo")
    told, _, rest = ran.err.partition("one: starts")
    assert "no batch API: demo; these calls are sent directly" in told
    assert "done" in rest


@pytest.mark.parametrize("where", ["orders", "replies"])
def test_a_book_whose_calls_were_submitted_is_left_to_its_batch(
    desk: Desk, server: BatchServer, where: str
) -> None:
    online(desk, server)
    begin_one(desk)
    spool = Spool(desk.folder / "batches/books/provider")
    asked = {"model": "openai/test-model", "account": "mine", "body": {}}
    with spool.kept():
        for book in ("one", "another"):
            BookSpool(spool, book).put("x", asked)
        waiting = dict.fromkeys(spool.idents(spool.waiting), asked)
        if where == "orders":
            list(new_batches(spool, waiting))
        else:
            for ident in waiting:
                spool.answer(ident, {"v": 1, "status": 200, "body": {}})
    ran = desk.run("resume", "one", "--no-input", expect=3)
    assert "libriscribe2 batch run --batch books" in ran.err
    assert server.chats == 0
    for folder in (spool.orders, spool.replies):
        for ident in spool.idents(folder):
            spool.drop(folder, ident)
    with spool.kept():
        BookSpool(spool, "another").put("x", asked)
        list(new_batches(spool, dict.fromkeys(spool.idents(spool.waiting), asked)))
    desk.run("resume", "one", "--no-input", "--until", "concept")
    assert server.chats > 0


def test_OV_07_a_record_that_is_not_json_is_shown_in_the_log_and_passed_over(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    begin_one(desk)
    spool = Spool(desk.folder / "batches/books/provider")
    asked = {"model": "openai/test-model", "account": "mine", "body": {}}
    with spool.kept():
        BookSpool(spool, "one").put("x", asked)
        list(new_batches(spool, dict.fromkeys(spool.idents(spool.waiting), asked)))
    damaged = '{"calls": [' + "x" * 500
    (spool.orders / "0.json").write_text(damaged, encoding="utf-8")
    with entered(JSONProcessor.safe_json_loads) as found:
        ran = desk.run("resume", "one", "--no-input", expect=3)
    assert "libriscribe2.batch.provider.spool" in found["safe_json_loads"]
    assert "libriscribe2 batch run --batch books" in ran.err
    (told,) = {one for one in caplog.messages if one.startswith("Not JSON")}
    assert told.startswith("Not JSON: Expecting value: line 1 column 12")
    assert told.endswith(f"(position 11): {damaged[:200].encode()!r}")


@pytest.mark.postgres
def test_a_batch_in_a_database_sends_its_calls_together_too(
    server: BatchServer, tmp_path: Path, dsn: str
) -> None:
    desk = desk_at(tmp_path / "desk", server, "one", dsn=dsn)
    desk.run(*TOGETHER)
    assert states(desk) == {"one": "done"}
    assert server.chats == 0
    assert set(server.answered.values()) == {1}
