"""The rows of a batch: each one book, checked before any of them is queued."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from libriscribe2.errors import LibriScribeError
from libriscribe2.models.brief import Brief
from libriscribe2.project.clock import iso_utc
from libriscribe2.project.paths import check_project_name, project_name_from
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
    """

    name: str
    place: str
    brief: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    deadline: str = ""

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
        wrong = [*_faults(one, check_settings), *_untimely(one, read_moment)]
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
