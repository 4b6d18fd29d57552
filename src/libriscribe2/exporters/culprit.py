"""Which chapter, and which line of it, cannot be converted."""

from pathlib import Path
from typing import Final

from libriscribe2.errors import ProjectError
from libriscribe2.exporters.export_book import ExportBook, ExportChapter
from libriscribe2.exporters.pandoc import Pandoc, PandocError
from libriscribe2.exporters.paragraphs import check_paragraphs

_CHAPTER_SECONDS: Final = 6.0
_PIECE_SECONDS: Final = 2.0
_PROBE: Final = "probe.md"
_NOWHERE: Final = ("--to", "native", "--output", "probe.txt")


def convert(
    pandoc: Pandoc, book: ExportBook, folder: Path, names: list[str], options: tuple[str, ...]
) -> None:
    """Convert the staged book; where that fails, say where.

    Args:
        pandoc: Converts.
        book: The book.
        folder: Its staging folder.
        names: The names of its parts there.
        options: The writer and the output.

    Raises:
        ProjectError: It cannot be converted; the error names chapter and line where one chapter
            alone is the cause.
    """
    check_paragraphs(book)
    try:
        pandoc.run(folder, names, options, seconds=_time_for(book), epoch=book.epoch)
    except PandocError as error:
        raise _located(pandoc, book, folder, str(error)) from error


def _time_for(book: ExportBook) -> float:
    """Seconds that a conversion may take; a usual one takes a tenth of that."""
    return 20 + sum(len(part.text) for part in book.parts) / 100_000


def _located(pandoc: Pandoc, book: ExportBook, folder: Path, reason: str) -> ProjectError:
    """The error that says where the cause is."""
    for part in book.parts:
        why = _fails(pandoc, folder, part.text, _CHAPTER_SECONDS)
        if why:
            place = f"{part.name}, line {_line(pandoc, folder, part)}"
            return ProjectError(
                f"{part.name} cannot be converted.",
                why=f"{place}: {why}",
                fix=f"Look at that passage of {part.name} and write it in a simpler way.",
            )
    return ProjectError(
        "The book cannot be converted.",
        why=f"{reason}; every chapter alone can be",
        fix="Export it in another format, such as html.",
    )


def _line(pandoc: Pandoc, folder: Path, part: ExportChapter) -> int:
    """The first line, counted in the file, up to which the chapter fails; found by halving."""
    lines = part.text.split("\n")
    good, bad = 0, len(lines)
    while bad - good > 1:
        middle = (good + bad) // 2
        if _fails(pandoc, folder, "\n".join(lines[:middle]), _PIECE_SECONDS):
            bad = middle
        else:
            good = middle
    return max(1, bad - part.added)


def _fails(pandoc: Pandoc, folder: Path, text: str, seconds: float) -> str:
    """Why a text cannot be converted; "" where it can."""
    (folder / _PROBE).write_text(text, encoding="utf-8", newline="")
    try:
        pandoc.run(folder, [_PROBE], _NOWHERE, seconds=seconds)
    except PandocError as error:
        return str(error)
    return ""
