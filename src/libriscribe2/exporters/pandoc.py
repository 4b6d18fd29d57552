"""Programs of others, their folder and their time; pandoc: the same bytes for the same book."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from libriscribe2.errors import ConfigError, ProjectError, StorageError
from libriscribe2.exporters.export_book import ExportBook, ExportChapter
from libriscribe2.exporters.export_checks import check_paragraphs
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import RESEARCH_NOTES

BOOK_JSON: Final = "book.json"
ASSETS: Final = Path(__file__).with_name("assets")


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
    cited = next((part.title for part in book.parts if part.name == RESEARCH_NOTES), "")
    record = {
        "images": pictures,
        "references": references,
        "bibliography": cited,
        "marks": book.edition.page_list,
    }
    (folder / BOOK_JSON).write_text(json.dumps(record), encoding="utf-8")
    names = [f"{number:03d}.md" for number in range(1, len(book.parts) + 1)]
    for name, part in zip(names, book.parts, strict=True):
        (folder / name).write_text(part.text, encoding="utf-8", newline="")
    return names


_KEPT: Final = (
    *("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "HOME", "USERPROFILE", "APPDATA"),
    *("LANG", "LC_ALL", "LC_CTYPE"),
)


PYTHON: Final = ("PYTHONHOME", "PYTHONPATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
"""How this very Python was found."""


def environment(*names: str, **more: str) -> dict[str, str]:
    """What a program sees of the environment: no key, and nothing that it was not meant to see.

    Args:
        *names: Variables besides the usual ones.
        **more: Further variables with their values.
    """
    kept = {name: os.environ[name] for name in (*_KEPT, *names) if name in os.environ}
    return kept | more


_PATIENCE: Final = 8
"""How many times as long as its processor time a program may take by the clock."""


class OutOfTimeError(Exception):
    """A program took too long and was stopped."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it takes longer than {seconds:.0f} seconds")


def run_bounded(
    command: Sequence[str],
    folder: Path,
    *,
    seconds: float,
    env: Mapping[str, str],
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end.

    Args:
        command: The program and its arguments.
        folder: Its working directory.
        seconds: Most processor time; by the clock where the system cannot limit that.
        env: Its environment.
        stdin: What it reads.

    Raises:
        OutOfTimeError: It took longer.
        StorageError: It cannot be started.
    """
    pipe = subprocess.PIPE
    with (
        storage_errors("start", Path(command[0])),
        subprocess.Popen(
            command, cwd=folder, env=env, stdin=pipe, stdout=pipe, stderr=pipe
        ) as process,
    ):
        patience = seconds * _PATIENCE if _limit(process.pid, seconds) else seconds
        try:
            out, err = process.communicate(stdin, timeout=patience)
        except subprocess.TimeoutExpired as error:
            raise OutOfTimeError(seconds) from error
        finally:
            process.kill()  # does nothing to a program that has ended
    if sys.platform == "linux" and process.returncode == -_SIGXCPU:
        raise OutOfTimeError(seconds)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


if sys.platform == "linux":
    import math
    import resource
    import signal

    _SIGXCPU: Final = int(signal.SIGXCPU)

    def _limit(pid: int, seconds: float) -> bool:
        """Bound the processor time of a process; whether that was possible."""
        whole = max(1, math.ceil(seconds))
        try:
            resource.prlimit(pid, resource.RLIMIT_CPU, (whole, whole + 1))
        except (OSError, ValueError):  # it has ended already, or the system forbids it
            return False
        return True

else:

    def _limit(pid: int, seconds: float) -> bool:
        """Elsewhere only the clock counts."""
        del pid, seconds
        return False


READER: Final = (
    "gfm-tex_math_dollars-tex_math_gfm-yaml_metadata_block-alerts-emoji"
    "+smart+footnotes+fenced_divs+bracketed_spans"
)
"""How chapters are read: as models write, without citations, TeX, YAML, attributes.

GitHub's Markdown reads headings and lists without a blank line before them, and `* * *` as a scene
break; the number of `1986. A great year` stays.
"""

OLDEST: Final = (3, 5)
"""The oldest pandoc that was tried: 2.17 and 2.19 have no writer for Typst, none between was at hand."""

NEWEST: Final = (3, 9)
"""The newest pandoc that was tried, which is the bundled one."""

_RENAMED: Final = (3, 8)
"""Since when `--no-highlight` is called `--syntax-highlighting=none`."""

_VERSION: Final = re.compile(rb"pandoc(?:\.exe)? (\d+(?:\.\d+)+)")
_INSTALL: Final = (
    "`uv tool install 'libriscribe2[pdf]'`, or `pip install 'libriscribe2[pdf]'`, which bring one;"
    f" your system's package `pandoc` does as well from {OLDEST[0]}.{OLDEST[1]} on."
)

_KILLED: Final = -9
_HEAP_IS_FULL: Final = 251


class PandocError(Exception):
    """Pandoc did not make the file; the text says why in a few words."""


@dataclass(frozen=True, slots=True)
class Pandoc:
    """A pandoc that can be used.

    Attributes:
        program: Its path.
        version: Its version, such as `(3, 9)`.
        megabytes: Most memory that it may take.
    """

    program: Path
    version: tuple[int, ...] = NEWEST
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
            *("--lua-filter", str(ASSETS / "clean.lua"), "--wrap=none"),
            "--no-highlight" if self.version < _RENAMED else "--syntax-highlighting=none",
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


def find_pandoc(named: str = "") -> Pandoc:
    """The pandoc to use: the one that is named, else the bundled one, else the one on the path.

    Args:
        named: The setting `export.pandoc`: a path, or a name that is looked for on the path.

    Raises:
        ConfigError: There is none, or it is none that can be used.
    """
    own = None if named else _bundled()
    if own is not None:
        return Pandoc(own)
    found = shutil.which(str(Path(named).expanduser()) if named else "pandoc")
    if found is None:
        why = f"the setting export.pandoc names {named!r}" if named else "none is on the path"
        raise ConfigError("pandoc is not installed.", why=why, fix=_INSTALL)
    version = _version_of(Path(found))
    if version < OLDEST or version[0] > NEWEST[0]:
        this, oldest, newest = (".".join(map(str, one)) for one in (version, OLDEST, NEWEST))
        raise ConfigError(
            f"pandoc {this} cannot be used.",
            why=f"{found} is not of the versions {oldest} to {newest} that were tested",
            fix=_INSTALL,
        )
    return Pandoc(Path(found), version)


def _bundled() -> Path | None:
    """The pandoc that the package pypandoc-binary brings."""
    found = find_spec("pypandoc")
    if found is None or found.origin is None:
        return None
    program = Path(found.origin).with_name("files") / (
        "pandoc.exe" if os.name == "nt" else "pandoc"
    )
    return program if program.is_file() else None


def _version_of(program: Path) -> tuple[int, ...]:
    """What a pandoc says of itself.

    Raises:
        ConfigError: It does not answer as one.
    """
    try:
        command = [str(program), "--version"]
        done = run_bounded(command, program.parent, seconds=_CHAPTER_SECONDS, env=environment())
    except (OutOfTimeError, StorageError) as error:
        raise ConfigError("pandoc does not answer.", why=str(error), fix=_INSTALL) from error
    told = _VERSION.match(done.stdout)
    if told is None:
        why = f"{program} does not say its version"
        raise ConfigError("pandoc does not work.", why=why, fix=_INSTALL)
    return tuple(int(one) for one in told[1].split(b"."))


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
                fix=f"Simplify that passage of {part.name}.",
            )
    return ProjectError(
        "The book cannot be converted.",
        why=f"{reason}; each single chapter can be",
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
