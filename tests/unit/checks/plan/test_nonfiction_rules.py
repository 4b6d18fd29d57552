"""Every rule over the plan of a book of facts finds its planted fault."""

from typing import Final

import pytest
from tests.support.planned_books import NOTES, Change, facts, put, put_all, put_scene, told

LOST: Final = "n-00000000ffff"

FAULTS: Final[dict[str, tuple[str, str, Change]]] = {
    "a claim in two chapters": ("P16", "outline.json chapter 5", put(5, plants=[NOTES[0]])),
    "a claim in two sections": (
        *("P16", "scenes.json chapter 1 scene 2"),
        put_scene(1, 2, reveals=[NOTES[0]]),
    ),
    "a claim away from home": (
        *("P16", "scenes.json chapter 7 scene 1"),
        put_scene(7, 1, reveals=[NOTES[2]]),
    ),
    "a claim without a section": ("P16", "scenes.json chapter 3", put_scene(3, 1, reveals=[])),
    "gone back to before": ("P17", "outline.json chapter 1", put(1, payoffs=["Proof"])),
    "a term before its chapter": ("P17", "outline.json chapter 1", put(1, summary="On proof.")),
    "a term before its section": (
        *("P17", "scenes.json chapter 1 scene 2"),
        put_scene(1, 2, summary="A proof is made."),
    ),
    "a lost note in a chapter": (
        *("P18", "outline.json chapter 2"),
        put(2, summary=f"As {LOST} says."),
    ),
    "a lost note in a section": (
        *("P18", "scenes.json chapter 2 scene 1"),
        put_scene(2, 1, outcome=f"See [@{LOST}]."),
    ),
    "a heading of another form": (
        *("P19", "outline.json chapter 8"),
        put_all("title", *["What is it?"] * 7, "Bread"),
    ),
    "two questions": ("P20", "scenes.json chapter 2 scene 1", put_scene(2, 1, goal="What? Why?")),
    "no answer": ("P20", "scenes.json chapter 2 scene 1", put_scene(2, 1, outcome="")),
}


def test_a_sound_book_of_facts_has_no_findings() -> None:
    assert told(facts()) == {}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    rule, place, change = FAULTS[fault]
    plan = facts()
    change(plan)
    assert place in told(plan).get(rule, set())


def test_a_book_without_research_has_no_citations_to_resolve() -> None:
    plan = facts() | {"notes": None}
    put(2, summary=f"As {LOST} says.")(plan)
    assert "P18" not in told(plan)
