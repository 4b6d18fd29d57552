"""The canon keeper: a model says what a chapter states, code keeps what stands there."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_desk import AgentDesk

from libriscribe2.agents.story_bible_keeper import StoryBibleAgent
from libriscribe2.models.brief import Brief
from libriscribe2.models.story_bible import MOST_FACTS, StoryBibleFile
from libriscribe2.project.paths import story_bible_file

TEXT = """# Part 1

Mara Voss wiped the glass. Her green eyes never left the water.

"He is dead," said Jon. It was the *third* night of fog, and he held the brass lamp.
"""
NOBODY_KNOWS = {"day": None, "part": ""}


def fact(entity: str, attribute: str, value: str, quote: str) -> dict[str, Any]:
    return {
        "entity": entity,
        "attribute": attribute,
        "value": value,
        "quote": quote,
        "scene": 1,
        "time": NOBODY_KNOWS,
        "stance": "asserted",
    }


def reply(*facts: dict[str, Any], **more: Any) -> str:
    return json.dumps({"facts": facts, "events": [], "exit": {"people": [], "open": []}} | more)


EYES = fact("Mara", "eyes", "green", "Her green eyes never left the water")
MADE_UP = fact("Mara", "hair", "red", "Her red hair blew about her face")


def desk_of(folder: Path, text: str = TEXT, **brief: Any) -> AgentDesk:
    desk = AgentDesk(folder, **brief)
    desk.planned(2)
    desk.put("chapters/01.md", text)
    return desk


async def canon(desk: AgentDesk, *script: str) -> StoryBibleFile:
    made = await desk.run(StoryBibleAgent, *script, chapter=1)
    assert isinstance(made, StoryBibleFile)
    return made


async def test_T8_only_what_stands_in_the_text_is_kept_and_the_rest_is_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    event = {"what": "A wreck.", "quote": "the ship broke on the reef", "time": NOBODY_KNOWS}
    made = await canon(desk_of(tmp_path), reply(EYES, MADE_UP, events=[event]))
    assert [(one.entity, one.value, one.line) for one in made.facts] == [("Mara Voss", "green", 3)]
    assert (made.events, made.dropped) == ([], 2)
    assert "CANON_QUOTES_DROPPED: canon/ch01: 2" in caplog.text


async def test_a_quote_may_leave_out_emphasis_but_no_word(tmp_path: Path) -> None:
    whole = fact("story", "count", "3", "It was the third night of fog")
    short = fact("story", "count", "3", "It was the night of fog")
    made = await canon(desk_of(tmp_path), reply(whole, short))
    assert [(one.quote, one.line) for one in made.facts] == [(whole["quote"], 5)]


async def test_words_outside_the_lists_never_make_a_hard_fact(tmp_path: Path) -> None:
    odd = EYES | {"attribute": "Eye colour", "stance": "hinted", "time": None}
    strange = EYES | {"attribute": "aura", "time": {"day": "soon", "part": "dusk"}}
    made = await canon(desk_of(tmp_path), reply(odd, strange))
    assert [(one.attribute.value, one.stance) for one in made.facts] == [
        ("eyes", "believed"),
        ("other", "asserted"),
    ]
    assert all(one.time.model_dump() == NOBODY_KNOWS for one in made.facts)


async def test_a_fact_without_words_costs_that_fact_and_not_the_reading(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    made = await canon(desk, reply(EYES | {"quote": " "}, EYES, {"entity": "Mara"}))
    assert len(desk.calls) == 1
    assert [one.quote for one in made.facts] == [EYES["quote"]]


async def test_T1_a_long_chapter_is_read_in_parts_of_a_bounded_size(tmp_path: Path) -> None:
    lines = [f"She counted {number} lamps on the quay that night, and no more." for number in
             range(2_000)]  # fmt: skip
    desk = desk_of(tmp_path, "# Part 1\n\n" + "\n\n".join(lines))
    cast = [{"name": f"Person {n} of the Quay", "role": "somebody " * 20} for n in range(300)]
    desk.put("characters.json", {"characters": cast})
    rules = ["No lamp may burn. " * 10] * 100
    desk.put("world.json", {"overview": "A coast.", "places": [], "rules": rules})
    least = len("\n\n".join(lines)) // (12_000 * 4)
    told = [
        reply(
            *(fact("lamps", "count", str(n), lines[n]) for n in range(part * 20, part * 20 + 20)),
            exit={"people": [{"name": f"end {part}"}], "open": []},
        )
        for part in range(4 * least)
    ]
    made = await canon(desk, *told)
    assert least <= len(desk.calls) < 4 * least
    assert max(len(str(call.messages)) for call in desk.calls) <= 12_000 * 4
    assert len(made.facts) == MOST_FACTS
    assert made.exit.people[0].name == f"end {len(desk.calls) - 1}"


async def test_notes_to_the_program_are_not_shown(tmp_path: Path) -> None:
    desk = desk_of(
        tmp_path, TEXT.replace("Her green", "<!-- libriscribe2: allow R1 -->\nHer green")
    )
    made = await canon(desk, reply(EYES))
    assert "allow R1" not in desk.prompt()
    assert made.facts[0].line == 4


async def test_rules_of_the_world_are_shown_in_the_order_of_their_names(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    desk.put("world.json", {"overview": "A coast.", "places": [], "rules": ["No bell by night."]})
    await canon(desk, reply(EYES))
    said = "".join(str(one["content"]) for one in desk.calls[0].messages)
    assert "<rules>\n- No bell by night.\n</rules>" in said


def test_a_book_has_a_canon_if_it_is_a_story_and_the_author_wants_one() -> None:
    assert StoryBibleAgent.wanted(Brief(premise="p"))
    assert not StoryBibleAgent.wanted(Brief(premise="p", category="Business"))
    assert not StoryBibleAgent.wanted(Brief(premise="p", story_bible=False))


def test_a_chapter_that_moves_takes_its_facts_along() -> None:
    made = StoryBibleFile.model_validate({"facts": [EYES | {"line": 3}]})
    assert [(one.chapter, one.line) for one in made.of_chapter(7)] == [(7, 3)]
    assert "chapter" not in made.model_dump_json()


async def test_what_the_state_shows_and_the_ledger_does_not_is_ended_by_its_words(
    tmp_path: Path,
) -> None:
    desk = desk_of(tmp_path)
    has = fact("Jon Ide", "possession", "has: brass lamp", "he held the brass lamp")
    made = await canon(desk, reply(has))
    desk.put(story_bible_file(1), made.model_dump(mode="json"))
    desk.put("chapters/02.md", "# Part 2\n\nMara Voss sold what had hung in the tower.\n")
    end = {
        "line": "Jon Ide, possession: has: brass lamp (chapter 1)",
        "quote": "Mara Voss sold what had hung in the tower",
        "now": "",
    }
    read = await desk.run(StoryBibleAgent, reply(ended=[end]), chapter=2)
    assert isinstance(read, StoryBibleFile)
    assert [(one.entity, one.value) for one in read.ended] == [("Jon Ide", "has: brass lamp")]
