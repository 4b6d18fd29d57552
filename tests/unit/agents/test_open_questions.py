"""What is left to a reader, after the rules."""

from libriscribe2.agents.agent_continuity_evaluator import MOST_EARLIER, open_questions
from libriscribe2.models.story_bible import Attribute, Fact, Stance


def fact(chapter: int, attribute: str, value: str, stance: Stance = "asserted") -> Fact:
    kind = Attribute(attribute)
    return Fact(
        entity="Ada",
        attribute=kind,
        value=value,
        chapter=chapter,
        quote=f"Ada {value}",
        stance=stance,
    )


def asked(*facts: Fact) -> list[tuple[str, list[str]]]:
    found = open_questions(facts)
    return [(one.later.value, [old.value for old in one.earlier]) for one in found]


def test_other_words_of_one_kind_in_a_later_chapter_are_a_question() -> None:
    told = (fact(1, "job", "baker"), fact(2, "job", "Baker"), fact(3, "job", "pilot"))
    assert asked(*told) == [("pilot", ["baker"])]


def test_what_the_rules_compare_is_no_question() -> None:
    assert asked(fact(1, "eyes", "green"), fact(2, "eyes", "brown")) == []
    assert asked(fact(1, "location", "the mill"), fact(2, "location", "the quay")) == []
    assert asked(fact(1, "age", "34"), fact(4, "age", "30")) == []


def test_words_that_no_rule_can_read_are_a_question() -> None:
    assert asked(fact(1, "hair", "like straw"), fact(2, "hair", "like coal")) == [
        ("like coal", ["like straw"])
    ]


def test_what_nobody_stands_behind_and_what_one_chapter_says_is_no_question() -> None:
    assert asked(fact(1, "job", "baker"), fact(2, "job", "queen", stance="dreamt")) == []
    assert asked(fact(1, "job", "baker"), fact(1, "job", "pilot")) == []


def test_no_question_has_more_than_so_many_sides() -> None:
    told = [fact(n, "other", f"thing {n}") for n in range(1, 30)]
    assert max(len(old) for _, old in asked(*told)) == MOST_EARLIER
