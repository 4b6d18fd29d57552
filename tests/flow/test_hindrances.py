"""What stops every run is told by `check` and `status`, before a run is tried."""

from collections.abc import Iterator

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.commands.book_state import hindrances
from libriscribe2.project.paths import ProjectPaths


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A plan without chapters; each test mends its `book.toml`."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written("--until", "outline")
    return desk


@pytest.fixture
def book(desk: Desk) -> Iterator[ProjectFolder]:
    folder = desk.project()
    before = folder.text("book.toml")
    yield folder
    folder.write("book.toml", before)


CAP = "\n[budget]\nmax_cots = 3\n"


def test_XC_08_an_unknown_setting_of_the_book_is_found_by_check(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write("book.toml", book.text("book.toml") + CAP)
    found = desk.run("check", "book", "--json", expect=3).value
    assert found["sound"] is False
    (fault,) = found["findings"]
    assert (fault["file"], fault["stops"]) == ("book.toml", True)
    assert "budget.max_cots" in fault["what"]
    assert "budget.max_cost" in fault["fix"]


def test_status_tells_what_would_stop_a_run_instead_of_going_on(
    desk: Desk, book: ProjectFolder
) -> None:
    assert "Continue with `libriscribe2 resume book`." in desk.run("status", "book").err
    book.write("book.toml", book.text("book.toml") + CAP)
    told = desk.run("status", "book").err
    assert "warning: A run would stop: " in told
    assert "unknown key `budget.max_cots`" in told
    assert "Go on with" not in told


def test_XC_08_a_cover_that_is_missing_is_found_and_stops_exports_only(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write("book.toml", book.text("book.toml").replace('cover = ""', 'cover = "none.png"'))
    (fault,) = desk.run("check", "book", "--json").value["findings"]
    assert fault["stops"] is False
    assert "'none.png' cannot be used: there is no such file; exports fail" in fault["what"]


@pytest.mark.parametrize(
    ("lost", "advice"),
    [
        ("[book]\n", "put it below a line `[book]`"),
        ("[bok]\n", "Did you mean `[book]` for `[bok]`"),
    ],
)
def test_keys_of_the_brief_outside_its_table_are_told_where_they_belong(
    desk: Desk, book: ProjectFolder, lost: str, advice: str
) -> None:
    changed = "" if lost == "[book]\n" else lost
    book.write("book.toml", book.text("book.toml").replace("[book]\n", changed))
    author = Author()
    told = desk.run("resume", "book", backend=author, expect=3).err
    assert advice in told
    assert "Remove" not in told
    assert author.asked == []
    assert "[book] premise is missing" in desk.run("status", "book", expect=3).err


def test_nobody_is_told_to_remove_a_book_toml(desk: Desk, book: ProjectFolder) -> None:
    book.write("book.toml", book.text("book.toml") + "x = [\n")
    for command in (("resume", "book"), ("status", "book"), ("estimate", "book")):
        told = desk.run(*command, expect=3).err
        assert "emove" not in told
        assert "projects/book/book.toml" in told
    (fault,) = desk.run("check", "book", "--json", expect=3).value["findings"]
    assert fault["what"].endswith("book.toml is not TOML")


def test_a_book_toml_that_is_gone_is_told_as_gone(desk: Desk, book: ProjectFolder) -> None:
    book.path("book.toml").unlink()
    for command in (("resume", "book"), ("status", "book")):
        told = desk.run(*command, expect=3).err
        assert "book.toml is missing" in told
        assert "the project's other files are there" in told
        assert "create" not in told


def test_a_place_that_may_not_be_written_is_a_hindrance(book: ProjectFolder) -> None:
    paths = ProjectPaths(book.root, book.debug)
    assert list(hindrances(paths)) == []
    (fault,) = hindrances(paths, lambda path: path != paths.journal)
    assert fault.severity == "error"
    assert fault.where.file == "book/.libriscribe/journal.jsonl"
    (fault,) = hindrances(paths, lambda path: path != paths.debug)
    assert fault.where.file == str(paths.debug)
