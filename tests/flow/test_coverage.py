"""The coverage of a book of facts, in `report` and as a page of `view`."""

import json
import re
from typing import Any

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


def test_each_question_tells_how_many_supported_notes_answer_it_and_are_cited(
    squeeze: Desk,
) -> None:
    told = squeeze.run("report", "squeeze", "--json").value["coverage"]
    counts = [(one["cited"], one["verified"]) for one in told["questions"]]
    assert counts == [(6, 14), (4, 16), (5, 12), (10, 15), (8, 19), (3, 12)]
    (first, second, *_), cited = told["questions"], _cited(told)
    doubted = {first["notes"][0], next(one for one in first["notes"][1:] if one in cited)}
    book = squeeze.project("squeeze")
    notes, answers = book.json("research/notes.json"), book.json("research/answers.json")
    for one in notes["notes"]:
        one["supported"] = "partly" if one["id"] in doubted else one["supported"]
    answers["answers"][1] |= {"verdict": "not", "answer": "", "notes": []}
    book.write("research/notes.json", json.dumps(notes))
    book.write("research/answers.json", json.dumps(answers))
    told = squeeze.run("report", "squeeze", "--json").value["coverage"]
    now = (6 - len(doubted & cited), 12)
    counts = [(one["cited"], one["verified"]) for one in told["questions"]]
    assert counts == [now, (0, 0), (5, 12), (10, 15), (8, 19), (3, 12)]
    ran = squeeze.run("report", "squeeze").out
    assert f"answered; {now[0]} of 12 verified notes cited\t{first['question']}" in ran
    assert f"not; no verified note\t{second['question']}" in ran
    squeeze.run("view", "squeeze", "--export", "pages")
    page = (squeeze.folder / "pages" / "coverage.html").read_text(encoding="utf-8")
    assert f"{now[0]} of 12 verified notes cited: <a" in page
    assert '<p class="hint">No verified note</p>' in page


def _cited(told: dict[str, Any]) -> set[str]:
    return {one["id"] for one in told["notes"] if one["cited"]}


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
