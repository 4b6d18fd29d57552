"""What holds when a scene begins: nothing that a later chapter changes, and all that is fixed."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.support.rich_book import scene, state

from libriscribe2.checks.continuity.ledger import (
    facts_in_force,
    open_ledger,
    place_facts,
    with_ends,
    world_at,
)
from libriscribe2.context.people_and_facts import facts_of
from libriscribe2.context.scene_context import scene_context
from libriscribe2.models.story import Character, Entry, WorldFile
from libriscribe2.models.story_bible import (
    FIXED,
    Attribute,
    CharacterState,
    EndedFact,
    ExitState,
    Fact,
    Stance,
)


def fact(
    attribute: Attribute,
    value: str,
    chapter: int,
    entity: str = "Mara Voss",
    stance: Stance = "asserted",
) -> Fact:
    return Fact(entity=entity, attribute=attribute, value=value, chapter=chapter, stance=stance)


def values(facts: list[Fact], chapter: int) -> list[str]:
    return [one.value for one in facts_in_force(facts, chapter)]


def test_T3_a_later_value_takes_the_place_of_an_earlier_one_and_never_shows_before() -> None:
    told = [
        fact(Attribute.LOCATION, "the mill", 1),
        fact(Attribute.LOCATION, "the weir", 3),
        fact(Attribute.LOCATION, "the slip", 5),
    ]
    assert [values(told, chapter) for chapter in (1, 2, 4, 5, 6)] == [
        [],
        ["the mill"],
        ["the weir"],
        ["the weir"],
        ["the slip"],
    ]


def test_T3_what_somebody_has_is_lost_when_it_is_lost() -> None:
    told = [
        fact(Attribute.POSSESSION, "has: the key", 1),
        fact(Attribute.POSSESSION, "has: a lamp", 2),
        fact(Attribute.POSSESSION, "lost: the key", 3),
    ]
    assert values(told, 3) == ["has: the key", "has: a lamp"]
    assert values(told, 4) == ["has: a lamp", "lost: the key"]


def test_T3_what_never_changes_also_holds_where_only_a_later_chapter_says_it() -> None:
    told = [fact(Attribute.EYES, "grey", 5), fact(Attribute.ALIVE, "dead", 5)]
    assert values(told, 2) == ["grey"]
    assert values(told, 6) == ["grey", "dead"]


def test_the_first_telling_of_what_is_fixed_stands() -> None:
    told = [fact(Attribute.EYES, "grey", 1), fact(Attribute.EYES, "green", 4)]
    assert values(told, 6) == ["grey"]


def test_what_is_dreamt_or_believed_is_no_fact() -> None:
    told = [fact(Attribute.LOCATION, "the moon", 1, stance="dreamt")]
    assert values(told, 2) == []


facts = st.builds(
    fact,
    st.sampled_from(list(Attribute)),
    st.sampled_from(["a", "b", "has: a", "lost: a"]),
    st.integers(1, 9),
    st.sampled_from(["Mara Voss", "Jon Ide"]),
)


@given(st.lists(facts, max_size=12), st.integers(1, 10))
def test_T3_nothing_of_a_later_chapter_shows_but_what_is_fixed(
    told: list[Fact], chapter: int
) -> None:
    in_order = sorted(told, key=lambda one: one.place)
    held = facts_in_force(in_order, chapter)
    assert all(one.chapter < chapter or one.attribute in FIXED for one in held)
    assert held == sorted(held, key=lambda one: one.place)


def test_T3_the_cards_say_how_the_chapters_before_left_the_people() -> None:
    book = replace(
        state(4, 9, "redblack"),
        scenes=(scene(4, 1).model_copy(update={"characters": ["Mara Voss"]}),),
        facts=(
            fact(Attribute.INJURY, "a cut hand", 3),
            fact(Attribute.INJURY, "a broken arm", 5),
            fact(Attribute.HAIR, "red", 7),
        ),
        exits={
            1: ExitState(people=[CharacterState(name="Mara", place="the slip", state="tired")]),
            3: ExitState(people=[CharacterState(name="Mara", place="the weir", state="afraid")]),
            5: ExitState(people=[CharacterState(name="Mara", place="the mill", state="free")]),
        },
    )
    values = scene_context(book, 0).values
    card = values["characters"] + values["state"]
    assert "after chapter 3: the weir; afraid" in card
    assert "a cut hand" in card
    assert "hair: red" in card
    assert not any(later in card for later in ("broken arm", "the mill", "free"))


def test_facts_about_the_scene_come_first_and_the_first_third_is_not_forgotten() -> None:
    mine = [fact(Attribute.KNOWS, f"secret {n}", n) for n in range(1, 20)]
    others = [fact(Attribute.KNOWS, f"rumour {n}", n, entity="Bo Nobody") for n in range(1, 20)]
    plan = scene(20, 1).model_copy(update={"characters": ["Mara Voss"]})
    told = tuple(sorted([*mine, *others], key=lambda one: one.place))
    found = facts_of(plan, replace(state(20, 30), facts=told))
    assert {one.entity for one in found} == {"Mara Voss"}
    assert [one.chapter for one in found[:6]] == [19, 6, 18, 5, 17, 4]


def test_T3_what_the_past_held_and_what_somebody_is_told_holds() -> None:
    told = [
        fact(Attribute.KNOWS, "the tide", 1, stance="remembered"),
        fact(Attribute.LOCATION, "the school", 1, stance="remembered"),
        fact(Attribute.LEARNS, "Jon is dead", 1, stance="said_by"),
        fact(Attribute.JOB, "a spy", 1, stance="said_by"),
    ]
    assert values(told, 2) == ["the tide", "Jon is dead"]


def test_T3_where_somebody_was_is_told_by_their_card_alone() -> None:
    places = (fact(Attribute.LOCATION, "the ferry house", 1), fact(Attribute.EYES, "grey", 1))
    one = replace(state(3, 8), facts=places)
    shown = facts_of(scene(3, 0).model_copy(update={"characters": ["Mara Voss"]}), one)
    assert [found.value for found in shown] == ["grey"]


def test_the_last_scene_of_the_book_is_told_that_nothing_follows() -> None:
    last = state(8, 8)
    ends = [scene_context(last, n).values["next"] for n in range(len(last.scenes))]
    assert ["the book ends here" in told for told in ends] == [False] * (len(ends) - 1) + [True]


def test_what_a_later_chapter_ends_is_shown_no_more_whatever_its_wording() -> None:
    sealed = fact(Attribute.STATE, "sealed, the gum unbroken", 1, "the letter")
    numbers = fact(Attribute.COUNT, "26 men", 1, "the crew")
    ends = [
        EndedFact(
            entity="the letter", attribute=Attribute.STATE, value=sealed.value, quote="She slit it."
        ),
        EndedFact(
            entity="the crew", attribute=Attribute.COUNT, value="26 men", quote="Seven drowned."
        ),
    ]
    told = with_ends([sealed, numbers], {3: ends})
    assert [values(told, chapter) for chapter in (2, 3, 4)] == [
        ["sealed, the gum unbroken", "26 men"],
        ["sealed, the gum unbroken", "26 men"],
        [],
    ]


def test_a_thing_is_in_one_hand() -> None:
    told = [
        fact(Attribute.POSSESSION, "has: brass key", 1),
        fact(Attribute.POSSESSION, "has: lantern", 1),
        fact(Attribute.POSSESSION, "gets: brass key", 2, "Jon Ide"),
        fact(Attribute.POSSESSION, "has: lantern", 2, "Jon Ide"),
    ]
    assert values(with_ends(told, {}), 3) == ["has: lantern", "gets: brass key", "has: lantern"]


def test_what_somebody_takes_lies_no_longer_where_it_was() -> None:
    """`Unruh`, chapter 4: the father has had the broken staff since chapter 2."""
    shaft = fact(Attribute.LOCATION, "in einer Filmdose in Hedwigs Tasche", 1, "gebrochene Welle")
    taken = fact(Attribute.POSSESSION, "bekommt: gebrochene Welle", 2, "Albert Lorenz")
    assert values(with_ends([shaft, taken], {}), 2) == [shaft.value]
    assert values(with_ends([shaft, taken], {}), 3) == [taken.value]


def test_of_a_place_one_clause_may_end_before_the_others() -> None:
    """`Skarra`: the floor of the Refuge was lowered, and it is still a cage with a bench."""
    told = "A tarred cage, with a bench for three; its floor is two feet above the tide. It is old."
    world = WorldFile(overview="A spit.", places=[Entry(name="the Refuge", description=told)])
    ledger = place_facts(world)
    end = EndedFact(
        entity="the Refuge", attribute=Attribute.STATE, value=ledger[1].value, quote="They cut it."
    )
    left = world_at(world, {5: [end]}, 6).places[0].description
    assert left == "A tarred cage, with a bench for three. It is old."


def test_what_may_end_stands_in_the_ledger_before_the_smells_of_places() -> None:
    """Brackenholm: a flask in the text is Dacre's flask, and a promise is kept at last."""
    flask = fact(Attribute.POSSESSION, "has: silver flask", 1, "Julian Dacre")
    promise = fact(Attribute.PROMISE, "to enter the slip at dawn", 1, "Winifred Sharrow")
    smells = Fact(
        entity="the yard", attribute=Attribute.STATE, value="Smells of cabbage.", chapter=0
    )
    text = "Winifred crossed the yard, and there was a flask in the van."
    shown = open_ledger([smells, flask, promise], 2, text, ["Winifred Sharrow"], 10_000)
    assert sorted(shown.values(), key=str) == sorted([smells, flask, promise], key=str)
    least = open_ledger([smells, flask, promise], 2, text, ["Winifred Sharrow"], 130)
    assert smells not in least.values()
    assert len(least) == 2


def test_what_never_changes_is_ended_by_nothing() -> None:
    eyes = fact(Attribute.EYES, "grey", 1)
    end = EndedFact(entity="Mara Voss", attribute=Attribute.EYES, value="grey", quote="green")
    assert values(with_ends([eyes], {2: [end]}), 3) == ["grey"]


def test_a_place_is_described_by_what_still_holds() -> None:
    nailed = Entry(name="the hall", description="A long room. The window is nailed shut.")
    world = WorldFile(overview="An island.", places=[nailed])
    end = EndedFact(
        entity="the hall",
        attribute=Attribute.STATE,
        value="The window is nailed shut.",
        quote="It rose.",
    )
    told = [world_at(world, {2: [end]}, chapter).places[0].description for chapter in (2, 3)]
    assert told == [nailed.description, "A long room."]


def test_what_is_not_known_yet_is_said_to_be_unknown() -> None:
    book = replace(state(4, 9, "redblack"), facts=(fact(Attribute.INJURY, "a cut hand", 3),))
    assert "What chapter 2 changes is not known here." in scene_context(book, 0).values["state"]


def test_who_is_in_no_plan_has_a_card_from_the_chapter_that_brought_them_in() -> None:
    walk_on = Character(name="Constable Petrie", role="a kind long-faced policeman")
    plan = scene(4, 1).model_copy(update={"characters": ["Mara Voss", "Petrie", "Old Tam"]})
    book = replace(state(4, 9), scenes=(plan,), walk_ons=(walk_on,))
    cards = scene_context(book, 0).values["characters"]
    assert '{"name":"Constable Petrie","role":"a kind long-faced policeman"}' in cards
    assert '"name":"Old Tam"' in cards


def test_what_really_happened_is_told_to_whoever_writes() -> None:
    book = state(4, 9)
    assert "What really happened" not in scene_context(book, 0).values["whole_book"]
    hidden = replace(book, outline=book.outline.model_copy(update={"truth": "Jon did it."}))
    told = scene_context(hidden, 0).values["whole_book"]
    assert "the reader learns of it only what a scene reveals: Jon did it." in told


def test_the_next_chapter_stands_in_one_part() -> None:
    assert "Chapter 5," not in (ahead := scene_context(state(4, 9), 0).values["ahead"])
    assert "Chapter 6," in ahead
