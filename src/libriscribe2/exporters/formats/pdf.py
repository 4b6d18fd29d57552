"""A PDF for screens, tagged for screen readers (PDF/UA-1); and the pages of the print edition."""

from pathlib import Path
from typing import Final

from pypdf import PdfReader

from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.pandoc import convert, find_pandoc, stage
from libriscribe2.exporters.print_rules import least_gutter, page_for
from libriscribe2.exporters.typesetting import Job, cover_picture, typeset
from libriscribe2.prose import prose_words

_BODY: Final = "body.typ"
_CALLED: Final = '#import "parts.typ": *\n'
_JOB: Final = Job("book.typ", "book.pdf", accessible=True)
_WORDS_OF_A_PAGE: Final = 280


class PdfExporter:
    """The chapters through pandoc into Typst, which sets the pages."""

    name = "pdf"
    suffix = ".pdf"
    needs: tuple[str, ...] = ("pandoc", "typst")
    note = ""
    also_called: tuple[str, ...] = ()
    place = 50
    usual = True

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the PDF; see `Exporter.export`."""
        _set_chapters(book, folder)
        cover, jobs = cover_picture(book, folder)
        typeset(book, folder, [*jobs, _JOB], more={"front": cover})
        return folder / _JOB.output


def printed(book: ExportBook, folder: Path) -> tuple[Path, int]:
    """Make the pages of the print edition, with a gutter that fits how many they are.

    Args:
        book: The book.
        folder: An empty folder.

    Returns:
        The file, and its pages.

    Raises:
        ConfigError: A font or a program is missing.
        ProjectError: Something in the book cannot be converted.
    """
    _set_chapters(book, folder)
    target = folder / _JOB.output
    pages = sum(prose_words(part.text) for part in book.parts) // _WORDS_OF_A_PAGE
    for _ in range(3):  # a wider gutter may make more pages, which want a wider gutter
        page = page_for(book.edition.trim, pages, bleed=book.edition.bleed, printed=True)
        typeset(book, folder, [_JOB], page=page)
        expected, pages = pages, len(PdfReader(target).pages)
        if least_gutter(expected) >= least_gutter(pages):
            break
    return target, pages


def _set_chapters(book: ExportBook, folder: Path) -> None:
    """Have pandoc write the chapters for Typst."""
    names = stage(book, folder)
    pandoc = find_pandoc(book.edition.pandoc)
    convert(pandoc, book, folder, names, ("--to", "typst", "--output", _BODY))
    body = folder / _BODY
    body.write_text(_CALLED + body.read_text(encoding="utf-8"), encoding="utf-8", newline="")


EXPORTER: Final[Exporter] = PdfExporter()
