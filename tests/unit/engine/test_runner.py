"""The runner: what is ready runs at once, what failed stops what is new and loses nothing."""

import asyncio
from pathlib import Path

import pytest
from tests.support.toy_agents import Bench, ToyAgent, outline_of, toy, until
from typing_extensions import override

from libriscribe2.agents.agent_base import Unit
from libriscribe2.errors import (
    BudgetError,
    IncompleteError,
    ProjectError,
    ProviderError,
    StorageError,
)
from libriscribe2.llm.session import RunStoppedError
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.story import OutlineFile

OUTLINE = toy("outline", writes="outline.json", shape=OutlineFile)
CHAPTERS = toy("chapters", "outline.json", writes="chapters/*.md")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, {"outline.json": outline_of(3)})


async def test_AR_what_does_not_depend_on_each_other_runs_at_once(bench: Bench) -> None:
    door = bench.script["a.txt"] = bench.script["b.txt"] = asyncio.Event()
    run = asyncio.create_task(bench.run(toy("a"), toy("b"), toy("c", "a.txt", "b.txt")))
    await until(lambda: bench.log == ["start a.txt", "start b.txt"])
    door.set()
    await run
    assert bench.log[-2:] == ["start c.txt", "end c.txt"]
    assert (bench.paths.root / "c.txt").read_text(encoding="utf-8") == "c\n"


async def test_AR_a_reader_waits_for_its_own_input_only(bench: Bench) -> None:
    door = asyncio.Event()
    bench.script["slow.txt"] = door

    stages = (toy("slow"), toy("quick"), toy("after", "quick.txt"))
    run = asyncio.create_task(bench.run(*stages))
    await until(lambda: "end after.txt" in bench.log)
    assert "end slow.txt" not in bench.log
    door.set()
    await run
    assert bench.log[-1] == "end slow.txt"


async def test_AR_what_is_under_way_is_kept_where_the_next_unit_cannot_begin(bench: Bench) -> None:
    door = bench.script["a.txt"] = asyncio.Event()

    class Unreadable(ToyAgent):
        name = "b"
        writes = "b.txt"

        @override
        def no_op_reason(self) -> str:
            raise StorageError("a source cannot be read")

    run = asyncio.create_task(bench.run(toy("a"), Unreadable, toy("c")))
    await until(lambda: bench.session.stopped)
    door.set()
    with pytest.raises(StorageError):
        await run
    assert bench.log == ["start a.txt", "end a.txt"]
    assert (bench.paths.root / "a.txt").read_text(encoding="utf-8") == "a\n"


async def test_a_chapter_that_is_taken_out_of_the_plan_during_a_run_is_told(bench: Bench) -> None:
    class Shortening(ToyAgent):
        name = "early"
        reads = ("outline.json",)
        writes = "early.txt"

        @override
        async def execute(self, unit: Unit) -> str:
            outline = bench.paths.root / "outline.json"
            outline.write_text(outline_of(2).model_dump_json(), encoding="utf-8")
            return "early\n"

    late = toy("chapters", "outline.json", "early.txt", writes="chapters/*.md")
    with pytest.raises(ProjectError, match="no chapter 3") as raised:
        await bench.run(OUTLINE, Shortening, late)
    assert "had more when the run began" in raised.value.why


async def test_AR_there_is_one_unit_per_chapter_of_the_outline(bench: Bench) -> None:
    await bench.run(OUTLINE, CHAPTERS)
    ended = [event.path for event in bench.events("stage.end")]
    assert ended == ["outline.json", *(f"chapters/0{n}.md" for n in (1, 2, 3))]
    assert [event.chapter for event in bench.events("stage.end")] == [None, 1, 2, 3]


async def test_AR_chapters_that_read_each_other_run_one_after_the_other(bench: Bench) -> None:
    class Chain(ToyAgent):
        name = "chapters"
        reads = ("outline.json",)
        writes = "chapters/*.md"

        @override
        @classmethod
        def inputs(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
            number = unit.chapter or 1
            before = (f"chapters/0{number - 1}.md",) if number > 1 else ()
            return (*cls.reads, *before)

    await bench.run(OUTLINE, Chain)
    chapters = [line for line in bench.log if "chapters" in line]
    assert chapters == [f"{what} chapters/0{n}.md" for n in (1, 2, 3) for what in ("start", "end")]


async def test_AR_a_stage_that_reads_all_chapters_waits_for_the_last(bench: Bench) -> None:
    await bench.run(OUTLINE, CHAPTERS, toy("all", "chapters/*.md"))
    assert bench.log.index("start all.txt") > bench.log.index("end chapters/03.md")


async def test_XC_04_a_second_run_skips_all_and_frees_those_that_wait(bench: Bench) -> None:
    await bench.run(OUTLINE, CHAPTERS, toy("all", "chapters/*.md"))
    (bench.paths.root / "all.txt").unlink()
    await bench.run(OUTLINE, CHAPTERS, toy("all", "chapters/*.md"))
    assert bench.log == ["start all.txt", "end all.txt"]
    assert {event.reason for event in bench.events("stage.skipped")} == {"up to date"}
    assert [event.reason for event in bench.events("stage.start")] == ["not made yet"]


async def test_XC_04_a_failure_stops_new_work_and_keeps_what_is_under_way(bench: Bench) -> None:
    door = asyncio.Event()
    bench.script |= {"slow.txt": door, "bad.txt": IncompleteError("no reply", why="because")}
    run = asyncio.create_task(bench.run(toy("bad"), toy("slow"), toy("next", "slow.txt")))
    await until(lambda: bool(bench.events("stage.failed")))
    assert bench.session.stopped
    door.set()
    with pytest.raises(IncompleteError, match="no reply"):
        await run
    assert (bench.paths.root / "slow.txt").exists()
    assert "start next.txt" not in bench.log
    (failed,) = bench.events("stage.failed")
    assert (failed.stage, failed.message, failed.reason) == ("bad", "no reply", "because")


async def test_XC_04_the_failure_that_began_it_is_reported_and_not_the_stop(bench: Bench) -> None:
    bench.script |= {"a.txt": RunStoppedError("stopped"), "b.txt": ProviderError("the network")}
    with pytest.raises(ProviderError, match="the network"):
        await bench.run(toy("a"), toy("b"))
    assert [event.stage for event in bench.events("stage.failed")] == ["b"]


async def test_XC_04_the_first_of_two_failures_is_reported(bench: Bench) -> None:
    bench.script |= {"a.txt": ProviderError("first"), "b.txt": ProviderError("second")}
    with pytest.raises(ProviderError, match="first"):
        await bench.run(toy("a"), toy("b"))


async def test_XC_04_a_bug_in_an_agent_is_not_hidden(bench: Bench) -> None:
    bench.script["a.txt"] = ZeroDivisionError("a bug")
    with pytest.raises(ZeroDivisionError):
        await bench.run(toy("a"), toy("b"))
    assert (bench.paths.root / "b.txt").exists()


async def test_XC_04_a_cancelled_run_ends_what_is_under_way(bench: Bench) -> None:
    bench.script["slow.txt"] = asyncio.Event()
    run = asyncio.create_task(bench.run(toy("slow")))
    await until(lambda: bool(bench.log))
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert not (bench.paths.root / "slow.txt").exists()


async def test_XC_04_what_is_stale_is_remade_on_request_and_kept_in_the_trash(
    bench: Bench,
) -> None:
    stages = (toy("a"), toy("b", "a.txt"))
    await bench.run(*stages)
    (bench.paths.root / "a.txt").write_text("mine\n", encoding="utf-8")
    await bench.run(*stages)
    assert bench.log == []
    assert "a.txt changed" in bench.events("stage.skipped")[1].reason
    await bench.run(*stages, refresh=True)
    assert bench.log == ["start b.txt", "end b.txt"]
    assert len([path for path in bench.paths.trash.rglob("*") if path.is_file()]) == 1


async def test_XC_04_what_code_makes_is_remade_without_a_copy(bench: Bench) -> None:
    stages = (toy("a"), toy("b", "a.txt", asks_model=False))
    await bench.run(*stages)
    (bench.paths.root / "a.txt").write_text("mine\n", encoding="utf-8")
    await bench.run(*stages)
    assert bench.log == ["start b.txt", "end b.txt"]
    assert not bench.paths.trash.exists()


async def test_AR_words_are_counted_for_prose_and_not_for_json(bench: Bench) -> None:
    await bench.run(OUTLINE, CHAPTERS)
    words = {event.path: event.words for event in bench.events("stage.end")}
    assert words["outline.json"] == 0
    assert words["chapters/01.md"] >= 1


async def test_AR_events_are_numbered_and_the_result_comes_last(bench: Bench) -> None:
    await bench.run(toy("a"))
    assert [event.seq for event in bench.told] == list(range(1, len(bench.told) + 1))
    assert [event.event for event in bench.told] == [
        *("run.start", "stage.start", "file.written", "stage.end", "run.end"),
    ]


async def test_XC_04_a_run_that_nobody_reads_any_more_ends_what_is_under_way(bench: Bench) -> None:
    bench.script["slow.txt"] = asyncio.Event()
    run = bench.run(toy("quick"), toy("slow"), until="quick.txt")
    await run
    assert "start slow.txt" in bench.log
    assert (bench.paths.root / "quick.txt").exists()
    assert not (bench.paths.root / "slow.txt").exists()


async def test_XC_04_what_is_made_is_kept_although_nobody_reads_the_events(bench: Bench) -> None:
    await bench.run(toy("a"), toy("b"), until="a.txt")
    assert [event.event for event in bench.told] == ["run.start"]
    assert (bench.paths.root / "a.txt").exists()


async def test_XC_04_a_failure_is_an_event_and_then_raised(bench: Bench) -> None:
    bench.script["bad.txt"] = BudgetError("the cap is reached", why="10 calls")
    with pytest.raises(BudgetError):
        await bench.run(toy("bad"))
    *_, stop, failed = bench.told
    assert (stop.event, stop.message, stop.reason) == (
        "budget.stop",
        "the cap is reached",
        "10 calls",
    )
    assert (failed.event, failed.message) == ("run.failed", "the cap is reached")


async def test_XC_04_a_run_that_is_cancelled_says_so_last(bench: Bench) -> None:
    bench.script["slow.txt"] = asyncio.Event()
    run = asyncio.create_task(bench.run(toy("slow")))
    await until(lambda: bool(bench.log))
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert bench.told[-1].event == "run.interrupted"
