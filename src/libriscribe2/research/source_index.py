"""A full-text index of the sources, made from their saved texts and never the truth.

It is one SQLite file. Deleted, damaged or of another version it is made anew. Words are found
whatever their case and accents; in scripts that put no spaces between words each character is a
word of its own, and a run of them in a query is a phrase.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import regex

from libriscribe2.project.atomic import make_folder, storage_errors
from libriscribe2.project.research_files import SavedText
from libriscribe2.research.passages import windows
from libriscribe2.research.tool_error import ToolError

_VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS sources (id TEXT PRIMARY KEY, stamp TEXT NOT NULL, title TEXT NOT NULL,
    place TEXT NOT NULL, status INTEGER NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS passages (number INTEGER PRIMARY KEY, source TEXT NOT NULL,
    start INTEGER NOT NULL, locator TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS passages_of ON passages (source);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    text, tokenize = 'porter unicode61 remove_diacritics 2');
"""
_WAIT_SECONDS: Final = 60.0
_MOST_TERMS: Final = 40
_UNSPACED: Final = regex.compile(
    r"([\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}])"
)
_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")

ResultT = TypeVar("ResultT")
Load = Callable[[str], SavedText | ToolError]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage.

    Attributes:
        source: The id of its source.
        title: What the source calls itself.
        place: The file's name or the page's address.
        locator: Where the passage stands.
        start: Its first character in the saved text.
        text: The passage, verbatim.
    """

    source: str
    title: str
    place: str
    locator: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A source that is not in the index because it cannot be read.

    Attributes:
        place: The file's name.
        reason: Why.
    """

    place: str
    reason: str


class SourceIndex:
    """The index of one project.

    Args:
        path: Its file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def refresh(self, wanted: Mapping[str, str], load: Load) -> list[Unread]:
        """Bring the index up to date.

        Args:
            wanted: For the id of every source there is, a stamp that changes with its content.
            load: Gives the source of an id that is new or changed, or why it cannot be read.

        Returns:
            The sources that cannot be read.

        Raises:
            StorageError: The index cannot be written.
        """
        return self._done(lambda database: _refresh(database, wanted, load))

    def search(self, query: str, most: int) -> list[Hit]:
        """The passages that fit a query best, best first.

        A passage need not hold all words; those that are rare count most (BM25).

        Raises:
            ToolError: 422 where the query has no word.
            StorageError: The index cannot be read.
        """
        match = fts_query(query)
        return self._done(lambda database: _search(database, match, most))

    def _done(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        """What `work` returns; a database that cannot be used is made anew once."""
        with storage_errors("write", self._path):
            make_folder(self._path.parent)
            try:
                return self._once(work)
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                    raise OSError("another process holds the index") from error
                for name in (self._path.name, f"{self._path.name}-journal"):
                    with suppress(FileNotFoundError):
                        self._path.with_name(name).unlink()
            try:
                return self._once(work)
            except sqlite3.DatabaseError as error:
                raise OSError(str(error)) from error

    def _once(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        connection = sqlite3.connect(self._path, timeout=_WAIT_SECONDS, isolation_level=None)
        with closing(connection) as database, _transaction(database):
            _prepare(database)
            return work(database)


def fts_query(query: str) -> str:
    """A query of the user as one of FTS5: every word quoted, any of them enough.

    Raises:
        ToolError: 422 where it has no word.
    """
    terms = dict.fromkeys(_spaced(word).strip() for word in _WORD.findall(query))
    if not terms:
        raise ToolError(
            422,
            "query_without_words",
            f"The query {query[:200]!r} holds no letter and no digit, so nothing can match.",
            {"query": query},
        )
    return " OR ".join(f'"{term}"' for term in list(terms)[:_MOST_TERMS])


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # the first error is the one to tell
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _prepare(database: sqlite3.Connection) -> None:
    """Make the tables; those of another version go."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != _VERSION:
        database.execute("DROP TABLE IF EXISTS words")
        database.execute("DROP TABLE IF EXISTS passages")
        database.execute("DROP TABLE IF EXISTS sources")
        database.execute(f"PRAGMA user_version = {_VERSION}")
    for statement in _SCHEMA.split(";"):
        database.execute(statement)


def _refresh(database: sqlite3.Connection, wanted: Mapping[str, str], load: Load) -> list[Unread]:
    known = dict(database.execute("SELECT id, stamp FROM sources").fetchall())
    for identifier in known:
        if wanted.get(identifier) != known[identifier]:
            _remove(database, identifier)
    for identifier, stamp in wanted.items():
        if known.get(identifier) != stamp:
            _add(database, identifier, stamp, load(identifier))
    unread = database.execute("SELECT place, message FROM sources WHERE status > 0 ORDER BY place")
    return [Unread(place, message) for place, message in unread]


def _remove(database: sqlite3.Connection, identifier: str) -> None:
    database.execute(
        "DELETE FROM words WHERE rowid IN (SELECT number FROM passages WHERE source = ?)",
        (identifier,),
    )
    database.execute("DELETE FROM passages WHERE source = ?", (identifier,))
    database.execute("DELETE FROM sources WHERE id = ?", (identifier,))


def _add(
    database: sqlite3.Connection, identifier: str, stamp: str, found: SavedText | ToolError
) -> None:
    if isinstance(found, ToolError):
        place = str(found.details.get("source", identifier))
        row = (identifier, stamp, "", place, found.status, found.code, found.message)
    else:
        row = (identifier, stamp, found.source.title, found.source.place, 0, "", "")
    database.execute("INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    if isinstance(found, ToolError):
        return
    for start, end in windows(found):
        passage = found.text[start:end].strip()
        added = database.execute(
            "INSERT INTO passages (source, start, locator, text) VALUES (?, ?, ?, ?)",
            (identifier, start, found.locator(start), passage),
        )
        database.execute(
            "INSERT INTO words (rowid, text) VALUES (?, ?)", (added.lastrowid, _spaced(passage))
        )


def _search(database: sqlite3.Connection, match: str, most: int) -> list[Hit]:
    rows = database.execute(
        "SELECT passages.source, sources.title, sources.place, passages.locator, passages.start,"
        " passages.text FROM words JOIN passages ON passages.number = words.rowid"
        " JOIN sources ON sources.id = passages.source"
        " WHERE words MATCH ? ORDER BY bm25(words), sources.place, passages.start LIMIT ?",
        (match, most),
    )
    return [Hit(*row) for row in rows]


def _spaced(text: str) -> str:
    """The text with every character of a script without spaces as a word of its own."""
    return _UNSPACED.sub(r" \1 ", text)
