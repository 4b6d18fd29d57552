"""The author's samples on a command line: checked before anything is begun."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from slugify import slugify

from libriscribe2.cli.author_file import read_author_file
from libriscribe2.commands.runs import GivenFile
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.errors import UsageError
from libriscribe2.project.paths import SAMPLE_ENDINGS, SAMPLES

_LARGEST: Final = 50 * 2**20
_FIX: Final = f"Name texts of your own that end in {', '.join(SAMPLE_ENDINGS)}."


def read_samples(files: Iterable[Path]) -> tuple[GivenFile, ...]:
    """The samples that a command line names.

    Raises:
        UsageError: There is no such file, or its text cannot be read.
        StorageError: The system refuses.
    """
    found = dict[str, GivenFile]()
    for file in files:
        data = read_author_file(file, SAMPLE_ENDINGS, most=_LARGEST, fix=_FIX)
        _check_text(file, data)
        name = _free_name(file, found)
        found[name] = GivenFile(f"{SAMPLES}/{name}", data)
    return tuple(found.values())


def _check_text(file: Path, data: bytes) -> None:
    # The readers load libraries for Word and PDF, which most commands do not need.
    from libriscribe2.documents.source_reader import read_source  # noqa: PLC0415

    try:
        read_source(file.name.lower(), data)
    except DocumentError as error:
        raise UsageError(str(error), fix=_FIX) from error


def _free_name(file: Path, taken: Iterable[str]) -> str:
    """A name for the copy; a title or a foreign script must not become a path."""
    stem, ending = slugify(file.stem, max_length=60) or "sample", file.suffix.lower()
    number, name, known = 1, f"{stem}{ending}", set(taken)
    while name in known:
        number += 1
        name = f"{stem}-{number}{ending}"
    return name
