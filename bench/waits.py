"""How long a process waits for the device, and how long it would without an engine around it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from typing_extensions import override

from libriscribe2.project.atomic import FileOps


@dataclass
class Waits:
    """Waits for the device.

    Attributes:
        seconds: Their sum.
        written: Bytes that were written before each of them.
    """

    seconds: float = 0.0
    written: list[int] = field(default_factory=list)
    _unsynced: int = 0

    @property
    def count(self) -> int:
        """How many there were."""
        return len(self.written)

    def taken(self) -> "Waits":
        """The waits so far; counting begins anew."""
        taken = Waits(self.seconds, self.written)
        self.seconds, self.written = 0.0, []
        return taken

    def wrote(self, size: int) -> None:
        """Bytes were written."""
        self._unsynced += size

    def waited(self, seconds: float) -> None:
        """A sync ended."""
        self.seconds += seconds
        self.written.append(self._unsynced)
        self._unsynced = 0

    def ops(self) -> FileOps:
        """The operating system, watched."""
        return _Watched(self)


class _Watched(FileOps):
    """The operating system with a clock around every sync."""

    def __init__(self, waits: Waits) -> None:
        self._waits = waits

    @override
    def write(self, descriptor: int, data: memoryview, /) -> int:
        size = os.write(descriptor, data)
        self._waits.wrote(size)
        return size

    @override
    def fsync(self, descriptor: int, /) -> None:
        begun = perf_counter()
        os.fsync(descriptor)
        self._waits.waited(perf_counter() - begun)


def bare_seconds(path: Path, gaps: Sequence[Waits]) -> list[float]:
    """Seconds that it takes to append and sync what was written in each gap, and nothing else."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    seconds = []
    try:
        for gap in gaps:
            blocks = [b"x" * size for size in gap.written]
            begun = perf_counter()
            for block in blocks:
                os.write(descriptor, block)
                os.fsync(descriptor)
            seconds.append(perf_counter() - begun)
    finally:
        os.close(descriptor)
    return seconds
