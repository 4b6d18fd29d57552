"""What an exporter is."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from libriscribe2.exporters.export_book import ExportBook


@runtime_checkable
class Exporter(Protocol):
    """Makes one format of a book.

    Attributes:
        name: What the user types, such as `epub`.
        suffix: The end of the file's name, such as `.epub`.
        needs: Modules of the extra `[export]` that it cannot do without.
        note: What a reader of the file has to know, or "".
        also_called: Other names that a user may type, such as `markdown`.
        place: Where lists have it: the lowest first, equal ones by name.
    """

    name: str
    suffix: str
    needs: tuple[str, ...]
    note: str
    also_called: tuple[str, ...]
    place: int

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the file in `folder`, an empty one that this exporter has for itself.

        Returns:
            The path of the finished file.

        Raises:
            ConfigError: A font or a program is missing.
            ProjectError: Something in the book cannot be converted; the error names the place.
        """
        ...
