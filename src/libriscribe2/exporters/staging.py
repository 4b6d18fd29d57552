"""The folder in which pandoc and Typst work: short names, nothing else in it.

Short names matter: with `--file-scope` pandoc puts the path of a file into every anchor.
"""

import json
import shutil
from pathlib import Path
from typing import Any, Final

from libriscribe2.exporters.export_book import ExportBook

BOOK_JSON: Final = "book.json"
ASSETS: Final = Path(__file__).with_name("assets")

_MAKER: Final = "LibriScribe2"


def stage(book: ExportBook, folder: Path) -> list[str]:
    """Put the book into `folder`.

    Returns:
        The names of its parts, in order.
    """
    pictures = {}
    for number, (name, path) in enumerate(book.images.items(), start=1):
        pictures[name] = f"picture-{number}{path.suffix.lower()}"
        shutil.copyfile(path, folder / pictures[name])
    # Looking at every word takes a third of the time, so it is done only where it can matter.
    references = any("&#" in part.text for part in book.parts)
    record = {"meta": metadata(book), "images": pictures, "references": references}
    (folder / BOOK_JSON).write_text(json.dumps(record), encoding="utf-8")
    names = [f"{number:03d}.md" for number in range(1, len(book.parts) + 1)]
    for name, part in zip(names, book.parts, strict=True):
        (folder / name).write_text(part.text, encoding="utf-8", newline="")
    return names


def metadata(book: ExportBook) -> dict[str, Any]:
    """What pandoc is told of the book; every text stands for itself and is not Markdown."""
    told = {
        "title": book.title,
        "author": [book.author] if book.author else [],
        "lang": book.language.tag,
        "identifier": book.identifier,
        "subject": list(book.keywords),
        "description": book.description,
        "publisher": book.publisher,
        "rights": book.rights,
        "belongs-to-collection": book.series,
        "group-position": book.series_number if book.series else "",
        "contributor": [{"role": "oth", "text": _MAKER}],
        "toc-title": book.language.contents,
        "accessModes": ["textual", "visual"] if book.images else [],
        "accessibilitySummary": _accessibility(book),
    }
    if book.language.right_to_left:
        told |= {"dir": "rtl", "page-progression-direction": "rtl"}
    return {name: value for name, value in told.items() if value}


def _accessibility(book: ExportBook) -> str:
    shown = "; pictures have alternative text" if book.images else ""
    return f"Text in reading order with headings, a table of contents and landmarks{shown}."
