"""The list of books: read from files, checked before anything is queued."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.book_file import BOOK_TABLE, read_book_toml
from libriscribe2.project.paths import BOOK_TOML, check_project_name, project_name_from
from libriscribe2.project.texts import decode_text, iso_utc, parse_json
from libriscribe2.wording import plain_fault

NAME: Final = "name"
"""The key of a row that names the project."""

DEADLINE: Final = "deadline"
"""The key of a row that says when its book is to be done."""

SETTING_KEYS: Final = {
    "model": ("models", "default", "model"),
    "max_cost": ("budget", "max_cost"),
    "max_calls": ("budget", "max_calls"),
}
"""Keys of a row that are settings, with their place in `book.toml`."""


PAYLOAD: Final = 3
"""The number of what a row may hold: a worker leaves rows with a higher one to newer versions."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row as it was read.

    Attributes:
        place: Where it stands, such as `books.csv, row 3`.
        book: The keys of the brief.
        settings: The tables of settings.
        name: The project's name; empty makes one from the title or the premise.
        deadline: When the book is to be done, as it was written; empty is no deadline.
    """

    place: str
    book: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    deadline: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row that can be queued.

    Attributes:
        name: The name of the project.
        place: Where the row stood.
        brief: The whole brief, as `book.toml` holds it.
        settings: The tables of settings of this one book.
        deadline: When it is to be done, as ISO 8601 with a time zone; empty is no deadline.
        payload: Which version of the program can write it (`PAYLOAD`).
    """

    name: str
    place: str
    brief: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    deadline: str = ""
    payload: int = PAYLOAD

    def same_book(self, other: "Row") -> bool:
        """Whether both ask for the same book, wherever they stood."""
        return self.brief == other.brief and self.settings == other.settings


@dataclass(frozen=True, slots=True)
class Fault:
    """What keeps a row from being queued.

    Attributes:
        place: Where the row stands.
        why: What is wrong with it.
    """

    place: str
    why: str


_HALF: Final = re.compile("[\ud800-\udfff]")

CheckSettings = Callable[[Mapping[str, Any]], None]
"""Raises a `LibriScribeError` for tables of settings that cannot be used."""

ReadMoment = Callable[[str], datetime]
"""The moment that a text names; raises a `ValueError` that says what is wanted."""


def row_of(place: str, table: Mapping[str, Any]) -> RawRow:
    """A flat row: keys of the brief, `name`, `deadline`, and the settings that a row may have."""
    book = dict(table)
    settings: dict[str, Any] = {}
    for key, (*sections, last) in SETTING_KEYS.items():
        if key in book:
            inner = settings
            for section in sections:
                inner = inner.setdefault(section, {})
            inner[last] = book.pop(key)
    name, deadline = (str(book.pop(key, "")).strip() for key in (NAME, DEADLINE))
    return RawRow(place, book, settings, name, deadline)


def check_rows(
    raw: Iterable[RawRow], check_settings: CheckSettings, read_moment: ReadMoment
) -> tuple[list[Row], list[Fault]]:
    """The rows that can be used, and every fault of the others.

    Two rows whose projects would have one name are both faults: a file system may not tell
    capitals apart, so neither does this.
    """
    rows: list[Row] = []
    faults: list[Fault] = []
    for one in raw:
        wrong = [*_unstorable(one)] or [*_faults(one, check_settings), *_untimely(one, read_moment)]
        faults += (Fault(one.place, why) for why in wrong)
        if not wrong:
            rows.append(_checked(one, read_moment))
    twice = list(_duplicates(rows))
    return rows, faults + twice


def _checked(raw: RawRow, read_moment: ReadMoment) -> Row:
    brief = Brief.model_validate(raw.book)
    name = raw.name or project_name_from(brief.title or brief.premise)
    deadline = iso_utc(read_moment(raw.deadline)) if raw.deadline else ""
    return Row(name, raw.place, brief.model_dump(mode="json"), raw.settings, deadline)


def _unstorable(raw: RawRow) -> Iterator[str]:
    """Texts that no database takes, nor any file of text that others read."""
    texts = {NAME: raw.name, DEADLINE: raw.deadline, **_texts(raw.book), **_texts(raw.settings)}
    for key, text in texts.items():
        if "\0" in text:
            yield f"{key}: there is a NUL character in it"
        elif _HALF.search(text):
            yield f"{key}: there is half a character in it (a lone surrogate)"


def _texts(table: Mapping[str, Any]) -> dict[str, str]:
    """Every key of a table, as JSON with its value."""
    return {key: f"{key}{_inner(value)}" for key, value in table.items()}


def _inner(value: Any) -> str:
    if isinstance(value, Mapping):
        return "".join(_texts(value).values())
    return "".join(map(_inner, value)) if isinstance(value, list | tuple) else str(value)


def _untimely(raw: RawRow, read_moment: ReadMoment) -> Iterator[str]:
    """What is wrong with a deadline."""
    if raw.deadline:
        try:
            read_moment(raw.deadline)
        except ValueError as error:
            yield f"{DEADLINE}: {error}"


def _faults(raw: RawRow, check_settings: CheckSettings) -> Iterator[str]:
    try:
        Brief.model_validate(raw.book)
    except ValidationError as error:
        yield from map(_told, error.errors(include_url=False))
    if raw.name:
        yield from _refusal(lambda: check_project_name(raw.name))
    if raw.settings:
        yield from _refusal(lambda: check_settings(raw.settings))


def _refusal(check: Callable[[], object]) -> Iterator[str]:
    """What a check refuses, in one line."""
    try:
        check()
    except LibriScribeError as error:
        yield f"{error.what.rstrip('.')}: {error.why}" if error.why else error.what


def _told(fault: ErrorDetails) -> str:
    """One fault of a brief in words."""
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "missing" or (key == "premise" and not str(fault["input"]).strip()):
        return f"{key} is missing"
    if fault["type"] == "extra_forbidden":
        close = get_close_matches(key, (*Brief.model_fields, NAME, DEADLINE, *SETTING_KEYS), n=1)
        return f"unknown key {key!r}" + (f"; did you mean {close[0]!r}?" if close else "")
    return f"{key}: {plain_fault(fault)}"


def _duplicates(rows: Iterable[Row]) -> Iterator[Fault]:
    by_name: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[row.name.casefold()].append(row)
    for alike in by_name.values():
        for row in alike if len(alike) > 1 else ():
            others = ", ".join(other.place for other in alike if other is not row)
            why = f"the name {row.name!r} is also that of {others}; give them a `name` each"
            yield Fault(row.place, why)


MOST_BYTES: Final = 50 * 2**20
"""Longest file of rows that is read."""

_DELIMITERS: Final = ",;\t"
_FIX: Final = "Name a .jsonl or .csv file, or a folder with a book.toml for each book."

Found = Iterator[RawRow | Fault]


def read_rows(source: Path) -> tuple[list[RawRow], list[Fault]]:
    """The rows of a file or folder, and what cannot be read as one.

    Raises:
        UsageError: There is no such file, it is of another kind, or it has no rows.
        ProjectError: The file is empty or not UTF-8.
        StorageError: It cannot be read.
    """
    found = list(_reader(source)(source))
    if not found:
        raise UsageError(f"{source} has no rows", fix=_FIX)
    rows = [one for one in found if isinstance(one, RawRow)]
    return rows, [one for one in found if isinstance(one, Fault)]


def _reader(source: Path) -> Callable[[Path], Found]:
    if source.is_dir():
        return _folder
    if not source.exists():
        raise UsageError(f"There is no {source}", fix=_FIX)
    readers = {".jsonl": _json_lines, ".ndjson": _json_lines, ".csv": _csv, ".toml": _toml_file}
    if source.suffix.lower() not in readers:
        raise UsageError(f"{source} is not a file of rows", fix=_FIX)
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
