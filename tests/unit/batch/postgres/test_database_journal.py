"""A book's journal in the database: in order, under the book's lock, and never two at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.machines import kept_lines

from libriscribe2.batch.postgres.book_journal import (
    AT_ONCE,
    DatabaseJournal,
    ProjectClaim,
    SyncedBooks,
    forget,
    is_kept,
    stored_book,
)
from libriscribe2.batch.postgres.database import Database, DatabaseLostError, Dsn, ensure_schema
from libriscribe2.batch.progress import Book, Ended, Sums
from libriscribe2.batch.rows import Row
from libriscribe2.errors import ProjectError, ProjectInUseError
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.records import done, encode_line, sent

KEY = "spring/book"
END = "select pg_terminate_backend(pid) from pg_stat_activity where application_name like %s"

pytestmark = pytest.mark.postgres


@pytest.fixture
def database(dsn: str) -> Iterator[Database]:
    database = Database(Dsn(dsn))
    ensure_schema(database)
    yield database
    database.close()


@pytest.fixture
def claim(database: Database) -> Iterator[ProjectClaim]:
    with ProjectClaim.take(database.dsn, KEY) as claim:
        yield claim


@pytest.fixture
def paths(tmp_path: Path) -> ProjectPaths:
    return folder(tmp_path / "here", b"here")


def folder(root: Path, request: bytes) -> ProjectPaths:
    """A project of which there is only the request."""
    paths = ProjectPaths(root, root.parent / "debug")
    paths.state.mkdir(parents=True)
    paths.book_toml.write_bytes(request)
    return paths


def lines(count: int) -> list[bytes]:
    return [b"line %d \x00 \xff" % number for number in range(count)]


def test_lines_come_back_as_they_were_and_in_order(
    claim: ProjectClaim, paths: ProjectPaths, database: Database
) -> None:
    journal = DatabaseJournal(claim, paths)
    assert not is_kept(claim)
    assert journal.meet([]) == ()
    for line in lines(20):
        journal.add([line])
    journal.add(lines(30)[20:])
    assert is_kept(claim)
    kept = stored_book(database, KEY)
    assert kept is not None
    assert (kept.request, kept.journal.splitlines()) == (b"here", lines(30))
    assert stored_book(database, "spring/other") is None


def test_what_the_database_lacks_it_gets_however_much_that_is(
    claim: ProjectClaim, paths: ProjectPaths, dsn: str
) -> None:
    many = lines(2 * AT_ONCE + 1)
    assert DatabaseJournal(claim, paths).meet(many[:3]) == ()
    assert DatabaseJournal(claim, paths).meet(many) == ()
    assert kept_lines(dsn) == many


def test_a_folder_that_is_behind_gets_lines_and_request(
    claim: ProjectClaim, paths: ProjectPaths, tmp_path: Path, dsn: str
) -> None:
    DatabaseJournal(claim, paths).meet(lines(5))
    other = folder(tmp_path / "there", b"there")
    journal = DatabaseJournal(claim, other)
    assert journal.meet(lines(2)) == lines(5)[2:]
    assert other.book_toml.read_bytes() == b"here"
    (trashed,) = other.trash.iterdir()
    assert trashed.read_bytes() == b"there"
    journal.add([b"next"])
    assert kept_lines(dsn) == [*lines(5), b"next"]


def test_the_request_of_who_is_not_behind_counts(
    claim: ProjectClaim, paths: ProjectPaths, database: Database
) -> None:
    DatabaseJournal(claim, paths).meet(lines(2))
    paths.book_toml.write_bytes(b"edited")
    assert DatabaseJournal(claim, paths).meet(lines(2)) == ()
    kept = stored_book(database, KEY)
    assert kept is not None
    assert kept.request == b"edited"
    assert not paths.trash.exists()


@pytest.mark.parametrize("count", [2, 5, 7])
def test_journals_that_differ_are_told_and_kept(
    claim: ProjectClaim, paths: ProjectPaths, dsn: str, count: int
) -> None:
    DatabaseJournal(claim, paths).meet(lines(5))
    other = [lines(5)[0], b"mine", *lines(count)[2:]]
    with pytest.raises(ProjectError, match="differ from line 2 on") as caught:
        DatabaseJournal(claim, paths).meet(other)
    assert f"{paths.journal} ({count} lines)" in caught.value.why
    assert f"{KEY!r} in {Dsn(dsn).shown} (5 lines)" in caught.value.why
    assert kept_lines(dsn) == lines(5)


def test_who_lost_the_right_keeps_no_line(
    claim: ProjectClaim, paths: ProjectPaths, database: Database, dsn: str
) -> None:
    journal = DatabaseJournal(claim, paths)
    journal.meet(lines(1))
    database.rows(END, ("libriscribe2 pid %",))
    for _ in range(2):
        with pytest.raises(ProjectInUseError, match="no longer locked"):
            journal.add([b"late"])
    assert kept_lines(dsn) == lines(1)


def test_a_database_without_room_ends_the_right(
    claim: ProjectClaim, paths: ProjectPaths, database: Database
) -> None:
    journal = DatabaseJournal(claim, paths)
    journal.meet([])
    database.rows(
        "create function no_room() returns trigger language plpgsql as"
        " $$ begin raise 'no room' using errcode = 'disk_full'; end $$"
    )
    database.rows(
        "create trigger no_room before insert on libriscribe2_journal execute function no_room()"
    )
    with pytest.raises(ProjectInUseError) as caught:
        journal.add([b"line"])
    assert "no room" in caught.value.why
    with pytest.raises(ProjectInUseError):
        claim.check()
    ProjectClaim.take(database.dsn, KEY).release()  # others may have it


def test_a_book_of_a_newer_version_is_left_alone(
    claim: ProjectClaim, paths: ProjectPaths, database: Database
) -> None:
    DatabaseJournal(claim, paths).meet(lines(1))
    database.rows("update libriscribe2_books set format = 99")
    with pytest.raises(ProjectError, match="newer version"):
        DatabaseJournal(claim, paths).meet([])
    with pytest.raises(ProjectError, match="newer version"):
        stored_book(database, KEY)


def test_what_is_forgotten_is_gone_and_a_book_under_way_is_not(
    claim: ProjectClaim, paths: ProjectPaths, database: Database
) -> None:
    DatabaseJournal(claim, paths).meet(lines(3))
    with pytest.raises(ProjectInUseError):
        forget(database, KEY)
    claim.release()
    assert forget(database, KEY)
    assert stored_book(database, KEY) is None
    assert not forget(database, KEY)


def folder_of(name: str) -> ProjectPaths:
    """A folder that is not there."""
    return ProjectPaths(Path("nowhere") / name, Path("nowhere"))


class Nowhere:
    """Writes nothing, and has no folder of the book."""

    async def write(self, book: Book, grant: float | None) -> Ended:
        return Ended("done", sums=Sums(words=len(book.row.name), possible_usd=grant or 0.0))

    async def sums(self, book: Book) -> Sums:
        del book
        return Sums(words=7)


async def test_what_a_book_cost_elsewhere_is_known(
    claim: ProjectClaim, paths: ProjectPaths, database: Database
) -> None:
    reply = {"reply": "x", "usage": {"known": True, "input_tokens": 3}, "cost_usd": 0.25}
    records = [sent("a", step="s", model="m", est_usd=1.0), done("a", reply)]
    records.append(sent("b", step="s", model="m", est_usd=0.5))
    DatabaseJournal(claim, paths).meet([encode_line(record)[:-1] for record in records])
    writer = SyncedBooks(Nowhere(), database.dsn, "spring", folder_of, 10.0)
    sums = await writer.sums(Book(Row("book", "row", {})))
    assert (sums.words, sums.calls, sums.possible_usd) == (7, 2, 0.75)
    assert (await writer.sums(Book(Row("other", "row", {})))).possible_usd == 0.0
    assert (await writer.write(Book(Row("book", "row", {})), 2.0)).sums.possible_usd == 2.0
    short = (await writer.write(Book(Row("book", "row", {})), 0.1)).sums  # it never saw the journal
    assert (short.words, short.calls, short.possible_usd) == (4, 2, 0.75)
    known = Book(Row("book", "row", {}), last=Ended("queued", sums=Sums(calls=9, possible_usd=7.0)))
    later = (await writer.write(known, 0.1)).sums
    assert (later.words, later.calls, later.possible_usd) == (4, 2, 7.0)


async def test_what_it_cost_is_not_guessed_while_the_database_is_away() -> None:
    away = Dsn("postgresql://writer@127.0.0.1:1/books")
    with pytest.raises(DatabaseLostError):
        await SyncedBooks(Nowhere(), away, "spring", folder_of, 10.0).sums(
            Book(Row("book", "row", {}))
        )


async def test_a_run_that_cannot_be_asked_about_leaves_what_was_known(
    claim: ProjectClaim, paths: ProjectPaths, database: Database
) -> None:
    DatabaseJournal(claim, paths).meet([])
    database.rows("update libriscribe2_books set format = 99")
    known = Book(Row("book", "row", {}), last=Ended("queued", sums=Sums(calls=3, possible_usd=7.0)))
    for dsn in (database.dsn, Dsn("postgresql://writer@127.0.0.1:1/books")):
        how = await SyncedBooks(Nowhere(), dsn, "spring", folder_of, 10.0).write(known, 2.0)
        assert (how.state, how.sums) == ("done", Sums(words=4, calls=3, possible_usd=7.0))
