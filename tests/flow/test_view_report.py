"""The page Report of `view`: the card of `report`, with links into the chapters."""

import json
import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from tests.support.desk import Desk
from tests.support.told_book import TellingAuthor

from libriscribe2.checks.report.metric import metric_in_words

HOSTILE = '<img src=x onerror=alert(1)>"><script>alert(2)</script>'


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a desk with a book whose chapters contradict each other."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.create(backend=TellingAuthor())
    return desk.folder


@pytest.fixture
def book(written: Path, tmp_path: Path) -> Desk:
    """The same book, to be changed."""
    return Desk(shutil.copytree(written, tmp_path / "desk"))


def page(desk: Desk, *options: str) -> BeautifulSoup:
    """The page Report of a fresh export."""
    folder = desk.folder / "out"
    desk.run("view", "book", "--export", str(folder), *options)
    return BeautifulSoup((folder / "report.html").read_text(encoding="utf-8"), "html.parser")


def rows(report: BeautifulSoup) -> dict[str, list[str]]:
    """The cells of every figure by its name."""
    found = {}
    for row in report.select("table.card tbody tr"):
        name, *cells = row.find_all(["th", "td"])
        assert isinstance(name.contents[0], str)
        found[name.contents[0].strip()] = [cell.get_text() for cell in cells]
    return found


def test_QU_the_page_shows_what_the_command_says(book: Desk) -> None:
    told = json.loads(book.run("report", "book", "--json").out)
    shown = book.run("report", "book").out
    found = rows(page(book))
    assert list(found) == [metric_in_words(one["name"]) for one in told["figures"]]
    for one in told["figures"]:
        value, _, mark = found[metric_in_words(one["name"])]
        assert mark == (one["level"] or "")
        assert f"{value} {one['unit']}" in shown


def test_QU_every_place_leads_to_its_line_of_its_chapter(book: Desk) -> None:
    project = book.project()
    chapter = project.text("chapters/02.md")
    project.write("chapters/02.md", f"{chapter}\n{project.text('chapters/01.md')[12:]}")
    report = page(book)
    links = [one for one in report.select("main a") if "read-" in str(one["href"])]
    assert len(links) >= 6
    for link in links:
        file, _, anchor = str(link["href"]).partition("#")
        text = (book.folder / "out" / file).read_text(encoding="utf-8")
        assert BeautifulSoup(text, "html.parser").find(id=anchor) is not None, link


def test_QU_a_contradiction_stands_there_with_both_sides_and_its_fix(book: Desk) -> None:
    (found,) = page(book).select("ul.problems li")
    assert isinstance(found, Tag)
    told = found.get_text()
    assert "Ada Quell's eyes: green in chapter 1, brown in chapter 2." in told
    assert "Ada wiped her brown eyes" in told
    assert "Her green eyes watered in the wind" in told
    hrefs = [str(one["href"]) for one in found.select("a")]
    assert hrefs == ["read-02.html#line-3", "read-01.html#line-3"]


def test_QU_an_earlier_report_stands_beside_the_figures(book: Desk) -> None:
    before = book.folder / "before.json"
    before.write_text(book.run("report", "book", "--json").out, encoding="utf-8")
    project = book.project()
    project.write("chapters/02.md", project.text("chapters/01.md"))
    value, earlier, _, mark = rows(page(book, "--against", str(before)))["similar endings"]
    assert (value, mark) == ("100%", "red")
    assert float(earlier.removesuffix("%")) < 20
    before.write_text("{}", encoding="utf-8")
    command = ("view", "book", "--export", str(book.folder / "out"), "--against", str(before))
    assert "not an earlier report" in book.run(*command, expect=2).err


def test_QU_what_is_not_measured_is_said(book: Desk) -> None:
    project = book.project()
    project.write(
        "book.toml", project.text("book.toml").replace('language = "English"', 'language = "Suomi"')
    )
    project.path("chapters/02.md").unlink()
    project.path(".libriscribe/canon/01.json").unlink()
    report = page(book)
    told = report.get_text()
    assert "1 of 2 chapters are written." in told
    assert "counted in English only, not in Suomi" in told
    assert "continuity is not measured" in told
    assert "em dashes" not in rows(report)


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("outline.json", "{", "outline.json"),
        ("book.toml", '[book]\npremise = "A coast."\npremisse = 1\n', "premisse"),
        ("chapters/01.md", "", "chapters/01.md"),
    ],
)
def test_QU_a_book_that_cannot_be_measured_says_why(
    book: Desk, file: str, text: str, words: str
) -> None:
    book.project().write(file, text)
    assert words in page(book).get_text()


def test_QU_a_book_without_chapters_says_so(desk: Desk) -> None:
    desk.create("--until", "outline")
    assert "There is no chapter to measure yet." in page(desk).get_text()


def test_QU_words_of_the_book_are_shown_as_words(book: Desk) -> None:
    project = book.project()
    text = f"# Title\n\n{HOSTILE} and so on.\n\nAnother.\n"
    project.write("chapters/01.md", text)
    project.write("chapters/02.md", text)
    report = page(book)
    assert HOSTILE in report.get_text()
    assert not report.select("main img, main script, main [onerror]")
