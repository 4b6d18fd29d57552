"""The chapters of a book as XHTML pages of an EPUB: headings, notes and citations lead somewhere."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from lxml import etree
from lxml import html as lxml_html
from typing_extensions import override

from libriscribe2.exporters.export_book import ExportBook, ExportChapter
from libriscribe2.exporters.web_text import WebText
from libriscribe2.project.paths import CHAPTER_FILES, RESEARCH_NOTES

_TYPE: Final = "{http://www.idpf.org/2007/ops}type"
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTED: Final = ("h1", "h2")
"""The headings that the table of contents has."""

_WEB: Final = re.compile(r"https?://[\w.-]+\S*", re.ASCII)
_MAIL: Final = re.compile(r"mailto:[\w.+-]+@[\w.-]+", re.ASCII)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]")
_LONE_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SIGN: Final = re.compile(r"\w")
_DECLARED: Final = re.compile(r' xmlns:ns\d+="http://www.idpf.org/2007/ops"')
_PREFIX: Final = re.compile(r"\bns\d+:type=(?=\")")
_CHAPTERS: Final = CHAPTER_FILES.partition("*")[0]
_FAR: Final = 60
"""Paragraphs among which one of the print edition is looked for."""

_BEHIND: Final = {RESEARCH_NOTES: "bibliography", "acknowledgements.md": "acknowledgments"}
"""What a part behind the chapters is called, where there is a word for it."""


@dataclass(slots=True)
class Heading:
    """An entry of the table of contents.

    Attributes:
        title: Its text.
        target: The file and the id that it leads to.
        below: The headings below it.
    """

    title: str
    target: str
    below: "list[Heading]" = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class EpubPage:
    """A chapter.

    Attributes:
        name: The file, such as `ch001.xhtml`.
        title: What the page is called.
        text: The file's text.
        headings: Its part of the table of contents.
        breaks: Where pages of the print edition begin: their numbers, and file and id.
    """

    name: str
    title: str
    text: str
    headings: tuple[Heading, ...]
    breaks: tuple[tuple[str, str], ...] = ()


class _EpubText(WebText):
    """Chapters whose pictures are files beside the pages.

    Args:
        book: The book.
        pictures: The name of each picture's file in the EPUB, by its path in the project.
    """

    def __init__(self, book: ExportBook, pictures: dict[str, str]) -> None:
        super().__init__(book.images)
        self._names = {book.images[path]: name for path, name in pictures.items()}

    @override
    def source(self, file: Path) -> str:
        """Where a page finds a picture."""
        return f"../{self._names[file]}"


def epub_pages(
    book: ExportBook, pictures: dict[str, str], starts: Sequence[tuple[int, int, str]] = ()
) -> list[EpubPage]:
    """The pages of a book, one for each of its parts.

    Args:
        book: The book.
        pictures: The name of each picture's file in the EPUB, by its path in the project.
        starts: Of each paragraph in print the leaf, the number of the page, and its words.
    """
    web = _EpubText(book, pictures)
    names = [f"ch{number:03d}.xhtml" for number in range(1, len(book.parts) + 1)]
    bodies = [_body(web.chapter(part.text, n)) for n, part in enumerate(book.parts, start=1)]
    places = {
        one.get("id"): name
        for name, body in zip(names, bodies, strict=True)
        for one in body.iter(etree.Element)
        if one.get("id")
    }
    _mark_pages(bodies, starts)
    pages = []
    for name, body, part in zip(names, bodies, book.parts, strict=True):
        _tidy_headings(body)
        for link in list(body.iter("a")):
            _tidy_link(link, name, places)
        _dress_notes(body)
        pages.append(_page(book, part, name, body))
    return pages


def _body(html: str) -> Any:
    """The elements of a chapter below a `section`."""
    parser = lxml_html.HTMLParser(huge_tree=True)
    return lxml_html.fragment_fromstring(html, create_parent="section", parser=parser)


def _tidy_headings(body: Any) -> None:
    """Raise headings by one level, for a page has no title above; one without a word goes."""
    last = 0
    for one in list(body.iter(*_HEADINGS)):
        if not _SIGN.search(_text(one)):
            one.drop_tree()
            continue
        last = min(int(one.tag[1]) - 1, last + 1)
        one.tag = f"h{last}"


def _tidy_link(link: Any, page: str, places: dict[str, str]) -> None:
    """Let a link lead to the file that has its target; one that leads nowhere keeps its words."""
    target = link.get("href") or ""
    if target.startswith("#"):
        place = places.get(target[1:])
        if place is None:
            link.drop_tag()
        elif place != page:
            link.set("href", f"{place}{target}")
        if "#source-" in target and place is not None:
            link.set("role", "doc-biblioref")
    elif _WEB.fullmatch(target) or _MAIL.fullmatch(target):
        link.set("href", _address(target))
    else:
        link.drop_tag()
    link.attrib.pop("rel", None)


def _address(target: str) -> str:
    """An address without a character that no address has."""
    encoded = _UNSAFE.sub(lambda found: "".join(f"%{b:02X}" for b in found[0].encode()), target)
    before, mark, after = _LONE_PERCENT.sub("%25", encoded).partition("#")
    return before + mark + after.replace("#", "%23")


def _dress_notes(body: Any) -> None:
    """Say what is a note and what leads to one, so that a reader shows it in place."""
    for link in body.xpath(".//a[starts-with(@id, 'ref-')]"):
        link.set(_TYPE, "noteref")
        link.set("role", "doc-noteref")
    for section in body.xpath("./section[@class='notes']"):
        section.set("role", "doc-endnotes")
        for item in section.xpath("./ol/li"):
            note = lxml_html.Element("aside", id=item.attrib.pop("id"), role="doc-footnote")
            note.set(_TYPE, "footnote")
            note.extend(list(item))
            item.append(note)
            for back in note.xpath("./a[last()]"):
                back.set("role", "doc-backlink")


def _mark_pages(bodies: Sequence[Any], starts: Sequence[tuple[int, int, str]]) -> None:
    """Mark the first paragraph that begins on each page of the print edition.

    The first one of a chapter has its mark above the heading, which begins the page in print.
    """
    paragraphs = [
        (body, one, not place, _letters(_text(one)))
        for body in bodies
        for place, one in enumerate(body.xpath(".//p[not(ancestor::section[@class='notes'])]"))
    ]
    at = last = 0
    for leaf, number, words in starts:
        wanted = _letters(words)
        far = min(len(paragraphs), at + _FAR)
        found = next((n for n in range(at, far) if paragraphs[n][3] == wanted), None)
        if found is None:
            continue
        at = found + 1
        if leaf != last:
            last = leaf
            body, paragraph, is_first, _ = paragraphs[found]
            _mark(body if is_first else paragraph, number)


def _letters(text: str) -> str:
    """What two readers of one paragraph have in common."""
    return "".join(filter(str.isalnum, text.casefold()))


def _mark(element: Any, number: int) -> None:
    """Put the mark of a page at the beginning of an element."""
    mark = lxml_html.Element("span", id=f"page-{number}", role="doc-pagebreak")
    mark.set("aria-label", str(number))
    mark.set(_TYPE, "pagebreak")
    mark.tail, element.text = element.text, None
    element.insert(0, mark)


def _text(element: Any) -> str:
    """The words of an element without the numbers of notes and the readings of characters."""
    if element.tag in ("sup", "rt", "rp"):
        return ""
    parts = [element.text or ""]
    for child in element:
        parts += [_text(child), child.tail or ""]
    return "".join(parts)


def _page(book: ExportBook, part: ExportChapter, name: str, body: Any) -> EpubPage:
    """A page with ids for its headings."""
    headings: list[Heading] = []
    for number, one in enumerate(body.iter(*_LISTED), start=1):
        one.set("id", f"{name.partition('.')[0]}-{number}")
        heading = Heading(" ".join(_text(one).split()), f"text/{name}#{one.get('id')}")
        within = headings[-1].below if one.tag == "h2" and headings else headings
        within.append(heading)
    told = headings[0].title if headings else part.title or book.title
    is_chapter = part.name.startswith(_CHAPTERS)
    kind = "chapter" if is_chapter else _BEHIND.get(part.name, "")
    if kind:
        body.set(_TYPE, kind)
        body.set("role", f"doc-{kind}")
    body.set("aria-label", told)
    listed = headings or [Heading(told, f"text/{name}")]
    where = "bodymatter" if is_chapter else "backmatter"
    breaks = tuple(
        (one.get("aria-label"), f"text/{name}#{one.get('id')}")
        for one in body.xpath(".//span[@role='doc-pagebreak']")
    )
    text = xhtml(book, told, _serialised(body), "../epub.css", where)
    return EpubPage(name, told, text, tuple(listed), breaks)


def _serialised(element: Any) -> str:
    # A namespace that is declared in the page's root need not be declared again.
    text = str(etree.tostring(element, encoding="unicode", method="xml", with_tail=False))
    return _PREFIX.sub("epub:type=", _DECLARED.sub("", text))


def xhtml(book: ExportBook, title: str, body: str, css: str, kind: str = "bodymatter") -> str:
    """A page.

    Args:
        book: The book, which knows language and direction.
        title: What the page is called.
        body: Its elements as XHTML.
        css: The style sheet, seen from the page.
        kind: The part of the book that it belongs to.
    """
    tag = quoteattr(book.language.tag)
    direction = "rtl" if book.language.right_to_left else "ltr"
    vertical = ' class="vertical"' if book.is_vertical else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops" lang={tag} xml:lang={tag} dir="{direction}"{vertical}>\n'
        f'<head>\n<meta charset="utf-8"/>\n<title>{escape(title)}</title>\n'
        f'<link rel="stylesheet" href="{css}"/>\n</head>\n'
        f'<body epub:type="{kind}">\n{body}\n</body>\n</html>\n'
    )


def listed(headings: tuple[Heading, ...] | list[Heading]) -> Iterator[str]:
    """Headings as the lines of a list of XHTML."""
    yield "<ol>"
    for one in headings:
        yield f"<li><a href={quoteattr(one.target)}>{escape(one.title)}</a>"
        if one.below:
            yield from listed(one.below)
        yield "</li>"
    yield "</ol>"
