"""The pack of a scene: its size, what it may not hold, and that it is a function of its state."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest
from tests.support.desk import Desk
from tests.support.rich_book import contexts, shuffled, state

from libriscribe2.context.scene_context import BUDGET, scene_context
from libriscribe2.models.draft_order import Drafting
from libriscribe2.models.story_bible import Thread, ThreadHit
from libriscribe2.prompts.loader import load_prompt
from libriscribe2.prose import weigh

MOST_TOKENS = 12_000
CHARACTERS_PER_TOKEN = 4
"""Of English."""

MODES: tuple[Drafting, ...] = ("sequential", "redblack", "parallel")


def messages(values: Mapping[str, str]) -> tuple[str, str]:
    """The system and the user message that a pack's values make."""
    system, user = load_prompt("chapters").render(words="1000", format_rules="", **values)
    return system["content"], user["content"]


def sizes(chapters: int, mode: Drafting) -> list[int]:
    """The characters of every scene's prompt of a book."""
    return [
        len("".join(messages(one.values)))
        for number in range(1, chapters + 1)
        for one in contexts(number, chapters, mode)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_T1_no_prompt_is_over_12k_tokens_and_a_chapter_costs_the_same_in_a_longer_book(
    mode: Drafting,
) -> None:
    books = {chapters: sizes(chapters, mode) for chapters in (10, 30, 100)}
    assert max(max(one) for one in books.values()) <= MOST_TOKENS * CHARACTERS_PER_TOKEN
    each = [sum(one) / chapters for chapters, one in books.items()]
    assert all(abs(one - mean(each)) <= 0.05 * mean(each) for one in each), each


@pytest.mark.parametrize("number", range(1, 10))
def test_T2_red_and_black_a_prompt_holds_nothing_of_an_unfinished_chapter(number: int) -> None:
    odd = set(range(1, 10, 2)) if number % 2 == 0 else set()
    for one in contexts(number, 9, "redblack"):
        text = "".join(messages(one.values))
        seen = {int(n) for n in re.findall(r"(?:paragraph \d+|summary|event) of part (\d+)", text)}
        assert seen <= odd
        assert {int(n) for n in re.findall(r"paper of part (\d+)", text)} <= odd


def test_T2_an_even_chapter_sees_both_neighbours_and_an_odd_one_their_plans() -> None:
    even = contexts(4, 9, "redblack")
    assert "of part 3" in even[0].values["text_before"]
    assert "of part 5" in even[-1].values["text_after"]
    assert not even[0].values["text_after"]
    assert not even[0].values["as_planned"]
    odd = contexts(5, 9, "redblack")
    first = odd[0].values
    assert not first["text_before"]
    assert "the exit of part 4" in first["as_planned"]
    assert "the entry of part 5" in first["as_planned"]
    assert "draft 1 of part 5" in odd[1].values["text_before"]
    assert not odd[1].values["as_planned"]
    assert not odd[-1].values["text_after"]


@pytest.mark.parametrize("mode", MODES)
def test_T5_the_same_state_gives_the_same_bytes(mode: Drafting) -> None:
    for number in (1, 6, 12):
        one = state(number, 12, mode)
        assert scene_context(one, 0) == scene_context(shuffled(one), 0)


def test_T5_the_bytes_do_not_depend_on_the_seed_of_hashes(tmp_path: Path) -> None:
    told = (
        "from tests.support.rich_book import state\n"
        "from libriscribe2.context.scene_context import scene_context\n"
        "packs = [scene_context(state(8, 12, mode), 1) for mode in ('sequential', 'redblack')]\n"
        "print([(dict(one.values), one.manifest.model_dump_json()) for one in packs])\n"
    )
    ran = [
        Desk(tmp_path).run_apart(env={"PYTHONHASHSEED": seed}, program=("-c", told)).out
        for seed in ("1", "2")
    ]
    assert ran[0] == ran[1]
    assert len(ran[0]) > BUDGET


@pytest.mark.parametrize("mode", MODES)
def test_T6_the_first_1600_tokens_are_the_same_in_all_scenes_of_a_book(mode: Drafting) -> None:
    heads = {
        messages(one.values)[0]
        for number in (1, 2, 7, 29, 30)
        for one in contexts(number, 30, mode)
    }
    assert len(heads) == 1
    assert weigh(heads.pop()) >= 4 * 1_600


def test_the_manifest_says_what_is_in_it_and_from_where() -> None:
    packed = scene_context(state(8, 12), 0)
    parts = {part.name: part for part in packed.manifest.parts}
    sizes = {name: weigh(text) for name, text in packed.values.items() if text}
    assert sizes.pop("joints") < 400
    assert sizes == {name: part.size for name, part in parts.items() if part.size}
    assert parts["text_before"].chapters == (7,)
    assert parts["text_before"].fit == "whole"
    assert parts["scene"].fit == "whole"
    assert set(parts["passages"].chapters) <= set(range(1, 6))
    assert packed.manifest.facts
    assert all(fact.chapter < 8 for fact in packed.manifest.facts)
    shown = packed.values["facts"] + packed.values["state"]
    assert all(f"(chapter {fact.chapter})" in shown for fact in packed.manifest.facts)


def test_a_smaller_budget_is_kept() -> None:
    for budget in (24_000, 20_000):
        packed = scene_context(state(20, 30), 0, budget=budget)
        assert packed.manifest.size <= budget
        assert packed.values["scene"]
        fits = {part.name: part.fit for part in packed.manifest.parts}
        assert fits["passages"] in {"left out", "trimmed"}, packed.manifest.size


def test_the_last_chapters_are_told_what_is_owed() -> None:
    endings = {
        number: scene_context(state(number, 9), 0).values["ending"] for number in range(1, 10)
    }
    assert [number for number, text in endings.items() if text] == [7, 8, 9]
    shown = scene_context(state(9, 9), 0).values
    assert "".join(shown.values()).count("Mara burns the logbook") == 1
    assert "Still owed: thread-1" in endings[9]


@pytest.mark.parametrize("said", ["The Letter", "the letter", "Who wrote to Mara?"])
def test_what_a_chapter_paid_off_is_not_owed_however_its_record_names_the_thread(said: str) -> None:
    last = state(9, 9)
    letter = Thread(id="The Letter", promise="Who wrote to Mara?", setup=1, payoff=9)
    outline = last.outline.model_copy(update={"threads": [*last.outline.threads, letter]})
    owing = replace(last, outline=outline)
    assert "Still owed: The Letter" in scene_context(owing, 0).values["ending"]
    hit = ThreadHit(thread=said, move="paid off", quote="q")
    paid = replace(owing, hits={**owing.hits, 4: (hit,)})
    ending = scene_context(paid, 0).values["ending"]
    assert "The Letter" not in ending
    assert "Still owed: thread-1" in ending


def test_a_scene_is_told_how_to_begin_and_end_by_its_place_in_the_book() -> None:
    def joints(number: int, scene: int) -> str:
        return scene_context(state(number, 12), scene).values["joints"]

    last = len(state(1, 12).scenes) - 1
    assert joints(1, 0).startswith("It opens the book")
    assert joints(2, 0).startswith("It opens a chapter, goes on from the text before")
    assert joints(2, last).endswith(
        "It ends the chapter as `chapter` says, and leads on without summing up."
    )
    assert "It ends the book" in joints(12, last)
    assert "next scene" not in joints(12, last)
    assert joints(12, 0).startswith("It opens a chapter")
