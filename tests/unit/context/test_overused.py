"""The book's own habits, as later scenes are told of them."""

from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.checks.prose import chapter, fresh

from libriscribe2.context.earlier_text import (
    LAST_EDGES,
    MOST_OVERUSED,
    overused_block,
    overused_phrases,
)
from libriscribe2.prose import weigh

HABIT = "the roof of her mouth"
UNIQUE = count()
PARTS = [
    "The brass key turned. " * 2, "The brass key turned. " * 3, "Amber lantern swung low. " * 2,
    "The brass key turned. Amber lantern swung low.", "Nobody had rowed there. " * 4,
]  # fmt: skip


def book(size: int) -> list[str]:
    return [
        f"# T\n\nOpening {n} was cold.\n\n{fresh(n, 60)}. Then {HABIT}, and Tilda Moss spoke. "
        f"{fresh(n + 50, 20)}. She felt {HABIT} and saw Tilda Moss again.\n\nEnding {n} was quiet.\n"
        for n in range(1, size + 1)
    ]


def test_a_phrase_that_the_book_leans_on_is_told_once_and_the_edges_of_the_last_chapters() -> None:
    phrases, openings, endings = overused_block(book(9), 1_200).splitlines()
    assert phrases.count("roof of her") == 1
    assert "Opening 9 was cold. " not in openings
    for n in range(1, 10):
        assert (f"Opening {n} was" in openings) == (n > 9 - LAST_EDGES)
        assert (f"Ending {n} was" in endings) == (n > 9 - LAST_EDGES)


def test_a_phrase_of_names_or_of_function_words_or_of_two_uses_is_no_habit() -> None:
    named = [chapter(n, f"{fresh(n, 9)} saw Tilda Moss and Jon Ide. " * 2) for n in range(4)]
    told = overused_phrases(named)
    assert "tilda moss and jon" not in told
    assert told
    twice = [chapter(1, f"A {fresh(1, 9)}. A {fresh(1, 9)}.")]
    assert overused_phrases(twice) == []
    empty = [chapter(n, "And so it was that they were all in it.") for n in range(5)]
    assert overused_phrases(empty) == []


def test_what_stands_in_more_chapters_comes_first_and_there_is_an_end() -> None:
    local, wide = "amber lantern swung low", "silver kettle boiled dry"
    texts = [f"{fresh(9, 9)} {local} {fresh(n, 3)}. " * 2 for n in range(3)]
    chapters = [chapter(1, *texts), *(chapter(n, f"{fresh(n, 9)} {wide}.") for n in range(2, 9))]
    told = overused_phrases(chapters)
    assert told.index(wide) < told.index(local)
    many = [chapter(n, *(f"{fresh(word, 4)}." for word in range(100, 140))) for n in (1, 2, 3)]
    assert len(overused_phrases(many)) == MOST_OVERUSED


def test_nothing_written_is_nothing_to_tell() -> None:
    assert overused_block([], 900) == ""
    assert overused_block(["", "# T\n"], 900) == ""


def test_what_was_counted_for_other_chapters_does_not_count() -> None:
    other = [f"# T\n\n{'Amber lantern swung low. ' * 5}\n", *book(2)]
    alone = overused_block(book(4), 900)
    assert "amber lantern" in overused_block(other, 900)
    assert overused_block(book(4), 900) == alone
    assert overused_block(book(4)[1:], 900) != alone


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6), min_size=2, max_size=4))
def test_phrases_are_those_of_the_last_chapters_whatever_was_counted_before(
    asked: list[list[str]],
) -> None:
    for texts in asked:
        told = overused_phrases([chapter(n, text) for n, text in enumerate(texts)])
        # With a word of its own no chapter is one that was counted before.
        apart = [chapter(n, f"{text} Z{next(UNIQUE)}") for n, text in enumerate(texts)]
        assert overused_phrases(apart) == told


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([*book(3), "灯塔。" * 40, "x", ""]), max_size=6), st.integers(0, 900)
)
def test_the_block_keeps_to_its_budget_and_is_the_same_every_time(
    texts: list[str], budget: int
) -> None:
    block = overused_block(texts, budget)
    assert weigh(block) <= budget
    assert block == overused_block(list(texts), budget)
