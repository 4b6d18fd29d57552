"""What an EPUB says of itself: its pages in order, its table of contents, what it is protected by."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from lxml import etree

from libriscribe2.toolchain.sources.archives import Archive
from libriscribe2.toolchain.sources.reading import not_what_it_says, tidy, tidy_line

_LARGEST_TABLE: Final = 8 * 2**20
_TAG: Final = re.compile(r"<[^>]*>")
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


@dataclass(frozen=True, slots=True)
class EpubContents:
    """The bones of an EPUB.

    Attributes:
        pages: Its pages in reading order, without those that only frame it.
        frame: Pages that only frame it: cover, title page, contents.
        entries: Its table of contents in order.
        said: `title`, `author`, `language` and `description` as far as it has them.
    """

    pages: tuple[str, ...]
    frame: tuple[str, ...]
    entries: tuple[Entry, ...]
    said: dict[str, str]


def epub_contents(name: str, archive: Archive) -> EpubContents:
    """The bones of an EPUB.

    Raises:
        ToolError: 415 where it is none or is protected.
    """
    there = set(archive.names())
    if _CONTAINER not in there:
        raise not_what_it_says(name, "it is not an EPUB")
    _refuse_locked(name, archive, there)
    rootfile = next(_all(archive.xml(_CONTAINER), "rootfile"), None)
    package_name = rootfile.get("full-path", "") if rootfile is not None else ""
    package, folder = archive.xml(package_name), dirname(package_name)
    items = {item.get("id", ""): item for item in _all(package, "item")}
    navs = [_place(folder, one) for one in items.values() if _has(one, "properties", "nav")]
    spine = [
        _place(folder, items[reference.get("idref", "")])
        for reference in _all(package, "itemref")
        if reference.get("idref", "") in items
        and items[reference.get("idref", "")].get("media-type") in _PAGES
    ]
    framing = {*navs, *_guide(package, folder)}
    pages = [page for page in spine if page in there]
    ncx = [
        _place(folder, one)
        for one in items.values()
        if one.get("media-type") == "application/x-dtbncx+xml"
    ]
    return EpubContents(
        pages=tuple(page for page in pages if page not in framing),
        frame=tuple(page for page in pages if page in framing),
        entries=tuple(_entries(archive, [one for one in (*navs, *ncx) if one in there])),
        said=_said(package),
    )


def _refuse_locked(name: str, archive: Archive, there: set[str]) -> None:
    """A book whose text is encrypted cannot be read, and is not to be."""
    locked = any(lock in there for lock in _LOCKS)
    if _ENCRYPTION in there and not locked:
        root = archive.xml(_ENCRYPTION)
        used = {one.get("Algorithm", "") for one in _all(root, "EncryptionMethod")}
        locked = not used <= _FONTS_ONLY
    if locked:
        raise not_what_it_says(name, "it is protected (DRM), so its text is encrypted")


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
        found = list(_nav(nav, file, -1)) if nav is not None else list(_ncx(root, file, -1))
        if found:
            yield from found
            return


def _nav(element: Element, file: str, depth: int) -> Iterator[Entry]:
    for child in element:
        tag = _local(child)
        if tag == "a" and child.get("href"):
            title = tidy_line("".join(child.itertext()))
            yield _entry(file, child.get("href", ""), title, depth)
        else:
            yield from _nav(child, file, depth + (tag == "ol"))


def _ncx(element: Element, file: str, depth: int) -> Iterator[Entry]:
    for point in element:
        if _local(point) != "navpoint":
            yield from _ncx(point, file, depth)
            continue
        label = next(_all(point, "text"), None)
        content = next(_all(point, "content"), None)
        if content is not None:
            title = tidy_line((label.text if label is not None else "") or "")
            yield _entry(file, content.get("src", ""), title, depth + 1)
        yield from _ncx(point, file, depth + 1)


def _entry(file: str, href: str, title: str, depth: int) -> Entry:
    path, _, place = unquote(href).partition("#")
    return Entry(normpath(join(dirname(file), path)) if path else file, place, title, max(0, depth))


def _said(package: Element) -> dict[str, str]:
    names = {"title": "title", "creator": "author", "language": "language"}
    names["description"] = "description"
    told: dict[str, str] = {}
    for one in package.iter():
        key = names.get(_local(one), "")
        text = " ".join(tidy(_TAG.sub(" ", "".join(one.itertext()))).split())
        if key and text and "purl.org/dc/" in str(one.tag):
            told.setdefault(key, text)
    return told


def _place(folder: str, element: Element) -> str:
    """The member that an element points to."""
    path = unquote(element.get("href", "")).partition("#")[0]
    return normpath(join(folder, path))


def _has(element: Element, attribute: str, word: str) -> bool:
    return word in element.get(attribute, "").split()


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
        found: Element | None = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return found
