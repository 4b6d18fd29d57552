"""Passages: as they stand, with their neighbours, within a budget."""

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.checks.patching import GAP, LONGEST_PIECE, passages
from libriscribe2.prose import weigh

PARAGRAPHS = [f"Paragraph {n} says a thing or two." for n in range(12)]
TEXT = "\n\n".join(PARAGRAPHS)


def test_a_place_is_shown_with_its_neighbours_and_gaps_are_marked() -> None:
    shown = passages(TEXT, [[TEXT.index("Paragraph 3")], [TEXT.index("Paragraph 9")]], 2_000)
    first, second = shown.text.split(GAP)
    assert first == "\n\n".join(PARAGRAPHS[2:5])
    assert second == "\n\n".join(PARAGRAPHS[8:11])
    assert shown.shown == (0, 1)


def test_passages_that_touch_are_one() -> None:
    groups = [[TEXT.index("Paragraph 3")], [TEXT.index("Paragraph 6")]]
    assert passages(TEXT, groups, 2_000).text == "\n\n".join(PARAGRAPHS[2:8])


def test_all_places_of_a_group_or_none_and_the_neighbours_go_first() -> None:
    groups = [[TEXT.index("Paragraph 3"), TEXT.index("Paragraph 9")]]
    own = PARAGRAPHS[3] + GAP + PARAGRAPHS[9]
    assert passages(TEXT, groups, weigh(own) + 1).text == own
    assert passages(TEXT, groups, weigh(own) - 1) == passages(TEXT, [], 1)


def test_of_a_very_long_paragraph_a_piece_is_shown() -> None:
    text = "many words " * 2_000
    shown = passages(text, [[11_000]], LONGEST_PIECE + 10)
    assert shown.text in text
    assert len(shown.text) > LONGEST_PIECE // 2


@given(
    st.lists(st.sampled_from(["a b c", "灯塔" * 400, "x" * 3_500, " ", "\n", "* * *", "Mara ran."]))
    .map("\n\n".join),
    st.lists(st.lists(st.integers(0, 9_000), min_size=1, max_size=3), max_size=4),
    st.integers(0, 9_000),
)  # fmt: skip
def test_what_is_shown_stands_in_the_text_and_fits(
    text: str, groups: list[list[int]], budget: int
) -> None:
    shown = passages(text, groups, budget)
    assert weigh(shown.text) <= budget
    assert all(part in text for part in shown.text.split(GAP))
    assert set(shown.shown) <= set(range(len(groups)))
