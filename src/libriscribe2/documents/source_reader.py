"""A document as text with locators, and PDF page by page."""

import io
import re
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import groupby
from operator import itemgetter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from libriscribe2.documents.bibliography import (
    DocumentRecord,
    html_record,
    record_of,
    told_at_its_beginning,
    year_told_by,
)
from libriscribe2.documents.decoding import (
    BINARY,
    MOST_CHARACTERS,
    decode,
    not_readable,
    plain_text,
    silence,
    tidy,
    tidy_line,
    too_large,
    too_many_bytes,
)
from libriscribe2.documents.epub_reader import LARGEST_PAGE, Epub
from libriscribe2.documents.html_reader import Page, read_page
from libriscribe2.documents.text_reader import (
    front_matter,
    parts_by_heading,
    parts_by_indentation,
    parts_by_lone_lines,
    title_line,
    without_comment_marks,
)
from libriscribe2.documents.word_reader import read_word

if TYPE_CHECKING:
    from pypdf import PdfReader

MOST_PAGES: Final = 5_000
MOST_SECONDS: Final = 60.0
"""Longest time that one document may take; looked at between pages."""

_LARGEST_STREAM: Final = 20 * 2**20
_HEADER_WITHIN: Final = 1024
_LONGEST_TITLE: Final = 200
_FAULTS: Final = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NotImplementedError,
    OSError, RecursionError, TypeError, ValueError, zlib.error,
)  # fmt: skip
"""What a parser of a format that grew for thirty years raises over bytes nobody expected."""

Clock = Callable[[], float]


def read_pdf(
    name: str, data: bytes, *, clock: Clock = time.monotonic
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """What a PDF says of itself, and label and text of every page; "" for a page without text.

    Args:
        name: What errors call it.
        data: Its bytes.
        clock: Seconds that only grow.

    Raises:
        DocumentError: 415 where it is none, is locked or has no text, 413 where it takes too long.
    """
    import pypdf  # noqa: PLC0415 - slow to import, and only a PDF that is read needs it
    from pypdf.errors import DeprecationError, PyPdfError  # noqa: PLC0415

    silence("pypdf")
    if b"%PDF-" not in data[:_HEADER_WITHIN]:
        raise not_readable(name, "it is not a PDF, whatever its name says")
    try:
        with pypdf.apply_configuration(
            maximum_declared_stream_length=_LARGEST_STREAM,
            array_based_stream_maximum_output_length=_LARGEST_STREAM,
            lzw_maximum_output_length=_LARGEST_STREAM,
            run_length_maximum_output_length=_LARGEST_STREAM,
            zlib_maximum_output_length=_LARGEST_STREAM,
        ):
            reader = pypdf.PdfReader(io.BytesIO(data))
            if reader.is_encrypted and not reader.decrypt(""):
                raise not_readable(name, "it is password-protected")
            pages = list(_pages(name, reader, clock))
            labels = list(reader.page_labels)[: len(pages)]
            said = _said(reader)
            said["title"] = said.get("title") or _largest_line(reader)
    except (PyPdfError, DeprecationError, *_FAULTS) as error:
        raise not_readable(name, "it is damaged, or not a PDF") from error
    if not any(pages):
        raise not_readable(name, "it has no text, only images")
    numbers = [str(number) for number in range(1, len(pages) + 1)]
    told = [label.strip() for label in labels]
    return said, list(zip(told if len(set(told)) == len(pages) else numbers, pages, strict=True))


def _pages(name: str, reader: "PdfReader", clock: Clock) -> Iterator[str]:
    """The text of every page; "" for one that has none."""
    begun, taken = clock(), 0
    for number, page in enumerate(reader.pages, start=1):
        text = tidy(page.extract_text()).strip()
        taken += len(text)
        if clock() - begun > MOST_SECONDS or number > MOST_PAGES or taken > MOST_CHARACTERS:
            told = (
                f" is too much to read: page {number} is beyond {MOST_PAGES:,} pages, "
                f"{MOST_SECONDS:g} seconds or {MOST_CHARACTERS:,} characters."
            )
            raise too_large(name, told, page=number)
        yield text


def _largest_line(reader: "PdfReader") -> str:
    """What stands largest on the first page; "" where nothing does, or more than a title."""
    found = list[tuple[float, str]]()

    def take(text: str, _page: Any, at: Any, _font: Any, size: Any) -> None:
        if text.strip():
            found.append((round(abs(float(size) * float(at[3])), 1), text))

    reader.pages[0].extract_text(visitor_text=take)
    sizes = {size for size, _ in found}
    title = tidy_line(" ".join(text for size, text in found if size == max(sizes)))
    return title if len(title) <= _LONGEST_TITLE and len(sizes) > 1 else ""


def _said(reader: "PdfReader") -> dict[str, str]:
    """`title`, `author` and when it was `created`, as far as it has them."""
    told: Any = reader.metadata or {}
    created = str(told.get("/CreationDate", "")).removeprefix("D:")[:4]
    said = {"title": told.get("/Title"), "author": told.get("/Author"), "created": created}
    return {name: tidy_line(value) for name, value in said.items() if isinstance(value, str)}


LARGEST_SOURCE: Final = 50 * 2**20
"""Most bytes of a file."""

LARGEST_TEXT: Final = 20 * 2**20
"""Most bytes of a text or Markdown file."""

READER_VERSION: Final = 3
"""Goes up when the texts that were saved from sources are to be made anew."""

_SHORTEST_ARTICLE: Final = 200
"""Characters below which the extractor is taken to have missed the article."""

_LEAST_SHARE: Final = 10
"""An article is at least this part of what a page shows; less is a remark beside it."""

_KNOWN_BY: Final = 60
"""Characters by which a paragraph of a page is found in its article."""

_LONG: Final = 3_000
_MOST_SHARE: Final = 0.8
_FIRST_PARTS: Final = 3
_BY_FILE: Final = re.compile(r"chapter \d+")

_BEGINNING: Final = 3_000
"""Characters in which a document names the year in which it came out."""

_MOST_TAGS: Final = 60_000
"""Tags up to which the extractor, which builds trees of them, stays small."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a document.

    Attributes:
        title: What it calls itself; "" where it does not.
        parts: Locator and text of every part; an empty locator leaves it to the paragraph's number.
        flags: What a reader should know: `encoding_guessed`, `pages_without_text`,
            `whole_page` (what surrounds an article could not be told from it).
        record: What it says of itself.
    """

    title: str
    parts: tuple[tuple[str, str], ...]
    flags: tuple[str, ...] = ()
    record: DocumentRecord = field(default_factory=DocumentRecord)


def read_source(name: str, data: bytes) -> SourceText:
    """The text of a file.

    Args:
        name: Its name, whose ending says what it is.
        data: Its bytes.

    Raises:
        DocumentError: 413 where it is too large, 415 where it cannot be read.
    """
    ending = PurePosixPath(name).suffix.casefold()
    if ending not in _READERS:
        kinds = ", ".join(SOURCE_ENDINGS)
        raise not_readable(name, f"files of this kind are not read, only {kinds}")
    read = _READERS[ending]
    limit = LARGEST_TEXT if read in (_text, _markdown) else LARGEST_SOURCE
    if len(data) > limit:
        raise too_many_bytes(name, f"the file has {len(data):,} bytes", limit)
    return _within(name, read(name, data, ""))


def read_web_page(url: str, data: bytes, content_type: str, charset: str = "") -> SourceText:
    """The text of a page.

    Args:
        url: Its address.
        data: Its bytes.
        content_type: One of `PAGE_TYPES`.
        charset: The charset that the server declared.

    Raises:
        DocumentError: 413 where it is too large, 415 where it cannot be read.
    """
    return _within(url, _READERS[_TYPES[content_type]](url, data, charset))


def _within(name: str, source: SourceText) -> SourceText:
    """The text, unless it says nothing or too much."""
    characters = sum(len(text) for _, text in source.parts)
    if characters > MOST_CHARACTERS:
        raise too_many_bytes(name, f"it has {characters:,} characters", MOST_CHARACTERS)
    if not any(text.strip() for _, text in source.parts):
        raise not_readable(name, "it has no text")
    beginning = "\n\n".join(text for _, text in source.parts[:_FIRST_PARTS])[:_BEGINNING]
    record = told_at_its_beginning(source.record, beginning)
    parts = tuple(_divided(source.parts, characters))
    return replace(source, title=source.title or record.title, parts=parts, record=record)


def _divided(parts: tuple[tuple[str, str], ...], characters: int) -> Iterator[tuple[str, str]]:
    """Parts, and what has no place of its own in it divided at lines that are headings.

    A heading above nearly all of a text tells no place in it, and neither does a file's number.
    """
    for locator, text in parts:
        is_all = characters > _LONG and len(text) > characters * _MOST_SHARE
        if (locator or len(parts) > 1) and not (is_all or _BY_FILE.fullmatch(locator)):
            yield locator, text
        else:
            above = "" if is_all else locator
            divided = parts_by_lone_lines(text)
            yield from ((head or above, some) for head, some in divided if some.strip())


def _text(name: str, data: bytes, declared: str) -> SourceText:
    """A text; its locators are its headings where its lines show some."""
    text, flag = plain_text(name, data, declared)
    body = without_comment_marks(tidy(text))
    parts = tuple(parts_by_indentation(body))
    return SourceText(title_line(body), parts, (flag,) if flag else ())


def _markdown(name: str, data: bytes, declared: str) -> SourceText:
    """A Markdown file; its locators are its headings."""
    text, flag = plain_text(name, data, declared)
    said, _ = front_matter(text)
    parts = tuple(parts_by_heading(tidy(text)))
    # What stands above the first part may be all that there is of a title: a picture of it.
    ranked = [heading for heading, body in parts if body.startswith(("# ", "#\t"))]
    first = next((heading for heading, body in parts if heading or body.strip()), "")
    title = said.get("title", "") or next(iter(ranked), first)
    return SourceText(tidy_line(title), parts, (flag,) if flag else (), record_of(said))


def _pdf(name: str, data: bytes, declared: str) -> SourceText:
    """A PDF; its locators are its pages as it numbers them, else counted from 1."""
    del declared
    said, pages = read_pdf(name, data)
    parts = tuple((f"page {label}", page) for label, page in pages if page)
    flags = ("pages_without_text",) if len(parts) < len(pages) else ()
    return SourceText(said.get("title", ""), parts, flags, _dated(said, parts))


def _word(name: str, data: bytes, declared: str) -> SourceText:
    """A Word document; its locators are its headings."""
    del declared
    html, said = read_word(name, data)
    page = read_page(html)
    line = title_line("\n\n".join(text for heading, text in page.parts[:1] if not heading))
    title = said.get("title") or line or page.title
    return SourceText(title, page.parts, (), _dated(said, page.parts))


def _dated(said: dict[str, str], parts: tuple[tuple[str, str], ...]) -> DocumentRecord:
    """A record with the year of the file, where the beginning of its text names that year."""
    beginning = "\n".join(text for _, text in parts[:2])[:_BEGINNING]
    return record_of(said | {"date": year_told_by(said.get("created", ""), beginning)})


def _epub(name: str, data: bytes, declared: str) -> SourceText:
    """An EPUB; its locators are the headings of its chapters, else their numbers."""
    del declared
    book = Epub(name, data)
    parts: list[tuple[str, str]] = []
    for number, file in enumerate(book.pages, 1):
        page = read_page(book.page(file))
        first = next((heading for heading, _ in page.parts if heading), f"chapter {number}")
        parts += [(heading or first, text) for heading, text in page.parts]
    said = book.said | {"author": book.said.get("authors", "")}
    return SourceText(tidy_line(said.get("title", "")), tuple(parts), (), record_of(said))


def _html(name: str, data: bytes, declared: str) -> SourceText:
    """A page: its article alone where one is found, else everything that a reader would see."""
    if len(data) > LARGEST_PAGE:
        raise too_many_bytes(name, f"the page has {len(data):,} bytes", LARGEST_PAGE)
    if data.startswith(BINARY):
        raise not_readable(name, "it is not HTML, whatever its name says")
    html, flag = decode(data, declared=declared, is_markup=True)
    if "\0" in html:
        raise not_readable(name, "it contains bytes that are not text")
    shown = read_page(html, framed=True)
    if not shown.parts:
        shown = read_page(html)
    article = _article(html) if html.count("<") < _MOST_TAGS else ""
    parts = tuple(_between(article or "", shown)) or shown.parts
    record = html_record(html)
    flags = tuple(filter(None, (flag, "whole_page" if article is None else "")))
    return SourceText(record.title or shown.title, parts, flags, record)


def _article(html: str) -> str | None:
    """The words of the article; "" where none is found, None without the extra `[research]`."""
    if find_spec("trafilatura") is None:
        return None
    # Slow to import, and only a page that is read needs it.
    from trafilatura import extract  # noqa: PLC0415

    silence("trafilatura", "htmldate", "justext", "courlan")
    text = extract(html, include_comments=False, include_tables=True, deduplicate=False)
    return tidy(text or "").strip()


def _between(article: str, shown: Page) -> Iterator[tuple[str, str]]:
    """The parts of a page from the first paragraph of its article to the last.

    The extractor tells where an article begins and ends; what it leaves out in between, and where
    its lines break, counts for nothing. Nothing comes where it has missed the article.
    """
    if len(article) < min(_SHORTEST_ARTICLE, shown.characters // 2) or (
        len(article) * _LEAST_SHARE < shown.characters
    ):
        return
    words = "".join(article.split())
    paragraphs = [
        (number, one) for number, (_, text) in enumerate(shown.parts) for one in text.split("\n\n")
    ]
    inside = [
        at for at, (_, one) in enumerate(paragraphs) if "".join(one.split())[:_KNOWN_BY] in words
    ]
    if not inside:
        return
    # What stands under the same heading as a paragraph of the article belongs to it.
    parts = {number for number, _ in paragraphs if shown.parts[number][0]}
    ends = {paragraphs[inside[0]][0], paragraphs[inside[-1]][0]} & parts
    near = [*inside, *(at for at, (number, _) in enumerate(paragraphs) if number in ends)]
    first, last = min(near), max(near)
    for number, group in groupby(paragraphs[first : last + 1], key=itemgetter(0)):
        yield shown.parts[number][0], "\n\n".join(one for _, one in group)


_READERS: Final[dict[str, Callable[[str, bytes, str], SourceText]]] = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".txt": _text,
    ".text": _text,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".pdf": _pdf,
    ".epub": _epub,
    ".docx": _word,
}
SOURCE_ENDINGS: Final = tuple(_READERS)
"""The endings of the files that can be read."""

_TYPES: Final = {
    "application/pdf": ".pdf",
    "application/xhtml+xml": ".html",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
}
PAGE_TYPES: Final = tuple(_TYPES)
"""The content types of the pages that can be read."""
