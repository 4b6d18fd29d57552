"""A second book of a series: it shares people, world and facts with the first."""

from pathlib import Path

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk
from tests.support.told_book import TellingAuthor

SMALL = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "200")


@pytest.fixture
def first(desk: Desk) -> Path:
    """A finished first book."""
    desk.written("--author", "Ada", "--genre", "Mystery", "--language", "French", name="first")
    return desk.project("first").root


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_people_and_the_world_of_the_first_book_are_in_the_second(
    desk: Desk, first: Path
) -> None:
    before = files_of(first)
    ran = desk.run(
        *("create", "The tide comes back", "--mock", "--project-name", "second", *SMALL),
        *("--after", "first"),
    )
    assert "after first: shares characters.json and world.json" in ran.err
    assert files_of(first) == before
    old, new = desk.project("first"), desk.project("second")
    for name, key in (("characters.json", "characters"), ("world.json", "places")):
        names = [{one["name"] for one in book.json(name)[key]} for book in (old, new)]
        assert names[0] <= names[1]
    brief = new.brief()
    kept = [brief[key] for key in ("author", "genre", "language", "follows")]
    assert kept == ["Ada", "Mystery", "French", "first"]


def test_the_prompts_show_who_was_given(desk: Desk, first: Path) -> None:
    author = Author()
    desk.create("--after", "first", "--until", "outline", name="second", backend=author)
    asked = {one.step: str(one.messages) for one in author.asked}
    cast = desk.project("first").json("characters.json")["characters"]
    assert all(person["name"] in asked["characters"] for person in cast)
    assert "<given>" in asked["world"]
    without = Author()
    desk.create("--until", "outline", name="third", backend=without)
    assert all("<given>" not in str(one.messages) for one in without.asked)


def test_a_changed_eye_colour_is_found_across_books_with_both_quotes(desk: Desk) -> None:
    desk.create(name="first", backend=TellingAuthor())
    old = desk.project("first")
    old.write("chapters/02.md", old.text("chapters/02.md").replace("brown eyes", "green eyes"))
    desk.run("redo", "first", "canon", "--chapter", "2", "--mock")
    desk.create("--after", "first", name="second", backend=TellingAuthor())
    new = desk.project("second")
    new.write(
        "chapters/01.md", new.text("chapters/01.md").replace("Her green eyes", "Her grey eyes")
    )
    desk.run("redo", "second", "canon", "--chapter", "1", "--mock")
    ran = desk.run("check", "second", "--story", "--format", "json", expect=5)
    found = [one for one in ran.value["findings"] if one["rule"] == "R1"]
    assert [one["place"]["file"] for one in found] == ["chapters/02.md"]
    assert "brown eyes" in found[0]["place"]["quote"]
    assert found[0]["other"]["file"] == "../first/chapters/01.md"
    assert "green eyes" in found[0]["other"]["quote"]
    assert "chapter 0" not in found[0]["message"]


def test_the_second_book_can_be_rebuilt_from_its_journal(desk: Desk, first: Path) -> None:
    desk.create("--after", "first", name="second")
    assert desk.run("replay", "second", "--json").value["rebuilt"] is True


@pytest.mark.parametrize(
    ("name", "told"), [("frist", "Did you mean 'first'"), ("empty", "nothing to share")]
)
def test_a_book_that_cannot_be_followed_begins_nothing(
    desk: Desk, first: Path, name: str, told: str
) -> None:
    desk.written("--until", "concept", name="empty")
    ran = desk.create("--after", name, name="second", expect=3)
    assert told in ran.err
    assert not desk.project("second").root.exists()
