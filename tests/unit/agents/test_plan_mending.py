"""What rules find in a plan goes back to the model once, and never makes the plan worse."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_desk import CONCEPT, AgentDesk, outline

from libriscribe2.agents.outliner import OutlinerAgent, SceneOutlinerAgent
from libriscribe2.models.story import OutlineFile, ScenesFile

KNOWN = {"summary": "S", "characters": ["Mara Voss"], "place": "The Slip"}
REVIEW: dict[str, list[str]] = {"contradictions": []}
NOBODY = KNOWN | {"characters": ["the baker"]}


def desk_of(folder: Path, **brief: Any) -> AgentDesk:
    desk = AgentDesk(folder, **brief)
    desk.put("concept.json", {"concept": CONCEPT})
    return desk


def plan(*times: str, **more: Any) -> dict[str, Any]:
    """An outline whose chapters happen then."""
    value = outline(len(times)) | more
    for chapter, time in zip(value["chapters"], times, strict=True):
        chapter["story_time"] = time
    return value


def mend(*chapters: dict[str, Any], threads: Any = ()) -> str:
    return json.dumps({"threads": list(threads), "chapters": list(chapters)})


async def outlined(desk: AgentDesk, *script: str) -> OutlineFile:
    made = await desk.run(OutlinerAgent, *script)
    assert isinstance(made, OutlineFile)
    return made


async def test_QU_a_sound_outline_is_asked_for_once(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, chapters="3")
    await outlined(desk, json.dumps(plan("day 1", "day 2", "day 3")))
    assert [call.step for call in desk.calls] == ["outline"]


async def test_QU_what_is_wrong_with_an_outline_is_told_and_mended(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, chapters="3")
    fixed = mend({"number": 2, "story_time": "day 3"}, {"number": 9, "summary": "No such."})
    made = await outlined(desk, json.dumps(plan("day 2", "day 1", "day 4")), fixed)
    assert [call.step for call in desk.calls] == ["outline", "outline/lint1"]
    asked = desk.prompt(1)
    assert "- outline.json chapter 2: Chapter 2 is set at “day 1”, before chapter 1" in asked
    assert '"number":3' in asked
    assert [one.story_time for one in made.chapters] == ["day 2", "day 3", "day 4"]
    assert [one.summary for one in made.chapters][1:] == ["2: It happens.", "3: It happens."]


async def test_QU_threads_are_mended_whole(tmp_path: Path) -> None:
    thread = {"id": "bell", "promise": "Who rang it?", "setup": 1, "payoff": None, "due_by": None}
    value = plan("day 1", "day 2") | {"threads": [thread | {"must": True}]}
    fixed = mend(threads=[thread | {"payoff": 2, "must": True}])
    made = await outlined(desk_of(tmp_path, chapters="2"), json.dumps(value), fixed)
    assert [one.payoff for one in made.threads] == [2]


@pytest.mark.parametrize(
    "reply",
    [
        mend(),
        mend({"number": 3, "story_time": "day 0"}),
        mend({"number": 2, "story_time": "day 5"}),
    ],
    ids=["nothing", "worse", "elsewhere"],
)
async def test_QU_a_mended_outline_that_is_no_better_is_not_taken(
    tmp_path: Path, reply: str
) -> None:
    desk = desk_of(tmp_path, chapters="3")
    made = await outlined(desk, json.dumps(plan("day 2", "day 1", "day 4")), reply)
    assert [one.story_time for one in made.chapters] == ["day 2", "day 1", "day 4"]
    assert len(desk.calls) == 2


async def test_QU_an_outline_that_nobody_mends_stands_as_it_was(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, chapters="2")
    made = await outlined(desk, json.dumps(plan("day 2", "day 1")), *["Sorry?"] * 3)
    assert [one.story_time for one in made.chapters] == ["day 2", "day 1"]


async def test_QU_names_are_no_matter_of_the_outline(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, chapters="2")
    cast = [{"name": name, "role": "r"} for name in ("Jon Ide", "Jan Olsen")]
    desk.put("characters.json", {"characters": cast})
    await outlined(desk, json.dumps(plan("day 1", "day 2")))
    assert len(desk.calls) == 1


async def test_QU_a_chapters_plan_is_mended_apart_from_the_others(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="1")
    desk.planned(2)
    desk.paths.resolve("scenes.json").unlink()
    both = [{"chapter": n, "scenes": [one]} for n, one in ((1, KNOWN), (2, NOBODY))]
    mended = {"scenes": [{"chapter": 2, "scene": 1, "characters": ["Mara Voss"], "goal": "Light"}]}
    script = [json.dumps(one) for one in ({"chapters": both}, REVIEW, mended)]
    made = await desk.run(SceneOutlinerAgent, *script)
    assert isinstance(made, ScenesFile)
    steps = [call.step for call in desk.calls]
    assert steps == ["scenes/ch01-02", "scenes/review", "scenes/ch02-lint1"]
    assert "No character of the cast is in the scene: it has the baker." in desk.prompt(2)
    assert [one.scenes[0].goal for one in made.chapters] == ["", "Light"]


async def test_QU_chapters_of_a_group_are_mended_together_and_taken_one_by_one(
    tmp_path: Path,
) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="1")
    desk.planned(3)
    desk.paths.resolve("scenes.json").unlink()
    told = (NOBODY, KNOWN, NOBODY)
    plans = [{"chapter": n, "scenes": [one]} for n, one in enumerate(told, start=1)]
    mended = [
        {"chapter": 1, "scene": 1, **NOBODY},
        {"chapter": 3, "scene": 1, "characters": ["Mara Voss"]},
        {"chapter": 3, "scene": 7, "goal": "No such."},
    ]
    script = [json.dumps(one) for one in ({"chapters": plans}, REVIEW, {"scenes": mended})]
    made = await desk.run(SceneOutlinerAgent, *script)
    assert isinstance(made, ScenesFile)
    assert [call.step for call in desk.calls] == [
        "scenes/ch01-03",
        "scenes/review",
        "scenes/ch01-03-lint1",
    ]
    assert '"chapter":2' not in desk.prompt(2)
    assert [one.scenes[0].characters for one in made.chapters] == [
        ["the baker"],
        ["Mara Voss"],
        ["Mara Voss"],
    ]


async def test_QU_a_mended_plan_that_is_no_better_is_not_taken(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="1")
    desk.planned(1)
    desk.paths.resolve("scenes.json").unlink()
    changed = {"chapter": 1, "scene": 1, "goal": "Bread"}
    script = [json.dumps({"scenes": [one]}) for one in (NOBODY, changed)]
    made = await desk.run(SceneOutlinerAgent, *script)
    assert isinstance(made, ScenesFile)
    assert made.chapters[0].scenes[0].goal == ""


async def test_QU_a_chapters_prompt_says_what_its_threads_are(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="1", words=3_000)
    desk.planned(2)
    desk.paths.resolve("scenes.json").unlink()
    thread = {"id": "bell", "promise": "Who rang it?", "setup": 1, "payoff": 2}
    value = outline(2) | {"threads": [thread]}
    value["chapters"][0]["plants"] = ["bell"]
    value["chapters"][1] |= {"payoffs": ["bell"], "target_words": 900}
    desk.put("outline.json", value)
    plans = [{"chapter": n, "scenes": [KNOWN]} for n in (1, 2)]
    await desk.run(SceneOutlinerAgent, json.dumps({"chapters": plans}), json.dumps(REVIEW))
    assert '"plants":["bell: Who rang it?"]' in desk.prompt(0)
    assert "chapter 1: 1 scene for 1,500 words; chapter 2: 1 scene for 900 words" in desk.prompt(0)
