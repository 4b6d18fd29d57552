"""A Word file, for editors and for shops that want one."""

from pathlib import Path
from typing import Final

from libriscribe2.exporters.culprit import convert
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.exporter import Exporter
from libriscribe2.exporters.pandoc import Pandoc
from libriscribe2.exporters.staging import stage
from libriscribe2.exporters.word_styles import write_reference

_REFERENCE: Final = "reference.docx"


class DocxExporter:
    """By pandoc, with the styles of `word_styles`."""

    name = "docx"
    suffix = ".docx"
    needs: tuple[str, ...] = ("pypandoc",)
    note = "Word fills the table of contents in when you update it (click it, then F9)."
    also_called: tuple[str, ...] = ("word",)
    place = 40

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the Word file; see `Exporter.export`."""
        pandoc = Pandoc()
        names = stage(book, folder)
        write_reference(pandoc.program, folder / _REFERENCE)
        target = f"book{self.suffix}"
        options = ("--to", "docx", "--toc", "--toc-depth=2")
        dressed = ("--reference-doc", _REFERENCE, "--output", target)
        convert(pandoc, book, folder, names, (*options, *dressed))
        return folder / target


EXPORTER: Final[Exporter] = DocxExporter()
