"""Reading a manuscript: what is asked, how much is shown, and what code keeps of the answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_desk import AgentDesk

from libriscribe2.agents.agent_importer import (
    PART_BUDGET,
    SUMMARIES_BUDGET,
    ManuscriptReader,
    TakenOver,
    Written,
    questions,
)

BOOK: dict[str, Any] = {
    "premise": "A boat.", "summary": "All.", "genre": "", "overview": "", "rules": [],
    "characters": [],
}  # fmt: skip


def notes(*people: str, about: str = "A pilot.", **more: Any) -> str:
    seen = [{"name": name, "about": about} for name in people]
    told = {"summary": "It happens.", "people": seen, "places": [], "pov": ""}
    return json.dumps({**told, "exit_state": "", "story_time": "", **more})


def book(*cast: str) -> str:
    return json.dumps(BOOK | {"characters": [{"name": name, "role": "r"} for name in cast]})


def chapters(*titles: str) -> str:
    return json.dumps({"ending": "Home.", "chapters": [
        {"title": title, "summary": "Next."} for title in titles
    ]})  # fmt: skip


async def read(desk: AgentDesk, texts: list[str], *script: str, more: int = 0) -> TakenOver:
    written = [Written(f"Part {n}", text) for n, text in enumerate(texts, start=1)]
    with desk.hired(ManuscriptReader, *script) as agent:
        assert isinstance(agent, ManuscriptReader)
        return await agent.read(written, more)


async def test_a_short_name_is_the_long_one_where_only_one_has_it(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path)
    await read(
        *(desk, ["Ada Quell and Jon.", "Ada saw Jon Ide and Jon Oak.", "Jon went."]),
        *(notes("Ada Quell", "Jon"), notes("Ada", "Jon Ide", "Jon Oak"), notes("Jon"), book()),
    )
    shown = json.loads(desk.prompt(3).partition("<people>")[2].partition("</people>")[0])
    assert {row["name"]: row["chapters"] for row in shown} == {
        "Ada Quell": 2, "Jon": 2, "Jon Ide": 1, "Jon Oak": 1,
    }  # fmt: skip


async def test_a_name_that_the_text_does_not_hold_is_dropped_everywhere(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path)
    told = notes("Ada Quell", "Adalbert", places=[{"name": "The Quay", "about": "Wet."}])
    taken = await read(desk, ["Ada Quell, on the quay."], told, book("Ada Quell", "Elara", "Ada"))
    assert [one.name for one in taken.chapters[0].people] == ["Ada Quell"]
    assert [one.name for one in taken.book.characters] == ["Ada Quell", "Ada"]
    assert taken.places == {"The Quay": "Wet."}


async def test_a_long_chapter_is_read_in_parts(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path)
    text = "\n\n".join(["Ada went on and on. " * 60] * (PART_BUDGET // 1_000))
    first = notes("Ada", summary="First.", exit_state="On.")
    second = notes("Ada", summary="Second.", exit_state="Home.")
    taken = await read(desk, [text], first, second, book())
    assert [call.step for call in desk.calls] == [
        "import/ch01/part01",
        "import/ch01/part02",
        "import/book",
    ]
    whole = taken.chapters[0]
    assert (whole.summary, whole.exit_state) == ("First. Second.", "Home.")


async def test_chapters_that_follow_are_asked_for_in_batches(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path)
    first, second = (
        chapters(*(f"C{n}" for n in range(low, high))) for low, high in ((2, 22), (22, 24))
    )
    taken = await read(desk, ["Ada."], notes("Ada"), book(), first, second, more=22)
    assert [one.title for one in taken.following] == [f"C{n}" for n in range(2, 24)]
    assert taken.ending == "Home."
    assert "the next 20 chapters after chapter 1." in desk.prompt(2)
    assert "the next 2 chapters after chapter 21, which bring the book to its end" in desk.prompt(3)
    assert "21. C21: Next." in desk.prompt(3)
    assert len(desk.calls) == questions([Written("Part 1", "Ada.")], 22)


@pytest.mark.parametrize("count", [6, 24, 150])
async def test_no_prompt_grows_with_the_book(tmp_path: Path, count: int) -> None:
    desk = AgentDesk(tmp_path)
    told = [notes(f"Ada {chr(65 + n % 26)}", summary="Long. " * 150) for n in range(count)]
    texts = [f"Ada {chr(65 + n % 26)} went." for n in range(count)]
    await read(desk, texts, *told, book(), chapters("X"), more=1)
    longest = max(len(str(call.messages)) for call in desk.calls)
    assert longest < SUMMARIES_BUDGET + 16_000
    assert "1. Part 1: Long." in desk.prompt(count)
    assert f"{count}. Part {count}: Long." in desk.prompt(count)
