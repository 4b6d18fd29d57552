"""Sources of a project: added from files and pages, found by name, read in windows."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from libriscribe2.documents.decoding import DocumentError, not_readable, too_many_bytes
from libriscribe2.documents.source_reader import (
    LARGEST_SOURCE,
    READER_VERSION,
    SourceText,
    read_source,
)
from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.models.notes import Source, SourceKind
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.research_files import ResearchFolder, SavedText, saved_text, source_id
from libriscribe2.research.passages import close_names
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
        hint = f"There are: {', '.join(known[:_MOST_LISTED])}." if known else "There is none yet."
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
