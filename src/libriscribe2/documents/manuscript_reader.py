"""A document as the chapters of a book in Markdown: manuscripts that were written elsewhere."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from libriscribe2.documents.blocks import Block
from libriscribe2.documents.chapter_division import ManuscriptChapter, divide
from libriscribe2.documents.decoding import (
    MOST_CHARACTERS,
    not_readable,
    plain_text,
    tidy_line,
    too_many_bytes,
)
from libriscribe2.documents.epub_reader import Entry, Epub
from libriscribe2.documents.html_reader import TITLE_STYLE, Notes, read_book_page
from libriscribe2.documents.text_reader import front_matter, markdown_blocks, text_blocks
from libriscribe2.documents.word_reader import FRONT_STYLE, read_word
from libriscribe2.prose import count_words
from libriscribe2.wording import first_of

MANUSCRIPT_ENDINGS: Final = (".md", ".markdown", ".txt", ".docx", ".epub")
"""The endings of the files that can be imported."""

LARGEST_MANUSCRIPT: Final = 50 * 2**20
"""Most bytes of a file."""

_LARGEST_TEXT: Final = 20 * 2**20
_MOST_NAMED: Final = 5
_FRAME: Final = re.compile(
    r"""epub:type\s*=\s*["'][^"']*\b(?:cover|titlepage|halftitlepage|copyright-page|toc|loi|lot"""
    r"""|landmarks|colophon|imprint)\b"""
)
_HEAD: Final = 4_000
"""Characters within which a page says what it is."""

_LONGEST_FRAME: Final = 1_500
"""Words from which on a page is text, whatever it says it is: some books are one page."""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A book that was written elsewhere.

    Attributes:
        chapters: Its chapters in order.
        title: What it calls itself; "" where it does not.
        author: Who wrote it; "" where it does not say.
        language: Its language as a code or a name; "" where it does not say.
        description: What it says of itself; "".
        left_out: What is not taken over, each in words.
        how: How its chapters were told apart, in words.
    """

    chapters: tuple[ManuscriptChapter, ...]
    title: str = ""
    author: str = ""
    language: str = ""
    description: str = ""
    left_out: tuple[str, ...] = ()
    how: str = ""


def read_manuscript(name: str, data: bytes) -> Manuscript:
    """The chapters of a manuscript.

    Args:
        name: Its file's name, whose ending says what it is.
        data: Its bytes.

    Raises:
        DocumentError: 413 where it is too large, 415 where it cannot be read or has no text.
    """
    ending = PurePosixPath(name).suffix.casefold()
    if ending not in MANUSCRIPT_ENDINGS:
        raise not_readable(name, f"only {', '.join(MANUSCRIPT_ENDINGS)} are imported")
    limit = LARGEST_MANUSCRIPT if ending in (".docx", ".epub") else _LARGEST_TEXT
    if len(data) > limit:
        raise too_many_bytes(name, f"the file has {len(data):,} bytes", limit)
    if ending == ".epub":
        manuscript = _epub(name, data)
    elif ending == ".docx":
        manuscript = _word(name, data)
    else:
        manuscript = _text(name, data, is_markdown=ending != ".txt")
    if not manuscript.chapters:
        raise not_readable(name, "it has no text")
    characters = sum(len(chapter.text) for chapter in manuscript.chapters)
    if characters > MOST_CHARACTERS:
        raise too_many_bytes(name, f"it has {characters:,} characters", MOST_CHARACTERS)
    return manuscript


def _epub(name: str, data: bytes) -> Manuscript:
    book = Epub(name, data)
    starts = _starts(book.entries)
    notes, pages = Notes(), list[Sequence[Block]]()
    pictures = list[str]()
    frame = [file for file in book.pages if file in book.frame]
    for file in book.pages:
        if file in book.frame:
            continue
        html = book.page(file)
        page = read_book_page(html, file=file, starts=starts.get(file, {}), notes=notes)
        words = sum(count_words(one.text) for one in page.blocks)
        if _FRAME.search(html[:_HEAD]) and words < _LONGEST_FRAME:
            frame.append(file)
            continue
        if page.blocks:
            pages.append(page.blocks)
        pictures += page.pictures
    frame_names = [file.rpartition("/")[2] for file in frame]
    left_out = (_listed("picture", pictures), _listed("page", frame_names))
    return _manuscript(_numbered(pages), book.said, left_out)


def _starts(entries: Iterable[Entry]) -> dict[str, dict[str, str]]:
    """Where chapters begin: titles by id, by page.

    A nested entry is a section of its chapter, unless it leads to a page of its own.
    """
    starts: dict[str, dict[str, str]] = {}
    for one in entries:
        is_section = one.depth > 0 and one.file in starts
        if one.title and not is_section:
            places = starts.setdefault(one.file, {})
            # An id that stands on the first page element means the beginning of the page.
            places.setdefault(one.place, one.title)
    return starts


def _numbered(pages: Sequence[Sequence[Block]]) -> list[Block]:
    """The blocks of all pages; where nothing is a heading, every page is a chapter."""
    if len(pages) > 1 and not any(one.level or one.start for page in pages for one in page):
        pages = [
            [replace(page[0], start=str(number)), *page[1:]]
            for number, page in enumerate(pages, start=1)
        ]
    return [one for page in pages for one in page]


def _word(name: str, data: bytes) -> Manuscript:
    html, said = read_word(name, data)
    page = read_book_page(html, file=name)
    title = next((one.text for one in page.blocks if one.style == TITLE_STYLE), "")
    blocks = [one for one in page.blocks if one.style not in (TITLE_STYLE, FRONT_STYLE)]
    said = {**said, "title": tidy_line(title) or said.get("title", "")}
    return _manuscript(blocks, said, [_listed("picture", page.pictures)])


def _text(name: str, data: bytes, *, is_markdown: bool) -> Manuscript:
    text, guessed = plain_text(name, data)
    remark = "the encoding of the file was guessed; look at accents and quotation marks"
    remarks = [remark] if guessed else []
    if not is_markdown:
        return _manuscript(text_blocks(text), {}, remarks)
    fields, body = front_matter(text.replace("\r\n", "\n"))
    blocks, pictures = markdown_blocks(body)
    # A mark of a place for a program is no text.
    blocks = [one for one in blocks if one.text.strip().upper() != "[TOC]"]
    said = {**fields, "language": fields.get("language") or fields.get("lang", "")}
    return _manuscript(blocks, said, [*remarks, _listed("picture", pictures)])


def _manuscript(
    blocks: Sequence[Block], said: Mapping[str, str], left_out: Iterable[str]
) -> Manuscript:
    """The manuscript of these blocks, with what it says of itself."""
    division = divide(blocks)
    return Manuscript(
        division.chapters,
        title=said.get("title") or division.title,
        author=said.get("author", ""),
        language=said.get("language", ""),
        description=said.get("description", ""),
        left_out=tuple(one for one in (*division.left_out, *left_out) if one),
        how=division.how,
    )


def _listed(what: str, names: Sequence[str]) -> str:
    """How many things, with the names of the first; "" for none."""
    if not names:
        return ""
    plural = "s" if len(names) > 1 else ""
    return f"{len(names)} {what}{plural}: {first_of(names, _MOST_NAMED)}"
