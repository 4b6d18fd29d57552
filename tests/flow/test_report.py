"""`libriscribe2 report` as an author types it."""

from bs4 import BeautifulSoup
from tests.support.desk import Desk
from tests.support.desk_server import desk_server


def test_XC_report_shows_what_changed_since_an_earlier_one(desk: Desk) -> None:
    desk.written("--mock")
    before = desk.folder / "before.json"
    before.write_text(desk.run("report", "book", "--json").out, encoding="utf-8")
    book = desk.project()
    book.write("chapters/02.md", book.text("chapters/01.md"))
    told = desk.run("report", "book", "--against", str(before)).out
    rows = {line.split("\t")[1]: line.split("\t") for line in told.split("\n\n")[0].splitlines()}
    row = rows["phrases from earlier chapters"]
    assert row[2].endswith("% of phrases (parts of 1,125 words, eight at a time)")
    assert row[3] == "up to 0.8%"
    assert row[4] == "red"
    assert row[5].endswith("%")
    assert float(row[5][:-1]) < 100


def test_XC_a_figure_that_is_not_compared_in_a_language_has_no_verdict(desk: Desk) -> None:
    desk.written("--mock", "--language", "German")
    told = desk.run("check", "book", "--report").out
    rows = [line.split("\t") for line in told.split("\n\n")[0].splitlines()]
    assert {
        tuple(row[3:5]) for row in rows if row[0] in ("repetition", "openings and endings")
    } == {("", "")}
    figures = desk.run("check", "book", "--report", "--json").value["figures"]
    levels = {one["name"]: (one["level"], *one["human"].values()) for one in figures}
    assert levels["short sentences"] == (None, None, None)
    with desk_server(desk.folder) as server:
        page = BeautifulSoup(server.ask("/b/book/report").body, "html.parser")
    (row,) = [
        row
        for row in page.select("table.measured tr")
        if row.get_text().startswith("short sentences")
    ]
    assert row.select("td")[1].text == "\u2013"


def test_XC_report_of_an_unwritten_book_says_what_is_missing(desk: Desk) -> None:
    desk.written("--mock", "--until", "outline")
    told = desk.run("report", "book", expect=5).err
    assert "no chapter to measure" in told
    assert "resume" in told


def test_XC_report_refuses_a_file_that_is_no_report(desk: Desk) -> None:
    desk.written("--mock", "--until", "concept")
    wrong = desk.folder / "wrong.json"
    wrong.write_text("{}", encoding="utf-8")
    told = desk.run("report", "book", "--against", str(wrong), expect=2).err
    assert "not an earlier report" in told
    assert "it does not hold what `report --json` writes" in told
    told = desk.run("report", "book", "--against", "nope.json", expect=2).err
    assert "why: No such file or directory." in told
