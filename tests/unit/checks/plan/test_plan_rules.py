"""Every rule over the plan of a story finds its planted fault, and nothing in a sound plan."""

from typing import Any, Final

import pytest
from tests.support.planned_books import (
    WORDS,
    Change,
    people,
    put,
    put_all,
    put_scene,
    put_thread,
    story,
    told,
)

from libriscribe2.models.draft_order import ENDING_MOVES, OPENING_MOVES


def long_scenes(plan: dict[str, Any]) -> None:
    for scene in plan["scenes"][0]["scenes"]:
        scene["target_words"] = 900


def back_to_morning(plan: dict[str, Any]) -> None:
    put_scene(1, 2, time="day 2, evening")(plan)
    put_scene(2, 1, time="day 2, morning")(plan)


def tidy(plan: dict[str, Any]) -> None:
    for chapter in plan["chapters"]:
        chapter |= {"pov": "Ada Brown", "opening_move": "action"}
    for thread in plan["threads"]:
        thread["payoff"] = 8


FAULTS: Final[dict[str, tuple[str, str, Change]]] = {
    "one opening too often": (
        *("P1", "outline.json"),
        put_all("opening_move", *["action"] * 5, "image", "dialogue", ""),
    ),
    "one ending too often": (
        *("P2", "outline.json"),
        put_all("ending_move", *[ENDING_MOVES[1]] * 5, *ENDING_MOVES[2:5]),
    ),
    "too many quiet endings": (
        *("P3", "outline.json chapter 6"),
        put_all("ending_move", *("", "", "quiet") * 2, "", ""),
    ),
    "no payoff": ("P4", "outline.json chapter 1", put_thread(0, payoff=None)),
    "a payoff at the setup": ("P4", "outline.json chapter 2", put_thread(1, payoff=2)),
    "a payoff after it is due": ("P4", "outline.json chapter 2", put_thread(1, due_by=5)),
    "a setup after the end": ("P4", "outline.json", put_thread(1, setup=12)),
    "one id for two threads": ("P4", "outline.json", put_thread(1, id="Bell")),
    "a thread that is not there": ("P5", "outline.json chapter 5", put(5, plants=["ghost"])),
    "planted too early": ("P5", "outline.json chapter 1", put(1, plants=["bell", "debt"])),
    "planted after its payoff": ("P5", "outline.json chapter 8", put(8, plants=["debt"])),
    "a setup that no chapter names": ("P5", "outline.json chapter 1", put(1, plants=[])),
    "a payoff that no chapter names": ("P5", "outline.json chapter 8", put(8, payoffs=[])),
    "paid off elsewhere": ("P5", "outline.json chapter 6", put(6, payoffs=["bell"])),
    "a flat tension": ("P6", "outline.json", put_all("tension", *[5] * 7, 6)),
    "a tension that only rises": ("P6", "outline.json", put_all("tension", *range(1, 9))),
    "a tension that only falls": ("P6", "outline.json", put_all("tension", *range(9, 1, -1))),
    "one thread alive": ("P7", "outline.json chapter 4", put_thread(1, payoff=3)),
    "a name one letter off": ("P8", "characters.json", people("Jan Olsen")),
    "a name of the same sound": ("P8", "characters.json", people("Adah Stone")),
    "a worn name": ("P9", "characters.json", people("Elara Stone")),
    "even lengths": ("P10", "outline.json", put_all("target_words", *[1000] * 8)),
    "uneven lengths": ("P10", "outline.json", put_all("target_words", *[100, 2000] * 4)),
    "lengths of another book": (
        *("P10", "outline.json"),
        put_all("target_words", *(number * 2 for number in WORDS)),
    ),
    "scenes too long": ("P10", "scenes.json chapter 1", long_scenes),
    "time running backwards": ("P11", "outline.json chapter 5", put(5, story_time="day 3")),
    "dates running backwards": (
        *("P11", "outline.json chapter 2"),
        put_all("story_time", "3 May 1921", "May 1, 1921", *[""] * 6),
    ),
    "a scene before the last": ("P11", "scenes.json chapter 2 scene 1", back_to_morning),
    "nobody known": (
        *("P12", "scenes.json chapter 3 scene 1"),
        put_scene(3, 1, characters=["the baker"]),
    ),
    "a misspelt name": (
        *("P12", "scenes.json chapter 3 scene 2"),
        put_scene(3, 2, characters=["Ada Brown", "Jon Ode"]),
    ),
    "an unknown place": (
        *("P13", "scenes.json chapter 3 scene 1"),
        put_scene(3, 1, place="The Bakery"),
    ),
    "a misspelt place": (
        *("P13", "scenes.json chapter 3 scene 2"),
        put_scene(3, 2, place="The Lamb Room"),
    ),
    "somebody elsewhere": (
        *("P14", "outline.json chapter 2"),
        put(2, entry_state="Ada is on the Slip.", story_time=""),
    ),
    "a tidy plan": ("P21", "outline.json", tidy),
    "no conflict": ("P15", "scenes.json chapter 3 scene 2", put_scene(3, 2, conflict=" ")),
}


def test_a_sound_story_has_no_findings() -> None:
    assert told(story()) == {}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    rule, place, change = FAULTS[fault]
    plan = story()
    change(plan)
    assert place in told(plan).get(rule, set())


UNCLEAR: Final[dict[str, Change]] = {
    "marked in the time": put(5, story_time="day 1, a flashback"),
    "marked in the title": put(5, story_time="day 1", title="The Prologue"),
    "a skip": put(5, story_time="day 1", opening_move="time-skip"),
    "relative": put(5, story_time="two days earlier"),
    "seasons": put_all("story_time", "winter 1921", "spring 1921", *[""] * 6),
    "night": put_all("story_time", "day 3, night", "day 3, morning", *[""] * 6),
    "two clocks": put_all("story_time", "3 May", "14:00", *[""] * 6),
}


@pytest.mark.parametrize("time", UNCLEAR)
def test_a_time_that_is_marked_or_unclear_is_no_fault(time: str) -> None:
    plan = story()
    UNCLEAR[time](plan)
    assert "P11" not in told(plan)


def test_a_language_that_code_does_not_read_gets_the_neutral_rules() -> None:
    plan = story() | {"english": False}
    put_all("opening_move", *[OPENING_MOVES[0]] * 8)(plan)
    assert told(plan).keys() == {"P1"}
