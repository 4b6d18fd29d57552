"""Chapters, summaries, title, manuscript: prose in, prose out."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_desk import AgentDesk, outline
from tests.unit.checks.prose import fresh

from libriscribe2.agents.chapter_writer import ChapterWriterAgent
from libriscribe2.agents.concept_generator import TitleGeneratorAgent
from libriscribe2.agents.manuscript import ManuscriptAgent
from libriscribe2.agents.summarizer import PART_BUDGET, SummarizerAgent
from libriscribe2.context.people_and_facts import PEOPLE_REMARK
from libriscribe2.context.prompt_parts import ContextManifest
from libriscribe2.context.story_so_far import REMEMBERED, SCENE_BREAK
from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.llm.backend import Completion
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.story import TitleFile

MANY = 12
REST = " and so it went on in the night," * 3 + " until it ended."
ONE, TWO, THREE = (f"{word} *dark* night{REST}" for word in ("One", "Two", "Three"))


def desk_of(folder: Path, chapters: int = 3, **brief: Any) -> AgentDesk:
    """A desk whose scenes are to be as long as the replies here, and stay as they were written."""
    desk = AgentDesk(folder, **{"words": 60 * chapters, "revision": False, **brief})
    desk.planned(chapters)
    return desk


def block(prompt: str, name: str) -> str:
    """What stands in a block of a prompt."""
    return prompt.partition(f"<{name}>\n")[2].partition(f"\n</{name}>")[0]


async def test_CW_a_chapter_is_its_scenes_under_its_title(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, words=180)
    text = await desk.run(ChapterWriterAgent, f"{ONE}\n", f" {TWO}", chapter=1)
    assert text == f"# Part 1\n\n{ONE}{SCENE_BREAK}{TWO}\n"
    assert [call.step for call in desk.calls] == ["chapters/ch01/scene01", "chapters/ch01/scene02"]
    assert "Write this scene in about 30 words" in desk.prompt(0)
    assert ("chapters/ch01/scene01", "One ") in desk.pieces


async def test_CW_a_chapter_is_looked_through_when_all_its_scenes_are_there(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, revision=True)
    one, two, new = (f"{fresh(seed, 30).capitalize()}." for seed in (1, 2, 3))
    found = {"kind": "unclear", "severity": "warning", "quote": two, "why": "W", "fix": "F"}
    patch = {"issue": 1, "find": two, "replace": new}
    script = (json.dumps({"issues": [found]}), json.dumps({"patches": [patch]}))
    text = await desk.run(ChapterWriterAgent, one, two, *script, chapter=1)
    assert text == f"# Part 1\n\n{one}{SCENE_BREAK}{new}\n"
    steps = ("scene01", "scene02", "critique1", "patches1")
    assert [call.step for call in desk.calls] == [f"chapters/ch01/{one}" for one in steps]
    assert one in block(desk.prompt(2), "text")


async def test_CW_a_scene_sees_its_plan_its_people_its_place_and_the_text_before(
    tmp_path: Path,
) -> None:
    desk = desk_of(tmp_path)
    await desk.run(ChapterWriterAgent, ONE, TWO, chapter=1)
    first, second = desk.prompt(0), desk.prompt(1)
    assert json.loads(block(first, "scene")) == {
        "number": 1,
        "of": 2,
        "summary": "She lights it.",
        "characters": ["Mara Voss"],
        "place": "The Lamp Room",
    }
    remark, cards = block(first, "characters").split("\n")
    assert remark == PEOPLE_REMARK
    assert json.loads(cards) == [{"name": "Mara Voss", "role": "keeper"}]
    assert [one["name"] for one in json.loads(block(first, "places").splitlines()[1])] == [
        "The Lamp Room"
    ]
    assert json.loads(block(first, "chapter"))["of"] == 3
    assert (block(first, "text"), block(second, "text")) == ("", ONE)
    shared = second.partition(f"{ONE}\n</text>")[0]
    assert first.startswith(shared.partition("<text>")[0].rstrip())
    assert block(first, "next") == "She lights it."
    assert block(second, "next") == "The next chapter, Part 2: 2: It happens."


async def test_CW_a_later_chapter_sees_the_last_summaries_and_the_end_of_the_one_before(
    tmp_path: Path,
) -> None:
    last = 7
    desk = desk_of(tmp_path, last)
    for number in range(1, last):
        desk.put(f".libriscribe/summaries/{number:02d}.md", f"Summary {number}. " * 200)
        desk.put(f"chapters/{number:02d}.md", f"# T\n\n{'early ' * 2000}the very end {number}")
    await desk.run(ChapterWriterAgent, ONE, TWO, chapter=last)
    prompt = desk.prompt(0)
    story = block(prompt, "story_so_far").splitlines()
    assert [line.partition(":")[0] for line in story] == [f"Chapter {n}" for n in range(1, last)]
    recent, earlier = story[-REMEMBERED:], story[:-REMEMBERED]
    assert min(map(len, recent)) > max(map(len, earlier))
    assert sum(map(len, story)) <= 12_000
    before = block(prompt, "text_before")
    assert before.endswith("the very end 6")
    assert len(before) <= 16_000


async def test_CW_what_no_record_tells_is_shown_as_it_was_planned(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, 5)
    for number in range(1, 5):
        desk.put(f"chapters/{number:02d}.md", f"# T\n\nThe text of {number}.")
    await desk.run(ChapterWriterAgent, ONE, TWO, chapter=5)
    story = block(desk.prompt(0), "story_so_far").splitlines()
    assert story[-1] == "Chapter 4, as planned: 4: It happens."


async def test_T2_a_chapter_that_is_written_from_its_plan_reads_no_other_text(
    tmp_path: Path,
) -> None:
    """The files of an earlier draft may lie there."""
    desk = desk_of(tmp_path, 5, drafting="redblack")
    for number in range(1, 6):
        desk.put(f"chapters/{number:02d}.md", f"# T\n\nThe text of {number}. " * 20)
        desk.put(f".libriscribe/summaries/{number:02d}.md", f"The sum of {number}.")
    await desk.run(ChapterWriterAgent, ONE, TWO, chapter=3)
    assert not any(told in desk.prompt(0) for told in ("The text of", "The sum of"))
    assert "Chapter 2 ends so: 2: It happens." in block(desk.prompt(0), "as_planned")
    await desk.run(ChapterWriterAgent, ONE, TWO, chapter=2)
    assert block(desk.prompt(0), "text_before").endswith("The text of 1.")
    assert "The text of 3." in block(desk.prompt(1), "text_after")
    assert "text of 2" not in desk.prompt(0)


async def test_a_chapter_is_written_from_the_facts_that_still_stand(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, 3)
    desk.put("chapters/01.md", "# T\n\nOne.\n\nMara kept the key.\n")
    desk.put("chapters/02.md", "# T\n\nThe text of 2.\n")
    told = [("has: the key", "Mara kept the key"), ("has: a lamp", "Mara took the lamp")]
    facts = [
        {"entity": "Mara", "attribute": "possession", "value": value, "quote": quote, "line": 1}
        for value, quote in told
    ]
    desk.put(".libriscribe/canon/01.json", {"facts": facts})
    with desk.hired(ChapterWriterAgent, ONE, TWO) as writer:
        await writer.execute(ChapterWriterAgent.unit(3))
        packs = [ContextManifest.model_validate(one) for one in writer.made_from.manifests]
    assert "- Mara Voss, possession: has: key (chapter 1)" in desk.prompt(0)
    assert "a lamp" not in desk.prompt(0)
    assert [(one.chapter, one.scene) for one in packs] == [(3, 1), (3, 2)]
    assert [one.key for one in packs] == [call.key() for call in desk.calls]
    assert [(fact.chapter, fact.line) for fact in packs[0].facts] == [(1, 5)]


@pytest.mark.parametrize(
    ("planned", "entity", "value", "is_shown"),
    [
        ("She opens the ledger.", "the harbour ledger", "lies open", True),
        ("She draws the last nail.", "nails in the cellar door", "five are left", True),
        ("She opens the ledger.", "the ledger clerk's coat", "is out", False),
        ("She opens the ledger.", "clasp of the ledger", "is bent", False),
        ("Sie nimmt den Schlüssel und geht in das Haus.", "Schlüssel zum Turm", "verbogen", True),
        ("Sie nimmt den Schlüssel und geht in das Haus.", "Licht im Turm", "brennt", False),
    ],
)
async def test_a_thing_is_known_by_the_word_that_says_what_it_is(
    tmp_path: Path, planned: str, entity: str, value: str, is_shown: bool
) -> None:
    desk = desk_of(tmp_path, 2)
    desk.put("chapters/01.md", "# T\n\nIt was so, and nobody had seen it.\n")
    stated = {"quote": "It was so, and nobody had seen it", "line": 3}
    facts = [
        {"entity": entity, "attribute": "state", "value": value, **stated},
        {"entity": "Ole", "attribute": "possession", "value": f"has: {entity}", **stated},
    ]
    desk.put(".libriscribe/canon/01.json", {"facts": facts})
    scenes = [{"summary": planned, "characters": ["Mara Voss"], "place": "The Lamp Room"}]
    desk.put("scenes.json", {"chapters": [{"chapter": n, "scenes": scenes} for n in (1, 2)]})
    await desk.run(ChapterWriterAgent, ONE, chapter=2)
    state = block(desk.prompt(0), "state")
    assert (value in state, "Ole, possession" in state) == (is_shown, is_shown)


async def test_what_ends_is_not_told_of_the_place_where_it_is(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, 3)
    lamp, place = "under a cloth", "The lamp stands here under a cloth"
    text = "She drew the cloth over it and shut the lid."
    desk.put("chapters/01.md", f"# T\n\n{text}\n")
    desk.put("chapters/02.md", "# T\n\nThe cloth was gone.\n")
    told = {"attribute": "state", "line": 3}
    facts = [
        {"entity": "the lamp", "value": lamp, "quote": "drew the cloth over it", **told},
        {"entity": "The Lamp Room", "value": place, "quote": text, **told},
        {"entity": "the chest", "value": "shut", "quote": text, **told},
    ]
    desk.put(".libriscribe/canon/01.json", {"facts": facts})
    end = {"stated": "drew the cloth over it", "quote": "The cloth was gone", "now": "bare"}
    ended = [{"entity": "the lamp", "attribute": "state", "value": lamp, **end}]
    desk.put(".libriscribe/canon/02.json", {"facts": [], "ended": ended})
    scenes = [{"summary": "She looks at lamp and chest.", "place": "The Lamp Room"}]
    desk.put("scenes.json", {"chapters": [{"chapter": n, "scenes": scenes} for n in (1, 2, 3)]})
    await desk.run(ChapterWriterAgent, ONE, chapter=3)
    state = block(desk.prompt(0), "state")
    assert "the lamp, state: bare (chapter 2)" in state
    assert "the chest, state: shut (chapter 1)" in state
    assert lamp not in state


async def test_a_book_of_facts_is_shown_what_it_said_where_it_goes_back_to_a_note(
    tmp_path: Path,
) -> None:
    """It has no record of what its chapters state."""
    desk = desk_of(tmp_path, 2, book_kind="non-fiction")
    said = "Salt was taxed by weight [@n-0123456789ab], and the clerk weighed it wet."
    other = "The road was long, and nobody who went along it has left a word of it. " * 14
    parts = (other, said, f"{other}\n\n## Next", "The end of it.")
    desk.put("chapters/01.md", "# T\n\n" + "\n\n".join(parts))
    plan = outline(2)
    plan["chapters"][1]["payoffs"] = ["n-0123456789ab"]
    desk.put("outline.json", plan)
    scenes = [{"summary": "Who walked the long road, and who left a word?"}]
    scenes += [{"summary": "Was salt taxed by weight?"}]
    desk.put("scenes.json", {"chapters": [{"chapter": n, "scenes": scenes} for n in (1, 2)]})
    await desk.run(ChapterWriterAgent, ONE, TWO, chapter=2)
    passages = block(desk.prompt(0), "passages")
    assert said in passages
    assert "The end of it." not in passages


async def test_the_plan_says_how_long_each_scene_is(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, 1, words=800)
    scenes = [{"summary": "S", "target_words": 300}, {"summary": "S", "target_words": 100}]
    desk.put("scenes.json", {"chapters": [{"chapter": 1, "scenes": scenes}]})
    await desk.run(ChapterWriterAgent, f"{ONE} " * 28, f"{TWO} " * 9, chapter=1)
    assert "about 600 words" in desk.prompt(0)
    assert "about 200 words" in desk.prompt(1)


async def test_QU_what_comes_next_is_shown_in_short(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, 1)
    scenes = [{"summary": "S"}, {"summary": "next " * 500}]
    desk.put("scenes.json", {"chapters": [{"chapter": 1, "scenes": scenes}]})
    await desk.run(ChapterWriterAgent, ONE, TWO, chapter=1)
    assert 0 < len(block(desk.prompt(0), "next")) <= 700


async def test_CW_a_reply_that_is_fenced_is_unwrapped_and_an_empty_one_refused(
    tmp_path: Path,
) -> None:
    desk = desk_of(tmp_path)
    script = (f"```\n{ONE}\n```", "", TWO)
    text = await desk.run(ChapterWriterAgent, *script, chapter=1)
    assert text == f"# Part 1\n\n{ONE}{SCENE_BREAK}{TWO}\n"
    assert [dump["attempt"] for dump in desk.dumps()] == [1, 1, 2]


async def test_CW_prose_that_was_cut_is_continued(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    cut = Completion(f"{ONE} She went and", finish_reason="length")
    text = await desk.run(ChapterWriterAgent, cut, " came back.", TWO, chapter=1)
    assert text == f"# Part 1\n\n{ONE} She went and came back.{SCENE_BREAK}{TWO}\n"


async def test_OV_34_half_a_chapter_is_no_chapter(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    with pytest.raises(MaxRetriesExceededError):
        await desk.run(ChapterWriterAgent, ONE, "", "A remark.", "", chapter=1)
    assert desk.anew == ["chapters/ch01/scene02"]
    await desk.run(ChapterWriterAgent, TWO, chapter=1)
    assert [call.step for call in desk.calls] == ["chapters/ch01/scene02"]


def test_CW_a_chapter_depends_on_the_one_before_and_the_last_summaries() -> None:
    assert (
        ChapterWriterAgent.inputs(ChapterWriterAgent.unit(1), DraftOrder())
        == ChapterWriterAgent.reads
    )
    fifth = ChapterWriterAgent.inputs(ChapterWriterAgent.unit(5), DraftOrder())
    assert fifth[len(ChapterWriterAgent.reads) :] == (
        "chapters/04.md",
        *(f".libriscribe/summaries/0{n}.md" for n in (2, 3, 4)),
    )


async def test_SU_a_chapter_is_summarised_as_it_was_written(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    desk.put("chapters/02.md", "# Part 2\n\nShe lit it.\n")
    assert await desk.run(SummarizerAgent, f" {ONE} ", chapter=2) == f"{ONE}\n"
    assert "She lit it." in block(desk.prompt(), "text")
    assert json.loads(block(desk.prompt(), "chapter"))["number"] == 2
    assert "about 110 words" in desk.prompt()
    assert SummarizerAgent.inputs(SummarizerAgent.unit(2), DraftOrder()) == ("chapters/02.md",)


async def test_a_chapter_sees_its_files_as_they_are_when_it_is_written(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    desk.put("chapters/01.md", f"# Part 1\n\n{ONE}\n")
    await desk.run(SummarizerAgent, "She lit the lamp. " * 9, chapter=1)
    desk.put("chapters/01.md", f"# Part 1\n\n{THREE}\n")
    desk.put(".libriscribe/summaries/01.md", "She put it out.")
    await desk.run(ChapterWriterAgent, TWO, TWO, chapter=2)
    prompt = desk.prompt(0)
    assert block(prompt, "text_before") == THREE
    assert "She put it out." in block(prompt, "story_so_far")
    assert ONE not in prompt


async def test_SU_what_the_next_chapter_cannot_read_is_not_missed_by_a_summary(
    tmp_path: Path,
) -> None:
    desk = desk_of(tmp_path)
    desk.put("chapters/01.md", f"# Part 1\n\n{ONE}\n")
    desk.put("scenes.json", "no plan")
    assert await desk.run(SummarizerAgent, "She lit the lamp. " * 9, chapter=1)


async def test_SU_a_very_long_chapter_is_summarised_in_parts(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    desk.put("chapters/01.md", "\n\n".join(["word " * 1000] * 14))
    text = await desk.run(SummarizerAgent, ONE, TWO, THREE, chapter=1)
    assert text == f"{ONE}\n\n{TWO}\n\n{THREE}\n"
    assert [call.step for call in desk.calls] == [f"summaries/ch01/part0{n}" for n in (1, 2, 3)]
    assert all(len(block(desk.prompt(n), "text")) <= PART_BUDGET for n in range(3))
    assert "about 40 words" in desk.prompt(0)


async def test_TI_a_title_is_chosen_from_the_summaries(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, 2, auto_title=True)
    for number in (1, 2):
        desk.put(f".libriscribe/summaries/0{number}.md", f"What happened in {number}.")
    made = await desk.run(TitleGeneratorAgent, json.dumps({"title": "Low Water"}))
    assert isinstance(made, TitleFile)
    assert made.title == "Low Water"
    assert "1. Part 1: What happened in 1." in desk.prompt()
    assert desk.schema()["title"]["maxLength"] == 120


@pytest.mark.parametrize(
    ("brief", "chosen", "title"),
    [
        ({"title": 'Mine: a "book"'}, "Chosen", 'Mine: a "book"'),
        ({}, "Chosen", "Chosen"),
        ({}, None, "The Log"),
    ],
)
async def test_MA_the_title_page_has_the_best_title(
    tmp_path: Path, brief: dict[str, str], chosen: str | None, title: str
) -> None:
    desk = desk_of(tmp_path, 1, author="A. Writer", **brief)
    desk.put("chapters/01.md", "# Part 1\r\n\r\nText.\r\n")
    if chosen is not None:
        desk.put("title.json", {"title": chosen})
    text = await desk.run(ManuscriptAgent)
    assert isinstance(text, str)
    page, _, rest = text.removeprefix("---\n").partition("---\n\n")
    fields = dict(line.split(": ", 1) for line in page.splitlines())
    assert {key: json.loads(value) for key, value in fields.items()} == {
        "title": title,
        "author": "A. Writer",
        "category": "Fiction",
        "language": "English",
        "target_audience": "General",
    }
    assert rest == "# Part 1\n\nText.\n"
    assert desk.calls == []


async def test_MA_chapters_stand_in_order_as_they_are(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, MANY)
    for number in range(1, MANY + 1):
        desk.put(f"chapters/{number:02d}.md", f"# C{number}\n\nText *{number}*.\n\n")
    text = await desk.run(ManuscriptAgent)
    assert isinstance(text, str)
    expected = "\n\n".join(f"# C{n}\n\nText *{n}*." for n in range(1, MANY + 1))
    assert text.endswith(f"---\n\n{expected}\n")
