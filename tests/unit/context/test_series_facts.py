"""Facts of the book before in a scene's pack: beside the own ones, within the same budget."""

import json
from dataclasses import replace

import pytest
from tests.support.rich_book import PEOPLE, SCENES, state

from libriscribe2.context.prompt_context import PromptContext
from libriscribe2.context.scene_context import BUDGET, scene_context
from libriscribe2.models.story_bible import Attribute, Fact

ORIGIN = "../first/chapters/02.md"


def given(number: int) -> tuple[Fact, ...]:
    """What so many people of the book before know at its end."""
    return tuple(
        Fact(
            entity=PEOPLE[at % len(PEOPLE)],
            attribute=Attribute.PROMISE,
            value=f"vow {at} of the book before, sworn on the sluice and never taken back",
            chapter=0,
            origin=ORIGIN,
            line=at + 1,
            quote=f"vow {at}",
        )
        for at in range(number)
    )


def after_first(number: int, chapters: int, facts: int) -> PromptContext:
    one = state(number, chapters)
    return replace(one, facts=(*given(facts), *one.facts))


@pytest.mark.parametrize("number", [1, 2, 9, 28])
def test_every_part_of_the_book_is_shown_some_facts_of_the_book_before(number: int) -> None:
    shown = scene_context(after_first(number, 30, 200), 0).manifest.facts
    of_first = [one for one in shown if one.file == ORIGIN]
    assert len(of_first) >= 5
    assert {one.chapter for one in of_first} == {0}
    own = [one for one in shown if not one.file]
    assert bool(own) == (number > 1)
    assert len(own) >= len(of_first) or number <= 2


def test_T1_a_series_makes_no_prompt_longer() -> None:
    for number in (1, 14, 30):
        packed = scene_context(after_first(number, 30, 2_000), SCENES - 1)
        assert packed.manifest.size <= BUDGET
        parts = {part.name: part.size for part in packed.manifest.parts}
        assert parts.get("facts", 0) + parts["state"] <= 9_000
        assert 0 not in packed.manifest.chapters


def test_T6_what_all_scenes_share_holds_nothing_of_it() -> None:
    shared = ("book", "concept", "style", "whole_book", "promises", "cast", "rules", "threads")
    both = (state(4, 8), after_first(4, 8, 40))
    values = [{name: scene_context(one, 0).values[name] for name in shared} for one in both]
    assert json.dumps(values[0]) == json.dumps(values[1])


def test_the_lines_name_the_book() -> None:
    assert "(the book first)" in scene_context(after_first(1, 8, 40), 0).values["state"]
