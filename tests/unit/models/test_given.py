"""People and worlds that come from the book before: their names do not change."""

from hypothesis import given as over
from hypothesis import strategies as st

from libriscribe2.models.excerpts import given_cast, given_world, with_given_cast, with_given_world
from libriscribe2.models.story import Character, CharactersFile, Entry, WorldFile
from libriscribe2.prose import weigh

ADA = Character(name="Ada Quell", role="pilot", background="From the quay.")
JON = Character(name="Jon Ide", role="baker")
NAMES = st.sampled_from(["Ada", "Ada Quell", "Jon Ide", "Quell", "Mira", "ADA QUELL"])


def person(name: str) -> Character:
    return Character(name=name, role="new")


@over(st.lists(NAMES.map(person), min_size=1, max_size=6))
def test_everybody_who_was_given_is_there_once_under_the_given_name(made: list[Character]) -> None:
    names = [
        one.name for one in with_given_cast(CharactersFile(characters=made), [ADA, JON]).characters
    ]
    assert sum(name.casefold() == "ada quell" for name in names) == 1
    assert names.count("Jon Ide") == 1
    assert "Ada" not in names


def test_what_a_model_adds_to_somebody_is_kept() -> None:
    made = CharactersFile(characters=[person("Ada"), person("Mira")])
    cast = with_given_cast(made, [ADA]).characters
    assert [(one.name, one.role) for one in cast] == [("Ada Quell", "new"), ("Mira", "new")]


def test_a_world_holds_all_that_was_given() -> None:
    quay = Entry(name="The Quay", description="Wet.")
    given = WorldFile(overview="A coast.", places=[quay], rules=["No fire."])
    made = WorldFile(
        overview="Later.", places=[Entry(name="the quay", description="Dry.")], rules=[]
    )
    whole = with_given_world(made, given)
    assert (whole.overview, [one.description for one in whole.places]) == ("Later.", ["Dry."])
    assert whole.rules == ["No fire."]
    assert with_given_world(made, None) is made


def test_the_blocks_are_bounded_and_empty_without_anything_given() -> None:
    assert given_cast([]) == given_world(None) == ""
    assert '"Ada Quell"' in given_cast([ADA])
    many = [Character(name=f"Person {n}", role="r" * 300) for n in range(200)]
    assert weigh(given_cast(many)) < 7_000
