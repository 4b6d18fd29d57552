"""What a premise is about, by its content words."""

import pytest

from libriscribe2.llm.offline.premise import read_premise
from libriscribe2.llm.offline.subjects import (
    as_phrase,
    given_subjects,
    main_subject,
    premise_subjects,
)


@pytest.mark.parametrize(
    ("premise", "subjects"),
    [
        ("A robot learns to paint", ["role robot", "act to paint"]),
        (
            "An astronaut alone on Mars talks to a houseplant",
            ["role astronaut", "thing the houseplant", "place Mars"],
        ),
        ("A dragon who is afraid of fire", ["role dragon", "stuff fire"]),
        ("How to brew coffee at home", ["act to brew coffee at home"]),
        (
            "A lighthouse keeper on a drowned coast finds tomorrow's logbook",
            ["role lighthouse keeper", "thing tomorrow’s logbook", "place the drowned coast"],
        ),
        (
            "Der Leuchtturmwärter findet im Nebel das Logbuch von morgen",
            ["word Leuchtturmwärter", "word Nebel", "word Logbuch"],
        ),
        ("un gato que habla con la luna", ["word gato", "word habla", "word luna"]),
        ("Zombies", ["word zombies"]),
        ("灯塔看守人", ["word 灯塔看守人"]),
    ],
)
def test_a_premise_has_subjects(premise: str, subjects: list[str]) -> None:
    found = premise_subjects(read_premise(premise))
    assert [f"{one.kind} {one.text}" for one in found] == subjects


@pytest.mark.parametrize("premise", ["", "?", "the of and", "A", "1984", "🙂", "to " * 900])
def test_any_premise_can_be_read(premise: str) -> None:
    assert len(premise_subjects(read_premise(premise))) <= 4


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("She lifts the boards and finds the whale", "the whale"),
        ("Ottoline Frost finds a live whale under the stair.", "the live whale"),
        ("The sea owes him money.", "the sea"),
        ("Unter der Treppe liegt ein lebender Wal", "“Wal”"),
    ],
)
def test_a_sentence_is_about_its_last_thing(text: str, phrase: str) -> None:
    found = main_subject(text)
    assert found is not None
    assert as_phrase(found) == phrase


def test_what_two_sentences_name_is_named_once() -> None:
    found = given_subjects(["A live whale sleeps.", "The whale sings."])
    assert [one.text for one in found] == ["the live whale"]
