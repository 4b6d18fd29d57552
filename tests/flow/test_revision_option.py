"""Whether a book is revised is a matter of its brief."""

from tests.support.desk import Desk

TINY = ("--chapters", "1", "--scenes-per-chapter", "1", "--words", "200")


def test_a_book_is_revised_unless_its_author_does_without(desk: Desk) -> None:
    desk.create("--no-revision", size=TINY)
    assert desk.project().brief()["revision"] is False
    parts = {dump["step"].rpartition("/")[2] for dump in desk.project().dumps()}
    assert "scene01" in parts
    assert not [part for part in parts if part.startswith(("critique1", "patches"))]


def test_the_switch_stands_in_the_files_of_a_new_book(desk: Desk) -> None:
    desk.create("--until", "concept", size=TINY)
    assert desk.project().brief()["revision"] is True
