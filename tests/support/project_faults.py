"""Operating systems that fail, die or remember, for tests of what a project survives."""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from typing_extensions import override

from libriscribe2.project.atomic import SYSTEM, FileOps

NAMES: Final = ("open", "write", "fsync", "ftruncate", "replace", "exchange", "unlink")


class Crash(BaseException):
    """The process is dead; no handler of the program may believe that it lives."""


class QuickOps(FileOps):
    """The real operating system without waiting for the disk.

    Attributes:
        calls: Names of the calls so far, in order.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []

    def open(self, path: Path, flags: int, mode: int = 0o777, /) -> int:
        self._before("open")
        return os.open(path, flags, mode)

    def write(self, descriptor: int, data: memoryview, /) -> int:
        self._before("write", lambda: os.write(descriptor, data[: len(data) // 2]))
        return os.write(descriptor, data)

    def fsync(self, descriptor: int, /) -> None:
        del descriptor
        self._before("fsync")

    def ftruncate(self, descriptor: int, length: int, /) -> None:
        self._before("ftruncate")
        os.ftruncate(descriptor, length)

    def close(self, descriptor: int, /) -> None:
        os.close(descriptor)

    def replace(self, source: Path, target: Path, /) -> None:
        self._before("replace")
        source.replace(target)

    def exchange(self, one: Path, other: Path, /) -> None:
        self._before("exchange")
        SYSTEM.exchange(one, other)

    def unlink(self, path: Path, /) -> None:
        self._before("unlink")
        path.unlink()

    def _before(self, name: str, tear: Callable[[], Any] = lambda: None) -> None:
        """What happens before the call; `tear` writes the first half of its data."""
        del tear
        self.calls.append(name)


class ShortOps(QuickOps):
    """Writes at most seven bytes at a time."""

    @override
    def write(self, descriptor: int, data: memoryview, /) -> int:
        return super().write(descriptor, data[:7])


class FailingOps(QuickOps):
    """Refuses the calls whose numbers, from 1, are in `numbers`; a refused write is torn first.

    Args:
        numbers: Which calls fail.
        code: The `errno` that they fail with.
        names: Only calls of these names are counted.
    """

    def __init__(self, *numbers: int, code: int, names: tuple[str, ...] = NAMES) -> None:
        super().__init__()
        self._numbers = numbers
        self._code = code
        self._names = names
        self._count = 0

    @override
    def _before(self, name: str, tear: Callable[[], Any] = lambda: None) -> None:
        super()._before(name, tear)
        self._count += name in self._names
        if name in self._names and self._count in self._numbers:
            tear()
            raise OSError(self._code, os.strerror(self._code))


class DyingOps(QuickOps):
    """Dies at call `number`, from 1: a write is torn, and no later call does anything."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._left = number

    @override
    def _before(self, name: str, tear: Callable[[], Any] = lambda: None) -> None:
        super()._before(name, tear)
        self._left -= 1
        if self._left == 0:
            tear()
        if self._left <= 0:
            raise Crash


class Disk:
    """What is on a disk by name, and what would be there after a power failure.

    A file's data and the names in a folder become durable each by its own fsync; what is not
    durable may be there, be missing, or be torn.
    """

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.data: dict[int, bytes] = {}
        self._durable_names: dict[str, int] = {}
        self._durable_data: dict[int, bytes] = {}
        self._waiting: list[dict[str, int | None]] = []

    def create(self, name: str, *, empty: bool) -> None:
        if name not in self.names:
            number = len(self.data)
            self.names[name], self.data[number], self._durable_data[number] = number, b"", b""
            self._waiting.append({name: number})
        elif empty:
            self.data[self.names[name]] = b""

    def rename(self, source: str, target: str) -> None:
        number = self.names.pop(source)
        self.names[target] = number
        self._waiting.append({source: None, target: number})

    def exchange(self, one: str, other: str) -> None:
        first, second = self.names[one], self.names[other]
        self.names[one], self.names[other] = second, first
        self._waiting.append({one: second, other: first})

    def unlink(self, name: str) -> None:
        self.names.pop(name)
        self._waiting.append({name: None})

    def sync_file(self, name: str) -> None:
        self._durable_data[self.names[name]] = self.data[self.names[name]]

    def sync_folder(self, folder: str) -> None:
        later = []
        for change in self._waiting:
            if any(str(Path(name).parent) == folder for name in change):
                self._make_durable(change)
            else:
                later.append(change)
        self._waiting = later

    def after_power_loss(self, mode: str, rng: random.Random) -> dict[str, bytes]:
        """A legal content of the disk: `all` or `none` of what waits survives, or `some`."""
        names = dict(self._durable_names)
        kept = [
            c for c in self._waiting if mode == "all" or (mode == "some" and rng.random() < 0.5)
        ]
        for change in kept:
            _apply(names, change)
        return {name: self._content(number, mode, rng) for name, number in names.items()}

    def _content(self, number: int, mode: str, rng: random.Random) -> bytes:
        durable, present = self._durable_data[number], self.data[number]
        if mode != "some" or not present.startswith(durable):
            return present if mode == "all" else durable
        length = rng.randint(0, len(present) - len(durable))
        rest = present[len(durable) :][:length]
        return durable + (rest if rng.random() < 0.7 else bytes(length))

    def _make_durable(self, change: dict[str, int | None]) -> None:
        _apply(self._durable_names, change)


def _apply(names: dict[str, int], change: dict[str, int | None]) -> None:
    for name, number in change.items():
        if number is None:
            names.pop(name, None)
        else:
            names[name] = number


class RecordingOps(QuickOps):
    """Keeps a `Disk` beside the real one, and tells `after` when a call is over.

    Args:
        root: The folder that the disk stands for.
        syncs_files: Whether the fsync of a file does anything.
        syncs_folders: Whether the fsync of a folder does anything.
    """

    def __init__(self, root: Path, *, syncs_files: bool = True, syncs_folders: bool = True) -> None:
        super().__init__()
        self.disk = Disk()
        self.after: Callable[[], None] = lambda: None
        self._root = root
        self._syncs_files = syncs_files
        self._syncs_folders = syncs_folders
        self._open: dict[int, tuple[str, bool]] = {}

    @override
    def open(self, path: Path, flags: int, mode: int = 0o777, /) -> int:
        descriptor = super().open(path, flags, mode)
        name, folder = self._name(path), path.is_dir()
        self._open[descriptor] = (name, folder)
        if not folder:
            self.disk.create(name, empty=bool(flags & os.O_TRUNC))
        self.after()
        return descriptor

    @override
    def write(self, descriptor: int, data: memoryview, /) -> int:
        written = super().write(descriptor, data)
        self._change(descriptor, lambda content: content + bytes(data[:written]))
        return written

    @override
    def ftruncate(self, descriptor: int, length: int, /) -> None:
        super().ftruncate(descriptor, length)
        self._change(descriptor, lambda content: content[:length])

    @override
    def fsync(self, descriptor: int, /) -> None:
        super().fsync(descriptor)
        name, folder = self._open[descriptor]
        if folder and self._syncs_folders:
            self.disk.sync_folder(name)
        if not folder and self._syncs_files:
            self.disk.sync_file(name)
        self.after()

    @override
    def replace(self, source: Path, target: Path, /) -> None:
        super().replace(source, target)
        self.disk.rename(self._name(source), self._name(target))
        self.after()

    @override
    def exchange(self, one: Path, other: Path, /) -> None:
        super().exchange(one, other)
        self.disk.exchange(self._name(one), self._name(other))
        self.after()

    @override
    def unlink(self, path: Path, /) -> None:
        super().unlink(path)
        self.disk.unlink(self._name(path))
        self.after()

    def _change(self, descriptor: int, change: Callable[[bytes], bytes]) -> None:
        number = self.disk.names[self._open[descriptor][0]]
        self.disk.data[number] = change(self.disk.data[number])
        self.after()

    def _name(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()
