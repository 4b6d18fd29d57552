"""A sheet of all covers that can be drawn for a book, to choose from."""

from pathlib import Path
from typing import Final

from libriscribe2.exporters.covers import all_covers
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.typesetting import Job, typeset


class CoversExporter:
    """Every design, light and dark, with its name."""

    name = "covers"
    suffix = "-covers.png"
    needs: tuple[str, ...] = ("typst",)
    note = "`export.cover` (`--cover NAME`) takes one."
    also_called: tuple[str, ...] = ()
    place = 80
    usual = False

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the sheet; see `Exporter.export`."""
        drawn = [
            Job("front.typ", f"cover-{name}.png", cover=name, scale=0.2) for name in all_covers()
        ]
        target = Job("sheet.typ", f"book{self.suffix}", scale=1.0)
        typeset(book, folder, [Job("front.typ", "cover.pdf", accessible=True), *drawn, target])
        return folder / target.output


EXPORTER: Final[Exporter] = CoversExporter()
