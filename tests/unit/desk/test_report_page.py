"""The report is measured once for each state of the book's files."""

from tests.support.review_book import ReviewBook

from libriscribe2.checks.report.book_report import BookReport
from libriscribe2.desk.drawn import line_anchor, prose_html
from libriscribe2.desk.report_page import ReportShelf
from libriscribe2.errors import ProjectError


def test_the_same_state_is_measured_once_and_a_change_is_seen(review_book: ReviewBook) -> None:
    shelf = ReportShelf()
    first = shelf.report(review_book.snapshot())
    review_book.dump("no file of the book", step="chapters/ch02/scene09")
    assert shelf.report(review_book.snapshot()) is first
    review_book.write("chapters/02.md", "# Two\n\nA few words by hand.\n")
    changed = shelf.report(review_book.snapshot())
    assert isinstance(first, BookReport)
    assert isinstance(changed, BookReport)
    assert changed.metrics.words < first.metrics.words


def test_a_change_of_the_brief_or_of_the_plan_is_a_change(review_book: ReviewBook) -> None:
    shelf = ReportShelf()
    first = shelf.report(review_book.snapshot())
    review_book.edit("book.toml", 'language = "English"', 'language = "Suomi"')
    second = shelf.report(review_book.snapshot())
    assert second is not first
    review_book.write("outline.json", "{")
    assert isinstance(shelf.report(review_book.snapshot()), ProjectError)
    review_book.edit("book.toml", "premise", "premisse")
    assert shelf.report(review_book.snapshot()) is None


def test_every_line_of_a_text_leads_to_a_block_that_has_a_name() -> None:
    text = (
        "# One\n\nA first line\nand a second.\n\n> quoted\n> on\n\n- a\n- b\n\n* * *\n\n"
        "## Two\nright below\n\n    code\n"
    )
    html = str(prose_html(text, anchored=True))
    names = [part.partition('"')[0] for part in html.split('id="')[1:]]
    assert len(names) == len(set(names))
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    assert {line_anchor(text, line) for line in lines} <= set(names)
    assert 'id="' not in prose_html(text)
