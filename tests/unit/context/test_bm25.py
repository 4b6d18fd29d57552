"""Which passage fits a question best."""

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.context.earlier_text import PassageIndex

PASSAGES = (
    "The keeper carried the brass key down to the slip and threw it into the water.",
    "Nobody at the mill had slept, and the wheel turned all night in the flood.",
    "She showed Jon the brass key and the wet rope, and Jon looked at the rope.",
)


def test_the_passage_with_the_rare_words_comes_first() -> None:
    assert PassageIndex(PASSAGES).best("Jon and the brass key and the rope", 2) == [2, 0]
    assert PassageIndex(PASSAGES).best("the wheel of the mill in a flood", 2) == [1]


def test_a_single_word_in_common_is_chance() -> None:
    assert PassageIndex(PASSAGES).best("a key without anything else", 3) == []
    assert PassageIndex(PASSAGES).best("", 3) == []
    assert PassageIndex(()).best("the brass key", 3) == []


def test_of_two_that_are_alike_the_earlier_one_comes_first() -> None:
    assert PassageIndex((PASSAGES[0], PASSAGES[0], PASSAGES[1])).best("brass key water", 2) == [
        0,
        1,
    ]


@given(st.text(max_size=80), st.lists(st.text(max_size=120), max_size=8), st.integers(0, 4))
def test_any_text_gives_at_most_so_many_places_each_once(
    query: str, passages: list[str], most: int
) -> None:
    found = PassageIndex(passages).best(query, most)
    assert len(found) == len(set(found)) <= most
    assert all(0 <= place < len(passages) for place in found)
