"""Runs are kept as they go, and gone on with after a kill."""

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.chain import Chain, FakeTools, capability, plan, step
from typing_extensions import override

from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.models.tooling import RunRecord, StepResult
from libriscribe2.research.run_store import FileRunStore, RunStore
from libriscribe2.research.templates import OrchestratorConfig
from libriscribe2.research.tool_error import ToolError

FREE = capability("free")
TAKES = capability("takes", x="any?")
CONVERT = capability("convert", **{"from": "string", "to": "string", "amount": "number"})


def refusal(status: int = 422, message: str = "no") -> ToolError:
    return ToolError(status, "refused", message)


async def test_a_killed_run_goes_on_without_repeating_a_call(tmp_path: Path) -> None:
    store = FileRunStore(tmp_path / "research" / "run.json", durable=False)
    steps = [step("a", "free"), step("b", "takes", "a", x="{{a.response.v}}"), step("c", "free")]

    async def killed(parameters: dict[str, Any]) -> Any:
        raise asyncio.CancelledError

    first = FakeTools(free={"v": 7}, takes=killed)
    config = OrchestratorConfig(max_concurrency=1)
    with pytest.raises(asyncio.CancelledError):
        await Chain([FREE, TAKES], first, store=store, config=config).execute(*steps)
    second = FakeTools(free={"v": 8}, takes={"ok": 1})
    record = await Chain([FREE, TAKES], second, store=store).execute(*steps)
    assert record.success
    assert second.given("takes") == [{"x": 7}]
    assert len(first.given("free")) + len(second.given("free")) == 2
    third = FakeTools(free=[], takes=[])
    assert (await Chain([FREE, TAKES], third, store=store).execute(*steps)).success
    assert third.calls == []
    assert store.load() == RunRecord.model_validate(record.model_dump())


async def test_a_run_that_is_cut_off_keeps_every_result_that_was_there() -> None:
    entered = asyncio.Event()

    async def stubborn(parameters: dict[str, Any]) -> Any:
        entered.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return {"saved": 1}

    chain = Chain([FREE, TAKES], FakeTools(free={"v": 1}, takes=stubborn))
    run = asyncio.ensure_future(chain.execute(step("a", "free"), step("b", "takes")))
    await entered.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    kept = chain.store.load()
    assert kept is not None
    assert {name: one.response for name, one in kept.results.items()} == {
        "a": {"v": 1},
        "b": {"saved": 1},
    }


async def test_failed_and_skipped_steps_are_run_again_and_another_plan_from_its_start(
    tmp_path: Path,
) -> None:
    store = FileRunStore(tmp_path / "run.json", durable=False)
    steps = [step("a", "convert", to="x", amount=1, **{"from": "y"}), step("b", "takes", "a")]
    down = FakeTools(convert=[refusal(403)], takes={})
    await Chain([CONVERT, TAKES], down, store=store).execute(*steps)
    up = FakeTools(convert={"ok": 1}, takes={})
    assert (await Chain([CONVERT, TAKES], up, store=store).execute(*steps)).success
    assert len(up.calls) == 2
    other = FakeTools(convert={"ok": 1}, takes={})
    await Chain([CONVERT, TAKES], other, store=store).execute(*steps, request="another")
    assert len(other.calls) == 2


def test_a_line_that_a_crash_cut_off_counts_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    wanted = plan(step("a", "free"), step("b", "free"))
    store = FileRunStore(path)
    store.save(RunRecord(plan=wanted))
    done = [StepResult(step_id=one, tool="free", status="done") for one in ("a", "b")]
    store.add(done[:1])
    store.add(done[1:])
    lines = path.with_suffix(".jsonl")
    whole = lines.read_bytes()
    for length in range(len(whole) + 1):
        lines.write_bytes(whole[:length])
        kept = FileRunStore(path).load()
        assert kept is not None
        assert len(kept.results) == whole[:length].count(b"\n")
    store.save(RunRecord(plan=plan(step("c", "free"))))
    assert not lines.exists()


def test_lines_of_another_plan_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    store = FileRunStore(path)
    store.save(RunRecord(plan=plan(step("a", "free"))))
    store.add([StepResult(step_id="a", tool="free", status="done")])
    old = path.with_suffix(".jsonl").read_bytes()
    store.save(RunRecord(plan=plan(step("a", "takes"))))
    path.with_suffix(".jsonl").write_bytes(old)
    kept = store.load()
    assert kept is not None
    assert kept.results == {}


def test_a_damaged_record_is_told_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"plan": 1}', encoding="utf-8")
    with pytest.raises(ProjectError, match="not the record of a run") as caught:
        FileRunStore(path).load()
    assert caught.value.fix
    assert FileRunStore(tmp_path / "none.json").load() is None


def test_a_record_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    store = FileRunStore(tmp_path / "file" / "run.json")
    with pytest.raises(StorageError):
        store.save(RunRecord(plan=plan(step("a", "free"))))


@pytest.mark.parametrize(
    "strange",
    [math.nan, math.inf, 10**5_000, (1, 2), b"x"],
    ids=["nan", "inf", "long", "tuple", "bytes"],
)
async def test_pb_71_a_result_that_no_file_can_hold_fails_its_step_alone(
    strange: Any, tmp_path: Path
) -> None:
    store = FileRunStore(tmp_path / "run.json", durable=False)
    chain = Chain([FREE, TAKES], FakeTools(free={"v": strange}, takes={"ok": 1}), store=store)
    record = await chain.execute(step("a", "free"), step("b", "takes", x="y"))
    assert record.results["a"].error == "step a: free returned something that is not JSON"
    assert record.results["b"].success
    assert store.load() == record


async def test_halves_of_surrogate_pairs_do_not_cost_the_run(tmp_path: Path) -> None:
    store = FileRunStore(tmp_path / "run.json", durable=False)
    steps = [step("a", "free"), step("b", "takes", "a", x="{{a.response.v}} \ud83d")]
    tools = FakeTools(free={"v": "Salt \ud83d"}, takes={"ok": 1})
    record = await Chain([FREE, TAKES], tools, store=store).execute(*steps)
    assert record.results["a"].response == {"v": "Salt \ufffd"}
    assert store.load() == record
    again = FakeTools(free=[], takes=[])
    assert (await Chain([FREE, TAKES], again, store=store).execute(*steps)).success
    assert again.calls == []


async def test_a_result_that_the_disk_refused_at_first_is_kept_at_the_end() -> None:
    class FullForAMoment(RunStore):
        """Takes a run as a whole, and no single step."""

        @override
        def add(self, results: Sequence[StepResult]) -> None:
            raise StorageError("the disk is full")

    store = FullForAMoment()
    chain = Chain([FREE, TAKES], FakeTools(free={"v": 1}, takes={}), store=store)
    with pytest.raises(StorageError):
        await chain.execute(step("a", "free"), step("b", "takes", "a"))
    assert store.record is not None
    assert list(store.record.results) == ["a"]
    assert chain.tools.given("takes") == []
