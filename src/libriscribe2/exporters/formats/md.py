"""One Markdown file: title page as YAML front matter, and all chapters."""

import json
from pathlib import Path
from typing import Any, Final

from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import CITED
from libriscribe2.prose import without_notes


class MarkdownExporter:
    """Every chapter as it is, without what no reader can see."""

    name = "md"
    suffix = ".md"
    needs: tuple[str, ...] = ()
    note = ""
    also_called: tuple[str, ...] = ("markdown",)
    place = 10
    usual = True

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the Markdown file; see `Exporter.export`."""
        values = {name: value for name, value in _title_page(book).items() if value}
        # A JSON string is a YAML one.
        lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
        parts = (CITED.sub(r"\1", without_notes(part.text)).strip("\n") for part in book.parts)
        text = "---\n" + "\n".join(lines) + "\n---\n\n" + "\n\n".join(parts) + "\n"
        target = folder / f"book{self.suffix}"
        target.write_text(text, encoding="utf-8", newline="")
        return target


def _title_page(book: ExportBook) -> dict[str, Any]:
    return {
        "title": book.title,
        "author": book.author,
        "lang": book.language.tag,
        "series": book.series,
        "series_number": book.series_number,
        "publisher": book.publisher,
        "rights": book.rights,
        "identifier": book.identifier,
        "description": book.description,
        "keywords": list(book.keywords),
    }


EXPORTER: Final[Exporter] = MarkdownExporter()
