"""A model reads the whole plan of a story; what two quotes of it prove goes back once."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_desk import AgentDesk

from libriscribe2.agents.outliner import SceneOutlinerAgent
from libriscribe2.models.story import ScenesFile

LIT = {
    "summary": "Mara lights the lamp and hands the brass key to Jon.",
    "characters": ["Mara Voss", "Jon Ide"],
    "place": "The Lamp Room",
    "things": [{"name": "brass key", "before": "Mara Voss", "after": "Jon Ide"}],
}
LOCKED = {
    "summary": "Mara takes the brass key from her apron and locks the door.",
    "characters": ["Mara Voss"],
    "place": "The Lamp Room",
    "things": [{"name": "the brass key", "before": "Mara", "after": "Mara Voss"}],
}
ASKED = LOCKED | {"summary": "Mara asks Jon for the key.", "characters": ["Mara Voss"]}
CLASH = {
    "chapter": 2,
    "scene": 1,
    "quote": "takes the brass key from her apron",
    "other_chapter": 1,
    "other_scene": 1,
    "other_quote": "hands the brass key to Jon",
    "why": "Jon has the key since chapter 1.",
    "fix": "She asks Jon for it.",
}


def desk_of(folder: Path, **brief: Any) -> AgentDesk:
    desk = AgentDesk(folder, scenes_per_chapter="1", **brief)
    desk.planned(2)
    desk.paths.resolve("scenes.json").unlink()
    rules = ["Nobody may light the lamp before dusk."]
    places = [{"name": "The Lamp Room", "description": "D"}]
    desk.put("world.json", {"overview": "A coast.", "places": places, "rules": rules})
    return desk


def plans(*scenes: dict[str, Any]) -> str:
    told = [{"chapter": n, "scenes": [one]} for n, one in enumerate(scenes, start=1)]
    return json.dumps({"chapters": told})


def review(*found: Any) -> str:
    return json.dumps({"contradictions": found})


async def planned(desk: AgentDesk, *script: str) -> list[str]:
    """The summaries of the plan that comes out."""
    made = await desk.run(SceneOutlinerAgent, *script)
    assert isinstance(made, ScenesFile)
    return [one.scenes[0].summary for one in made.chapters]


async def test_what_two_quotes_of_the_plan_prove_goes_back_once(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    mended = json.dumps({"scenes": [ASKED | {"chapter": 2, "scene": 1}]})
    summaries = await planned(desk, plans(LIT, LOCKED), review(CLASH), mended)
    steps = [call.step for call in desk.calls]
    assert steps == ["scenes/ch01-02", "scenes/review", "scenes/ch02-lint1"]
    assert summaries == [LIT["summary"], ASKED["summary"]]
    read = desk.prompt(1)
    assert "Nobody may light the lamp before dusk." in read
    assert '"scene":"2.1","summary":"Mara takes the brass key' in read
    faults = desk.prompt(2).partition("<faults>")[2]
    assert "- scenes.json chapter 2 scene 1: Jon has the key since chapter 1." in faults
    assert "“hands the brass key to Jon”" in faults


async def test_a_reader_is_told_what_code_finds_of_things(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    await planned(desk, plans(LIT, LOCKED), review())
    hints = desk.prompt(1).partition("<hints>")[2].partition("</hints>")[0]
    assert "leaves the brass key with or at Jon Ide; scene 1 of chapter 2 finds it" in hints
    assert len(desk.calls) == 2
    agreed = LOCKED | {"things": [{"name": "brass key", "before": "Jon Ide", "after": ""}]}
    await planned(desk := desk_of(tmp_path / "agreed"), plans(LIT, agreed), review())
    assert "<hints>" not in desk.prompt(1)


@pytest.mark.parametrize(
    "found",
    [
        CLASH | {"quote": "takes the iron key from her apron"},
        CLASH | {"other_quote": "hands the iron key to Jon"},
        CLASH | {"other_chapter": 7},
        CLASH | {"quote": "the brass key"},
        CLASH | {"other_chapter": 2, "other_quote": "from her apron and locks"},
        {"chapter": 2},
        "?",
    ],
    ids=["quote", "other", "no chapter", "short", "itself", "half", "text"],
)
async def test_what_no_two_quotes_prove_goes_nowhere(tmp_path: Path, found: Any) -> None:
    desk = desk_of(tmp_path)
    assert len(await planned(desk, plans(LIT, LOCKED), review(found))) == 2
    assert len(desk.calls) == 2


async def test_a_rule_of_the_world_is_a_place_to_quote(tmp_path: Path) -> None:
    rule = {"other_chapter": 0, "other_scene": 0, "other_quote": "Nobody may light the lamp"}
    noon = LIT | {"summary": "At noon Mara lights the lamp for the boats."}
    clash = CLASH | rule | {"chapter": 1, "quote": "At noon Mara lights the lamp"}
    desk = desk_of(tmp_path)
    dusk = json.dumps({"scenes": [{"chapter": 1, "scene": 1, "summary": "At dusk."}]})
    summaries = await planned(desk, plans(noon, ASKED), review(clash), dusk)
    assert summaries[0] == "At dusk."


async def test_a_plan_that_keeps_the_contradiction_is_not_taken(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    same = json.dumps({"scenes": [{"chapter": 2, "scene": 1, "goal": "New"}]})
    made = await desk.run(SceneOutlinerAgent, plans(LIT, LOCKED), review(CLASH), same)
    assert isinstance(made, ScenesFile)
    assert made.chapters[1].scenes[0].goal == ""


async def test_a_plan_that_explains_the_contradiction_beside_its_words_is_taken(
    tmp_path: Path,
) -> None:
    desk = desk_of(tmp_path)
    told = "Jon gives her the key back. Mara takes the brass key from her apron and locks the door."
    summaries = await planned(
        desk,
        plans(LIT, LOCKED),
        review(CLASH),
        json.dumps({"scenes": [{"chapter": 2, "scene": 1, "summary": told}]}),
    )
    assert summaries[1] == told


async def test_a_reader_without_a_usable_reply_costs_nothing_of_the_plan(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    assert len(await planned(desk, plans(LIT, LOCKED), *["Sorry?"] * 3)) == 2


async def test_a_book_of_facts_is_not_read_for_contradictions(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, category="Business")
    await planned(desk, plans({"summary": "A."}, {"summary": "B."}))
    assert len(desk.calls) == 1


async def test_a_long_plan_is_read_in_one_request_of_bounded_size(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="15")
    desk.planned(8)
    desk.paths.resolve("scenes.json").unlink()
    long = LIT | dict.fromkeys(
        ("entry_state", "exit_state", "outcome", "summary"), "Long words. " * 200
    )
    script = [
        *[
            json.dumps({"scenes": [long | {"summary": f"{n} {at} it."} for at in range(15)]})
            for n in range(8)
        ],
        review(),
    ]
    await desk.run(SceneOutlinerAgent, *script)
    assert desk.calls[-1].step == "scenes/review"
    shown = desk.prompt(8).partition("<plan>")[2].partition("</plan>")[0]
    assert '"scene":"8.15"' in shown
    assert len(desk.prompt(8)) < 42_000


async def test_who_plans_scenes_and_who_reads_them_knows_what_really_happened(
    tmp_path: Path,
) -> None:
    """Brackenholm: each stage made up for itself who had cut the bag, and when."""
    desk = desk_of(tmp_path)
    outline = json.loads(desk.paths.resolve("outline.json").read_text("utf-8"))
    truth = "Jon put out the lamp on the night before, and Mara does not know it."
    desk.put("outline.json", outline | {"truth": truth, "ending": "She leaves."})
    lit = LIT | {"goal": "To be rid of the key.", "withholds": ["Why she gives it away"]}
    await planned(desk, plans(lit, LOCKED), review())
    whole = desk.prompt(0).partition("<whole_book>")[2].partition("</whole_book>")[0]
    assert json.loads(whole) == {"ending": "She leaves.", "truth": truth}
    read = desk.prompt(1)
    assert truth in read.partition("<world>")[2].partition("</world>")[0]
    assert ("To be rid of the key." in read, "Why she gives it away" in read) == (True, True)
