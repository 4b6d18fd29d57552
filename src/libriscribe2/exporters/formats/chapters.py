"""A page of HTML for each chapter, for platforms on which a book appears in parts."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from libriscribe2.exporters.chapter_files import write_chapters
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import check_paragraphs
from libriscribe2.exporters.formats.html import page_of


class ChaptersExporter:
    """The pages as an archive, numbered in their order."""

    name = "chapters"
    suffix = "-chapters.zip"
    needs: tuple[str, ...] = ()
    note = ""
    also_called: tuple[str, ...] = ("serial",)
    place = 91
    usual = False

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the archive; see `Exporter.export`."""
        check_paragraphs(book)
        pages = (page_of(replace(book, parts=(part,))) for part in book.parts)
        return write_chapters(folder / f"book{self.suffix}", book, pages, ".html")


EXPORTER: Final[Exporter] = ChaptersExporter()
