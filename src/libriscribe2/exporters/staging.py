"""Programs of others: the folder in which they work, and the time that they may take.

Names in the folder are short: with `--file-scope` pandoc puts the path of a file into every
anchor. Time is that of the processor where it can be told, since on a machine that is busy with
other things the clock on the wall says little of a program.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.project.atomic import storage_errors

BOOK_JSON: Final = "book.json"
ASSETS: Final = Path(__file__).with_name("assets")

_MAKER: Final = "LibriScribe2"


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
    record = {"meta": metadata(book), "images": pictures, "references": references}
    (folder / BOOK_JSON).write_text(json.dumps(record), encoding="utf-8")
    names = [f"{number:03d}.md" for number in range(1, len(book.parts) + 1)]
    for name, part in zip(names, book.parts, strict=True):
        (folder / name).write_text(part.text, encoding="utf-8", newline="")
    return names


def metadata(book: ExportBook) -> dict[str, Any]:
    """What pandoc is told of the book; every text stands for itself and is not Markdown."""
    told = {
        "title": book.title,
        "author": [book.author] if book.author else [],
        "lang": book.language.tag,
        "identifier": book.identifier,
        "subject": list(book.keywords),
        "description": book.description,
        "publisher": book.publisher,
        "rights": book.rights,
        "belongs-to-collection": book.series,
        "group-position": book.series_number if book.series else "",
        "contributor": [{"role": "oth", "text": _MAKER}],
        "toc-title": book.language.contents,
        "accessModes": ["textual", "visual"] if book.images else [],
        "accessibilitySummary": _accessibility(book),
    }
    if book.language.right_to_left:
        told |= {"dir": "rtl", "page-progression-direction": "rtl"}
    return {name: value for name, value in told.items() if value}


def _accessibility(book: ExportBook) -> str:
    shown = "; pictures have alternative text" if book.images else ""
    return f"Text in reading order with headings, a table of contents and landmarks{shown}."


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
