"""The voice as a shape, and as a block of a prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.models.style import (
    StyleFile,
    StyleNumbers,
    StylePassage,
    StyleRule,
    StyleSheet,
    Voice,
    style_block,
)
from libriscribe2.prose import weigh

RULES = [StyleRule(aspect="sentences", rule=f"Rule {n} of all.", quote="no matter") for n in (1, 2)]
VOICE = StyleFile(
    numbers=StyleNumbers(words=900, sentence_words=11.4, short_share=0.25, spoken_share=0.5),
    passages=[StylePassage(file="samples/a.md", text=text) for text in ("It rained.", "It blew.")],
    rules=RULES,
)


def test_the_block_holds_numbers_rules_and_passages() -> None:
    assert style_block(VOICE, 2_000) == (
        "Sentences have 11 words on average, 25% of them five or fewer; paragraphs 0; "
        "50% of the words are spoken.\n- Rule 1 of all.\n- Rule 2 of all.\n\n"
        "Passage 1:\nIt rained.\n\nPassage 2:\nIt blew."
    )


def test_the_sheet_comes_first_a_line_for_each_thing_and_person() -> None:
    sheet = StyleSheet(
        person="first person, Ida",
        avoids=["weather at the start", "dreams"],
        voices=[Voice(name="Ida", voice="asks instead of answering")],
    )
    assert style_block(VOICE.model_copy(update={"sheet": sheet}), 2_000).splitlines()[:4] == [
        "person: first person, Ida",
        "avoids: weather at the start; dreams",
        "Ida speaks: asks instead of answering",
        "Sentences have 11 words on average, 25% of them five or fewer; paragraphs 0; "
        "50% of the words are spoken.",
    ]


@given(st.integers(0, 400))
def test_the_block_keeps_to_its_budget_and_loses_passages_first(budget: int) -> None:
    block = style_block(VOICE, budget)
    assert weigh(block) <= budget
    if "Passage 1" in block:
        assert "Rule 2" in block
    if "Rule 2" in block:
        assert "Rule 1" in block


def test_a_voice_that_says_nothing_is_no_block() -> None:
    assert style_block(StyleFile(), 2_000) == ""


@pytest.mark.parametrize("said", ["plot", 7, None, ""])
def test_an_aspect_that_is_none_of_form_becomes_none(said: object) -> None:
    rule = StyleRule.model_validate({"aspect": said, "rule": "r", "quote": "q"})
    assert rule.aspect == ""
