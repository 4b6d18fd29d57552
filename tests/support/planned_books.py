"""Sound plans of a story and of a book of facts, and ways to plant a fault in one."""

from collections.abc import Callable
from typing import Any

from libriscribe2.checks.plan.plan import Plan
from libriscribe2.checks.plan.plan_report import plan_findings
from libriscribe2.models.draft_order import ENDING_MOVES, OPENING_MOVES
from libriscribe2.models.story import OutlineChapter, PlannedChapter
from libriscribe2.models.story_bible import Thread

Change = Callable[[dict[str, Any]], None]

NOTES = tuple(f"n-{number:012x}" for number in range(4))
TENSION = (3, 5, 4, 7, 6, 9, 8, 4)
WORDS = (900, 1200, 1000, 1400, 1100, 1500, 900, 1300)


def chapters(count: int = 8) -> list[dict[str, Any]]:
    moves = [move for move in ENDING_MOVES if move != "quiet"]
    return [
        {
            "title": f"Part {number}",
            "summary": "It happens.",
            "tension": TENSION[(number - 1) % 8],
            "opening_move": OPENING_MOVES[(number - 1) % 9],
            "ending_move": moves[(number - 1) % 9],
            "story_time": f"day {number}, morning",
            "target_words": WORDS[(number - 1) % 8],
            "entry_state": "Ada Brown is in the Lamp Room.",
            "exit_state": "Ada Brown is in the Lamp Room.",
            "plants": {1: ["bell"], 2: ["debt"]}.get(number, []),
            "payoffs": {7: ["debt"], 8: ["bell"]}.get(number, []),
        }
        for number in range(1, count + 1)
    ]


def scene(**more: Any) -> dict[str, Any]:
    return {
        "summary": "She lights it.",
        "goal": "To light it",
        "conflict": "The wind",
        "outcome": "Light",
        "characters": ["Ada Brown"],
        "place": "The Lamp Room",
        "time": "",
        **more,
    }


def story() -> dict[str, Any]:
    return {
        "chapters": chapters(),
        "threads": [
            {"id": "bell", "promise": "Who rang it?", "setup": 1, "payoff": 8, "due_by": 8},
            {"id": "debt", "promise": "Who is owed?", "setup": 2, "payoff": 7},
        ],
        "scenes": [{"chapter": n, "scenes": [scene(), scene()]} for n in range(1, 9)],
        "people": ["Ada Brown", "Jon Ide"],
        "places": ["The Lamp Room", "The Slip"],
        "words": sum(WORDS),
    }


def facts() -> dict[str, Any]:
    plan = story() | {"threads": [], "story": False, "people": [], "terms": ["Proof", "Crumb"]}
    for number, chapter in enumerate(plan["chapters"], start=1):
        chapter["plants"] = [NOTES[number - 1]] if number <= len(NOTES) else []
        chapter["payoffs"] = []
    plan["chapters"][1]["plants"].append("Proof")
    for planned in plan["scenes"]:
        for number, section in enumerate(planned["scenes"]):
            plants = plan["chapters"][planned["chapter"] - 1]["plants"]
            section |= {"goal": "What is it?", "reveals": plants[number : number + 1]}
    return plan | {"notes": frozenset(NOTES)}


def built(plan: dict[str, Any]) -> Plan:
    return Plan(
        **plan
        | {
            "chapters": [OutlineChapter.model_validate(one) for one in plan["chapters"]],
            "threads": [Thread.model_validate(one) for one in plan["threads"]],
            "scenes": [PlannedChapter.model_validate(one) for one in plan["scenes"]],
        }
    )


def told(plan: dict[str, Any]) -> dict[str, set[str]]:
    """The places that each rule finds."""
    found: dict[str, set[str]] = {}
    for one in plan_findings(built(plan)):
        found.setdefault(one.rule, set()).add(one.where.name)
    return found


def put(number: int, **fields: Any) -> Change:
    return lambda plan: plan["chapters"][number - 1].update(fields)


def put_all(name: str, *values: Any) -> Change:
    def change(plan: dict[str, Any]) -> None:
        for chapter, value in zip(plan["chapters"], values, strict=True):
            chapter[name] = value

    return change


def put_thread(index: int, **fields: Any) -> Change:
    return lambda plan: plan["threads"][index].update(fields)


def put_scene(chapter: int, number: int, **fields: Any) -> Change:
    return lambda plan: plan["scenes"][chapter - 1]["scenes"][number - 1].update(fields)


def people(*names: str) -> Change:
    return lambda plan: plan.update(people=["Ada Brown", "Jon Ide", *names])
