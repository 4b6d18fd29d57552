"""EPUB: its pages in order, its table of contents, what it says of itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from posixpath import dirname, join, normpath
from typing import Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from lxml import etree

from libriscribe2.documents.archive import Archive
from libriscribe2.documents.decoding import decode, not_readable, tidy, tidy_line

_LARGEST_TABLE: Final = 8 * 2**20
_POINT: Final = 20
"""Elements of an entry among which its title and its target are."""

_TAG: Final = re.compile(r"<[^>]*>")
LARGEST_PAGE: Final = 10 * 2**20
"""Most bytes of a page; ten times of what the largest articles have."""

_NCX: Final = "application/x-dtbncx+xml"
_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_LOCKS: Final = ("META-INF/rights.xml", "META-INF/sinf.xml", "META-INF/license.lcpl")
_FONTS_ONLY: Final = frozenset(
    {"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}
)
_PAGES: Final = ("application/xhtml+xml", "text/html")
_FRAME: Final = frozenset(
    {"cover", "title-page", "titlepage", "toc", "copyright-page", "loi", "lot"}
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a table of contents.

    Attributes:
        file: The page that it leads to.
        place: The id there; "" for its beginning.
        title: What it says.
        depth: How deep it is nested, from 0.
    """

    file: str
    place: str
    title: str
    depth: int


class Epub:
    """An EPUB.

    Args:
        name: What errors call it.
        data: Its bytes.

    Attributes:
        pages: The names of its pages in reading order.
        frame: Those of them that only frame it, as it says itself: cover, title page, contents.
        entries: Its table of contents in order.
        said: `title`, `author`, `language`, `description`, `publisher` and `date` as far as it has
            them; `authors` are all, a line for each.

    Raises:
        DocumentError: 415 where it is none or is protected, 413 where it is too large.
    """

    def __init__(self, name: str, data: bytes) -> None:
        self._archive = Archive(name, data)
        there = set(self._archive.names())
        if _CONTAINER not in there:
            raise not_readable(name, "it is not an EPUB")
        _refuse_locked(name, self._archive, there)
        rootfile = next(_all(self._archive.xml(_CONTAINER), "rootfile"), None)
        package_name = rootfile.get("full-path", "") if rootfile is not None else ""
        package, folder = self._archive.xml(package_name), dirname(package_name)
        items = {item.get("id", ""): item for item in _all(package, "item")}
        spine = [items.get(one.get("idref", "")) for one in _all(package, "itemref")]
        pages = [one for one in spine if one is not None and one.get("media-type") in _PAGES]
        navs = [one for one in items.values() if "nav" in one.get("properties", "").split()]
        ncx = [one for one in items.values() if one.get("media-type") == _NCX]
        tables = [_place(folder, one) for one in (*navs, *ncx)]
        # A page is one place of the book, however often the order of reading names it.
        places = dict.fromkeys(_place(folder, one) for one in pages)
        self.pages = [page for page in places if page in there]
        self.frame = {*tables[: len(navs)], *_guide(package, folder)}
        self.entries = list(_entries(self._archive, [one for one in tables if one in there]))
        self.said = _said(package)

    def page(self, name: str) -> str:
        """The HTML of a page.

        Raises:
            DocumentError: 415 where it is damaged, 413 where it is too large.
        """
        html, _ = decode(self._archive.read(name, most=LARGEST_PAGE), is_markup=True)
        return html


def _refuse_locked(name: str, archive: Archive, there: set[str]) -> None:
    """A book whose text is encrypted cannot be read, and is not to be."""
    locked = any(lock in there for lock in _LOCKS)
    if _ENCRYPTION in there and not locked:
        root = archive.xml(_ENCRYPTION)
        used = {one.get("Algorithm", "") for one in _all(root, "EncryptionMethod")}
        locked = not used <= _FONTS_ONLY
    if locked:
        raise not_readable(name, "it is protected (DRM), so its text is encrypted")


def _guide(package: Element, folder: str) -> Iterator[str]:
    """The pages that the guide calls cover, title page or contents."""
    for one in _all(package, "reference"):
        if one.get("type", "").casefold() in _FRAME:
            yield _place(folder, one)


def _entries(archive: Archive, files: list[str]) -> Iterator[Entry]:
    """The entries of the first table of contents that has any."""
    for file in files:
        root = _lenient(archive.read(file, most=_LARGEST_TABLE))
        if root is None:
            continue
        nav = next((one for one in _all(root, "nav") if "toc" in _type(one)), None)
        entries = list(_nav(nav, file) if nav is not None else _ncx(root, file))
        if entries:
            yield from entries
            return


def _nav(nav: Element, file: str) -> Iterator[Entry]:
    # Not by recursion: a table may be nested deeper than the stack is.
    waiting = [(nav, -1)]
    while waiting:
        element, depth = waiting.pop()
        if _local(element) == "a" and element.get("href"):
            title = tidy_line("".join(element.itertext()))
            yield _entry(file, element.get("href", ""), title, depth)
        else:
            below = [(child, depth + (_local(child) == "ol")) for child in element]
            waiting += reversed(below)


def _ncx(root: Element, file: str) -> Iterator[Entry]:
    waiting = [(root, -1)]
    while waiting:
        element, depth = waiting.pop()
        if _local(element) == "navpoint":
            depth += 1
            near = list(islice(element.iter(), _POINT))
            label = next((one for one in near if _local(one) == "text"), None)
            content = next((one for one in near if _local(one) == "content"), None)
            if content is not None:
                title = tidy_line((label.text if label is not None else "") or "")
                yield _entry(file, content.get("src", ""), title, depth)
        waiting += reversed([(child, depth) for child in element])


def _entry(file: str, href: str, title: str, depth: int) -> Entry:
    path, _, place = unquote(href).partition("#")
    return Entry(normpath(join(dirname(file), path)) if path else file, place, title, max(0, depth))


def _said(package: Element) -> dict[str, str]:
    keys = {"title": "title", "creator": "author", "language": "language"}
    keys |= {name: name for name in ("description", "publisher", "date")}
    said: dict[str, str] = {}
    authors: list[str] = []
    for one in package.iter():
        key = keys.get(_local(one), "") if "purl.org/dc/" in str(one.tag) else ""
        text = " ".join(tidy(_TAG.sub(" ", "".join(one.itertext()))).split()) if key else ""
        if text:
            said.setdefault(key, text)
        if text and key == "author":
            filed = (value for name, value in one.items() if name.endswith("file-as"))
            authors.append(next(filed, text))
    return said | ({"authors": "\n".join(authors)} if authors else {})


def _place(folder: str, element: Element) -> str:
    """The member that an element points to."""
    path = unquote(element.get("href", "")).partition("#")[0]
    return normpath(join(folder, path))


def _type(element: Element) -> str:
    return next((value for key, value in element.items() if key.endswith("type")), "")


def _all(root: Element, name: str) -> Iterator[Element]:
    """The elements of that name, whatever their namespace."""
    return (element for element in root.iter() if _local(element) == name)


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _lenient(data: bytes) -> Element | None:
    """A table of contents, read as a browser does: with a document type and open tags.

    Tags come out in small letters. Nothing outside of the bytes is read.
    """
    parser = etree.HTMLParser(no_network=True, huge_tree=True)
    try:
        root: Element | None = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return root
