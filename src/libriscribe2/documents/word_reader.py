"""Word documents: as HTML, found harmless before anything else reads it; and what an editor did.

Word, LibreOffice and Google Docs write insertions and deletions around runs, and in the mark at the
end of a paragraph: an inserted mark splits a paragraph, a deleted one joins two.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from xml.etree.ElementTree import Element

from libriscribe2.documents.archive import Archive
from libriscribe2.documents.blocks import NOTE_MARK, SCENE_BREAK
from libriscribe2.documents.decoding import not_readable, tidy_line, too_large
from libriscribe2.documents.html_reader import TITLE_STYLE

FRONT_STYLE: Final = "libriscribe-front"
"""Class of a paragraph of the title page, or of a table of contents."""

MOST_TAGS: Final = 400_000
"""Most tags of one part: each takes some 400 bytes of memory while it is read."""

_LARGEST_PART: Final = 8 * 2**20
"""Most bytes of one part: Word's XML of a long novel; in memory it is twenty times as much."""

_PROPERTIES: Final = "docProps/core.xml"
_DOCUMENT: Final = "word/document.xml"
_FRONT: Final = (
    *("Subtitle", "Author", "Date", "TOC Heading", "toc 1", "toc 2", "toc 3", "Imprint"),
    *("Imprint First", "Dedication", "Epigraph", "Contact", "Word Count", "End"),
)
_RUNS: Final = {"Emphasis": "em", "Strong": "strong", "Strong Emphasis": "strong > em"}
_STYLES: Final = "\n".join(
    [
        *(f"r[style-name='{name}'] => {tags}" for name, tags in _RUNS.items()),
        f"p[style-name='Title'] => p.{TITLE_STYLE}:fresh",
        *(f"p[style-name='{name}'] => p.{FRONT_STYLE}:fresh" for name in _FRONT),
        *(
            f"p[style-name='{name}'] => blockquote > p:fresh"
            for name in ("Quote", "Block Text", "Letter")
        ),
    ]
)
_RULE: Final = re.compile(
    rb'<w:pict\b(?:(?!</w:pict>)[\s\S]){0,2000}?\bo:hr="t"(?:(?!</w:pict>)[\s\S]){0,2000}?</w:pict>'
)
_RUBY: Final = re.compile(
    rb"<w:ruby>(?:(?!</w:ruby>)[\s\S]){0,2000}?<w:rt>((?:(?!</w:ruby>)[\s\S]){0,2000}?)</w:rt>"
    rb"\s*<w:rubyBase>((?:(?!</w:ruby>)[\s\S]){0,4000}?)</w:rubyBase>\s*</w:ruby>"
)
_TEXT: Final = re.compile(rb"<w:t(?: [^>]*)?>([^<]*)</w:t>")
_LOCKED: Final = b"\xd0\xcf\x11\xe0"
_FAULTS: Final = (
    AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def read_word(name: str, data: bytes) -> tuple[str, dict[str, str]]:
    """A Word document as HTML, and what it says of itself.

    Drawn lines are scene breaks; titles and what frames a book are classes of paragraphs.

    Returns:
        The HTML; and `title`, `author`, `language`, `description`, `version` and when it was
        `created`, as far as it has them.

    Raises:
        DocumentError: 415 where it is none, 413 where it is too large.
    """
    import mammoth  # noqa: PLC0415 - slow to import, and only a document that is read needs it

    if data.startswith(_LOCKED):
        raise not_readable(
            name, "it is password-protected or an old .doc; save it as an ordinary .docx"
        )
    archive = Archive(name, data)
    if _DOCUMENT not in archive.names():
        raise not_readable(name, "it is not a Word document")
    try:
        result = mammoth.convert_to_html(
            _harmless(name, archive),
            style_map=_STYLES,
            convert_image=mammoth.images.img_element(_only_named),
        )
    except _FAULTS as error:
        # Mammoth takes a document to be what Word writes.
        raise not_readable(name, "it is not a Word document that can be read") from error
    return f"<body>{result.value}</body>", _properties(archive)


def _harmless(name: str, archive: Archive) -> io.BytesIO:
    """The document with its XML alone, every part of which was read and found harmless.

    Drawn lines become marks of a scene break, which mammoth passes on.
    """
    checked = io.BytesIO()
    with zipfile.ZipFile(checked, "w", zipfile.ZIP_DEFLATED) as target:
        for member in dict.fromkeys(archive.names()):
            if member.endswith((".xml", ".rels")):
                part = archive.read(member, most=_LARGEST_PART)
                if (tags := part.count(b"<")) > MOST_TAGS:
                    told = f": the document has {tags:,} tags; the limit is {MOST_TAGS:,}."
                    raise too_large(name, told, limit_tags=MOST_TAGS)
                archive.xml(member, most=_LARGEST_PART)
                if member == _DOCUMENT:
                    part = _RULE.sub(f"<w:t>{SCENE_BREAK}</w:t>".encode(), part)
                    part = _RUBY.sub(_with_reading, part)
                target.writestr(member, part)
    return checked


def _with_reading(found: re.Match[bytes]) -> bytes:
    """Characters with their reading in Aozora Bunko's notation, which chapters have."""
    said, base = (b"".join(_TEXT.findall(found[number])) for number in (1, 2))
    return "<w:t>｜%s《%s》</w:t>".encode() % (base, said)


def _properties(archive: Archive) -> dict[str, str]:
    """What the document's properties say."""
    if _PROPERTIES not in archive.names():
        return {}
    keys = {"title": "title", "creator": "author", "language": "language"}
    keys |= {name: name for name in ("description", "created", "version")}
    return {
        key: tidy_line(one.text or "")
        for one in archive.xml(_PROPERTIES).iter()
        if (key := keys.get(str(one.tag).rpartition("}")[2], "")) and (one.text or "").strip()
    }


def _only_named(image: Any) -> dict[str, str]:
    """A picture by what it is said to show; its bytes are not taken over."""
    return {"src": getattr(image, "alt_text", None) or "picture"}


Kind = Literal["same", "inserted", "deleted"]
PARAGRAPH: Final = "\n\n"
"""Stands between two paragraphs."""

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_COMMENTS: Final = "word/comments.xml"
_NOTES: Final = frozenset({"word/footnotes.xml", "word/endnotes.xml"})
_INSERTED: Final = frozenset({f"{_W}ins", f"{_W}moveTo"})
_DELETED: Final = frozenset({f"{_W}del", f"{_W}moveFrom"})
_CHARACTERS: Final = {"br": "\n", "cr": "\n", "tab": " ", "noBreakHyphen": "-"} | dict.fromkeys(
    ("footnoteReference", "endnoteReference"), NOTE_MARK
)
_EMPHASIS: Final = {"i": "em", "b": "strong"}


@dataclass(frozen=True, slots=True)
class Segment:
    """Text of which the same was done to all.

    Attributes:
        kind: What was done to it.
        text: Its characters; `PARAGRAPH` where a paragraph ends.
        look: How its run is emphasised: `em`, `strong`.
    """

    kind: Kind
    text: str
    look: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes:
        table: Which table of the document it is in.
        row: Which row.
        kind: What was done to this row.
    """

    table: int
    row: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, or several that were split or joined, or all of a cell.

    Attributes:
        segments: Its text in order.
        restyled: Whether emphasis in it was changed.
        cell: The cell that it is the text of.
    """

    segments: tuple[Segment, ...]
    restyled: bool = False
    cell: Cell | None = None

    @property
    def original(self) -> str:
        """Its text with all changes rejected."""
        return "".join(one.text for one in self.segments if one.kind != "inserted")

    @property
    def edited(self) -> str:
        """Its text with all changes accepted."""
        return "".join(one.text for one in self.segments if one.kind != "deleted")

    @property
    def is_changed(self) -> bool:
        """Whether anything was done to it."""
        return self.restyled or any(one.kind != "same" for one in self.segments)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment in the margin.

    Attributes:
        author: Who made it, or "".
        text: What it says.
        quote: The words that it is about, or "".
        passage: The place of its passage among all.
    """

    author: str
    text: str
    quote: str
    passage: int


@dataclass(frozen=True, slots=True)
class EditedDocument:
    """A Word file that came back.

    Attributes:
        passages: Its passages in order.
        comments: Its comments in order.
        footnotes: The passages of its footnotes and endnotes.
    """

    passages: tuple[Passage, ...]
    comments: tuple[Comment, ...]
    footnotes: tuple[Passage, ...] = ()


def read_changes(name: str, data: bytes) -> EditedDocument:
    """Read a Word file with its changes.

    Args:
        name: What errors call it.
        data: Its bytes.

    Raises:
        DocumentError: 415 where it is none, 413 where it is too large.
    """
    archive = Archive(name, data)
    names = archive.names()
    if _DOCUMENT not in names:
        raise not_readable(name, "it is not a Word document")
    reader = _Reader()
    reader.read(archive.xml(_DOCUMENT, most=_LARGEST_PART))
    said = _comments(archive.xml(_COMMENTS, most=_LARGEST_PART)) if _COMMENTS in names else {}
    comments = [
        Comment(*said[identity], "".join(quote).strip(), place)
        for identity, (place, quote) in reader.quotes.items()
        if identity in said
    ]
    below = _Reader()
    for part in sorted(_NOTES.intersection(names)):
        below.read(archive.xml(part, most=_LARGEST_PART))
    return EditedDocument(tuple(reader.passages), tuple(comments), tuple(below.passages))


@dataclass(slots=True)
class _Reader:
    """Goes through the paragraphs of a document."""

    passages: list[Passage] = field(default_factory=list)
    quotes: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _begun: list[Segment] = field(default_factory=list)
    _restyled: bool = False

    def read(self, root: Element) -> None:
        """Read all paragraphs; those of tables and boxes, too."""
        cells = _cells(root)
        cell: Cell | None = None
        mark: Kind = "same"
        for paragraph in root.iter(f"{_W}p"):
            before, cell = cell, cells.get(id(paragraph))
            if cell is not before or (cell is None and mark == "same"):
                self._end(before)
            else:
                self._begun.append(Segment(mark, PARAGRAPH))
            self._inline(paragraph, "same")
            mark = _mark(paragraph.find(f"{_W}pPr/{_W}rPr"))
        self._end(cell)

    def _end(self, cell: Cell | None) -> None:
        if self._begun or cell is not None:
            self.passages.append(Passage(_joined(self._begun), self._restyled, cell))
        self._begun, self._restyled = [], False

    def _inline(self, parent: Element, kind: Kind | None) -> None:
        """The runs of a paragraph; None are those that were inserted and deleted again."""
        for child in parent:
            name = str(child.tag).rpartition("}")[2]
            if child.tag == f"{_W}r":
                self._run(child, kind)
            elif child.tag in _INSERTED:
                self._inline(child, None if kind == "deleted" else "inserted")
            elif child.tag in _DELETED:
                self._inline(child, None if kind == "inserted" else "deleted")
            elif name == "commentRangeStart":
                self._comment(child)
                self._open.append(_attribute(child, "id"))
            elif name == "commentRangeEnd":
                self._open = [one for one in self._open if one != _attribute(child, "id")]
            elif name in ("hyperlink", "smartTag", "sdt", "sdtContent", "fldSimple", "bdo", "dir"):
                self._inline(child, kind)

    def _run(self, run: Element, kind: Kind | None) -> None:
        properties = run.find(f"{_W}rPr")
        look = frozenset(_looks(properties))
        self._restyled |= properties is not None and properties.find(f"{_W}rPrChange") is not None
        for child in run:
            name = str(child.tag).rpartition("}")[2]
            text = (child.text or "") if name in ("t", "delText") else _CHARACTERS.get(name, "")
            if name == "commentReference":
                self._comment(child)
            elif name == "ruby":
                for base in child.iterfind(f"{_W}rubyBase/{_W}r"):
                    self._run(base, kind)
            elif name == "br" and _attribute(child, "type") in ("page", "column"):
                continue
            elif text and kind is not None:
                self._add(Segment(kind, text, look))

    def _add(self, segment: Segment) -> None:
        is_note = segment.text == NOTE_MARK
        if is_note and segment.kind == "inserted":
            return  # the text of a new note is listed by itself
        self._begun.append(segment)
        for identity in self._open if segment.kind != "deleted" and not is_note else ():
            self.quotes[identity][1].append(segment.text)

    def _comment(self, mark: Element) -> None:
        self.quotes.setdefault(_attribute(mark, "id"), (len(self.passages), []))


def _cells(root: Element) -> dict[int, Cell]:
    """The cells of all tables by the ids of their paragraphs."""
    found: dict[int, Cell] = {}
    for table, rows in enumerate(root.iter(f"{_W}tbl")):
        for number, row in enumerate(rows.iterfind(f"{_W}tr")):
            kind = _mark(row.find(f"{_W}trPr"))
            for one in row.iterfind(f"{_W}tc"):
                cell = Cell(table, number, kind)
                found |= {id(paragraph): cell for paragraph in one.iter(f"{_W}p")}
    return found


def _mark(properties: Element | None) -> Kind:
    """What was done to a row of a table, or to the mark at the end of a paragraph."""
    for child in properties if properties is not None else ():
        if child.tag in _INSERTED:
            return "inserted"
        if child.tag in _DELETED:
            return "deleted"
    return "same"


def _looks(properties: Element | None) -> Iterator[str]:
    """How a run is emphasised, by itself or by its style."""
    if properties is None:
        return
    for name, look in _EMPHASIS.items():
        found = properties.find(f"{_W}{name}")
        if found is not None and _attribute(found, "val") not in ("0", "false", "none"):
            yield look
    style = properties.find(f"{_W}rStyle")
    named = _attribute(style, "val").casefold() if style is not None else ""
    yield from (look for word, look in (("emphasis", "em"), ("strong", "strong")) if word in named)


def _joined(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Neighbours of one kind and look as one."""
    found: list[Segment] = []
    for one in segments:
        last = found[-1] if found else None
        if last is not None and (last.kind, last.look) == (one.kind, one.look):
            found[-1] = Segment(one.kind, last.text + one.text, one.look)
        else:
            found.append(one)
    return tuple(found)


def _comments(root: Element) -> dict[str, tuple[str, str]]:
    """Author and text of the comments by their ids."""
    found = {}
    for comment in root.iter(f"{_W}comment"):
        lines = [
            "".join(one.text or "" for one in paragraph.iter(f"{_W}t"))
            for paragraph in comment.iter(f"{_W}p")
        ]
        text = " ".join(filter(None, (line.strip() for line in lines)))
        if text:
            found[_attribute(comment, "id")] = (_attribute(comment, "author"), text)
    return found


def _attribute(element: Any, name: str) -> str:
    return str(element.get(f"{_W}{name}") or "")
