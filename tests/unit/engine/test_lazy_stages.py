"""Files that are made only where something that is going to be made works from them."""

from pathlib import Path

import pytest
from tests.support.toy_agents import Bench, ToyAgent, outline_of, toy
from typing_extensions import override

from libriscribe2.agents.agent_base import Unit
from libriscribe2.engine.stages import book_status
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.structure_change import peek

OUTLINE = toy("outline", writes="outline.json", shape=OutlineFile)
SKETCHES = toy("sketches", "outline.json", writes="sketches/*.md", lazy=True)
BRIEF = Brief(premise="p")


class Chapters(ToyAgent):
    """Each chapter works from its own sketch and the one before."""

    name = "chapters"
    reads = ("outline.json",)
    reads_earlier = ("sketches/*.md",)
    writes = "chapters/*.md"

    @override
    @classmethod
    def inputs(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        number = unit.chapter or 1
        return tuple(f"sketches/0{n}.md" for n in (number - 1, number) if n)


STAGES = (OUTLINE, SKETCHES, Chapters)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, {"outline.json": outline_of(4)})


def sketched(bench: Bench) -> list[str]:
    """The sketches that were made in the last run."""
    return [line for line in bench.log if line.startswith("start sketches")]


async def test_QU_a_new_book_has_all_of_them(bench: Bench) -> None:
    await bench.run(*STAGES)
    assert sketched(bench) == [f"start sketches/0{n}.md" for n in (1, 2, 3, 4)]


async def test_QU_what_nothing_needs_is_not_made(bench: Bench) -> None:
    await bench.run(*STAGES)
    for path in bench.paths.root.glob("sketches/*.md"):
        path.unlink()
    (bench.paths.root / "chapters/03.md").unlink()
    await bench.run(*STAGES)
    assert sketched(bench) == ["start sketches/02.md", "start sketches/03.md"]
    skipped = {event.unit: event.reason for event in bench.events("stage.skipped")}
    assert skipped["sketches/01.md"] == "not needed"


async def test_QU_the_survey_says_what_the_run_then_does(bench: Bench) -> None:
    await bench.run(*STAGES)
    for path in bench.paths.root.glob("sketches/*.md"):
        path.unlink()
    (bench.paths.root / "chapters/03.md").unlink()
    found = [one for one in book_status(STAGES, BRIEF, peek(bench.paths)) if one.runs]
    assert [one.unit.output for one in found] == [
        "sketches/02.md",
        "sketches/03.md",
        "chapters/03.md",
    ]


async def test_QU_what_is_remade_on_request_has_what_it_needs(bench: Bench) -> None:
    await bench.run(OUTLINE, Chapters)
    assert sketched(bench) == []
    await bench.run(*STAGES)
    assert sketched(bench) == []
    bench.script["outline.json"] = outline_of(4)
    (bench.paths.root / "sketches").mkdir()
    (bench.paths.root / "sketches/04.md").write_text("Mine.\n", encoding="utf-8")
    await bench.run(*STAGES, refresh=True)
    assert sketched(bench) == ["start sketches/03.md"]
