"""Reading rows: JSON lines, a CSV file, or a folder with a `book.toml` for each book."""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from libriscribe2.batch.rows import Fault, RawRow, row_of
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.project.book_file import BOOK_TABLE, read_book_toml
from libriscribe2.project.paths import BOOK_TOML
from libriscribe2.project.storage_errors import storage_errors
from libriscribe2.project.user_text import decode_text, parse_json

MOST_BYTES: Final = 50 * 2**20
"""Longest file of rows that is read."""

_DELIMITERS: Final = ",;\t"
_FIX: Final = "Name a .jsonl or .csv file, or a folder with a book.toml for each book."

Found = Iterator[RawRow | Fault]


def read_rows(source: Path) -> tuple[list[RawRow], list[Fault]]:
    """The rows of a file or folder, and what cannot be read as one.

    Raises:
        UsageError: There is no such file, it is of another kind, or it holds no row.
        ProjectError: The file is empty or not UTF-8.
        StorageError: It cannot be read.
    """
    found = list(_reader(source)(source))
    if not found:
        raise UsageError(f"{source} holds no row", fix=_FIX)
    rows = [one for one in found if isinstance(one, RawRow)]
    return rows, [one for one in found if isinstance(one, Fault)]


def _reader(source: Path) -> Callable[[Path], Found]:
    if source.is_dir():
        return _folder
    if not source.exists():
        raise UsageError(f"There is no {source}", fix=_FIX)
    readers = {".jsonl": _json_lines, ".ndjson": _json_lines, ".csv": _csv, ".toml": _toml_file}
    if source.suffix.lower() not in readers:
        raise UsageError(f"{source} is not a kind of file that holds rows", fix=_FIX)
    return readers[source.suffix.lower()]


def _text(path: Path) -> str:
    with storage_errors("read", path):
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise UsageError(
                f"{path} is larger than {MOST_BYTES // 2**20} MiB",
                fix="Split it into several files and add one after the other.",
            )
        data = path.read_bytes()
    return decode_text(str(path), data)


def _json_lines(path: Path) -> Found:
    # Not `splitlines`: a JSON string may hold U+2028.
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            yield _json_row(f"{path.name}, line {number}", line)


def _json_row(place: str, line: str) -> RawRow | Fault:
    try:
        value = parse_json("the line", line)
    except LibriScribeError as error:
        return Fault(place, f"{error.what}: {error.why}")
    if not isinstance(value, dict):
        return Fault(place, "the line is not a JSON object")
    return row_of(place, {key: one for key, one in value.items() if one is not None})


def _csv(path: Path) -> Found:
    text = _text(path)
    header = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip() for name in next(reader)]
        if "premise" not in names or len(set(names)) < len(names):
            what = "has no column `premise`" if "premise" not in names else "has a column twice"
            raise UsageError(f"{path} {what}", why=f"its columns are: {', '.join(names)}")
        # As a spreadsheet counts: the names of the columns are row 1.
        for number, cells in enumerate(reader, 2):
            if any(cell.strip() for cell in cells):
                yield _csv_row(f"{path.name}, row {number}", names, cells)
    except csv.Error as error:
        yield Fault(f"{path.name}, line {reader.line_num}", f"not CSV: {error}")


def _csv_row(place: str, names: list[str], cells: list[str]) -> RawRow | Fault:
    if len(cells) > len(names):
        return Fault(place, f"there are {len(cells)} cells for {len(names)} columns")
    pairs = zip(names, cells, strict=False)
    return row_of(place, {name: cell for name, cell in pairs if cell.strip()})


def _folder(folder: Path) -> Found:
    with storage_errors("read", folder):
        files = sorted({*folder.glob(f"*/{BOOK_TOML}"), *folder.glob("*.toml")})
    for path in files:
        place = path.relative_to(folder).as_posix()
        name = path.parent.name if path.name == BOOK_TOML and path.parent != folder else path.stem
        yield _toml_row(path, place, name)


def _toml_file(path: Path) -> Found:
    yield _toml_row(path, path.name, path.stem)


def _toml_row(path: Path, place: str, name: str) -> RawRow | Fault:
    try:
        tables: dict[str, Any] = read_book_toml(path)
    except LibriScribeError as error:
        return Fault(place, f"{error.what}: {error.why}" if error.why else error.what)
    book = tables.pop(BOOK_TABLE, {})
    if not isinstance(book, dict):
        return Fault(place, f"[{BOOK_TABLE}] is not a table")
    return RawRow(place, book, tables, name)
