"""What a quote says of a run's time is what the run takes on a simulated clock."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from libriscribe2.app import App, AppOptions
from libriscribe2.engine.engine import follow
from libriscribe2.engine.stages import stages_of
from libriscribe2.forecast.model_time import (
    ORDERS,
    VirtualLoop,
    in_order,
    model_seconds,
    model_times,
)
from libriscribe2.forecast.quote import QuotedCall, QuotingBackend
from libriscribe2.llm.backends.demo import DemoAuthor
from libriscribe2.llm.providers import DEMO_MODEL, ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import Drafting, DraftOrder
from libriscribe2.project.atomic import UnsyncedOps
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.schema import PipelineConfig, Settings

CHAPTERS = 5
PLENTY = 64


def brief_of(order: Drafting) -> Brief:
    size = {"chapters": str(CHAPTERS), "scenes_per_chapter": "2", "words": 1_500}
    return Brief.model_validate({"premise": "A keeper", "drafting": order, **size})


def ran(
    folder: Path, order: Drafting, at_once: int, brief: Brief | None = None
) -> list[QuotedCall]:
    """The calls of a real run on a clock that jumps."""
    backend, brief = QuotingBackend(DemoAuthor()), brief or brief_of(order)
    settings = Settings(pipeline=PipelineConfig(max_concurrency=at_once))
    name = f"{order}-{at_once}"
    paths = ProjectPaths(folder / name, folder / f"{name}-debug")
    with (
        ProjectStore.create(paths, Machine(ops=UnsyncedOps())) as store,
        asyncio.Runner(loop_factory=VirtualLoop) as runner,
    ):
        choice = ModelChoice(DEMO_MODEL, "a test")
        app = App(store, brief, settings, choice, AppOptions("test", backend))
        runner.run(follow(app.engine.run(stages_of(brief))))
    return backend.calls


def seconds(calls: list[QuotedCall]) -> float:
    return max(one.ended for one in calls) - min(one.begun for one in calls)


def simulated(calls: list[QuotedCall], order: Drafting, at_once: int) -> float:
    stages = stages_of(brief_of(order))
    return model_seconds(calls, stages, DraftOrder(order, CHAPTERS), at_once)


@pytest.mark.slow
@pytest.mark.parametrize(
    "order",
    [one if one == "redblack" else pytest.param(one, marks=pytest.mark.soak) for one in ORDERS],
)
def test_T12_the_simulated_clock_comes_to_what_the_run_takes(
    tmp_path: Path, order: Drafting
) -> None:
    calls = ran(tmp_path, order, PLENTY)
    assert simulated(calls, order, PLENTY) == pytest.approx(seconds(calls))
    for at_once in (1, 3):
        taken = seconds(ran(tmp_path, order, at_once))
        assert simulated(calls, order, at_once) == pytest.approx(taken, rel=0.05)


@pytest.mark.slow
def test_T12_the_calls_of_one_order_tell_the_time_of_the_others(tmp_path: Path) -> None:
    calls = {order: ran(tmp_path, order, PLENTY) for order in ORDERS}
    for order in ORDERS:
        told = model_times(calls[order], [*_names()], brief_of(order), CHAPTERS, 3)
        assert told is not None
        assert told.drafting == order
        for other in ORDERS:
            real = simulated(calls[other], other, 3)
            assert told.seconds[other] == pytest.approx(real, rel=0.12)


@pytest.mark.slow
def test_T12_the_time_of_a_book_of_facts_knows_that_its_frame_is_written_last(
    tmp_path: Path,
) -> None:
    size = {"chapters": str(CHAPTERS), "scenes_per_chapter": "2", "words": 1_500}
    asked = {"premise": "A guide to salt", "category": "Business", "research": False, **size}
    last = (1, CHAPTERS)
    for order in ORDERS:
        brief = Brief.model_validate({**asked, "drafting": order})
        calls = ran(tmp_path, order, PLENTY, brief)
        stages = stages_of(brief)
        taken = model_seconds(calls, stages, DraftOrder(order, CHAPTERS, last), PLENTY)
        assert taken == pytest.approx(seconds(calls))
        told = model_times(calls, [*_names()], brief, CHAPTERS, PLENTY, last)
        assert told is not None
        assert set(told.seconds) == set(ORDERS)
        assert told.seconds[order] == pytest.approx(taken)


def test_T12_with_many_calls_at_once_two_waves_are_quicker_than_one_after_the_other(
    tmp_path: Path,
) -> None:
    calls = ran(tmp_path, "sequential", PLENTY)
    told = model_times(calls, [*_names()], brief_of("sequential"), CHAPTERS, 8)
    assert told is not None
    assert told.seconds["redblack"] < 0.8 * told.seconds["sequential"]


@pytest.mark.soak
def test_T12_a_long_book_keeps_to_its_calls_its_tokens_and_its_minutes(tmp_path: Path) -> None:
    size = {"chapters": "30", "scenes_per_chapter": "3", "words": 90_000}
    brief = Brief.model_validate({"premise": "A keeper", "drafting": "redblack", **size})
    calls = ran(tmp_path, "redblack", 8, brief)
    assert len(calls) <= 300
    assert sum(one.input_tokens for one in calls) <= 1_900_000
    assert max(one.input_tokens for one in calls) <= 12_000
    drafting = min(one.begun for one in calls if one.stage == "chapters")
    assert max(one.ended for one in calls) - drafting <= 10 * 60


def test_QU_a_book_with_chapters_is_told_the_time_of_its_own_order_only() -> None:
    calls = [QuotedCall("chapters", "m", 0, 60, step="chapters/ch03/scene01")]
    told = model_times(calls, [*_names()], brief_of("redblack"), CHAPTERS, 4)
    assert told is not None
    assert told.seconds == {"redblack": pytest.approx(3.0)}


def test_QU_a_run_without_calls_takes_no_time_worth_telling() -> None:
    assert model_times([], [*_names()], brief_of("redblack"), CHAPTERS, 4) is None


def test_QU_calls_move_between_the_stages_that_write() -> None:
    one = QuotedCall("chapters", "m", 9, 60, step="chapters/ch02/scene01")
    calls = [replace(one, step="chapters/ch01/scene01"), one]
    moved = in_order(calls, "sequential", "parallel")
    assert [call.step for call in moved] == [
        "drafts/ch01/scene01",
        "drafts/ch02/scene01",
        "chapters/ch02/opening",
    ]
    assert in_order(moved, "parallel", "redblack") == calls
    assert in_order(calls, "sequential", "redblack") == calls


def test_QU_calls_of_what_is_written_last_stay_with_their_stage() -> None:
    steps = [f"chapters/ch{n:02d}/scene01" for n in (1, 2, 3, 4)]
    calls = [QuotedCall("chapters", "m", 9, 60, step=step) for step in steps]
    moved = in_order(calls, "sequential", "parallel", (1, 4))
    assert [call.step for call in moved] == [
        "chapters/ch01/scene01",
        "drafts/ch02/scene01",
        "drafts/ch03/scene01",
        "chapters/ch04/scene01",
        "chapters/ch03/opening",
    ]
    assert in_order(moved, "parallel", "sequential", (1, 4)) == calls


def _names() -> set[str]:
    """Names of all stages of a book."""
    return {stage.name for order in ORDERS for stage in stages_of(brief_of(order))}
