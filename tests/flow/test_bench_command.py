"""`bench continuity`: the checks, measured on faults that are planted."""

from tests.support.desk import Desk
from tests.support.told_book import TellingAuthor


def test_T8_the_shipped_book_has_its_faults_found_and_no_alarms(desk: Desk) -> None:
    told = desk.run("bench", "continuity", "--seeds", "4", "--json").value
    assert told["alarms_per_10000_words"] <= 0.1
    assert len(told["operators"]) >= 13
    for one in told["operators"]:
        assert one["planted"] == 4, one
        assert one["found"] >= 0.95 * one["planted"], one


def test_the_table_says_how_many_were_found(desk: Desk) -> None:
    ran = desk.run("bench", "continuity", "--seeds", "1")
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert rows[0] == ["fault", "planted", "found", "share"]
    assert rows[1] == ["eye colour", "1", "1", "100%"]
    assert "0 alarms" in ran.err


def test_faults_are_planted_in_a_book_of_ones_own(desk: Desk) -> None:
    desk.create(backend=TellingAuthor())
    told = desk.run("bench", "continuity", "book", "--seeds", "3", "--json").value
    by_name = {one["operator"]: one for one in told["operators"]}
    assert (told["book"], told["facts"], told["alarms"]) == ("book", 4, 1)
    assert by_name["eye colour"]["planted"] == 3
    assert by_name["count"]["planted"] == 0
    assert "nothing to contradict" in desk.run("bench", "continuity", "book", "--seeds", "1").out


def test_a_book_that_was_not_read_is_told_so(desk: Desk) -> None:
    desk.written("--until", "outline")
    assert "No chapter was read" in desk.run("bench", "continuity", "book", expect=5).err
