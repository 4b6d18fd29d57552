"""Concept, cast, world, outline, scenes: what they ask for and what they make of the answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_desk import CAST, CONCEPT, AgentDesk, outline

from libriscribe2.agents.character_generator import CharacterGeneratorAgent
from libriscribe2.agents.concept_generator import ConceptGeneratorAgent
from libriscribe2.agents.outliner import BATCH, OutlinerAgent, SceneOutlinerAgent
from libriscribe2.agents.worldbuilding import WorldbuildingAgent
from libriscribe2.errors import MaxRetriesExceededError, ProjectError
from libriscribe2.llm.backend import Request
from libriscribe2.models.story import ConceptFile, OutlineFile, ScenesFile

CRITIQUE = "The keeper wants too little, and nothing stands against her. " * 3 + "Begin later."
KEYWORDS = {"primary_keywords": ["sea"], "secondary_keywords": [], "genre_keywords": ["mystery"]}


def desk_of(folder: Path, **brief: Any) -> AgentDesk:
    desk = AgentDesk(folder, **brief)
    desk.put("concept.json", {"concept": CONCEPT})
    return desk


def chapters_asked(request: Request) -> str:
    """As many chapters as the schema wants at least."""
    assert request.schema is not None
    return json.dumps(outline(request.schema["properties"]["chapters"]["minItems"]))


async def test_OV_14_the_concept_is_drafted_criticised_refined_and_given_keywords(
    tmp_path: Path,
) -> None:
    desk = AgentDesk(tmp_path)
    refined = CONCEPT | {"title": "Refined", "raw_content": "x"}
    script = (json.dumps(CONCEPT), CRITIQUE, json.dumps(refined), json.dumps(KEYWORDS))
    made = await desk.run(ConceptGeneratorAgent, *script)
    assert isinstance(made, ConceptFile)
    assert made.model_dump() == {
        "concept": CONCEPT | {"title": "Refined"},
        "keywords": KEYWORDS,
    }
    parts = [call.step for call in desk.calls]
    assert parts == [f"concept/{part}" for part in ("draft", "critique", "refine", "keywords")]
    assert CRITIQUE in desk.prompt(2)
    assert "A keeper reads." in desk.prompt(2)
    assert "Refined" in desk.prompt(3)


async def test_MS_17_what_a_reply_of_the_book_loses_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bold = json.dumps(CONCEPT | {"title": "**Refined**"})
    with caplog.at_level("DEBUG"):
        made = await AgentDesk(tmp_path).run(
            ConceptGeneratorAgent, json.dumps(CONCEPT), CRITIQUE, bold, json.dumps(KEYWORDS)
        )
    assert isinstance(made, ConceptFile)
    assert made.concept.title == "Refined"
    told = "stripMarkdown/strip_markdown_from_json: stripped 1 bold, 0 italic"
    assert caplog.text.count(told) == 1


async def test_TR_22_a_judgement_is_asked_for_in_words_and_data_by_its_schema(
    tmp_path: Path,
) -> None:
    desk = AgentDesk(tmp_path)
    concept = json.dumps(CONCEPT)
    await desk.run(ConceptGeneratorAgent, concept, CRITIQUE, concept, json.dumps(KEYWORDS))
    asked = {call.step.split("/")[-1]: call for call in desk.calls}
    for part, request in asked.items():
        shown = "<json_schema>" in request.messages[-1]["content"]
        assert shown == (request.schema is not None) == (part != "critique")


async def test_OV_24_keywords_without_a_single_word_are_asked_for_again(tmp_path: Path) -> None:
    empty = json.dumps({"primary_keywords": [], "secondary_keywords": [], "genre_keywords": []})
    script = (json.dumps(CONCEPT), CRITIQUE, json.dumps(CONCEPT), empty, json.dumps(KEYWORDS))
    desk = AgentDesk(tmp_path)
    made = await desk.run(ConceptGeneratorAgent, *script)
    assert isinstance(made, ConceptFile)
    assert made.keywords.primary_keywords == ["sea"]
    assert len(desk.calls) == 5


async def test_OV_24_keywords_of_any_kind_will_do(tmp_path: Path) -> None:
    """What the schema's counts cannot say must not be refused, and what it says must be kept."""
    desk = AgentDesk(tmp_path)
    script = (json.dumps(CONCEPT), CRITIQUE, json.dumps(CONCEPT), json.dumps(KEYWORDS))
    await desk.run(ConceptGeneratorAgent, *script)
    assert desk.schema(3)["primary_keywords"]["minItems"] == 1


async def test_OV_14_the_authors_title_outranks_the_models(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path, title="Mine")
    script = (json.dumps(CONCEPT), CRITIQUE, json.dumps(CONCEPT), json.dumps(KEYWORDS))
    made = await desk.run(ConceptGeneratorAgent, *script)
    assert isinstance(made, ConceptFile)
    assert made.concept.title == "Mine"
    assert "title: Mine" in desk.prompt(0)


def test_OV_15_a_concept_is_checked_by_its_schema(tmp_path: Path) -> None:
    with AgentDesk(tmp_path).hired(ConceptGeneratorAgent) as agent:
        assert isinstance(agent, ConceptGeneratorAgent)
        assert agent._validate_concept_json({"concept": CONCEPT}) == (True, [])
        short = {"concept": {"title": "T", "description": "D"}}
        assert agent._validate_concept_json(short) == (False, ["concept.logline: Field required"])


@pytest.mark.parametrize(
    ("asked", "bounds"),
    [("2", {"minItems": 2, "maxItems": 2}), ("1-4", {"minItems": 1, "maxItems": 4})],
)
async def test_SC_the_cast_has_the_asked_count_in_the_schema(
    tmp_path: Path, asked: str, bounds: dict[str, int]
) -> None:
    desk = desk_of(tmp_path, characters=asked)
    await desk.run(CharacterGeneratorAgent, json.dumps({"characters": CAST}))
    shown = desk.schema()["characters"]
    assert {key: shown[key] for key in bounds} == bounds
    assert "character" in desk.prompt().partition("<json_schema>")[0]


@pytest.mark.parametrize(("category", "needed"), [("Fiction", "places"), ("Business", "terms")])
async def test_SC_a_story_needs_places_and_a_subject_terms(
    tmp_path: Path, category: str, needed: str
) -> None:
    desk = desk_of(tmp_path, category=category)
    three = [{"name": f"N{n}", "description": "D"} for n in (1, 2, 3)]
    few, enough = ({"overview": "O", needed: three[:n]} for n in (2, 3))
    await desk.run(WorldbuildingAgent, json.dumps(few), json.dumps(enough))
    assert len(desk.calls) == 2
    assert desk.schema()[needed]["minItems"] == 3


async def test_SC_an_outline_has_the_asked_count(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, chapters="3-5")
    made = await desk.run(OutlinerAgent, chapters_asked)
    assert isinstance(made, OutlineFile)
    assert len(made.chapters) == 3
    shown = desk.schema()["chapters"]
    assert (shown["minItems"], shown["maxItems"]) == (3, 5)
    assert "Outline the whole book in 3 to 5 chapters of about" in desk.prompt()


async def test_SC_a_wrong_number_of_chapters_is_refused(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, chapters="3")
    with pytest.raises(MaxRetriesExceededError) as caught:
        await desk.run(OutlinerAgent, *[json.dumps(outline(4))] * 3)
    assert "'outline'" in caught.value.what
    assert "chapters: 4 items" in caught.value.why


async def test_SC_a_very_long_outline_comes_in_batches_that_know_each_other(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, chapters="40")
    made = await desk.run(OutlinerAgent, *[chapters_asked] * 3)
    assert isinstance(made, OutlineFile)
    assert len(made.chapters) == 40
    bounds = [desk.schema(n)["chapters"] for n in range(3)]
    assert [(one["minItems"], one["maxItems"]) for one in bounds] == [(15, 15), (15, 15), (10, 10)]
    assert [call.step for call in desk.calls] == ["outline", "outline/from16", "outline/from31"]
    assert f"the first {BATCH} chapters of about" in desk.prompt(0)
    assert "<outline>\n1. Part 1: " in desk.prompt(1)
    assert "words each, after chapter 15 of a book of 40 chapters." in desk.prompt(1)
    assert "of 40 chapters, which bring the book to its end" in desk.prompt(2)


async def test_SC_a_range_that_begins_below_a_batch_may_end_above_it(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, chapters="20-26")
    made = await desk.run(OutlinerAgent, *[chapters_asked] * 2)
    assert isinstance(made, OutlineFile)
    assert len(made.chapters) == 20
    last = desk.schema(1)["chapters"]
    assert (last["minItems"], last["maxItems"]) == (5, 11)


async def test_QU_the_outline_shows_cast_and_places(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, chapters="1")
    desk.put("characters.json", {"characters": CAST})
    await desk.run(OutlinerAgent, chapters_asked)
    assert '"name":"Mara Voss"' in desk.prompt()
    assert "<places>" not in desk.prompt()
    desk.put("world.json", {"overview": "W", "places": [{"name": "Tor", "description": "A rock."}]})
    await desk.run(OutlinerAgent, chapters_asked)
    assert '<places>\n{"name":"Tor"' in desk.prompt().replace("[{", "{")


REVIEW = json.dumps({"contradictions": []})
"""Of a whole plan, which nobody finds fault with."""

SCENE = {"summary": "S", "characters": ["Mara Voss"], "place": "The Slip"}


def scenes(*counts: int, goal: str = "Goal", first: int = 1) -> str:
    """The plans of chapters that have so many scenes."""
    plans = [
        {"chapter": n, "scenes": [SCENE | {"goal": f"{goal} {n}.{at}"} for at in range(1, of + 1)]}
        for n, of in enumerate(counts, start=first)
    ]
    return json.dumps({"chapters": plans})


def scenes_of(reply: str, chapter: int = 1) -> str:
    """The plan of a single chapter."""
    plans = {one["chapter"]: one for one in json.loads(reply)["chapters"]}
    return json.dumps({"scenes": plans[chapter]["scenes"]})


async def test_SC_scenes_are_planned_chapter_by_chapter_with_the_names_of_the_cast(
    tmp_path: Path,
) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="1,7")
    desk.planned(4)
    made = await desk.run(
        SceneOutlinerAgent, scenes(1, 7, 7), scenes_of(scenes(7, first=4), 4), REVIEW
    )
    assert isinstance(made, ScenesFile)
    assert [(one.chapter, one.title, len(one.scenes)) for one in made.chapters] == [
        (1, "Part 1", 1),
        (2, "Part 2", 7),
        (3, "Part 3", 7),
        (4, "Part 4", 7),
    ]
    assert [call.step for call in desk.calls] == ["scenes/ch01-03", "scenes/ch04", "scenes/review"]
    counts = desk.schema(0)["chapters"]
    assert (counts["minItems"], counts["maxItems"]) == (3, 3)
    each = counts["items"]["properties"]["scenes"]
    assert (each["minItems"], each["maxItems"]) == (1, 7)
    assert "chapter 1: 1 scene for" in desk.prompt(0)
    assert "chapter 3: 7 scenes for" in desk.prompt(0)
    alone = desk.schema(1)["scenes"]
    assert (alone["minItems"], alone["maxItems"]) == (7, 7)
    assert "Goal" not in desk.prompt(0)
    last = desk.prompt(1)
    neighbours = json.loads(last.partition("<outline>\n")[2].partition("\n</outline>")[0])
    assert neighbours[0]["planned"][-1] == "3.7 (The Slip) S"
    assert neighbours[1]["last_scene"]["goal"] == "Goal 3.7"
    assert '"name":"Jon Ide"' in last
    assert '"name":"The Slip"' in last
    assert '"number":4' in last
    assert '"of":4' in last


async def test_SC_a_later_group_knows_where_each_thing_is(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="1,7")
    desk.planned(4)
    first = json.loads(scenes(1, 7, 7))
    for chapter, scene, name, after in (
        (1, 0, "Brass key", "Mara Voss"),
        (2, 3, "brass key", "Jon Ide"),
        (3, 6, "ledger", "The Slip"),
    ):
        first["chapters"][chapter - 1]["scenes"][scene]["things"] = [
            {"name": name, "before": "", "after": after}
        ]
    last = scenes_of(scenes(7, first=4), 4)
    await desk.run(SceneOutlinerAgent, json.dumps(first), last, REVIEW)
    assert '"things"' not in desk.prompt(0).partition("<outline>")[2].partition("</outline>")[0]
    told = json.loads(desk.prompt(1).partition("<outline>\n")[2].partition("\n</outline>")[0])
    assert set(told[0]["things"]) == {"brass key: Jon Ide (2.4)", "ledger: The Slip (3.7)"}


@pytest.mark.parametrize("bad", [{"chapter": 2, "scenes": [{"goal": "x"}]}, {"chapter": 2}, "?"])
async def test_SC_a_bad_plan_of_one_chapter_is_asked_for_alone(tmp_path: Path, bad: Any) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="2")
    desk.planned(3)
    told = json.loads(scenes(2, 2, 2))
    told["chapters"][1] = bad
    made = await desk.run(
        SceneOutlinerAgent, json.dumps(told), scenes_of(scenes(2, 2, goal="New"), 2), REVIEW
    )
    assert isinstance(made, ScenesFile)
    assert [call.step for call in desk.calls] == ["scenes/ch01-03", "scenes/ch02", "scenes/review"]
    assert [one.scenes[0].goal for one in made.chapters] == ["Goal 1.1", "New 2.1", "Goal 3.1"]
    beside = desk.prompt(1)
    assert '"goal":"Goal 1.2"' in beside
    assert '"goal":"Goal 3.1"' in beside


async def test_SC_chapters_that_are_counted_from_one_are_those_of_the_group(tmp_path: Path) -> None:
    plans = json.loads(scenes(2, 2, 2, goal="Old"))
    plans["chapters"][1]["scenes"] = plans["chapters"][2]["scenes"] = []
    desk = AgentDesk(tmp_path, scenes_per_chapter="2")
    desk.planned(3)
    desk.put("scenes.json", plans)
    made = await desk.run(SceneOutlinerAgent, scenes(2, 2), REVIEW)
    assert isinstance(made, ScenesFile)
    goals = [one.scenes[0].goal for one in made.chapters]
    assert goals == ["Old 1.1", "Goal 1.1", "Goal 2.1"]


async def test_SC_a_plan_with_too_few_scenes_is_asked_for_alone(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="1,2")
    desk.planned(2)
    await desk.run(SceneOutlinerAgent, scenes(1, 1), scenes_of(scenes(1, 2), 2), REVIEW)
    assert [call.step for call in desk.calls] == ["scenes/ch01-02", "scenes/ch02", "scenes/review"]


async def test_SC_a_group_that_gets_no_usable_reply_is_asked_for_chapter_by_chapter(
    tmp_path: Path,
) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="1")
    desk.planned(2)
    both = scenes(1, 1)
    made = await desk.run(
        SceneOutlinerAgent, *["Sorry?"] * 3, scenes_of(both), scenes_of(both, 2), REVIEW
    )
    assert isinstance(made, ScenesFile)
    steps = [call.step for call in desk.calls]
    assert steps == [*["scenes/ch01-02"] * 3, "scenes/ch01", "scenes/ch02", "scenes/review"]


async def test_SC_a_plan_that_waits_for_some_chapters_is_asked_for_these_alone(
    tmp_path: Path,
) -> None:
    desk = AgentDesk(tmp_path, scenes_per_chapter="2")
    desk.planned(4)
    plans = json.loads(scenes(2, 2, 2, 2, goal="Old"))
    plans["chapters"][1]["scenes"] = plans["chapters"][2]["scenes"] = []
    desk.put("scenes.json", plans)
    made = await desk.run(SceneOutlinerAgent, scenes(2, 2, first=2), REVIEW)
    assert isinstance(made, ScenesFile)
    assert [call.step for call in desk.calls] == ["scenes/ch02-03", "scenes/review"]
    goals = [one.scenes[0].goal for one in made.chapters]
    assert goals == ["Old 1.1", "Goal 2.1", "Goal 3.1", "Old 4.1"]
    assert '"first_scene":{"number":1,"of":2,"summary":"S","goal":"Old 4.1"' in desk.prompt(0)


async def test_SC_a_book_without_people_plans_sections(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, category="Business", scenes_per_chapter="2")
    desk.put("outline.json", outline(1))
    await desk.run(SceneOutlinerAgent, json.dumps({"scenes": [{"summary": "S"}] * 2}))
    assert "2 sections" in desk.prompt()


async def test_XC_08_an_agent_without_its_input_says_which(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"concept\.json is missing"):
        await AgentDesk(tmp_path).run(WorldbuildingAgent)
