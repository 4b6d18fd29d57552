"""`book.toml`: what the author asked for, and the settings of this one book."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.items import Item, Table

from libriscribe2.errors import ConfigError, ProjectError
from libriscribe2.project.atomic import (
    atomic_write,
    look_at,
    make_folder,
    read_regular,
    storage_errors,
)
from libriscribe2.project.paths import STATE
from libriscribe2.project.texts import decode_text

BOOK_TABLE: Final = "book"
"""The table that holds the brief; every other table is settings."""

_HEADER: Final = (
    "What you asked for. Edit it freely: what was made from a changed line is then out of date,",
    "and remade with `libriscribe2 resume --refresh`. The last line says that it is the last.",
)
_ANNOUNCES_END: Final = f"# {_HEADER[1]}\n"
_END: Final = "# End of book.toml."
"""A file that a full disk or a lost connection cut off may be whole TOML all the same, and the
lines that are gone would be taken for defaults: another model, another length."""

_COMMENTS: Final = {
    "premise": "the idea, in your words",
    "title": "empty: taken from the concept",
    "category": "in your words, such as Fiction, Fantasy or Business",
    "book_kind": "fiction or non-fiction; empty follows the category",
    "person": "of the narration, such as first person, Hester; empty: the style sheet's",
    "tense": "of the narration; empty: the style sheet's",
    "spelling": "such as British; empty: the style sheet's",
    "project_type": "short_story, novella, book, novel or epic",
    "chapters": "10 or 8-12; empty follows the project type",
    "characters": "5, 3-7 or 5+; empty follows the chapters",
    "scenes_per_chapter": "5, 3-6, or one entry per chapter: 3,4,5",
    "words": "of the whole book; 0 follows the project type",
    "drafting": "sequential, redblack or parallel",
    "revision": "whether each chapter is critiqued and revised",
    "allow": "findings of `check --plan` to allow, such as P3 or P1 chapter 7",
    "research": "true or false; by default for non-fiction only",
    "follows": "the project of the previous book, whose cast and facts it shares",
    "series_number": "such as 2",
    "rights": "the copyright line of exports",
    "citations": "numbers, notes, quoted-notes, author-date or apa",
    "identifier": "such as urn:isbn:9780306406157; empty: one is generated",
    "cover": "a PNG or JPEG in this folder; empty: one is drawn",
}
_PLACE: Final = re.compile(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)


def read_book_toml(path: Path) -> dict[str, Any]:
    """The tables of a `book.toml`.

    Raises:
        ProjectError: The file is missing, empty, cut, or not UTF-8.
        ConfigError: It is not TOML; the error names the line and the key on it.
        StorageError: It cannot be read.
    """
    with storage_errors("read", path):
        data = read_regular(path) if look_at(path) is not None else None
    if data is None or not data.strip():
        raise _missing(path, "missing" if data is None else "empty")
    text = decode_text(str(path), data)
    if _ANNOUNCES_END in text and _END not in text:
        raise ProjectError(
            f"{path} is truncated: its last line is missing",
            fix=f"Restore it from a backup; if nothing else is missing, end it with {_END!r}.",
        )
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _not_toml(path, text, str(error)) from error


def _missing(path: Path, how: str) -> ProjectError:
    """The error for a file that is `missing` or `empty`: lost, or never begun."""
    if (path.parent / STATE).is_dir():
        return ProjectError(
            f"{path} is {how}",
            why="the project's other files are there",
            fix="Restore it from a backup, or write it again: a line `[book]`, and below it "
            '`premise = "..."` and what else you asked for.',
        )
    return ProjectError(
        f"{path} is {how}",
        fix="Check the project's name, or start one with `libriscribe2 create`.",
    )


def write_book_toml(path: Path, book: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Write a `book.toml`, keeping comments and layout of one that is there.

    Keys that are not given stay as they are; a value of None removes its key.

    Args:
        path: The file; its folder is made if it is missing.
        book: The brief, for the table `[book]`.
        settings: Further tables by name, and plain settings.

    Raises:
        ProjectError: The file that is there is empty or not UTF-8.
        ConfigError: The file that is there is not TOML.
        StorageError: The file cannot be read or written.
    """
    document = _present(path)
    _merge(document, {BOOK_TABLE: book, **settings})
    with storage_errors("write", path):
        make_folder(path.parent)
        atomic_write(path, _ended(tomlkit.dumps(document)).encode("utf-8"))


def _ended(text: str) -> str:
    """The text with its last line at its end, where the beginning announces one."""
    if _ANNOUNCES_END not in text:
        return text
    before, _, after = text.rpartition(f"{_END}\n")
    rest = (before + after).rstrip("\n")
    return f"{rest}\n\n{_END}\n"


def _present(path: Path) -> TOMLDocument:
    """The file as it is with its comments, or the beginning of a new one."""
    with storage_errors("read", path):
        exists = look_at(path) is not None
    if exists:
        read_book_toml(path)  # for its errors, which name the place
        return tomlkit.parse(path.read_text(encoding="utf-8-sig"))
    document = tomlkit.document()
    for line in _HEADER:
        document.add(tomlkit.comment(line))
    return document


def _merge(table: TOMLDocument | Table, values: Mapping[str, Any]) -> None:
    """Set the values in a table; what is not named stays, with its comments."""
    for key, value in values.items():
        if value is None:
            table.pop(key, None)
        elif isinstance(value, Mapping):
            inner = table.get(key)
            if not isinstance(inner, Table):
                table[key] = inner = tomlkit.table()
            _merge(inner, value)
        elif key not in table or table[key] != value:
            table[key] = _item(key, value) if key not in table else _plain(value)


def _item(key: str, value: Any) -> Item:
    """A new value with the comment that explains its key."""
    item = _plain(value)
    if key in _COMMENTS:
        item.comment(_COMMENTS[key])
    return item


def _plain(value: Any) -> Item:
    """A value as it is written: a text of several lines on several lines."""
    if isinstance(value, str) and "\n" in value:
        return tomlkit.string(value, multiline=True)
    item: Item = tomlkit.item(value)
    return item


def _not_toml(path: Path, text: str, message: str) -> ConfigError:
    """The error for a file that is not TOML, naming the line and the key on it."""
    fix = "Correct the line; text goes in double quotes."
    match = _PLACE.fullmatch(message)
    if match is None:
        return ConfigError(f"{path} is not TOML", why=message, fix=fix)
    line = int(match[2])
    key = text.splitlines()[line - 1].partition("=")[0].strip()
    return ConfigError(f"{path}, line {line}, {key!r}: not TOML", why=match[1], fix=fix)
