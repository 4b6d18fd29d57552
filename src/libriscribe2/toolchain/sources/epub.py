"""Reads EPUB: the documents of the spine, in order."""

from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import Final
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from libriscribe2.toolchain.sources.archives import Archive
from libriscribe2.toolchain.sources.encoding import decode
from libriscribe2.toolchain.sources.html import LARGEST_PAGE
from libriscribe2.toolchain.sources.markup import read_markup
from libriscribe2.toolchain.sources.reading import Reading, not_what_it_says, tidy_line

_CONTAINER: Final = "META-INF/container.xml"
_PAGES: Final = ("application/xhtml+xml", "text/html")


def read_epub(name: str, data: bytes) -> Reading:
    """An EPUB; its locators are the first headings of its chapters, else their numbers.

    Raises:
        ToolError: 415 where it is none, 413 where it is too large.
    """
    archive = Archive(name, data)
    if _CONTAINER not in archive.names():
        raise not_what_it_says(name, "it is not an EPUB")
    rootfile = _first(archive.xml(_CONTAINER), "rootfile")
    package_name = rootfile.get("full-path", "") if rootfile is not None else ""
    package = archive.xml(package_name)
    parts = tuple(_chapters(archive, package, dirname(package_name)))
    if not parts:
        raise not_what_it_says(name, "it has no text")
    title = _first(package, "title")
    return Reading(tidy_line((title.text if title is not None else "") or ""), parts)


def _chapters(archive: Archive, package: Element, folder: str) -> Iterator[tuple[str, str]]:
    """Locator and text of every document of the spine that says something."""
    pages = {
        item.get("id", ""): normpath(join(folder, unquote(item.get("href", ""))))
        for item in _all(package, "item")
        if item.get("media-type") in _PAGES
    }
    there, number = set(archive.names()), 0
    for reference in _all(package, "itemref"):
        member = pages.get(reference.get("idref", ""), "")
        if member not in there:
            continue
        html, _ = decode(archive.read(member, most=LARGEST_PAGE), is_markup=True)
        parts = read_markup(html).parts
        if parts:
            number += 1
            heading = next((title for title, _ in parts if title), "")
            yield heading or f"chapter {number}", "\n\n".join(text for _, text in parts)


def _all(root: Element, name: str) -> Iterator[Element]:
    """The elements of that name, whatever their namespace."""
    return (element for element in root.iter() if str(element.tag).rpartition("}")[2] == name)


def _first(root: Element, name: str) -> Element | None:
    return next(_all(root, name), None)
