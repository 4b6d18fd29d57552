"""One HTML file that needs nothing else: no network, no script, no extra package."""

from html import escape
from pathlib import Path
from string import Template
from typing import Final

from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import check_paragraphs
from libriscribe2.exporters.pandoc import ASSETS
from libriscribe2.exporters.web_text import WebText


class HtmlExporter:
    """Every chapter as a section, with pictures and styles inside the page."""

    name = "html"
    suffix = ".html"
    needs: tuple[str, ...] = ()
    note = ""
    also_called: tuple[str, ...] = ("htm",)
    place = 20
    usual = True

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the page; see `Exporter.export`."""
        check_paragraphs(book)
        target = folder / f"book{self.suffix}"
        target.write_text(page_of(book), encoding="utf-8", newline="")
        return target


def page_of(book: ExportBook) -> str:
    """A book as one page."""
    page = Template((ASSETS / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        lang=escape(book.language.tag),
        dir="rtl" if book.language.right_to_left else "ltr",
        meta=_meta(book),
        title=escape(book.title),
        css=(ASSETS / "page.css").read_text(encoding="utf-8"),
        head=_head(book),
        contents=_contents(book),
        body=_body(book),
    )


def _meta(book: ExportBook) -> str:
    told = {
        "author": book.author,
        "description": book.description,
        "keywords": ", ".join(book.keywords),
        "dcterms.identifier": book.identifier,
    }
    lines = (
        f'<meta name="{name}" content="{escape(value)}">\n' for name, value in told.items() if value
    )
    return "".join(lines)


def _head(book: ExportBook) -> str:
    number = f" {book.series_number}" if book.series_number else ""
    series = f"{book.series}{number}" if book.series else ""
    lines = filter(None, (series, book.author, *book.imprint))
    front = [
        f'<p class="{kind}">{"<br>".join(map(escape, words))}</p>\n'
        for kind, words in (("dedication", book.dedication), ("epigraph", book.epigraph))
        if words
    ]
    told = "".join(f"<p>{escape(one)}</p>\n" for one in lines)
    return f"<h1>{escape(book.title)}</h1>\n{told}{''.join(front)}"


def _contents(book: ExportBook) -> str:
    """The table of contents; a book of one chapter needs none."""
    if len(book.parts) < 2:
        return ""
    items = "".join(
        f'<li><a href="#part-{number}">{escape(part.title)}</a></li>\n'
        for number, part in enumerate(book.parts, start=1)
    )
    label = escape(book.language.contents)
    return f'<nav aria-label="{label}">\n<ol>\n{items}</ol>\n</nav>\n'


def _body(book: ExportBook) -> str:
    web = WebText(book.images)
    sections = (
        f'<section id="part-{number}">\n{web.chapter(part.text, number)}</section>\n'
        for number, part in enumerate(book.parts, start=1)
    )
    return "".join(sections)


EXPORTER: Final[Exporter] = HtmlExporter()
