"""The coverage of a book of facts, in `report` and as a page of `view`."""

import re

import pytest
from tests.support.desk import Desk
from tests.support.recorded_books import played


@pytest.fixture
def squeeze(desk: Desk) -> Desk:
    played(desk, "squeeze")
    return desk


def test_every_note_is_cited_or_has_a_reason_and_every_question_an_answer(squeeze: Desk) -> None:
    told = squeeze.run("report", "squeeze", "--json").value["coverage"]
    assert len(told["notes"]) == 108
    assert not [one["id"] for one in told["notes"] if not one["cited"] and not one["why"]]
    assert sum(bool(one["cited"]) for one in told["notes"]) == 36
    verdicts = [one["verdict"] for one in told["questions"]]
    assert sorted(verdicts) == ["answered"] * 4 + ["partly"] * 2
    unused = [one["place"] for one in told["sources"] if not one["cited"]]
    assert unused == ["crc-doc.pdf", "zstd-README.md"]
    assert len(told["unsupported"]) == 3
    ran = squeeze.run("report", "squeeze")
    assert "36 of 89 verified notes cited; 4 of 6 questions answered, 2 in part" in ran.err


def test_each_note_that_a_plan_claims_stands_in_the_prompt_of_its_section(squeeze: Desk) -> None:
    book = squeeze.project("squeeze")
    prompts = {
        one["step"]: one["prompt"][-1]["content"] for one in book.dumps() if "/scene" in one["step"]
    }
    facts = {
        one["id"]
        for one in book.json("research/notes.json")["notes"]
        if one["verified"] and one["supported"] == "yes"
    }
    claimed = 0
    for chapter in book.json("scenes.json")["chapters"]:
        for number, scene in enumerate(chapter["scenes"], start=1):
            prompt = prompts[f"chapters/ch{chapter['chapter']:02d}/scene{number:02d}"]
            own = facts.intersection(re.findall(r"n-[0-9a-f]{12}", " ".join(scene["reveals"])))
            claimed += len(own)
            assert [one for one in own if f"[@{one}]" not in prompt] == []
    assert claimed > 50


def test_a_page_shows_it_with_ways_into_text_and_sources(squeeze: Desk) -> None:
    squeeze.run("view", "squeeze", "--export", "pages")
    page = (squeeze.folder / "pages" / "coverage.html").read_text(encoding="utf-8")
    assert "36 of 89 verified notes are cited" in page
    (link,) = re.findall(
        r'href="(read-01\.html#:~:text=[^"]+)">Chapter 1</a> <q>In a log file', page
    )
    assert "In%20a%20log%20file" in link
    ids = set(re.findall(r'id="([ns]-[0-9a-f]{12})"', page))
    targets = set(re.findall(r'href="#([^"]+)"', page)) - {"main"}
    assert targets <= ids
    assert "Zstd is none of the book" in page
    index = (squeeze.folder / "pages" / "index.html").read_text(encoding="utf-8")
    assert 'href="coverage.html"' in index


def test_a_story_has_no_such_page(desk: Desk) -> None:
    desk.create()
    desk.run("view", "book", "--export", "pages")
    assert not (desk.folder / "pages" / "coverage.html").exists()
    assert "coverage" not in desk.run("report", "book", "--json").value
