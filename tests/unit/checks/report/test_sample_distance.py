"""How far a book is from its author's samples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.checks.prose import chapter

from libriscribe2.checks.report.sample_style import NAME, distance, distance_metric, style_numbers
from libriscribe2.models.style import StyleNumbers

SHARE = st.floats(0, 1)
NUMBERS = st.builds(
    StyleNumbers,
    words=st.just(100),
    sentence_words=st.floats(0, 90),
    short_share=SHARE,
    sentence_variation=st.floats(0, 3),
    paragraph_words=st.floats(0, 900),
    paragraph_variation=st.floats(0, 3),
    spoken_share=SHARE,
    vocabulary=SHARE,
)
LONG = "The boat came in at noon and nobody was there to take the rope from him. " * 3
SHORT = "No. Not now. Go on. "


@given(NUMBERS, NUMBERS)
def test_a_distance_is_the_same_from_both_sides_and_none_to_itself(
    one: StyleNumbers, other: StyleNumbers
) -> None:
    assert distance(one, one) == 0
    assert 0 <= distance(one, other) <= 1
    assert distance(one, other) == distance(other, one)


def test_the_chapter_that_is_farthest_off_is_named_first_with_its_worst_number() -> None:
    samples = style_numbers([chapter(1, LONG, LONG)])
    figure = distance_metric([chapter(1, LONG, LONG), chapter(2, *[SHORT] * 20)], samples)
    assert (figure.name, figure.group, figure.level) == (NAME, "voice", None)
    assert [one.file for one in figure.places] == ["chapters/02.md", "chapters/01.md"]
    assert "in the samples" in figure.places[0].quote
    assert figure.places[1].quote.startswith("0.00;")
    assert 0 < figure.value < 1
    assert distance_metric([chapter(1, LONG, LONG)], samples).value == pytest.approx(0)
