"""The pages of the print edition, for shops that print on demand."""

from pathlib import Path
from typing import Final

from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.formats.pdf import printed


class PrintExporter:
    """The pages from the half title on, with a gutter; the cover is the format `wrap`."""

    name = "print"
    suffix = "-print.pdf"
    needs: tuple[str, ...] = ("pandoc", "typst")
    note = ""
    also_called: tuple[str, ...] = ()
    place = 60
    usual = False

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the PDF; see `Exporter.export`."""
        return printed(book, folder)[0]


EXPORTER: Final[Exporter] = PrintExporter()
