"""Each rule finds its fault, and lets the look-alike pass."""

import pytest

from libriscribe2.checks.continuity.story_rules import Story, findings_in, hard, place_of
from libriscribe2.models.findings import Finding
from libriscribe2.models.story_bible import Attribute, Fact, Stance, StoryTime, Thread


def fact(
    chapter: int,
    attribute: str,
    value: str,
    entity: str = "Ada",
    *,
    day: int | None = None,
    part: str = "",
    stance: Stance = "asserted",
) -> Fact:
    time = StoryTime.model_validate({"day": day, "part": part})
    kind = Attribute(attribute)
    return Fact(
        entity=entity, attribute=kind, value=value, chapter=chapter, time=time, stance=stance
    )


def conflicts(facts: list[Fact]) -> list[Finding]:
    return findings_in(Story(hard(facts)))


def overdue_threads(threads: list[Thread], chapters: int) -> list[Finding]:
    return findings_in(Story([], threads=threads, planned=chapters))


FAULTS = {
    "R1 eyes": ("R1", [fact(1, "eyes", "green"), fact(4, "eyes", "pale blue")]),
    "R1 birthday": ("R1", [fact(1, "birthday", "3 May"), fact(2, "birthday", "4 May")]),
    "R2 younger": ("R2", [fact(1, "age", "34"), fact(3, "age", "thirty-one")]),
    "R2 too fast": ("R2", [fact(1, "age", "34", day=1), fact(3, "age", "37", day=40)]),
    "R3 walks": ("R3", [fact(2, "alive", "dead"), fact(5, "acts", "opens the door")]),
    "R2 on one day": ("R2", [fact(1, "age", "34", day=1), fact(3, "age", "31", day=1)]),
    "R3 on one day": (
        "R3",
        [fact(1, "alive", "dead", day=1), fact(4, "acts", "answers the telephone", day=1)],
    ),
    "R3 later that day": (
        "R3",
        [
            fact(1, "alive", "dead", day=1, part="morning"),
            fact(4, "acts", "answers the telephone", day=1, part="evening"),
        ],
    ),
    "R3 after a night": (
        "R3",
        [
            fact(1, "alive", "dead", day=1, part="night"),
            fact(4, "acts", "answers the telephone", day=1, part="morning"),
        ],
    ),
    "R4 twice": (
        "R4",
        [
            fact(1, "location", "the mill", day=3, part="noon"),
            fact(2, "location", "the harbour", day=3, part="noon"),
        ],
    ),
    "R5 weekday": (
        "R5",
        [
            fact(1, "weekday", "Monday", "story", day=1),
            fact(2, "weekday", "Friday", "story", day=3),
        ],
    ),
    "R6 steps": (
        "R6",
        [fact(1, "count", "112", "tower steps"), fact(3, "count", "one hundred", "tower steps")],
    ),
    "R6 miles": ("R6", [fact(1, "distance", "9 miles"), fact(3, "distance", "twelve miles")]),
    "R7 kin": (
        "R7",
        [fact(1, "kin", "mother of Ben"), fact(4, "kin", "sister of Ada", "Ben")],
    ),
    "R8 lamp": (
        "R8",
        [fact(2, "possession", "destroyed: the lamp"), fact(5, "possession", "uses: the lamp")],
    ),
    "R8 on one day": (
        "R8",
        [
            fact(2, "possession", "destroyed: the lamp", day=1),
            fact(5, "possession", "uses: the lamp", day=1),
        ],
    ),
    "R9 secret": ("R9", [fact(2, "knows", "the will"), fact(6, "learns", "the will")]),
    "R9 on one day": (
        "R9",
        [fact(2, "knows", "the will", day=1), fact(6, "learns", "the will", day=1)],
    ),
    "R10 alias": ("R10", [fact(1, "alias", "the Fox"), fact(4, "alias", "The Fox", "Ben")]),
    "R11 side": (
        "R11",
        [fact(1, "injury", "cut left hand"), fact(3, "injury", "bandaged right hand")],
    ),
    "R14 rule": (
        "R14",
        [fact(1, "rule", "no fire below ground", "fire"), fact(7, "rule", "breaks: fire", "mine")],
    ),
}

FINE = {
    "mixed-up colours": [fact(1, "eyes", "hazel"), fact(2, "eyes", "green")],
    "no colour": [fact(1, "eyes", "green"), fact(2, "eyes", "tired")],
    "two people": [fact(1, "eyes", "green"), fact(2, "eyes", "blue", "Ben")],
    "a dream": [fact(1, "eyes", "green"), fact(2, "eyes", "blue", stance="dreamt")],
    "a liar": [fact(1, "age", "34"), fact(2, "age", "20", stance="said_by")],
    "years pass": [fact(1, "age", "34", day=1), fact(2, "age", "36", day=800)],
    "told backwards": [fact(1, "age", "34", day=900), fact(2, "age", "31", day=1)],
    "before death": [
        fact(2, "alive", "dead", day=9),
        fact(3, "acts", "opens the door", day=4),
    ],
    "before death on one day": [
        fact(2, "alive", "dead", day=1, part="evening"),
        fact(3, "acts", "opens the door", day=1, part="noon"),
    ],
    "a memory of the dead": [
        fact(2, "alive", "dead"),
        fact(3, "acts", "laughed", stance="remembered"),
    ],
    "one house": [
        fact(1, "location", "the old mill", day=3, part="noon"),
        fact(2, "location", "the mill", day=3, part="noon"),
    ],
    "another hour": [
        fact(1, "location", "the mill", day=3, part="noon"),
        fact(2, "location", "the harbour", day=3, part="night"),
    ],
    "weekdays that fit": [
        fact(1, "weekday", "Monday", "story", day=1),
        fact(2, "weekday", "the Monday after", "story", day=8),
    ],
    "kin that fit": [
        fact(1, "kin", "mother of Ben"),
        fact(2, "kin", "son of Ada", "Ben"),
        fact(3, "kin", "brother of Eve", "Ben"),
    ],
    "found again": [
        fact(2, "possession", "lost: the lamp"),
        fact(3, "possession", "gets: the lamp"),
        fact(4, "possession", "uses: the lamp"),
    ],
    "learnt in time": [fact(1, "learns", "the will"), fact(2, "knows", "the will")],
    "two injuries": [fact(1, "injury", "left hand"), fact(2, "injury", "right knee")],
    "same number": [fact(1, "count", "112", "steps"), fact(2, "count", "one hundred and twelve",
                                                           "steps")],
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_the_rule_finds_its_fault_at_the_later_place(name: str) -> None:
    rule, facts = FAULTS[name]
    (found,) = conflicts(facts)
    assert found.rule == rule
    places = [place_of(one) for one in facts]
    assert [found.where, found.other] in (places, places[::-1])
    assert found.why


SURE = {"R1 eyes", "R1 birthday", "R6 miles", "R7 kin"}


@pytest.mark.parametrize("name", FAULTS)
def test_only_what_nothing_in_a_story_changes_is_an_error(name: str) -> None:
    (found,) = conflicts(FAULTS[name][1])
    assert found.severity == ("error" if name in SURE else "warning")


@pytest.mark.parametrize(
    "facts",
    [
        [fact(1, "distance", "twelve miles by road"), fact(2, "distance", "9 miles by sea")],
        [fact(1, "distance", "three miles"), fact(2, "distance", "one hour")],
        [fact(1, "count", "26 men"), fact(5, "count", "19 men")],
        [fact(1, "hair", "black"), fact(9, "hair", "white")],
        [fact(2, "alive", "dead"), fact(8, "acts", "comes back")],
    ],
    ids=["another way", "another unit", "losses", "dyed", "thought dead"],
)
def test_what_may_be_so_is_no_error(facts: list[Fact]) -> None:
    assert [one.severity for one in conflicts(facts)] == ["warning"]


@pytest.mark.parametrize("name", FINE)
def test_what_is_no_fault_is_let_alone(name: str) -> None:
    assert conflicts(FINE[name]) == []


@pytest.mark.parametrize("name", FAULTS)
def test_the_order_of_the_facts_does_not_matter(name: str) -> None:
    _, facts = FAULTS[name]
    assert conflicts(facts[::-1]) == conflicts(facts)


def test_a_clear_majority_is_right_even_where_the_first_telling_is_not() -> None:
    told = [fact(n, "eyes", value) for n, value in enumerate(("blue", "green", "green"), start=1)]
    (found,) = conflicts(told)
    assert found.where.quote == "blue"


@pytest.mark.parametrize(
    ("thread", "said"),
    [
        (Thread(id="gun", promise="The gun", setup=2), "never paid off"),
        (Thread(id="gun", promise="The gun", setup=4, payoff=2), "before chapter 4"),
        (Thread(id="gun", promise="The gun", setup=1, payoff=9, due_by=6), "due by chapter 6"),
    ],
)
def test_a_thread_that_is_not_paid_off_in_time(thread: Thread, said: str) -> None:
    (found,) = overdue_threads([thread], 10)
    assert found.rule == "R13"
    assert said in found.why
    assert found.severity == "error"


def test_a_thread_that_is_paid_off_and_one_that_may_stay_open() -> None:
    paid = Thread(id="gun", promise="The gun", setup=1, payoff=5, due_by=6)
    assert overdue_threads([paid], 10) == []
    may = Thread(id="hat", promise="The hat", setup=1, must=False)
    assert [one.severity for one in overdue_threads([may], 10)] == ["warning"]
