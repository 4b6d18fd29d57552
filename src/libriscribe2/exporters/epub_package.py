"""An EPUB's own files: package, contents, title page, fonts; the archive, always the same.

A font has no more characters than the book.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.epub_text import EpubPage, Heading, listed, xhtml
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.export_checks import TYPES, indented
from libriscribe2.exporters.typesetting import need_typst

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

_FACES: Final = (("normal", 400), ("italic", 400), ("normal", 700), ("italic", 700))
"""What prose needs of a family: style and weight."""

_NEAR: Final = 150
"""By how much the weight of a face may differ from the one that is looked for."""

_FORBIDDEN: Final = 0x0002
_ONLY_WHOLE: Final = 0x0100
"""Bits by which a font says that it may not be embedded, or not in part."""

_NAMES: Final = (*range(7), 13, 14)
"""What stays of the names in a font, its licence among it."""


@dataclass(frozen=True, slots=True)
class _Face:
    """A face of the family, ready for the archive.

    Attributes:
        name: Its file in the EPUB.
        style: `normal` or `italic`.
        weight: Such as 400.
        data: The font.
    """

    name: str
    style: str
    weight: int
    data: bytes


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
        **{name: book.images[path].read_bytes() for path, name in pictures.items()},
    }
    if cover is not None:
        files[f"media/{cover.name}"] = cover.read_bytes()
        files["text/cover.xhtml"] = _cover_page(book, cover).encode()
    shown = [data.decode() for name, data in files.items() if name.endswith(".xhtml")]
    faces = _embedded_faces(book, "".join(shown))
    files |= {face.name: face.data for face in faces}
    files[CSS] = _style(book, faces).encode()
    files["content.opf"] = _package(book, pages, list(files), cover).encode()
    moment = datetime.fromtimestamp(book.epoch, UTC)
    date = max(moment.timetuple()[:6], (_FIRST_YEAR, 1, 1, 0, 0, 0))
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        _put(archive, "mimetype", b"application/epub+zip", date, ZIP_STORED)
        _put(archive, "META-INF/container.xml", _CONTAINER.encode(), date)
        for name in sorted(files):
            _put(archive, f"{_FOLDER}/{name}", files[name], date)


def _style(book: ExportBook, faces: Sequence[_Face]) -> str:
    """The style sheet, with the fonts that are embedded."""
    plain = (Path(__file__).with_name("assets") / CSS).read_text(encoding="utf-8")
    style = indented(plain, book.language)
    family = book.edition.font.replace("\\", "").replace('"', "")
    declared = "".join(
        f'@font-face {{ font-family: "{family}"; font-style: {face.style}; '
        f"font-weight: {face.weight}; src: url({face.name}); }}\n"
        for face in faces
    )
    set_in = f'body {{ font-family: "{family}", serif; }}\n' if faces else ""
    return f"{declared}{style}{set_in}"


def _put(
    archive: ZipFile, name: str, data: bytes, date: tuple[int, ...], how: int = ZIP_DEFLATED
) -> None:
    year, month, day, hour, minute, second = date
    entry = ZipInfo(name, (year, month, day, hour, minute, second))
    entry.compress_type, entry.create_system, entry.external_attr = how, 3, 0o644 << 16
    archive.writestr(entry, data)


def _title_page(book: ExportBook) -> str:
    rows = {
        "subtitle": book.place_in_series,
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
        *((Path(name).stem, name, book.title) for name in _front(book)),
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
        + f"{rows}</ol>\n</nav>{_page_list(pages)}"
    )
    return xhtml(book, contents, body, CSS, "frontmatter")


def _page_list(pages: Sequence[EpubPage]) -> str:
    """Where the pages of the print edition begin; "" where nothing is known of one."""
    rows = "".join(
        f'<li><a href="{target}">{number}</a></li>\n'
        for page in pages
        for number, target in page.breaks
    )
    head = '<nav epub:type="page-list" role="doc-pagelist" aria-label="pages" hidden="hidden">'
    return f"\n{head}\n<ol>\n{rows}</ol>\n</nav>" if rows else ""


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
    is_turned = book.language.right_to_left or book.is_vertical
    turned = ' page-progression-direction="rtl"' if is_turned else ""
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
        f"{''.join(_metadata(book, pages, cover))}</metadata>\n<manifest>\n{items}</manifest>\n"
        f'<spine toc="{_id("toc.ncx")}"{turned}>\n{spine}</spine>\n</package>\n'
    )


_KINDS: Final = {
    ".xhtml": "application/xhtml+xml",
    ".css": "text/css",
    ".ncx": "application/x-dtbncx+xml",
    ".otf": "font/otf",
    ".ttf": "font/ttf",
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


def _metadata(book: ExportBook, pages: Sequence[EpubPage], cover: Path | None) -> Iterator[str]:
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
    yield from _accessibility(book, pages)
    if book.is_vertical:  # for Kindle
        yield '<meta name="primary-writing-mode" content="vertical-rl"/>\n'
    if cover is not None:  # for readers that know EPUB 2 only
        yield f'<meta name="cover" content="{_id(f"media/{cover.name}")}"/>\n'


def _accessibility(book: ExportBook, pages: Sequence[EpubPage]) -> Iterator[str]:
    """What a reader who does not see, or not well, has to know."""
    visual = ("visual",) if book.images else ()
    yield from (_schema("accessMode", mode) for mode in ("textual", *visual))
    yield _schema("accessModeSufficient", "textual")
    pictured = ("alternativeText",) if book.images else ()
    paged = any(page.breaks for page in pages)
    if paged:
        printed = " ".join(filter(None, (book.title, book.printing, book.edition.trim)))
        yield f'<meta property="pageBreakSource">{escape(printed)}</meta>\n'
    features = [
        *("tableOfContents", "readingOrder", "structuralNavigation", *pictured),
        *(("pageNavigation", "pageBreakMarkers") if paged else ()),
    ]
    yield from (_schema("accessibilityFeature", feature) for feature in features)
    yield _schema("accessibilityHazard", "none")
    shown = "; pictures have alternative text" if book.images else ""
    summary = "Text in reading order with headings, a table of contents and landmarks"
    yield _schema("accessibilitySummary", f"{summary}{shown}.")


def _person(kind: str, name: str, role: str) -> Iterator[str]:
    """Who had a part in the book, with the role by the Library of Congress's list."""
    if name:
        yield f'<dc:{kind} id="{kind}">{escape(name)}</dc:{kind}>\n'
        role = f'property="role" scheme="marc:relators">{role}'
        yield f'<meta refines="#{kind}" {role}</meta>\n'


def _schema(name: str, value: str) -> str:
    return f'<meta property="schema:{name}">{value}</meta>\n'


def _embedded_faces(book: ExportBook, text: str) -> list[_Face]:
    """The faces of the book's family, each with the characters of a text.

    Args:
        book: The book, whose edition names the family; without one there are none.
        text: All that will be set in it.

    Raises:
        ConfigError: The family is not there, may not be embedded, or the extra `[pdf]` is missing.
    """
    if not book.edition.font:
        return []
    need_typst()
    if find_spec("fontTools") is None:
        raise ConfigError(
            "fontTools is not installed, which takes the characters of a book out of a font.",
            fix="`uv tool install 'libriscribe2[pdf]'`, or `pip install 'libriscribe2[pdf]'`.",
        )
    faces = []
    for number, (info, style, weight) in enumerate(_chosen(book), start=1):
        data, ending = _subset(info, text)
        faces.append(_Face(f"fonts/face-{number}.{ending}", style, weight, data))
    return faces


def _chosen(book: ExportBook) -> Iterator[tuple[Any, str, int]]:
    """The files of the family for each style and weight, as far as it has them.

    Raises:
        ConfigError: It has none.
    """
    import typst  # noqa: PLC0415 - of the extra [pdf]

    own = [str(book.fonts)] if book.fonts is not None else []
    wanted = book.edition.font
    every = [one for one in typst.Fonts(font_paths=own).fonts() if one.path is not None]
    family = [one for one in every if one.family.casefold() == wanted.casefold()]
    if not family:
        raise ConfigError(
            f"There is no font {wanted!r} that could be embedded.",
            why="no file in the project's folder fonts/ has this family, and none is installed",
            fix="Put its .ttf or .otf files into fonts/, or name another in export.font (--font).",
        )
    for style, weight in _FACES:
        near = [one for one in family if one.style == style and abs(one.weight - weight) < _NEAR]
        if near:
            best = min(near, key=lambda one: (abs(one.weight - weight), one.path, one.index))
            yield best, style, weight


def _subset(info: Any, text: str) -> tuple[bytes, str]:
    """A font with the characters of a text alone, and the end of its name.

    Raises:
        ConfigError: It says that it may not be embedded, or cannot be read.
    """
    from fontTools.subset import Options, Subsetter  # noqa: PLC0415 - of the extra [pdf]
    from fontTools.ttLib import TTFont, TTLibError  # noqa: PLC0415

    try:
        font = TTFont(Path(info.path), fontNumber=info.index, recalcTimestamp=False)
        rights = font["OS/2"].fsType
        if rights & 0x000F == _FORBIDDEN:
            raise ConfigError(
                f"The font {info.family!r} may not be embedded.",
                why=f"{info.path} says so",
                fix="Name another in export.font (--font), or buy a licence for e-books.",
            )
        if not rights & _ONLY_WHOLE:
            options = Options(layout_features=["*"], name_IDs=[*_NAMES], hinting=False)
            options.drop_tables += ["FFTM"]  # the editor's own dates
            subsetter = Subsetter(options)
            subsetter.populate(text=text)
            subsetter.subset(font)
        written = io.BytesIO()
        font.save(written)
    except (TTLibError, AssertionError, LookupError, ValueError, OSError) as error:
        raise ConfigError(
            f"The font {info.family!r} cannot be read.", why=f"{info.path}: {error}"[:300]
        ) from error
    return written.getvalue(), "otf" if font.sfntVersion == "OTTO" else "ttf"
