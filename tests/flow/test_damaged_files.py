"""Files that cannot be read: exit 3 with name and place, the file untouched, nothing asked."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk

JSON_FILES = (
    "concept.json",
    "characters.json",
    "world.json",
    "outline.json",
    "scenes.json",
    "title.json",
)
TEXT_FILES = ("chapters/02.md", ".libriscribe/summaries/01.md", "manuscript.md")

JSON_FAULTS = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n", "is empty"),
    "cut": (b'{"summary": "A keeper', "line 1, column"),
    "bad UTF-8": (b'{\n"title": "\xff\xfe"}', "line 2, byte"),
    "wrong type": (b"[1, 2]", "the whole file: it has to be a table of keys and values"),
    "wrong field": (b'{"chapters": "twelve", "characters": 3}', "the right shape"),
    "NaN": (b'{"chapters": NaN}', "NaN"),
    "twice": (b'{"chapters": [], "chapters": []}', "'chapters' is there twice"),
    "deep": (b"[" * 100_000, "nested too deep"),
}
TEXT_FAULTS = {"empty": (b"", "is empty"), "bad UTF-8": (b"# T\n\xff", "line 2, byte")}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """One finished book, mended after each test."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written("--auto-title")
    return desk


@pytest.fixture(autouse=True)
def mended(desk: Desk) -> Iterator[None]:
    before = desk.project().contents()
    yield
    for name, data in before.items():
        desk.project().path(name).write_bytes(data)


def cases(
    names: tuple[str, ...], faults: dict[str, tuple[bytes, str]]
) -> list[tuple[str, bytes, str]]:
    return [(name, *fault) for name in names for fault in faults.values()]


@pytest.mark.parametrize(
    ("name", "data", "place"), [*cases(JSON_FILES, JSON_FAULTS), *cases(TEXT_FILES, TEXT_FAULTS)]
)
def test_XC_08_a_damaged_file_is_told_with_its_place_and_stops_all(
    desk: Desk, name: str, data: bytes, place: str
) -> None:
    path: Path = desk.project().path(name)
    path.write_bytes(data)
    author = Author()
    ran = desk.run("resume", "book", "--rewrite", "--yes", backend=author, expect=3)
    line = next(line for line in ran.err.splitlines() if line.startswith("error: "))
    assert name in line
    assert place in ran.err
    assert " fix: " in ran.err
    assert "Traceback" not in ran.err
    assert author.asked == []
    assert path.read_bytes() == data


@pytest.mark.parametrize("name", ["concept.json", "chapters/01.md"])
def test_XC_08_a_folder_in_the_place_of_a_file_stops_all_before_anything_is_asked(
    desk: Desk, name: str
) -> None:
    path: Path = desk.project().path(name)
    path.unlink()
    path.mkdir()
    author = Author()
    ran = desk.run("resume", "book", "--rewrite", "--yes", backend=author, expect=3)
    path.rmdir()
    assert f"error: {name} is not a file." in ran.err
    assert " fix: Move it away" in ran.err
    assert author.asked == []


def test_XC_08_status_tells_the_same(desk: Desk) -> None:
    desk.project().path("scenes.json").write_bytes(b"{")
    ran = desk.run("status", "book", expect=3)
    assert ran.err.startswith("error: scenes.json is not valid JSON")


def test_XC_08_a_damaged_journal_line_costs_one_call_and_is_reported(desk: Desk) -> None:
    journal = desk.project().path(".libriscribe/journal.jsonl")
    whole = journal.read_bytes()
    lines = whole.splitlines(keepends=True)
    middle = next(n for n, line in enumerate(lines) if b'"t":"done"' in line.replace(b" ", b""))
    lines[middle] = lines[middle].replace(b"e", b"X", 3)
    journal.write_bytes(b"".join(lines))
    assert desk.run("status", "book", "--json").value["damaged_records"] == 1
    author = Author()
    desk.run("resume", "book", backend=author)
    assert author.asked == []
    journal.write_bytes(whole)


GONE: Final = object()
READING: Final = ".libriscribe/canon/01.json"


def _field(*place: str | int, value: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for name in place[:-1]:
            data = data[name]
        if value is GONE:
            del data[place[-1]]
        else:
            data[place[-1]] = value

    return change


@pytest.mark.parametrize(
    ("name", "change", "place"),
    [
        ("style.json", _field("sheet", value=None), "sheet: it has to be a table"),
        ("style.json", _field("sheet", "person", value=3), "sheet.person: it has to be a text"),
        ("style.json", _field("sheet", "voices", 0, "name", value=GONE), "sheet.voices.0.name"),
        ("scenes.json", _field("chapters", 0, "scenes", 0, "summary", value=""), "summary: it is"),
        ("scenes.json", _field("chapters", 0, "chapter", value=7), "chapters are numbered"),
        ("outline.json", _field("chapters", 0, "title", value=GONE), "chapters.0.title"),
        (READING, _field("facts", 0, "quote", value=GONE), "facts.0.quote: it is missing"),
        (READING, _field("facts", 0, "line", value=-3), "facts.0.line: it has to be 1 or more"),
        (READING, _field("summary", value=[]), "summary: it has to be a text"),
    ],
)
def test_XC_08_a_wrong_field_of_an_edited_file_is_named_before_anything_is_asked(
    desk: Desk, name: str, change: Callable[[Any], None], place: str
) -> None:
    book, author = desk.project(), Author()
    data = book.json(name)
    change(data)
    book.write(name, json.dumps(data))
    ran = desk.run("resume", "book", "--refresh", "--yes", backend=author, expect=3)
    assert f"{name} does not have the right shape" in ran.err
    assert place in ran.err
    assert author.asked == []
    assert book.json(name) == data


def test_XC_08_a_chapter_without_scenes_is_told_where_it_is_written_again(desk: Desk) -> None:
    book, author = desk.project(), Author()
    data = book.json("scenes.json")
    data["chapters"][1]["scenes"] = []
    book.write("scenes.json", json.dumps(data))
    ran = desk.run("redo", "book", "2", backend=author, expect=3)
    assert "scenes.json has no scenes for chapter 2" in ran.err
    assert author.asked == []
