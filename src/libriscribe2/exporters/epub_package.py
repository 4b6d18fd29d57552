"""An EPUB's own files: package, contents, title page; and the archive, the same for the same book."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from libriscribe2.exporters.epub_text import EpubPage, Heading, listed, xhtml
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.export_checks import TYPES

CSS: Final = "epub.css"

_FOLDER: Final = "EPUB"
_CONTAINER: Final = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">\n'
    '<rootfiles><rootfile full-path="EPUB/content.opf" '
    'media-type="application/oebps-package+xml"/></rootfiles>\n</container>\n'
)
_FIRST_YEAR: Final = 1980
"""The year before which no file in a ZIP archive can be dated."""


def write_epub(
    target: Path,
    book: ExportBook,
    pages: Sequence[EpubPage],
    pictures: dict[str, str],
    cover: Path | None,
) -> None:
    """Write the archive.

    Args:
        target: The file.
        book: The book.
        pages: Its parts.
        pictures: The name of each picture's file in the EPUB, by its path in the project.
        cover: The picture of the cover; None where there is none.
    """
    files: dict[str, bytes] = {
        **{f"text/{page.name}": page.text.encode() for page in pages},
        "text/title_page.xhtml": _title_page(book).encode(),
        **{name: text.encode() for name, text in _front(book).items()},
        "nav.xhtml": _nav(book, pages, cover).encode(),
        "toc.ncx": _ncx(book, pages).encode(),
        CSS: (Path(__file__).with_name("assets") / CSS).read_bytes(),
        **{name: book.images[path].read_bytes() for path, name in pictures.items()},
    }
    if cover is not None:
        files[f"media/{cover.name}"] = cover.read_bytes()
        files["text/cover.xhtml"] = _cover_page(book, cover).encode()
    files["content.opf"] = _package(book, pages, list(files), cover).encode()
    moment = datetime.fromtimestamp(book.epoch, UTC)
    date = max(moment.timetuple()[:6], (_FIRST_YEAR, 1, 1, 0, 0, 0))
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        _put(archive, "mimetype", b"application/epub+zip", date, ZIP_STORED)
        _put(archive, "META-INF/container.xml", _CONTAINER.encode(), date)
        for name in sorted(files):
            _put(archive, f"{_FOLDER}/{name}", files[name], date)


def _put(
    archive: ZipFile, name: str, data: bytes, date: tuple[int, ...], how: int = ZIP_DEFLATED
) -> None:
    year, month, day, hour, minute, second = date
    entry = ZipInfo(name, (year, month, day, hour, minute, second))
    entry.compress_type, entry.create_system, entry.external_attr = how, 3, 0o644 << 16
    archive.writestr(entry, data)


def _title_page(book: ExportBook) -> str:
    number = f" {book.series_number}" if book.series_number else ""
    rows = {
        "subtitle": f"{book.series}{number}" if book.series else "",
        "author": book.author,
        "publisher": book.publisher,
    }
    lines = [f'<p class="{kind}">{escape(text)}</p>\n' for kind, text in rows.items() if text]
    body = (
        '<section epub:type="titlepage" class="titlepage">\n'
        f"<h1>{escape(book.title)}</h1>\n{''.join(lines)}</section>"
    )
    return xhtml(book, book.title, body, f"../{CSS}", "frontmatter")


def _front(book: ExportBook) -> dict[str, str]:
    """The short pages behind the title page, by their files."""
    found = {
        "copyright-page": book.imprint,
        "dedication": book.dedication,
        "epigraph": book.epigraph,
    }
    pages = {}
    for kind, lines in found.items():
        paragraphs = "".join(f"<p>{escape(line)}</p>\n" for line in lines)
        role = f' role="doc-{kind}"' if kind != "copyright-page" else ""
        body = f'<section epub:type="{kind}" class="{kind}"{role}>\n{paragraphs}</section>'
        if lines:
            page = xhtml(book, book.title, body, f"../{CSS}", "frontmatter")
            pages[f"text/{kind}.xhtml"] = page
    return pages


def _cover_page(book: ExportBook, cover: Path) -> str:
    told = escape(book.title, {'"': "&quot;"})
    image = f'<img src="../media/{cover.name}" alt="{told}" role="doc-cover"/>'
    body = f'<section epub:type="cover" class="cover">{image}</section>'
    return xhtml(book, book.title, body, f"../{CSS}", "frontmatter")


def _nav(book: ExportBook, pages: Sequence[EpubPage], cover: Path | None) -> str:
    headings = [one for page in pages for one in page.headings]
    contents = book.language.contents
    marks = [
        *([("cover", "text/cover.xhtml", book.title)] if cover is not None else []),
        ("titlepage", "text/title_page.xhtml", book.title),
        *((kind, f"text/{kind}.xhtml", book.title) for kind in ("copyright-page",) if book.imprint),
        ("toc", "#toc", contents),
        ("bodymatter", f"text/{pages[0].name}", pages[0].title),
    ]
    rows = "".join(
        f'<li><a epub:type="{kind}" href="{target}">{escape(title)}</a></li>\n'
        for kind, target, title in marks
    )
    body = (
        f'<nav epub:type="toc" role="doc-toc" id="toc">\n<h1>{escape(contents)}</h1>\n'
        + "\n".join(listed(headings))
        + '\n</nav>\n<nav epub:type="landmarks" aria-label="landmarks" hidden="hidden">\n<ol>\n'
        + f"{rows}</ol>\n</nav>"
    )
    return xhtml(book, contents, body, CSS, "frontmatter")


def _ncx(book: ExportBook, pages: Sequence[EpubPage]) -> str:
    """The table of contents as older readers want it."""
    points = "".join(_points([one for page in pages for one in page.headings]))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">\n<head>'
        f'<meta name="dtb:uid" content="{escape(book.identifier)}"/></head>\n'
        f"<docTitle><text>{escape(book.title)}</text></docTitle>\n<navMap>{points}</navMap>\n</ncx>\n"
    )


def _points(headings: Sequence[Heading]) -> Iterator[str]:
    for one in headings:
        name = one.target.replace("/", "-").replace("#", "-")
        yield (
            f'<navPoint id="{name}"><navLabel><text>{escape(one.title)}</text></navLabel>'
            f'<content src="{one.target}"/>'
        )
        yield from _points(one.below)
        yield "</navPoint>\n"


def _package(
    book: ExportBook, pages: Sequence[EpubPage], names: Sequence[str], cover: Path | None
) -> str:
    """The package: metadata, what the archive holds, and the order of reading."""
    turned = ' page-progression-direction="rtl"' if book.language.right_to_left else ""
    order = [
        *(["text/cover.xhtml"] if cover is not None else []),
        *("text/title_page.xhtml", *_front(book), "nav.xhtml"),
        *(f"text/{page.name}" for page in pages),
    ]
    items = "".join(_item(name, cover) for name in sorted(names))
    spine = "".join(f'<itemref idref="{_id(name)}"/>\n' for name in order)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<package version="3.0" xmlns="http://www.idpf.org/2007/opf" unique-identifier="book-id" '
        f'xml:lang="{book.language.tag}" '
        'prefix="schema: http://schema.org/">\n'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        f"{''.join(_metadata(book, cover))}</metadata>\n<manifest>\n{items}</manifest>\n"
        f'<spine toc="{_id("toc.ncx")}"{turned}>\n{spine}</spine>\n</package>\n'
    )


_KINDS: Final = {
    ".xhtml": "application/xhtml+xml",
    ".css": "text/css",
    ".ncx": "application/x-dtbncx+xml",
    **TYPES,
}


def _item(name: str, cover: Path | None) -> str:
    """A line of the manifest."""
    about = ""
    if name == "nav.xhtml":
        about = ' properties="nav"'
    elif cover is not None and name == f"media/{cover.name}":
        about = ' properties="cover-image"'
    kind = _KINDS[Path(name).suffix.lower()]
    return f'<item id="{_id(name)}" href="{name}" media-type="{kind}"{about}/>\n'


def _id(name: str) -> str:
    return name.replace("/", "-").replace(".", "-")


def _metadata(book: ExportBook, cover: Path | None) -> Iterator[str]:
    """The lines of the metadata; every text stands for itself."""
    moment = datetime.fromtimestamp(book.epoch, UTC)
    yield f'<dc:identifier id="book-id">{escape(book.identifier)}</dc:identifier>\n'
    yield f'<dc:title id="title">{escape(book.title)}</dc:title>\n'
    yield f"<dc:language>{escape(book.language.tag)}</dc:language>\n"
    yield f"<dc:date>{moment:%Y-%m-%d}</dc:date>\n"
    yield f'<meta property="dcterms:modified">{moment:%Y-%m-%dT%H:%M:%SZ}</meta>\n'
    told = {
        "publisher": book.publisher,
        "rights": book.rights,
        "description": book.description,
    }
    yield from (f"<dc:{name}>{escape(text)}</dc:{name}>\n" for name, text in told.items() if text)
    yield from (f"<dc:subject>{escape(word)}</dc:subject>\n" for word in book.keywords if word)
    yield from _person("creator", book.author, "aut")
    yield from _person("contributor", "LibriScribe2", "oth")
    if book.series:
        yield f'<meta property="belongs-to-collection" id="series">{escape(book.series)}</meta>\n'
        yield '<meta refines="#series" property="collection-type">series</meta>\n'
        if book.series_number:
            number = escape(book.series_number)
            yield f'<meta refines="#series" property="group-position">{number}</meta>\n'
    visual = ("visual",) if book.images else ()
    yield from (_schema("accessMode", mode) for mode in ("textual", *visual))
    yield _schema("accessModeSufficient", "textual")
    pictured = ("alternativeText",) if book.images else ()
    features = ("tableOfContents", "readingOrder", "structuralNavigation", *pictured)
    yield from (_schema("accessibilityFeature", feature) for feature in features)
    yield _schema("accessibilityHazard", "none")
    shown = "; pictures have alternative text" if book.images else ""
    summary = "Text in reading order with headings, a table of contents and landmarks"
    yield _schema("accessibilitySummary", f"{summary}{shown}.")
    if cover is not None:  # for readers that know EPUB 2 only
        yield f'<meta name="cover" content="{_id(f"media/{cover.name}")}"/>\n'


def _person(kind: str, name: str, role: str) -> Iterator[str]:
    """Who had a part in the book, with the role by the Library of Congress's list."""
    if name:
        yield f'<dc:{kind} id="{kind}">{escape(name)}</dc:{kind}>\n'
        role = f'property="role" scheme="marc:relators">{role}'
        yield f'<meta refines="#{kind}" {role}</meta>\n'


def _schema(name: str, value: str) -> str:
    return f'<meta property="schema:{name}">{value}</meta>\n'
