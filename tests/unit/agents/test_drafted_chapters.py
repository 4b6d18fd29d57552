"""Chapters that are drafted all at once: drafts from plans, openings between neighbours."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_desk import AgentDesk

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.chapter_writer import ChapterWriterAgent, DraftWriterAgent
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.project.paths import chapter_file, draft_file
from libriscribe2.prose import round_words

PARALLEL = DraftOrder("parallel", 3)
MARK = "[@n-0123456789ab]"
WAY_IN = " ".join(f"She counted {n} lamps." for n in range(1, 63))
NEW = " ".join(f"Then she lit lamp {n}." for n in range(1, 61))
DRAFTS = [f"# Part {n}\n\n{WAY_IN}\n\nThe middle of {n}.\n\nThe end of {n}.\n" for n in (1, 2, 3)]


def desk_of(folder: Path, drafts: list[str] | None = None) -> AgentDesk:
    desk = AgentDesk(folder, drafting="parallel", words=180)
    desk.planned(3)
    for number, text in enumerate(DRAFTS if drafts is None else drafts, start=1):
        desk.put(draft_file(number), text)
    return desk


async def opened_by(desk: AgentDesk, *script: Any, chapter: int) -> tuple[str, str]:
    """A chapter and the remark on it."""
    with desk.hired(ChapterWriterAgent, *script) as agent:
        text = await agent.execute(ChapterWriterAgent.unit(chapter))
        assert isinstance(text, str)
        return text, agent.made_from.remark


async def test_T7_an_opening_is_written_between_the_end_before_it_and_its_own_rest(
    tmp_path: Path,
) -> None:
    desk = desk_of(tmp_path)
    text, remark = await opened_by(desk, NEW, chapter=2)
    assert text == f"# Part 2\n\n{NEW}\n\nThe middle of 2.\n\nThe end of 2.\n"
    assert remark == ""
    assert [call.step for call in desk.calls] == ["chapters/ch02/opening"]
    shown = desk.prompt()
    blocks = {
        name: re.findall(rf"<{name}>\n(.*?)\n</{name}>", shown, re.DOTALL)
        for name in ("text_before", "opening", "text_after", "scene", "characters")
    }
    assert blocks["text_before"] == ["The middle of 1.\n\nThe end of 1."]
    assert blocks["opening"] == [WAY_IN]
    assert blocks["text_after"] == ["The middle of 2.\n\nThe end of 2."]
    assert "She lights it." in blocks["scene"][0]
    assert "Mara Voss" in blocks["characters"][0]
    assert f"about {round_words(len(WAY_IN.split()))} words" in shown


async def test_T7_the_first_chapter_is_its_draft(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    assert await opened_by(desk, chapter=1) == (DRAFTS[0], "")
    assert desk.calls == []


async def test_T7_a_chapter_of_one_sentence_is_its_draft(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, [DRAFTS[0], "# Part 2\n\nNothing came.\n", DRAFTS[2]])
    assert await opened_by(desk, chapter=2) == ("# Part 2\n\nNothing came.\n", "")


async def test_T13_an_opening_that_cannot_be_used_leaves_the_draft_and_says_so(
    tmp_path: Path,
) -> None:
    cited = DRAFTS[1].replace("She counted 3 lamps.", f"She counted 3 lamps {MARK}.")
    desk = desk_of(tmp_path, [DRAFTS[0], cited, DRAFTS[2]])
    text, remark = await opened_by(desk, NEW, chapter=2)
    assert text == cited
    assert "does not cite the same notes" in remark


@pytest.mark.parametrize("replies", [("",) * 6, ("No.",) * 3])
async def test_T13_where_no_opening_comes_the_draft_is_not_lost(
    tmp_path: Path, replies: tuple[str, ...]
) -> None:
    desk = desk_of(tmp_path)
    text, remark = await opened_by(desk, *replies, chapter=2)
    assert text == DRAFTS[1]
    assert "no new one came" in remark


async def test_QU_the_chapter_before_that_the_author_changed_is_shown_as_it_is(
    tmp_path: Path,
) -> None:
    desk = desk_of(tmp_path)
    desk.put(chapter_file(1), "# Mine\n\nThe sea took the lamp.<!-- mine -->\n")
    await opened_by(desk, NEW, chapter=2)
    assert "The sea took the lamp." in desk.prompt()
    assert "The end of 1." not in desk.prompt()


async def test_T2_a_draft_sees_no_other_chapter(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    desk.put(chapter_file(1), "# Part 1\n\nThe sea took the lamp.\n")
    one, two = (" ".join(f"{word} {n}." for n in range(15)) for word in ("One", "Two"))
    script = (one, two, '{"issues": []}')
    text = await desk.run(DraftWriterAgent, *script, chapter=2)
    assert text == f"# Part 2\n\n{one}\n\n* * *\n\n{two}\n"
    steps = ("scene01", "scene02", "critique1")
    assert [call.step for call in desk.calls] == [f"drafts/ch02/{one}" for one in steps]
    shown = [desk.prompt(n) for n in range(3)]
    assert not any("sea took" in prompt or "lamps" in prompt for prompt in shown)


@pytest.mark.parametrize("agent", [ChapterWriterAgent, DraftWriterAgent])
def test_T2_nothing_waits_for_a_chapter_where_all_are_drafted_at_once(agent: type[Agent]) -> None:
    for number in (1, 2, 3):
        awaited = agent.awaits(agent.unit(number), PARALLEL)
        assert not any(name.startswith("chapters/") for name in awaited)
        drafts = {name for name in awaited if "drafts" in name}
        beside = {draft_file(n) for n in (number - 1, number) if n}
        assert drafts == (beside if agent is ChapterWriterAgent else set())
