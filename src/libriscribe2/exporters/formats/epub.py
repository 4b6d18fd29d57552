"""EPUB 3, for every reader device and shop."""

import shutil
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from libriscribe2.exporters.culprit import convert
from libriscribe2.exporters.epub_titles import entitle
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.exporter import Exporter
from libriscribe2.exporters.pandoc import Pandoc
from libriscribe2.exporters.staging import ASSETS, stage
from libriscribe2.exporters.typesetting import cover_picture, typeset

_CSS: Final = "epub.css"


class EpubExporter:
    """By pandoc; the cover by Typst."""

    name = "epub"
    suffix = ".epub"
    needs: tuple[str, ...] = ("pypandoc", "typst")
    note = ""
    also_called: tuple[str, ...] = ()
    place = 30

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the EPUB; see `Exporter.export`."""
        pandoc = Pandoc()
        names = stage(book, folder)
        cover, jobs = cover_picture(book, folder)
        if jobs:
            typeset(book, folder, jobs)
        shutil.copyfile(ASSETS / _CSS, folder / _CSS)
        target = f"book{self.suffix}"
        options = ("--to", "epub3", "--split-level=1", "--toc", "--toc-depth=2")
        dressed = ("--epub-cover-image", cover, "--css", _CSS, "--output", target)
        convert(pandoc, book, folder, names, (*options, *dressed))
        entitle(folder / target, escape(book.title))
        return folder / target


EXPORTER: Final[Exporter] = EpubExporter()
