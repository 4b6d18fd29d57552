"""Parts of the book as text of a bounded size."""

import json

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.models.brief import Brief
from libriscribe2.models.excerpts import (
    PREMISE_BUDGET,
    book_lines,
    cards,
    cast_of,
    chapter_block,
    concept_block,
    premise_block,
    scene_block,
    to_json,
)
from libriscribe2.models.story import Character, ConceptModel, Entry, OutlineChapter, ScenePlan
from libriscribe2.prose import weigh

TEXTS = st.text(alphabet="ab .!\n", max_size=400)


def test_the_brief_is_shown_without_what_was_not_said() -> None:
    lines = book_lines(Brief(premise="x", title="T", language="Deutsch")).splitlines()
    assert lines[0] == "title: T"
    assert "language: Deutsch" in lines
    assert not any(line.startswith(("tone", "genre")) for line in lines)


def test_empty_fields_are_left_out_of_json() -> None:
    shown = json.loads(to_json(Character(name="Ada", role="keeper")))
    assert shown == {"name": "Ada", "role": "keeper"}


def test_a_chapter_is_shown_with_its_number() -> None:
    shown = json.loads(chapter_block(OutlineChapter(title="T", summary="S"), 2, 9))
    assert shown == {"number": 2, "of": 9, "title": "T", "summary": "S"}


@given(st.lists(TEXTS, max_size=6), st.integers(8, 1500))
def test_cards_keep_to_their_budget(texts: list[str], budget: int) -> None:
    described = [text for text in texts if text.strip()]
    entries = [Entry(name=f"N{n}", description=text) for n, text in enumerate(described)]
    shown = cards(entries, ("name", "description"), budget)
    names = [row["name"] for row in json.loads(shown)]
    assert names == [entry.name for entry in entries][: len(names)]
    assert weigh(shown) <= budget


def test_of_very_many_entries_the_first_are_shown() -> None:
    entries = [Entry(name=f"Person {n}", description="d") for n in range(2_000)]
    shown = cards(entries, ("name", "description"), 1_200)
    assert 900 < len(shown) <= 1_200
    assert json.loads(shown)[0]["name"] == "Person 0"


def test_the_last_fields_go_first() -> None:
    entries = [Entry(name="Harbour", description="d" * 200)]
    assert json.loads(cards(entries, ("name", "description"), 60)) == [{"name": "Harbour"}]


def test_long_fields_are_cut_in_every_block() -> None:
    long = "word " * 4_000
    brief = Brief(premise=long[:19_000], genre=long[:9_000])
    concept = ConceptModel(title="T", logline=long, description=long)
    plan = ScenePlan(summary=long, goal=long, characters=["A"] * 90)
    assert len(premise_block(brief)) <= PREMISE_BUDGET
    assert len(book_lines(brief)) < 500
    assert len(concept_block(concept)) < 6_500
    assert len(chapter_block(OutlineChapter(title=long, summary=long), 1, 2)) < 2_000
    assert len(scene_block(plan, 1, 2)) < 2_000


def test_a_cast_is_found_by_full_names_and_by_unambiguous_parts() -> None:
    cast = [Character(name=name, role="r") for name in ("Ada Brown", "Bo Brown", "Cy")]

    def named(*names: str) -> list[str]:
        plan = ScenePlan(summary="s", characters=list(names))
        return [person.name for person in cast_of(plan, cast)]

    assert named("Bo Brown", "cy") == ["Bo Brown", "Cy"]
    assert named("Ada", "an old fisherman") == ["Ada Brown"]
    assert named("Brown") == []
