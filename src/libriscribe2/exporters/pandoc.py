"""Running pandoc: bounded in memory and in time, the same bytes for the same book.

Where a book cannot be converted, chapter and line are named.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from libriscribe2.errors import ConfigError, ProjectError
from libriscribe2.exporters.export_book import ExportBook, ExportChapter
from libriscribe2.exporters.export_checks import check_paragraphs
from libriscribe2.exporters.staging import (
    ASSETS,
    BOOK_JSON,
    OutOfTimeError,
    environment,
    run_bounded,
)

READER: Final = (
    "gfm-tex_math_dollars-tex_math_gfm-yaml_metadata_block-alerts-emoji+smart+footnotes+fenced_divs"
)
"""How chapters are read: as models write, without citations, TeX, YAML, attributes.

GitHub's Markdown reads headings and lists without a blank line before them, and `* * *` as a scene
break; the number of `1986. A great year` stays.
"""

_KILLED: Final = -9
_HEAP_IS_FULL: Final = 251


class PandocError(Exception):
    """Pandoc did not make the file; the text says why in a few words."""


@dataclass(frozen=True, slots=True)
class Pandoc:
    """The pandoc of the extra `[export]`.

    Attributes:
        program: Its path.
        megabytes: Most memory that it may take.
    """

    program: Path = field(default_factory=lambda: bundled())
    megabytes: int = 512

    def run(
        self,
        folder: Path,
        names: Sequence[str],
        options: Sequence[str],
        *,
        seconds: float,
        epoch: int = 0,
    ) -> None:
        """Convert files of a staging folder.

        Args:
            folder: The folder, made by `staging.stage`; the working directory.
            names: The files to convert, in order.
            options: Options with the writer and the output.
            seconds: Most processor time that it may take.
            epoch: The date to write into the file, in seconds since 1970.

        Raises:
            PandocError: It failed, took too long or too much memory.
            StorageError: It cannot be started.
        """
        command = (
            *(str(self.program), "+RTS", f"-M{self.megabytes}M", "-RTS"),
            *("--data-dir", ".", "--from", READER, "--file-scope"),
            *(
                "--lua-filter",
                str(ASSETS / "clean.lua"),
                "--syntax-highlighting=none",
                "--wrap=none",
            ),
            *options,
            *names,
        )
        try:
            variables = environment(
                SOURCE_DATE_EPOCH=str(epoch), BOOK_JSON=BOOK_JSON, LANG="C.UTF-8", LC_ALL="C.UTF-8"
            )
            done = run_bounded(command, folder, seconds=seconds, env=variables)
        except OutOfTimeError as error:
            raise PandocError(str(error)) from error
        if done.returncode:
            raise PandocError(_reason(done.returncode, done.stderr, self.megabytes))


def bundled() -> Path:
    """The pandoc that the package pypandoc-binary brings.

    Raises:
        ConfigError: It is not there.
    """
    found = find_spec("pypandoc")
    if found is not None and found.origin is not None:
        name = "pandoc.exe" if os.name == "nt" else "pandoc"
        program = Path(found.origin).with_name("files") / name
        if program.is_file():
            return program
    raise ConfigError(
        "pandoc is not there.",
        why="pypandoc is missing, or was installed without its program",
        fix="`uv tool install 'libriscribe2[export]'`, or `pip install pypandoc-binary`.",
    )


def _reason(code: int, told: bytes, megabytes: int) -> str:
    """Why pandoc failed."""
    if code in (_HEAP_IS_FULL, _KILLED) or b"heap" in told.lower():
        return f"it takes more than {megabytes} MiB of memory"
    lines = told.decode("utf-8", errors="replace").split("\n")
    return " ".join(" ".join(lines).split())[:300] or f"pandoc ended with code {code}"


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
