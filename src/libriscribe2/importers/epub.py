"""EPUB as blocks of Markdown: the pages of the spine, with the table of contents as a guide."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from libriscribe2.importers.blocks import Block
from libriscribe2.importers.epub_contents import Entry, EpubContents, epub_contents
from libriscribe2.importers.markup import MarkupPage, Notes, read_blocks
from libriscribe2.prose import count_words
from libriscribe2.toolchain.sources.archives import Archive
from libriscribe2.toolchain.sources.encoding import decode
from libriscribe2.toolchain.sources.html import LARGEST_PAGE

_FRAME: Final = re.compile(
    r"""epub:type\s*=\s*["'][^"']*\b(?:cover|titlepage|halftitlepage|copyright-page|toc|loi|lot"""
    r"""|landmarks|colophon|imprint)\b"""
)
_HEAD: Final = 4_000
"""Characters within which a page says what it is."""

_LONGEST_FRAME: Final = 1_500
"""Words from which on a page is text, whatever it says it is: some books are one page."""


def read_epub_blocks(name: str, data: bytes) -> tuple[MarkupPage, EpubContents, tuple[str, ...]]:
    """The pieces of an EPUB.

    Returns:
        All its pieces; what it says of itself; and the pages that are left out.

    Raises:
        ToolError: 415 where it is none or is protected, 413 where it is too large.
    """
    archive = Archive(name, data)
    contents = epub_contents(name, archive)
    starts = _starts(contents.entries)
    notes, pages = Notes(), list[Sequence[Block]]()
    pictures, frame = list[str](), list(contents.frame)
    for page in contents.pages:
        html, _ = decode(archive.read(page, most=LARGEST_PAGE), is_markup=True)
        read = read_blocks(html, file=page, starts=starts.get(page, {}), notes=notes)
        if _FRAME.search(html[:_HEAD]) and _words(read) < _LONGEST_FRAME:
            frame.append(page)
            continue
        if read.blocks:
            pages.append(read.blocks)
        pictures += read.pictures
    whole = MarkupPage(tuple(_numbered(pages)), tuple(pictures))
    return whole, contents, tuple(frame)


def _words(page: MarkupPage) -> int:
    return sum(count_words(one.text) for one in page.blocks)


def _starts(entries: Iterable[Entry]) -> dict[str, dict[str, str]]:
    """Where chapters begin: titles by id, by page.

    A nested entry is a section of its chapter, unless it leads to a page of its own.
    """
    found: dict[str, dict[str, str]] = {}
    for one in entries:
        is_section = one.depth > 0 and one.file in found
        if one.title and not is_section:
            places = found.setdefault(one.file, {})
            # An id that stands on the first page element means the beginning of the page.
            places.setdefault(one.place, one.title)
    return found


def _numbered(pages: Sequence[Sequence[Block]]) -> list[Block]:
    """The blocks of all pages; where nothing is a heading, every page is a chapter."""
    if len(pages) > 1 and not any(one.level or one.start for page in pages for one in page):
        pages = [
            [replace(page[0], start=str(number)), *page[1:]]
            for number, page in enumerate(pages, start=1)
        ]
    return [one for page in pages for one in page]
