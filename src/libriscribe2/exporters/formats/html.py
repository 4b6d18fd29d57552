"""HTML that needs nothing else, no network, no script: one file, or one for each chapter."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from string import Template
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from typing_extensions import override

from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import check_paragraphs, indented
from libriscribe2.exporters.pandoc import ASSETS
from libriscribe2.exporters.web_text import WebText


class HtmlExporter(Exporter):
    """Every chapter as a section, with pictures and styles inside the page."""

    name = "html"
    suffix = ".html"
    also_called = ("htm",)
    place = 20
    usual = True

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the page; see `Exporter.export`."""
        check_paragraphs(book)
        target = folder / f"book{self.suffix}"
        target.write_text(page_of(book), encoding="utf-8", newline="")
        return target


class ChaptersExporter(Exporter):
    """A page for each chapter, for platforms on which a book appears in parts, as an archive."""

    name = "chapters"
    suffix = "-chapters.zip"
    also_called = ("serial",)
    place = 91

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the archive; see `Exporter.export`."""
        check_paragraphs(book)
        pages = (page_of(replace(book, parts=(part,))) for part in book.parts)
        return write_chapters(folder / f"book{self.suffix}", book, pages, ".html")


def page_of(book: ExportBook) -> str:
    """A book as one page."""
    page = Template((ASSETS / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        lang=escape(book.language.tag),
        dir="rtl" if book.language.right_to_left else "ltr",
        meta=_meta(book),
        title=escape(book.title),
        css=indented((ASSETS / "page.css").read_text(encoding="utf-8"), book.language),
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
    lines = filter(None, (book.place_in_series, book.author, *book.imprint))
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


def write_chapters(
    target: Path,
    book: ExportBook,
    texts: Iterable[str],
    ending: str,
    more: Mapping[str, str] | None = None,
) -> Path:
    """Write an archive of a file for each chapter, the same for the same book.

    Args:
        target: The file.
        book: The book.
        texts: What stands in the file of each of its parts, in order.
        ending: The end of their names, such as `.html`.
        more: Further files, by what stands behind the book's name in theirs.

    Returns:
        The file.
    """
    moment = datetime.fromtimestamp(book.epoch, UTC)
    date = max(moment.timetuple()[:6], (1980, 1, 1, 0, 0, 0))
    files = {f"{number:03d}{ending}": text for number, text in enumerate(texts, start=1)}
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, text in (files | {**(more or {})}).items():
            entry = ZipInfo(f"{book.name}-{name}", date)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, text.encode("utf-8"))
    return target


EXPORTERS: Final[tuple[Exporter, ...]] = (HtmlExporter(), ChaptersExporter())
