"""Debug dumps that say that they were written."""

from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from libriscribe2.project.debug_dump import DebugDumps, DumpRecord


class ToldDumps(DebugDumps):
    """The folder of a project's dumps, with a listener.

    Args:
        folder: Where the dumps are.
        redact: Masks secrets in a text.
        on_dump: Hears each attempt whose dump was written, and the name of its file.
    """

    def __init__(
        self,
        folder: Path,
        *,
        redact: Callable[[str], str],
        on_dump: Callable[[DumpRecord, str], None],
    ) -> None:
        super().__init__(folder, redact=redact)
        self._on_dump = on_dump

    @override
    def write(self, record: DumpRecord) -> Path:
        """Write a dump, tell of it, and return its path."""
        path = super().write(record)
        self._on_dump(record, path.name)
        return path
