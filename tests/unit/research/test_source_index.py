"""The full-text index: ranked, in every script, and made anew whenever it has to be."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.errors import StorageError
from libriscribe2.models.notes import Source
from libriscribe2.project.research_files import SavedText, saved_text
from libriscribe2.prose import weigh
from libriscribe2.research.passages import WINDOW, windows
from libriscribe2.research.sources import Hit, SourceIndex, fts_query
from libriscribe2.research.tool_error import ToolError


def document(name: str, *parts: tuple[str, str]) -> SavedText:
    source = Source(id=f"s-{name}", kind="file", title=name, place=f"{name}.md", sha256="0" * 64)
    return saved_text(source, parts)


class Shelf:
    """Documents, an index over them, and how often each was loaded."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "state" / "sources.db"
        self.texts: dict[str, str] = {}
        self.loaded: list[str] = []

    def search(self, query: str, most: int = 10) -> list[Hit]:
        index = SourceIndex(self.path)
        index.refresh(self.stamps(), self.load)
        return index.search(query, most)

    def places(self, query: str) -> list[str]:
        return [hit.place.removesuffix(".md") for hit in self.search(query)]

    def stamps(self) -> Mapping[str, str]:
        return {f"s-{name}": text for name, text in self.texts.items()}

    def load(self, identifier: str) -> SavedText | ToolError:
        name = identifier.removeprefix("s-")
        self.loaded.append(name)
        return document(name, ("", self.texts[name]))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.texts = {
        "salt": "Salt was traded along the coast.\n\nA barrel cost three ducats.",
        "oil": "Colza oil burned in the lighthouse. The coast was dark before.",
        "both": "The coast, the coast, the coast: it is long.",
        "far": "\u5317\u4eac\u5e02\u5728\u4e2d\u56fd\u3002\u0e41\u0e21\u0e27\u0e14\u0e33",
        "north": "Der Stra\u00dfenp\u00f6bel von Malm\u00f6 zog S\u00e3o Paulo vor.",
    }
    return shelf


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("ducats", "salt"),
        ("DUCAT", "salt"),
        ("lighthouse coast", "oil"),
        ("malmo", "north"),
        ("sao paulo", "north"),
        ("\u5317\u4eac", "far"),
        ("\u4e2d\u56fd \u5317\u4eac\u5e02", "far"),
        ("\u0e41\u0e21\u0e27", "far"),
    ],
)
def test_the_passage_that_fits_best_comes_first(shelf: Shelf, query: str, first: str) -> None:
    assert shelf.places(query)[0] == first


def test_characters_that_do_not_stand_together_are_no_phrase(shelf: Shelf) -> None:
    assert shelf.places("\u4eac\u5317") == []


@pytest.mark.parametrize(
    "query",
    ['coast"', "coast AND", "NEAR(coast", "text: coast", "coast*", "-coast", "^coast", "a' OR 1"],
)
def test_signs_of_the_query_language_are_only_text(shelf: Shelf, query: str) -> None:
    assert isinstance(shelf.search(query), list)


@given(st.text(max_size=40))
@settings(max_examples=100)
def test_any_query_is_understood_or_has_no_word(query: str) -> None:
    try:
        match = fts_query(query)
    except ToolError as error:
        match = "" if error.status == 422 else "wrong"
    if match:
        with sqlite3.connect(":memory:") as database:
            database.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
            database.execute("SELECT * FROM words WHERE words MATCH ?", (match,)).fetchall()
        database.close()


def test_only_what_changed_is_read_again(shelf: Shelf) -> None:
    shelf.search("coast")
    shelf.texts["salt"] = "Pepper came from the east."
    del shelf.texts["oil"]
    shelf.loaded.clear()
    assert shelf.places("pepper lighthouse ducats") == ["salt"]
    assert shelf.loaded == ["salt"]


@pytest.mark.parametrize("damage", [b"", b"not a database", b"SQLite format 3\x00" + b"\xff" * 500])
def test_a_damaged_index_is_made_anew(shelf: Shelf, damage: bytes) -> None:
    before = shelf.search("coast")
    shelf.path.write_bytes(damage)
    assert shelf.search("coast") == before


def test_an_index_that_is_damaged_in_the_middle_is_made_anew(shelf: Shelf) -> None:
    before = shelf.search("coast")
    data = bytearray(shelf.path.read_bytes())
    data[4096:] = b"\xee" * (len(data) - 4096)
    shelf.path.write_bytes(data)
    assert shelf.search("coast") == before


def test_a_deleted_index_and_one_of_another_version_are_made_anew(shelf: Shelf) -> None:
    before = shelf.search("coast")
    shelf.path.unlink()
    assert shelf.search("coast") == before
    with sqlite3.connect(shelf.path) as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("DROP TABLE passages")
    database.close()
    assert shelf.search("coast") == before


def test_an_index_that_cannot_be_written_is_an_error_of_the_disk(shelf: Shelf) -> None:
    shelf.path.mkdir(parents=True)
    with pytest.raises(StorageError):
        shelf.search("coast")


def test_what_cannot_be_read_is_told_once_it_was_tried(shelf: Shelf) -> None:
    refusal = ToolError(
        415, "source_not_readable", "bad.pdf cannot be read.", {"source": "bad.pdf"}
    )
    index = SourceIndex(shelf.path)
    for _ in range(2):
        unread = index.refresh({"s-bad": "1"}, lambda identifier: refusal)
        assert [(one.place, one.reason) for one in unread] == [("bad.pdf", refusal.message)]
    assert index.refresh({}, lambda identifier: refusal) == []


@given(st.lists(st.text("ab .\n\u5317", max_size=3000), max_size=3), st.data())
@settings(max_examples=60, deadline=None)
def test_windows_hold_every_word_once_and_no_more_than_fits(
    texts: list[str], data: st.DataObject
) -> None:
    whole = document("x", *((f"p{number}", text) for number, text in enumerate(texts)))
    del data
    found = [whole.text[start:end] for start, end in windows(whole)]
    assert "".join("".join(found).split()) == "".join(whole.text.split())
    assert all(weigh(text) <= WINDOW + 4 for text in found)
