"""The offline author reads its own chapters: real facts, each with words that stand there."""

from pathlib import Path

import pytest
from tests.support.desk import Desk

from libriscribe2.models.canon import CanonFile


@pytest.mark.slow
@pytest.mark.parametrize(
    ("premise", "language"),
    [
        ("A lighthouse keeper on a drowned coast finds a logbook of tomorrow's wrecks", "English"),
        ("Two brothers, Otto and Ruben Falk, build a bridge nobody may cross", "English"),
        ("A detective in Lagos is sent letters by the dead", "German"),
    ],
)
def test_T8_an_offline_book_has_facts_of_its_cast_and_contradicts_itself_nowhere(
    tmp_path: Path, premise: str, language: str
) -> None:
    desk = Desk(tmp_path)
    size = ("--chapters", "3", "--scenes-per-chapter", "2", "--words", "2400")
    desk.run("create", premise, "--mock", "-p", "book", "-l", language, *size)
    book = desk.project()
    cast = {person["name"] for person in book.json("characters.json")["characters"]}
    kinds = set()
    for number in (1, 2, 3):
        canon = CanonFile.model_validate(book.json(f".libriscribe/canon/0{number}.json"))
        text = book.text(f"chapters/0{number}.md")
        assert canon.facts
        assert canon.dropped == 0
        assert {fact.entity for fact in canon.facts} <= cast
        assert all(fact.quote in text for fact in canon.facts)
        assert canon.exit.people
        kinds |= {fact.attribute for fact in canon.facts}
    assert {"acts", "location"} <= kinds
    told = desk.run("check", "book", "--story", "--json").value
    assert [one for one in told["findings"] if one["severity"] == "error"] == []
