"""Paragraphs that are too long to be converted in any sensible time."""

from typing import Final

from libriscribe2.errors import ProjectError
from libriscribe2.exporters.export_book import ExportBook

_LONGEST: Final = 100_000
"""Characters; readers of Markdown take a time that grows as the square of a hostile one."""


def check_paragraphs(book: ExportBook) -> None:
    """Refuse a book with a paragraph over which a converter would sit for minutes.

    Raises:
        ProjectError: There is one; the error names the line.
    """
    for part in book.parts:
        found = too_long(part.text)
        if found is not None:
            raise ProjectError(
                f"{part.name} has a paragraph that is too long.",
                why=f"{part.name}, line {found - part.added}: more than {_LONGEST:,} characters "
                "without a blank line",
                fix="Put blank lines between its paragraphs, or export md.",
            )


def too_long(text: str) -> int | None:
    """The line, from 1, where the first paragraph begins that is too long; None without one."""
    if len(text) <= _LONGEST:
        return None
    begun, length = 0, 0
    for number, line in enumerate(text.split("\n"), start=1):
        begun, length = (number, 0) if not line.strip() or not length else (begun, length)
        length += len(line)
        if length > _LONGEST:
            return begun
    return None
