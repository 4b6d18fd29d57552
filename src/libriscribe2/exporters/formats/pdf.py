"""PDFs: for screens, tagged for screen readers (PDF/UA-1); the pages and the cover of a print edition.

The cover in one piece is as wide as the pages make it; a sheet shows all covers to choose from.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pypdf import PdfReader
from typing_extensions import override

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.covers import all_covers
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.pandoc import convert, find_pandoc, stage
from libriscribe2.exporters.typesetting import (
    BLEED,
    FEWEST_FOR_SPINE,
    Job,
    Page,
    cover_picture,
    need_typst,
    page_for,
    spine,
    typeset,
)
from libriscribe2.prose import prose_words

_BODY: Final = "body.typ"
_CALLED: Final = '#import "parts.typ": *\n'
_JOB: Final = Job("book.typ", "book.pdf", accessible=True)
_WORDS_OF_A_PAGE: Final = 280


class PdfExporter(Exporter):
    """The chapters through pandoc into Typst, which sets the pages."""

    name = "pdf"
    suffix = ".pdf"
    needs = ("pandoc", "typst")
    place = 50
    usual = True

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the PDF; see `Exporter.export`."""
        _set_chapters(book, folder)
        cover, jobs = cover_picture(book, folder)
        typeset(book, folder, [*jobs, _JOB], more={"front": cover})
        return folder / _JOB.output


class PrintExporter(Exporter):
    """The pages from the half title on, with a gutter; the cover is the format `wrap`."""

    name = "print"
    suffix = "-print.pdf"
    needs = ("pandoc", "typst")
    place = 60

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the PDF; see `Exporter.export`."""
        return printed(book, folder).path


class WrapExporter(Exporter):
    """As wide as the pages of the print edition make it, with the ISBN as a barcode."""

    name = "wrap"
    suffix = "-wrap.pdf"
    needs = ("pandoc", "typst")
    place = 70

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the cover; see `Exporter.export`."""
        pages = printed(book, folder).count
        page = _bound(book, pages)
        target = Job("wrap.typ", "wrap.pdf", accessible=True)
        typeset(book, folder, [target], page=page, more={"wrap": _record(book, pages)})
        return folder / target.output


class CoversExporter(Exporter):
    """Every design, light and dark, with its name."""

    name = "covers"
    suffix = "-covers.png"
    needs = ("typst",)
    note = "`export.cover` (`--cover NAME`) takes one."
    place = 80

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the sheet; see `Exporter.export`."""
        drawn = [
            Job("front.typ", f"cover-{name}.png", cover=name, scale=0.2) for name in all_covers()
        ]
        target = Job("sheet.typ", f"book{self.suffix}", scale=1.0)
        typeset(book, folder, [Job("front.typ", "cover.pdf", accessible=True), *drawn, target])
        return folder / target.output


@dataclass(frozen=True, slots=True)
class PrintedPages:
    """The inside of a print edition.

    Attributes:
        path: The file.
        count: How many pages it has.
        page: How they are.
    """

    path: Path
    count: int
    page: Page


def page_starts(book: ExportBook, folder: Path) -> list[tuple[int, int, str]]:
    """Where the paragraphs of a book stand in its print edition.

    Args:
        book: The book, whose edition wants a list of pages.
        folder: An empty folder.

    Returns:
        For each paragraph the leaf's place in the file, the number on it, and the words.

    Raises:
        ConfigError: A font or a program is missing.
        ProjectError: Something in the book cannot be converted.
    """
    need_typst()
    page = printed(book, folder).page
    marks = Job(_JOB.source, "", query="<page-mark>")
    return [
        (place, number, words) for place, number, words in typeset(book, folder, [marks], page=page)
    ]


def printed(book: ExportBook, folder: Path) -> PrintedPages:
    """Make the pages of the print edition, with a gutter that fits how many they are.

    Args:
        book: The book.
        folder: An empty folder.

    Raises:
        ConfigError: A font or a program is missing.
        ProjectError: Something in the book cannot be converted.
    """
    _set_chapters(book, folder)
    target = folder / _JOB.output
    pages = sum(prose_words(part.text) for part in book.parts) // _WORDS_OF_A_PAGE
    page = _bound(book, pages)
    for _ in range(3):  # a wider gutter may make more pages, which want a wider gutter
        typeset(book, folder, [_JOB], page=page)
        pages = len(PdfReader(target).pages)
        if page.inside >= _bound(book, pages).inside:
            break
        page = _bound(book, pages)
    return PrintedPages(target, pages, page)


def _bound(book: ExportBook, pages: int) -> Page:
    """The page of a book of so many pages in print."""
    return page_for(book.edition.trim, pages, bleed=book.edition.bleed, printed=True)


def _set_chapters(book: ExportBook, folder: Path) -> None:
    """Have pandoc write the chapters for Typst."""
    names = stage(book, folder)
    pandoc = find_pandoc(book.edition.pandoc)
    convert(pandoc, book, folder, names, ("--to", "typst", "--output", _BODY))
    body = folder / _BODY
    body.write_text(_CALLED + body.read_text(encoding="utf-8"), encoding="utf-8", newline="")


_LEFT: Final = "0001101 0011001 0010011 0111101 0100011 0110001 0101111 0111011 0110111 0001011"
_ODD: Final = _LEFT.split()
_RIGHT: Final = ["".join("10"[int(bit)] for bit in one) for one in _ODD]
_EVEN: Final = [one[::-1] for one in _RIGHT]
_PARITY: Final = (
    *("000000", "001011", "001101", "001110", "010011"),
    *("011001", "011100", "010101", "010110", "011010"),
)


def _record(book: ExportBook, pages: int) -> dict[str, Any]:
    isbn = re.sub(r"[^0-9]", "", book.identifier) if "isbn" in book.identifier.lower() else ""
    written = book.identifier.rpartition(":")[2]
    return {
        "bleed": BLEED,
        "spine": spine(pages, book.edition.paper),
        "lettered": pages >= FEWEST_FOR_SPINE,
        "back": [*book.blurb],
        "bars": barcode(isbn) if isbn else "",
        "digits": f"{isbn[:1]} {isbn[1:7]} {isbn[7:]}",
        "isbn": f"ISBN {written}",
    }


def barcode(isbn: str) -> str:
    """The bars of a number as EAN-13: 95 modules, `1` for black.

    Raises:
        ConfigError: The number is no ISBN of 13 digits.
    """
    sums = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(isbn))
    if len(isbn) != 13 or sums % 10:
        raise ConfigError(
            f"{isbn} is not an ISBN of 13 digits.",
            why="its last digit does not check the others" if len(isbn) == 13 else "",
            fix="Correct `identifier` in book.toml, such as urn:isbn:9780306406157.",
        )
    digits = [int(one) for one in isbn]
    sets = (_ODD, _EVEN)
    left = "".join(
        sets[int(kind)][digit] for kind, digit in zip(_PARITY[digits[0]], digits[1:7], strict=True)
    )
    return f"101{left}01010{''.join(_RIGHT[digit] for digit in digits[7:])}101"


EXPORTERS: Final[tuple[Exporter, ...]] = (
    PdfExporter(),
    PrintExporter(),
    WrapExporter(),
    CoversExporter(),
)
