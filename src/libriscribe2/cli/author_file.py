"""A file of the author's that a command line names: there, of a kind that is read, not too large."""

from collections.abc import Sequence
from pathlib import Path

from libriscribe2.errors import UsageError
from libriscribe2.project.atomic import storage_errors


def read_author_file(file: Path, endings: Sequence[str], *, most: int, fix: str) -> bytes:
    """The bytes of a file.

    Args:
        file: The file.
        endings: The endings that it may have, in lower case.
        most: Most bytes that it may have.
        fix: What to do instead, for the errors.

    Raises:
        UsageError: There is no such file, it is empty, too large or of another kind.
        StorageError: The system refuses.
    """
    with storage_errors("read", file):
        if not file.exists():
            raise UsageError(f"There is no {file}", fix=fix)
        if not file.is_file():
            raise UsageError(f"{file} is not a file", fix=fix)
        if file.suffix.lower() not in endings:
            kinds = ", ".join(endings)
            raise UsageError(f"{file} is not of a kind that is read", why=f"only {kinds}", fix=fix)
        size = file.stat().st_size
        if size > most:
            raise UsageError(
                f"{file} is too large",
                why=f"it has {size // 2**20:,} MiB; the limit is {most // 2**20} MiB",
                fix=fix,
            )
        data = file.read_bytes()
    if not data.strip():
        raise UsageError(f"{file} is empty", fix=fix)
    return data
