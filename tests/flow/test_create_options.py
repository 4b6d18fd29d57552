"""What `create` can be asked for, and that the book is so."""

import json

import pytest
from tests.support.authors import Author
from tests.support.desk import PREMISE, SMALL, Desk
from tests.support.made_up_text import wanted_schema

TINY = ("--scenes-per-chapter", "1", "--words", "200")


def prompts(desk: Desk, stage: str) -> list[str]:
    """What a stage's first attempts told the model."""
    asked = [one["prompt"] for one in desk.project().dumps() if one["stage"] == stage]
    return ["\n".join(turn["content"] for turn in turns) for turns in asked]


def test_XC_03_a_book_of_facts_has_terms_and_no_invented_people(desk: Desk) -> None:
    desk.create("--category", "Business")
    book = desk.project()
    assert not book.path("characters.json").exists()
    assert len(book.json("world.json")["terms"]) >= 3
    assert "kind: non-fiction" in prompts(desk, "chapters")[0]
    assert "section" in prompts(desk, "scenes")[0]


def test_XC_03_a_book_of_facts_has_people_on_request(desk: Desk) -> None:
    desk.create("--category", "Business", "--characters", "2")
    assert len(desk.project().json("characters.json")["characters"]) == 2


def test_XC_03_the_language_passes_through_unchanged(desk: Desk) -> None:
    desk.create("--language", "Brezhoneg (Breton)")
    assert desk.project().brief()["language"] == "Brezhoneg (Breton)"
    assert all("language: Brezhoneg (Breton)" in text for text in prompts(desk, "chapters"))
    assert 'language: "Brezhoneg (Breton)"' in desk.project().text("manuscript.md")


def test_OV_30_words_of_every_script_stay_as_they_are(desk: Desk) -> None:
    title = "Die Wächterin von Åsgård 灯台 🕯"
    desk.create("--title", title)
    book = desk.project()
    assert book.json("concept.json")["concept"]["title"] == title
    assert title in book.text("concept.json")
    assert title in book.text("manuscript.md")


def test_XC_03_the_brief_takes_every_option(desk: Desk) -> None:
    given = {
        "author": "A. Writer",
        "genre": "Mystery",
        "target-audience": "Adults",
        "tone": "dry",
        "project-type": "novella",
    }
    desk.create(*(word for key, value in given.items() for word in (f"--{key}", value)))
    brief = desk.project().brief()
    assert {key: brief[key.removeprefix("target-")] for key in given if key != "project-type"} == {
        key: value for key, value in given.items() if key != "project-type"
    }
    assert brief["project_type"] == "novella"
    assert 'author: "A. Writer"' in desk.project().text("manuscript.md")


def test_XC_03_auto_title_chooses_from_the_finished_text(desk: Desk) -> None:
    desk.create("--auto-title")
    book = desk.project()
    title = book.json("title.json")["title"]
    assert f"title: {json.dumps(title, ensure_ascii=False)}" in book.text("manuscript.md")


def test_XC_03_a_given_title_outranks_auto_title(desk: Desk) -> None:
    desk.create("--auto-title", "--title", "Tomorrow's Wrecks")
    assert not desk.project().path("title.json").exists()
    assert "Tomorrow's Wrecks" in desk.project().text("manuscript.md")


def test_XC_03_a_book_can_do_without_a_world(desk: Desk) -> None:
    desk.create("--no-worldbuilding")
    assert not desk.project().path("world.json").exists()


def test_XC_03_a_range_of_chapters_is_kept_and_shown_to_the_model(desk: Desk) -> None:
    desk.create(size=("--chapters", "3-5", *TINY))
    assert 3 <= len(desk.project().json("outline.json")["chapters"]) <= 5
    schema = wanted_schema(prompts(desk, "outline")[0])
    assert schema is not None
    chapters = schema["properties"]["chapters"]
    assert (chapters["minItems"], chapters["maxItems"]) == (3, 5)
    assert "3 to 5 chapters" in prompts(desk, "outline")[0]


def test_XC_03_scenes_can_be_asked_for_chapter_by_chapter(desk: Desk) -> None:
    desk.create(size=("--chapters", "3", "--scenes-per-chapter", "1,2", "--words", "300"))
    scenes = desk.project().json("scenes.json")["chapters"]
    assert [len(chapter["scenes"]) for chapter in scenes] == [1, 2, 2]


@pytest.mark.parametrize(("asked", "least", "most"), [("2-4", 2, 4), ("6", 6, 6), ("5+", 5, 99)])
def test_XC_03_the_cast_has_the_asked_number(desk: Desk, asked: str, least: int, most: int) -> None:
    desk.create("--characters", asked, "--until", "characters")
    cast = desk.project().json("characters.json")["characters"]
    assert least <= len(cast) <= most


def test_XC_03_until_stops_after_a_stage_and_says_where(desk: Desk) -> None:
    ran = desk.create("--until", "outline")
    assert ran.out.splitlines()[-1] == "projects/book"
    assert "words: none yet" in ran.out
    book = desk.project()
    assert book.path("outline.json").exists()
    assert not book.path("scenes.json").exists()


def test_XC_03_until_leaves_out_what_the_stage_does_not_need(desk: Desk) -> None:
    desk.create("--until", "characters")
    assert not desk.project().path("world.json").exists()


def test_XC_03_steps_of_the_original_command_line_work(desk: Desk) -> None:
    command = ("create-book", "--description", PREMISE, "--mock", "-p", "book", *SMALL)
    desk.run(*command, "--generate-concept", "--generate-characters")
    book = desk.project()
    assert book.path("characters.json").exists()
    assert not book.path("outline.json").exists()


def test_XC_03_all_steps_outrank_single_ones(desk: Desk) -> None:
    desk.create("--generate-concept", "--all")
    assert desk.project().path("manuscript.md").exists()


def test_XC_03_book_stats_is_status_by_its_old_name(desk: Desk) -> None:
    desk.create("--until", "concept")
    old, new = desk.run("book-stats", "--project-name", "book"), desk.run("status", "book")
    assert old.out == new.out


def test_XC_03_a_project_without_a_name_is_called_after_its_premise(desk: Desk) -> None:
    desk.run("create", PREMISE, "--mock", *SMALL, "--until", "concept")
    assert desk.project("a-lighthouse-keeper-on-a").root.is_dir()


def test_XC_03_a_name_may_hold_spaces(desk: Desk) -> None:
    desk.create("--until", "concept", name="My Book")
    assert desk.run("status", "My Book", "--json").value["project"] == "My Book"


def test_XC_03_a_project_can_be_named_by_its_folder(desk: Desk) -> None:
    desk.create("--until", "concept")
    assert desk.run("status", "projects/book", "--json").value["project"] == "book"


def test_XC_03_no_more_requests_are_under_way_than_allowed(desk: Desk) -> None:
    author = Author()
    desk.create("--max-concurrency", "1", backend=author)
    assert author.most_at_once == 1
    author = Author()
    size = ("--chapters", "8", *TINY, "--drafting", "parallel")
    desk.create(name="other", size=size, backend=author)
    assert 1 < author.most_at_once <= 4


def test_create_ends_with_a_chapter(desk: Desk) -> None:
    desk.create("--until", "chapter:1")
    book = desk.project()
    assert len(book.chapters()) == 1
    assert not book.path("manuscript.md").exists()
    ran = desk.run("create", PREMISE, "--mock", "-p", "b", *SMALL, "--until", "chapter:9", expect=2)
    assert "no chapter 9: the book has 2 chapters" in ran.err
    assert not desk.project("b").root.exists()
