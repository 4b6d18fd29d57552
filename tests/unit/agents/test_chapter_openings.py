"""The opening of a chapter, apart from its rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.agents.agent_scene import MOST_WORDS, opened, unfit
from libriscribe2.prose import count_words

PAGE = " ".join(["word"] * 100)
MARK = "[@n-0123456789ab]"
TEXT = (
    st.lists(
        st.sampled_from(
            ["# T", "* * *", "One. Two said it.", PAGE, f"{PAGE}. {PAGE}.", "海。天。", "", " "]
        ),
        max_size=8,
    ).map("\n\n".join)
    | st.text()
)


@given(TEXT)
def test_QU_the_three_parts_are_the_text_and_an_opening_leaves_a_rest(text: str) -> None:
    parts = opened(text)
    assert parts.heading + parts.opening + parts.rest == text
    assert not parts.opening or parts.rest.strip()
    assert count_words(parts.opening) <= MOST_WORDS
    assert "* * *" not in parts.opening
    assert opened(parts.heading + parts.opening + parts.rest) == parts


@given(TEXT, st.sampled_from(["Another way in.", f"{PAGE}.", "He came.\n\nShe went."]))
def test_T7_what_comes_after_an_opening_stays_when_it_is_replaced(text: str, new: str) -> None:
    parts = opened(text)
    if parts.opening:
        assert (parts.heading + new + parts.rest).endswith(parts.rest)


def test_QU_an_opening_is_whole_paragraphs_of_the_first_scene() -> None:
    text = f"# T\n\n{PAGE}\n\n{PAGE}\n\n{PAGE}\n\nrest\n\n* * *\n\nmore\n"
    assert opened(text).opening == f"{PAGE}\n\n{PAGE}"
    assert opened(f"# T\n\n{PAGE}\n\n* * *\n\nmore\n").opening == PAGE


def test_QU_of_one_paragraph_only_sentences_are_taken() -> None:
    assert opened("# T\n\nHe came. She went. It rained.\n").opening == "He came. She went."
    long = f"He came. The {PAGE} {PAGE} {PAGE}."
    assert opened(f"# T\n\n{long}\n\nrest").opening == "He came."


@pytest.mark.parametrize(
    "text", ["", "# T\n", "# T\n\nHe came.\n", f"{PAGE} {PAGE} {PAGE}\n\nrest"]
)
def test_QU_what_cannot_be_divided_has_no_opening(text: str) -> None:
    assert opened(text).opening == ""


@pytest.mark.parametrize(
    ("new", "old", "why"),
    [
        ("He came in by the door.", "She came in by the window.", ""),
        (f"So it is {MARK}.", f"It is so {MARK}.", ""),
        ("# Title\n\nHe came in.", "She came in now.", "heading"),
        ("He came.\n\n***\n\nShe went.", "She came in now.", "scene break"),
        ("So it is and was.", f"It is so {MARK}.", "same notes"),
        (f"So it is {MARK}.", "It is so, and was.", "same notes"),
        ("No.", "She came in by the window, then.", "0.1 times"),
        (PAGE, "She came in by the window.", "16.7 times"),
    ],
)
def test_QU_a_new_opening_has_to_fit(new: str, old: str, why: str) -> None:
    found = unfit(new, old)
    assert why in found
    assert bool(found) == bool(why)
