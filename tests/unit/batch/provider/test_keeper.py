"""The keeper of a spool: what is sent together, what a kill leaves, when it gives up."""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.batch_api import BatchApi
from tests.support.book_writers import Clock

from libriscribe2.batch.provider import submitted
from libriscribe2.batch.provider.poller import Poller
from libriscribe2.batch.provider.spool import BookSpool, Kept, Spool
from libriscribe2.batch.provider.submitted import PollingOptions
from libriscribe2.errors import ProjectInUseError
from libriscribe2.llm.backend import BackendError

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
ASKED = {"model": "openai/m", "account": "mine", "body": {"model": "m", "messages": []}}


class KilledError(Exception):
    """The process ends here."""


class Bench:
    """A spool with books, a provider, and a keeper that can be killed and begun anew."""

    def __init__(self, folder: Path, **habits: Any) -> None:
        self.spool = Spool(folder / "provider")
        for part in (self.spool.waiting, self.spool.orders, self.spool.replies):
            part.mkdir(parents=True)
        self.api = BatchApi()
        self.accounts: dict[str, BatchApi | None] = {"mine": self.api, "other": BatchApi()}
        self.clock = Clock()
        self.told: list[str] = []
        self.habits = PollingOptions(
            quiet=5,
            poll=10,
            tell=self.told.append,
            now=self.clock.now,
            clock=lambda: NOW + timedelta(seconds=self.clock.at),
        )
        self.habits = replace(self.habits, **habits)
        self.keeper = self.again()

    def again(self) -> Poller:
        """A keeper as the next run begins it."""
        self.keeper = Poller(
            self.spool, lambda _model, account: self.accounts.get(account), self.habits
        )
        return self.keeper

    def ask(self, *idents: str, book: str = "a", **asked: Any) -> None:
        for ident in idents:
            BookSpool(self.spool, book).put(ident, {**ASKED, **asked})

    def reply(self, ident: str, book: str = "a") -> Mapping[str, Any] | None:
        return BookSpool(self.spool, book).reply(ident)

    async def after(self, *seconds: float) -> None:
        """A turn of the keeper after each of the pauses."""
        for pause in seconds:
            self.clock.at += pause
            await self.keeper.turn()

    @property
    def sizes(self) -> list[int]:
        """How many calls each batch holds."""
        return [len(self.api.files[file].splitlines()) for _, file in self.api.submitted.values()]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_calls_of_all_books_leave_together_once_it_is_quiet(bench: Bench) -> None:
    bench.ask("x", "y")
    await bench.after(0, 4)
    bench.ask("x", book="b")
    await bench.after(4)
    assert bench.sizes == []
    await bench.after(5)
    assert bench.sizes == [3]
    await bench.after(10)
    replies = [bench.reply("x"), bench.reply("y"), bench.reply("x", "b")]
    bodies = [reply["body"]["for"] for reply in replies if reply is not None]
    assert len(set(bodies)) == 3
    assert not bench.spool.idents(bench.spool.waiting)
    assert not bench.spool.idents(bench.spool.orders)


async def test_a_call_does_not_wait_for_ever_for_others(bench: Bench) -> None:
    for number in range(20):
        bench.ask(str(number))
        await bench.after(4)
    assert bench.sizes == [16]


async def test_each_model_and_account_has_a_batch_of_its_own(bench: Bench) -> None:
    bench.ask("x")
    bench.ask("y", model="openai/n")
    bench.ask("z", account="other")
    await bench.after(0, 5)
    assert bench.sizes == [1, 1]
    other = bench.accounts["other"]
    assert isinstance(other, BatchApi)
    assert len(other.submitted) == 1


async def test_looks_are_further_and_further_apart(bench: Bench) -> None:
    bench.api.status = "in_progress"
    bench.ask("x")
    await bench.after(0, *[5] * 720)
    assert 15 < bench.api.steps.count("look") < 25


@pytest.mark.parametrize("step", ["upload", "submit"])
async def test_who_is_killed_pays_nothing_twice(bench: Bench, step: str) -> None:
    def kill(name: str) -> None:
        if name == step:
            raise KilledError

    bench.ask("x", "y")
    await bench.after(0)
    bench.api.after = kill
    with pytest.raises(KilledError):
        await bench.after(5)
    bench.api.after = lambda _step: None
    bench.again()
    bench.ask("x", "y")
    await bench.after(0, 10, 20)
    assert bench.sizes == [2]
    assert bench.reply("x") is not None


async def test_a_reply_that_came_while_nobody_was_there_is_fetched_by_the_next(
    bench: Bench,
) -> None:
    bench.ask("x")
    await bench.after(0, 5)
    bench.again()
    assert bench.told[-1] == "1 call submitted earlier: waiting for them"
    bench.ask("x")
    await bench.after(0)
    assert (bench.reply("x") or {})["status"] == 200
    assert bench.sizes == [1]


async def test_a_provider_that_lists_no_batches_is_asked_once_more_at_most(bench: Bench) -> None:
    bench.ask("x")
    await bench.after(0)
    bench.api.failing = {
        "submit": [BackendError("timeout", "no answer")],
        "find": [BackendError("not_found", "no such page", status=404)],
    }
    await bench.after(5, 10, 20)
    assert bench.api.steps == ["upload", "submit", "find", "submit", "look", "content"]


async def test_an_order_that_may_not_be_looked_for_is_not_submitted_again(bench: Bench) -> None:
    bench.ask("x")
    await bench.after(0)
    bench.api.failing = {
        "submit": [BackendError("timeout", "no answer")],
        "find": [BackendError("auth", "may not list", status=403)],
    }
    await bench.after(5, 10, 20)
    assert bench.api.steps == ["upload", "submit", "find"]
    assert (bench.reply("x") or {})["ordinary"] == "may not list"
    assert len(submitted.open_batches(bench.spool)) == 1


async def test_what_has_no_answer_is_sent_as_an_ordinary_call(bench: Bench) -> None:
    bench.api.status = "expired"
    bench.ask("x", "y")
    await bench.after(0)
    bench.api.left_out = {min(bench.spool.idents(bench.spool.waiting))}
    await bench.after(5, 10)
    replies = [bench.reply("x"), bench.reply("y")]
    kinds = sorted("ordinary" if "ordinary" in (one or {}) else "answered" for one in replies)
    assert kinds == ["answered", "ordinary"]


@pytest.mark.parametrize("kind", ["not_found", "auth", "connection"])
async def test_an_answer_that_came_outlives_a_file_that_does_not(bench: Bench, kind: str) -> None:
    bench.ask("x", "y")
    await bench.after(0, 5)
    bench.api.left_out = {submitted.open_batches(bench.spool)[0].calls[0]}
    bench.api.more_files = ("errors",)
    bench.api.missing = {"errors": BackendError(kind, "no such file")}
    await bench.after(10)
    bench.api.missing = {}
    await bench.after(15)
    kinds = sorted("ordinary" if "ordinary" in (bench.reply(one) or {}) else "paid" for one in "xy")
    assert kinds == ["ordinary", "paid"]


@pytest.mark.parametrize(("looks", "is_paid"), [(3, True), (99, False)])
async def test_answers_that_come_late_are_waited_for_and_not_for_ever(
    bench: Bench, looks: int, is_paid: bool
) -> None:
    bench.api.unseen, bench.api.more_files = looks, ("errors",)
    bench.ask("x")
    await bench.after(0, 5, *[300] * 20)
    assert ("status" in (bench.reply("x") or {})) == is_paid
    assert bench.api.steps.count("look") == (4 if is_paid else 12)


async def test_a_reply_is_not_overwritten_by_a_batch_that_is_gone(bench: Bench) -> None:
    bench.ask("x", "y")
    await bench.after(0, 5)
    name = submitted.open_batches(bench.spool)[0].calls[0]
    bench.spool.write(bench.spool.replies, name, {"v": 1, "status": 200, "body": {}})
    bench.again()
    bench.api.failing = {"look": [BackendError("not_found", "no such batch", status=404)]}
    await bench.after(0)
    told = [bench.reply(one) or {} for one in "xy"]
    assert sorted("ordinary" in one for one in told) == [False, True]


async def test_a_server_without_batches_is_told_once_and_then_left_alone(bench: Bench) -> None:
    bench.api.failing = {"upload": [BackendError("not_found", "no such page", status=404)]}
    bench.ask("x")
    await bench.after(0, 5)
    assert bench.reply("x") == {"v": 1, "ordinary": "no such page"}
    bench.ask("y")
    await bench.after(0)
    assert bench.reply("y") is not None
    assert len([line for line in bench.told if "sent directly" in line]) == 1
    assert bench.api.steps == ["upload"]


async def test_a_batch_that_is_refused_is_not_submitted_by_the_next_run(bench: Bench) -> None:
    bench.api.failing = {"submit": [BackendError("quota", "pay first", status=429)]}
    bench.ask("x")
    await bench.after(0, 5)
    assert (bench.reply("x") or {})["ordinary"] == "pay first"
    bench.again()
    await bench.after(0, 20)
    assert bench.api.steps == ["upload", "submit"]


async def test_a_failure_that_passes_is_tried_again_and_not_for_ever(bench: Bench) -> None:
    bench.api.failing = {"upload": [BackendError("server", "busy", status=503)] * 2}
    bench.ask("x")
    await bench.after(0, 5, 10, 15)
    assert bench.sizes == [1]
    bench.api.failing = {"upload": [BackendError("connection", "nobody")] * 9}
    bench.ask("y")
    await bench.after(0, 5, *[60] * 4)
    assert (bench.reply("y") or {})["ordinary"] == "nobody"


async def test_a_batch_that_may_be_paid_outlives_a_key_that_is_refused(bench: Bench) -> None:
    bench.ask("x")
    await bench.after(0, 5)
    bench.api.failing = {"look": [BackendError("auth", "wrong key", status=401)]}
    await bench.after(10)
    assert (bench.reply("x") or {})["ordinary"] == "wrong key"
    BookSpool(bench.spool, "a").forget("x")
    bench.again()
    bench.ask("x")
    await bench.after(0)
    assert (bench.reply("x") or {})["status"] == 200
    assert bench.sizes == [1]


async def test_at_the_deadline_the_batch_is_cancelled_and_the_rest_sent_at_once(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path, until=NOW + timedelta(seconds=100))
    bench.api.status = "in_progress"
    bench.ask("x", "y")
    await bench.after(0, 5, 10)
    bench.api.left_out = {submitted.open_batches(bench.spool)[0].calls[0]}
    bench.ask("z")
    await bench.after(90, 10)
    assert "cancel" in bench.api.steps
    told = [bench.reply(name) or {} for name in "xyz"]
    assert sorted("ordinary" in one for one in told) == [False, True, True]
    assert (bench.reply("z") or {})["ordinary"] == "its deadline was reached"


async def test_a_batch_that_does_not_end_when_it_is_cancelled_is_given_up(tmp_path: Path) -> None:
    bench = Bench(tmp_path, until=NOW + timedelta(seconds=100))
    bench.api.status = "in_progress"
    bench.api.failing = {"cancel": [BackendError("bad_request", "too late", status=400)]}
    bench.ask("x")
    await bench.after(0, 5, 100)
    assert bench.reply("x") is None
    await bench.after(*[60] * 20)
    assert "ordinary" in (bench.reply("x") or {})


async def test_a_batch_is_cancelled_although_the_network_fails_at_the_deadline(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path, until=NOW + timedelta(seconds=100))
    bench.api.status = "in_progress"
    bench.ask("x")
    await bench.after(0, 5, 10)
    bench.api.failing = {"cancel": [BackendError("connection", "nobody")]}
    await bench.after(90)
    assert not submitted.open_batches(bench.spool)[0].cancelled
    bench.again()
    await bench.after(0, 20)
    assert bench.api.status == "cancelled"
    assert "status" in (bench.reply("x") or {})


@pytest.mark.parametrize(("failures", "is_read"), [(1, True), (9, False)])
async def test_a_batch_that_has_ended_is_read_although_the_last_look_fails(
    tmp_path: Path, failures: int, is_read: bool
) -> None:
    bench = Bench(tmp_path, until=NOW + timedelta(seconds=100))
    bench.api.status = "in_progress"
    bench.ask("x")
    await bench.after(0, 5, 10)
    bench.api.failing = {
        "cancel": [BackendError("bad_request", "too late", status=400)],
        "look": [BackendError("connection", "nobody")] * failures,
    }
    await bench.after(90)
    bench.api.status = "completed"
    bench.api.failing["look"] = [BackendError("connection", "nobody")] * failures
    await bench.after(901, *[10] * 6)
    assert ("status" in (bench.reply("x") or {})) == is_read
    assert ("ordinary" in (bench.reply("x") or {})) != is_read
    # What may have been paid and was not read is left to the next run.
    assert len(submitted.open_batches(bench.spool)) == (0 if is_read else 1)


async def test_a_book_that_is_due_sends_its_further_calls_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, due={"a": NOW + timedelta(seconds=3)})
    bench.ask("x")
    bench.ask("x", book="b")
    await bench.after(0, 4, 5)
    assert "ordinary" in (bench.reply("x") or {})
    assert bench.sizes == [1]


async def test_a_run_that_sends_nothing_together_still_waits_for_what_was(bench: Bench) -> None:
    bench.ask("x")
    await bench.after(0, 5)
    bench.habits = replace(bench.habits, takes=False)
    bench.again()
    bench.ask("x", "y")
    await bench.after(0, 10)
    assert "status" in (bench.reply("x") or {})
    assert "ordinary" in (bench.reply("y") or {})


async def test_a_call_for_another_account_is_sent_by_its_own_book(bench: Bench) -> None:
    bench.ask("x", account="unknown")
    await bench.after(0, 5)
    assert "ordinary" in (bench.reply("x") or {})
    assert not bench.api.steps


async def test_a_call_that_failed_and_is_asked_again_leaves_again(bench: Bench) -> None:
    bench.ask("x")
    await bench.after(0, 5, 10)
    BookSpool(bench.spool, "a").forget("x")
    bench.ask("x")
    await bench.after(0, 5)
    assert bench.sizes == [1, 1]


async def test_a_call_that_is_withdrawn_does_not_leave(bench: Bench) -> None:
    bench.ask("x", "y")
    await bench.after(0)
    BookSpool(bench.spool, "a").withdraw("x")
    await bench.after(5)
    assert bench.sizes == [1]


async def test_a_call_whose_reply_comes_while_it_is_written_does_not_wait(bench: Bench) -> None:
    class Slow(Spool):
        def write(self, folder: Path, ident: str, record: Kept, *, durable: bool = True) -> None:
            super().write(self.replies, ident, {"v": 1, "status": 200, "body": {}})
            super().write(folder, ident, record, durable=durable)

    BookSpool(Slow(bench.spool.root), "a").put("x", ASKED)
    assert bench.reply("x") is not None
    assert not bench.spool.idents(bench.spool.waiting)


@pytest.mark.parametrize("most", [(2, 10_000), (100, 300)])
def test_large_orders_are_cut(bench: Bench, most: tuple[int, int]) -> None:
    made = list(submitted.new_batches(bench.spool, dict.fromkeys("vwxyz", ASKED), most))
    assert [len(order.calls) for order in made] == [2, 2, 1]
    assert submitted.file_of(bench.spool, made[2]).count(b"\n") == 1


async def test_files_of_a_spool_are_private_and_hold_no_key(bench: Bench) -> None:
    bench.api.status = "in_progress"
    bench.ask("x")
    await bench.after(0, 5)
    bench.ask("y")
    files = [path for path in bench.spool.root.rglob("*") if path.is_file()]
    assert len(files) == 4
    for path in files:
        if os.name == "posix":
            assert path.stat().st_mode & 0o077 == 0
        assert b"authorization" not in path.read_bytes().lower()
    line = json.loads(next(iter(bench.api.files.values())))
    assert line["url"] == "/v1/chat/completions"
    assert line["body"] == ASKED["body"]


def test_one_process_keeps_a_spool_and_throws_old_questions_away(bench: Bench) -> None:
    bench.ask("x")
    assert not bench.spool.is_kept()
    with bench.spool.kept():
        assert bench.spool.is_kept()
        assert not bench.spool.idents(bench.spool.waiting)
        with pytest.raises(ProjectInUseError, match="sent by another process"), bench.spool.kept():
            pass
    assert not bench.spool.is_kept()


async def test_a_call_is_sent_at_once_in_one_run_and_with_others_in_the_next(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path, until=NOW + timedelta(seconds=3))
    bench.ask("x")
    await bench.after(0, 4)
    assert "ordinary" in (bench.reply("x") or {})
    paid = {"v": 1, "status": 200, "body": {}}
    bench.spool.write(bench.spool.replies, "paid", paid)
    bench.habits = replace(bench.habits, until=None)
    with bench.spool.kept():
        bench.again()
        bench.ask("x")
        await bench.after(0, 5)
    assert bench.sizes == [1]
    assert bench.spool.read(bench.spool.replies, "paid") == paid


def test_a_reply_that_cannot_be_read_counts_as_none(bench: Bench) -> None:
    bench.ask("x")
    name = bench.spool.idents(bench.spool.waiting)[0]
    (bench.spool.replies / f"{name}.json").write_bytes(b'{"status": 2')
    assert bench.reply("x") is None
