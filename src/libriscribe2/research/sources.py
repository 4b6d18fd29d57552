"""Sources of a research: kept, cut into passages, found again by their words."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import regex

from libriscribe2.documents.decoding import DocumentError, not_readable, too_many_bytes
from libriscribe2.documents.source_reader import (
    LARGEST_SOURCE,
    READER_VERSION,
    SourceText,
    read_source,
)
from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.models.notes import Source, SourceKind
from libriscribe2.project.atomic import make_folder, storage_errors
from libriscribe2.project.research_files import ResearchFolder, SavedText, saved_text, source_id
from libriscribe2.research.passages import close_names, windows
from libriscribe2.research.tool import ToolContext
from libriscribe2.research.tool_error import ToolError

_MOST_LISTED: Final = 50


@dataclass(frozen=True, slots=True)
class Library:
    """The author's files and the pages that were fetched.

    Attributes:
        folder: Where they are.
        today: The date that a source gets which is read for the first time.
    """

    folder: ResearchFolder
    today: str = ""

    def open(self, wanted: str) -> SavedText:
        """A source.

        Args:
            wanted: Its id, the name of one of the author's files, or the address of a page that
                was fetched.

        Raises:
            ToolError: 404 where there is none, 413 or 415 where it cannot be read.
            StorageError: The disk refuses.
        """
        with as_tool_errors(), self.folder.working():
            names = self.folder.own_files()
            by_id = {source_id("file", name): name for name in names}
            if wanted in names or wanted in by_id:
                return self._own(by_id.get(wanted, wanted))
            found = self._page(wanted)
            if found is None:
                raise self._not_found(wanted, names)
            return found

    def keep_page(self, url: str, sha256: str, text: SourceText) -> SavedText:
        """Save the text of a page that was fetched.

        Args:
            url: Its address.
            sha256: The hash of the bytes that came.
            text: Its text.

        Raises:
            StorageError: The disk refuses.
        """
        title = text.title or (urlsplit(url).hostname or url)
        return self._saved("web", url, title, sha256, text)

    def _own(self, name: str) -> SavedText:
        """One of the author's files: its saved text, made anew where the file changed."""
        if shown_name(name) != name:
            raise not_readable(shown_name(name), "its name is not valid text; rename it")
        with readable(name):
            size = self.folder.own_size(name)
        if size > LARGEST_SOURCE:
            raise too_many_bytes(name, f"the file has {size:,} bytes", LARGEST_SOURCE)
        with readable(name):
            sha = self.folder.own_sha(name)
        known = self.folder.load(source_id("file", name))
        if known is not None and known.whole and _is_current(known, sha):
            return known
        path = self.folder.own_path(name)
        with readable(name), storage_errors("read", path):
            data = path.read_bytes()
        text = read_source(name, data)
        return self._saved("file", name, text.title or name, sha, text)

    def _saved(
        self, kind: SourceKind, place: str, title: str, sha256: str, text: SourceText
    ) -> SavedText:
        """The text of a source, saved under the id of its place."""
        source = Source(
            id=source_id(kind, place),
            kind=kind,
            title=title,
            place=place,
            sha256=sha256,
            retrieved=self.today,
            flags=text.flags,
            authors=text.record.authors,
            published=text.record.date,
            publisher=text.record.publisher,
            version=text.record.version,
            url=text.record.address if kind == "file" else "",
        )
        document = saved_text(source, text.parts, reader=READER_VERSION)
        self.folder.save(document)
        return document

    def _page(self, wanted: str) -> SavedText | None:
        """A page by its id or address."""
        for identifier in (wanted, source_id("web", wanted)):
            if identifier in self.folder.saved_ids():
                found = self.folder.load(identifier)
                if found is not None and found.source.kind == "web":
                    return found
        return None

    def _not_found(self, wanted: str, names: tuple[str, ...]) -> ToolError:
        records = (self.folder.record(identifier) for identifier in self.folder.saved_ids())
        pages = [kept.source.place for kept in records if kept and kept.source.kind == "web"]
        known = [*map(shown_name, names), *pages]
        close = close_names(wanted, known)
        hint = f"There are: {', '.join(known[:_MOST_LISTED])}." if known else "There are none yet."
        return ToolError(
            404,
            "source_not_found",
            f"No source is called {wanted[:200]!r}. {hint}",
            {"wanted": wanted, "close": close, "known": known[:_MOST_LISTED]},
        )


def opened(library: Library, wanted: str) -> SavedText | ToolError:
    """As `Library.open`, with the refusal as a value."""
    try:
        return library.open(wanted)
    except ToolError as error:
        return error
    except ProjectError as error:
        return ToolError(404, "source_not_found", error.what, {"wanted": wanted, "source": wanted})


@contextmanager
def as_tool_errors() -> Iterator[None]:
    """A document that cannot be read is a failure of the tool that opens it."""
    try:
        yield
    except DocumentError as error:
        raise ToolError(error.status, error.code, error.message, error.details) from error


@contextmanager
def readable(name: str) -> Iterator[None]:
    """A file that the system does not let us read is refused like one that is damaged."""
    try:
        yield
    except StorageError as error:
        raise not_readable(name, error.why or error.what) from error


def shown_name(name: str) -> str:
    """A file's name as text; bytes of it that are none become question marks."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _is_current(known: SavedText, sha: str) -> bool:
    return known.source.sha256 == sha and known.saved.reader == READER_VERSION


ResultT = TypeVar("ResultT")


def library_of(context: ToolContext) -> Library:
    """The library of a context.

    Raises:
        ToolError: 501 where the run has none.
    """
    if context.research is None:
        raise ToolError(501, "no_research", "This run has no research folder.")
    return Library(context.research, context.today)


async def open_source(context: ToolContext, wanted: str) -> SavedText:
    """A source by id, file name or address.

    Raises:
        ToolError: 404 where there is none, 413 or 415 where it cannot be read.
        StorageError: The disk refuses.
    """
    found = await in_thread(opened, library_of(context), wanted)
    if isinstance(found, ToolError):
        raise found
    return found


async def in_thread(work: Callable[..., ResultT], *arguments: Any) -> ResultT:
    """What `work` returns; a file that takes long to read does not hold up the other steps."""
    return await asyncio.to_thread(work, *arguments)


def shown(document: SavedText) -> dict[str, Any]:
    """What a result says about a source."""
    source = document.source
    return {
        "source": source.id,
        "title": source.title,
        "place": source.place,
        "flags": list(source.flags),
    }


def excerpt(document: SavedText, start: int, most: int) -> dict[str, Any]:
    """A piece of a source's text, cut after a word, and where the next one starts."""
    text = document.text
    end = min(len(text), start + most)
    if end < len(text):
        blank = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
        end = blank + 1 if blank > start + most // 2 else end
    return {
        "text": text[start:end],
        "locator": document.locator(start),
        "start": start,
        "next_start": end if end < len(text) else None,
        "characters": len(text),
    }


_VERSION: Final = 1
_WORDS: Final = """
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    text, tokenize = 'porter unicode61 remove_diacritics 2');
"""
_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS sources (id TEXT PRIMARY KEY, stamp TEXT NOT NULL, title TEXT NOT NULL,
    place TEXT NOT NULL, status INTEGER NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS passages (number INTEGER PRIMARY KEY, source TEXT NOT NULL,
    start INTEGER NOT NULL, locator TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS passages_of ON passages (source);{_WORDS}"""
_WAIT_SECONDS: Final = 60.0
_MOST_TERMS: Final = 40
_UNSPACED: Final = regex.compile(
    r"([\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}])"
)
_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")

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


def ranked(passages: Sequence[str], query: str) -> list[int]:
    """The places of all passages, those that fit a query best first (BM25 of word stems).

    Those that have no word of it stand behind, in their order.
    """
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(_WORDS)
        rows = ((number, _spaced(one)) for number, one in enumerate(passages))
        database.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", rows)
        by_fit = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid"
        try:
            fitting = [number for (number,) in database.execute(by_fit, (fts_query(query),))]
        except ToolError:  # no word to look for
            fitting = []
    return list(dict.fromkeys([*fitting, *range(len(passages))]))


def _spaced(text: str) -> str:
    """The text with every character of a script without spaces as a word of its own."""
    return _UNSPACED.sub(r" \1 ", text)
