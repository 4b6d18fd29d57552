"""One file for each chapter, in an archive that is the same for the same book."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from libriscribe2.exporters.export_book import ExportBook


def write_chapters(target: Path, book: ExportBook, texts: Iterable[str], ending: str) -> Path:
    """Write the archive.

    Args:
        target: The file.
        book: The book.
        texts: What stands in the file of each of its parts, in order.
        ending: The end of their names, such as `.html`.

    Returns:
        The file.
    """
    moment = datetime.fromtimestamp(book.epoch, UTC)
    date = max(moment.timetuple()[:6], (1980, 1, 1, 0, 0, 0))
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for number, text in enumerate(texts, start=1):
            entry = ZipInfo(f"{book.name}-{number:03d}{ending}", date)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, text.encode("utf-8"))
    return target
