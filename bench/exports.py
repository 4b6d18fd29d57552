"""CPU and memory of an export of a long book, per format, in a process of its own."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

TITLE = "Exports of a 30-chapter, 90,000-word book"

_FORMATS: Final = ("html", "epub", "docx", "pdf")
_PREMISE: Final = "A lighthouse keeper on a drowned coast finds tomorrow's logbook"
_SIZE: Final = ("--chapters", "30", "--scenes-per-chapter", "4", "--words", "90000")


def measure() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        _run(Path(folder), "create", _PREMISE, "--mock", "--project-name", "long", *_SIZE)
        for name in _FORMATS:
            before, start = _cpu(), perf_counter()
            _run(Path(folder), "export", "long", "--format", name)
            wall, size = perf_counter() - start, _size(Path(folder), name)
            yield f"- {name}: {_cpu() - before:.1f} s CPU, {wall:.1f} s wall, {size:,} bytes"


def _run(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "libriscribe2", "--quiet", *arguments]
    subprocess.run(command, cwd=folder, env=os.environ, check=True, stdout=subprocess.DEVNULL)


def _cpu() -> float:
    """Seconds of CPU that all ended children took, pandoc and Typst included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _size(folder: Path, name: str) -> int:
    return (folder / "projects" / "long" / "exports" / f"long.{name}").stat().st_size


if __name__ == "__main__":
    for line in measure():
        print(line)
