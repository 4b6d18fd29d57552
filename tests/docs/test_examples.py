"""The sample books are whole projects that this version opens."""

from pathlib import Path

import pytest
from tests.docs.help_page import ROOT
from tests.support.desk import Desk
from tests.support.java import needs_java

from libriscribe2.exporters.formats.epub import check_epub

BOOKS = tuple(sorted(path.parent for path in (ROOT / "examples").glob("*/book.toml")))


def test_DO_there_is_a_novel_and_a_book_of_facts() -> None:
    assert [book.name for book in BOOKS] == ["squeeze", "the-marks-at-skarra"]


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
def test_DO_a_sample_book_is_finished_and_sound(book: Path, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    rows = desk.run("status", str(book), "--json").value["units"]
    assert {row["state"] for row in rows} == {"fresh"}
    assert "No problems found." in desk.run("check", str(book)).err
    for name in (f"exports/{book.name}.epub", f"exports/{book.name}.pdf", "report.tsv"):
        assert (book / name).stat().st_size > 2_000


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
def test_DO_the_epub_of_a_sample_book_is_valid(book: Path) -> None:
    report = check_epub(book / "exports" / f"{book.name}.epub")
    assert (report.errors, report.warnings) == (0, 0)
