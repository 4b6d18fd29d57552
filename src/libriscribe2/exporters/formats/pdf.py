"""A PDF of 6 x 9 inches, tagged for screen readers (PDF/UA-1)."""

from pathlib import Path
from typing import Final

from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.pandoc import convert, find_pandoc, stage
from libriscribe2.exporters.typesetting import Job, cover_picture, typeset

_BODY: Final = "body.typ"
_CALLED: Final = '#import "parts.typ": *\n'


class PdfExporter:
    """The chapters through pandoc into Typst, which sets the pages."""

    name = "pdf"
    suffix = ".pdf"
    needs: tuple[str, ...] = ("pandoc", "typst")
    note = ""
    also_called: tuple[str, ...] = ()
    place = 50

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the PDF; see `Exporter.export`."""
        names = stage(book, folder)
        convert(
            find_pandoc(book.edition.pandoc),
            book,
            folder,
            names,
            ("--to", "typst", "--output", _BODY),
        )
        body = folder / _BODY
        body.write_text(_CALLED + body.read_text(encoding="utf-8"), encoding="utf-8", newline="")
        cover, jobs = cover_picture(book, folder)
        target = f"book{self.suffix}"
        typeset(book, folder, [*jobs, Job("book.typ", target, accessible=True)], cover=cover)
        return folder / target


EXPORTER: Final[Exporter] = PdfExporter()
