"""An outline, a story bible and notes of the author's: in the book word for word, the rest is filled in."""

import json
from pathlib import Path

import pytest
from tests.support.authors import Author
from tests.support.desk import PREMISE, Desk

PLAN = """# The Drowned Lamp

Some words about the book.

## Chapter 1: The Logbook

Hester finds the logbook in the *dry* cistern.
She reads tomorrow's date.

- She hides it from Corin.
- The lamp goes out.

## 2. The Wreck

### On the rocks
The Ada breaks up.

### In the chapel
Nobody sings.

## The Storm
"""
PEOPLE = """# Hester Vane

Role: keeper of the lamp
Age: 61

She lost her left hand at Morrow Point.

# Corin

The boy who rows.
"""
WORLD = """# Places

- **Morrow Point**: a rock with a light, cut off at high water
- The Salt Stair - ninety steps, the last nine under water

# Rules

- The logbook never names a survivor.

# The Guild of Wreckers

They pay in lamp oil.
"""
NOTES = "No dreams. Nobody is saved by chance."


@pytest.fixture
def brought(desk: Desk) -> Desk:
    """A desk with a plan, a bible of two files and notes."""
    (desk.folder / "lore" / "characters").mkdir(parents=True)
    for name, text in (
        ("plan.md", PLAN),
        ("lore/characters/keepers.md", PEOPLE),
        ("lore/coast.md", WORLD),
        ("notes.md", NOTES),
    ):
        (desk.folder / name).write_text(text, encoding="utf-8")
    return desk


OPTIONS = ("--outline", "plan.md", "--bible", "lore", "--notes", "notes.md")
NEW = ("create", PREMISE, "--mock", "-p", "book", "--words", "600", "--no-revision")


def test_what_was_brought_stands_word_for_word_and_the_rest_is_filled(brought: Desk) -> None:
    author = Author()
    brought.run(*NEW, *OPTIONS, backend=author)
    book = brought.project()
    chapters = book.json("outline.json")["chapters"]
    assert [one["title"] for one in chapters] == ["The Logbook", "The Wreck", "The Storm"]
    first, second, third = chapters
    assert first["summary"] == (
        "Hester finds the logbook in the *dry* cistern.\nShe reads tomorrow's date."
    )
    assert first["beats"] == ["She hides it from Corin.", "The lamp goes out."]
    assert second["beats"] == ["On the rocks: The Ada breaks up.", "In the chapel: Nobody sings."]
    assert third["summary"]  # a model's
    people = {one["name"]: one for one in book.json("characters.json")["characters"]}
    assert list(people)[:2] == ["Hester Vane", "Corin"]
    assert (people["Hester Vane"]["role"], people["Hester Vane"]["age"]) == (
        "keeper of the lamp",
        "61",
    )
    assert people["Hester Vane"]["background"] == "She lost her left hand at Morrow Point."
    world = book.json("world.json")
    assert world["places"][0] == {
        "name": "Morrow Point",
        "description": "a rock with a light, cut off at high water (lore/coast.md)",
    }
    assert world["places"][1]["name"] == "The Salt Stair"
    assert world["rules"][0] == "The logbook never names a survivor."
    assert world["terms"][0]["name"] == "The Guild of Wreckers"
    assert book.brief()["title"] == "The Drowned Lamp"
    assert len(book.chapters()) == 3
    prompts = {one.step: str(one.messages) for one in author.asked}
    assert "Keep every word of it" in prompts["characters"]
    assert all(NOTES in prompts[step] for step in ("outline", "chapters/ch01/scene01"))
    assert brought.run("replay", "book", "--json").value["rebuilt"]


def test_prompts_of_a_book_without_anything_brought_know_nothing_of_it(desk: Desk) -> None:
    asked = desk.written("--no-revision").asked
    assert not any("<given>" in str(one.messages) for one in asked)


def test_a_plan_may_be_a_list(desk: Desk) -> None:
    text = "1. The Logbook: she finds it\n2. The Wreck\n   - nobody sings\n"
    (desk.folder / "plan.md").write_text(text, encoding="utf-8")
    desk.run(*NEW, "--outline", "plan.md", "--until", "outline")
    chapters = desk.project().json("outline.json")["chapters"]
    assert [one["title"] for one in chapters] == ["The Logbook", "The Wreck nobody sings"]
    assert chapters[0]["summary"] == "she finds it"


def test_a_scene_gets_of_much_lore_what_its_plan_names_with_its_place(desk: Desk) -> None:
    (desk.folder / "lore").mkdir()
    filler = "It was founded long ago and has its own customs, of which much could be said. " * 13
    houses = "\n\n".join(f"# House Aldermoor{n:03d}x\n\n{filler}{n}" for n in range(300))
    (desk.folder / "lore" / "houses.md").write_text(houses, encoding="utf-8")
    assert len(houses) > 290_000
    plan = "# One\n\nAll meet at House Aldermoor123x.\n\n# Two\n\nThey part.\n"
    (desk.folder / "plan.md").write_text(plan, encoding="utf-8")
    desk.run(*NEW, "--bible", "lore", "--outline", "plan.md", "--until", "plan")
    book = desk.project()
    scenes = book.json("scenes.json")
    scenes["chapters"][0]["scenes"][0]["place"] = "House Aldermoor123x"
    book.write("scenes.json", json.dumps(scenes))
    author = Author()
    desk.run("resume", "book", backend=author)
    asked = {one.step: str(one.messages) for one in author.asked}
    scene = asked["chapters/ch01/scene01"]
    assert "(lore/houses.md)" in scene
    assert "House Aldermoor123x" in scene
    assert "House Aldermoor122x" not in scene
    assert max(map(len, asked.values())) < 60_000


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--outline", "--bible"])
@pytest.mark.parametrize(
    "part",
    [
        "# a" + " " * 2_000_000 + "b\n",
        "- a\n" + "b\n" * 800_000,
        "#" * 2_000_000 + "\n",
        "a: " * 700_000,
    ],
    ids=["blanks", "long item", "marks", "fields"],
)
def test_a_text_that_was_made_to_be_slow_is_read_in_time_that_grows_with_it(
    desk: Desk, option: str, part: str
) -> None:
    text = f"# Characters\n\n{part}\n\n# Two\n\n{part}\n"
    (desk.folder / "x.md").write_text(text, encoding="utf-8")
    desk.run(*NEW, option, "x.md", "--until", "concept", expect=None)


@pytest.mark.parametrize(
    ("options", "text", "told"),
    [
        (("--outline", "x.md"), "Just some words.\n", "makes no chapters"),
        (("--outline", "x.md"), "", "is empty"),
        (("--outline", "none.md"), "x", "There is no file none.md"),
        (("--outline", "x.md", "--chapters", "7"), "# A\n\n# B\n", "has 2 chapters"),
        (("--bible", "empty"), "x", "There are no texts in empty"),
        (("--bible", "x.md"), "\n" * 5 + "# A\n\n" + "x" * (6 * 2**20), "the limit is 5 MiB"),
        (("--notes", "x.md"), "word " * 20_000, "would be too long"),
    ],
    ids=["prose", "empty", "missing", "count", "folder", "large", "notes"],
)
def test_what_cannot_be_used_is_one_line_and_nothing_is_begun(
    desk: Desk, options: tuple[str, ...], text: str, told: str
) -> None:
    (desk.folder / "empty").mkdir()
    (desk.folder / "x.md").write_text(text, encoding="utf-8")
    err = desk.run(*NEW, *options, expect=2).err
    assert told in err
    assert len(err.splitlines()) == 1
    assert not Path(desk.folder / "projects").exists()
