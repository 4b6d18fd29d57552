"""Why a reply was refused, without a word of the reply."""

from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from libriscribe2.observe.events import LONGEST_ERROR, MOST_ERRORS, error_facts
from libriscribe2.replies.parsers import pydantic_parser


@pytest.mark.parametrize(
    ("feedback", "facts"),
    [
        (
            "These fields of your JSON are not as wanted:\n"
            "- a.0.b: Field required (it is missing)\n- c: Input should be a string (it was 7)\n"
            "Please reply again.",
            ("a.0.b: Field required (it is missing)", "c: Input should be a string"),
        ),
        ("Not as asked:\n- kind: 'war' is not one of ['a', 'b']", ("kind: …]",)),
        ("Your JSON ended early. The place is near `Once upon`. Again.", ("Your JSON ended early",)),
        ("The reply was filtered: refusal: I will not.", ("The reply was filtered",)),
        ("The text has 2 words; at least 20 are wanted. Again.", (
            "The text has 2 words; at least 20 are wanted",
        )),
        ("", ()),
    ],
)  # fmt: skip
def test_each_kind_of_feedback_leaves_its_facts(feedback: str, facts: tuple[str, ...]) -> None:
    assert error_facts(feedback.splitlines()) == facts


def test_an_event_stays_short() -> None:
    facts = error_facts(["- " + "x" * 5_000, *["- y"] * 50])
    assert (len(facts), max(map(len, facts))) == (MOST_ERRORS, LONGEST_ERROR)


class Wanted(BaseModel):
    name: Annotated[str, Field(min_length=100)]
    age: int


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_no_word_of_a_wrong_field_is_told(said: str) -> None:
    marked = f"REPLY{said}REPLY"
    result = pydantic_parser(Wanted)(Wanted.model_construct(name=marked, age=1).model_dump_json())
    facts = error_facts(result["feedback"].splitlines())
    assert "REPLY" not in "".join(facts)
    assert facts
