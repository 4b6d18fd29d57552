"""What an editor did to a Word file: tracked changes and comments, paragraph by paragraph.

Word, LibreOffice and Google Docs write insertions and deletions around runs, and in the mark at the
end of a paragraph: an inserted mark splits a paragraph, a deleted one joins two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from xml.etree.ElementTree import Element

from libriscribe2.documents.archive import Archive
from libriscribe2.documents.decoding import not_readable

Kind = Literal["same", "inserted", "deleted"]
PARAGRAPH: Final = "\n\n"
"""Stands between two paragraphs."""

_LARGEST: Final = 8 * 2**20
_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DOCUMENT: Final = "word/document.xml"
_COMMENTS: Final = "word/comments.xml"
_NOTES: Final = frozenset({"word/footnotes.xml", "word/endnotes.xml"})
_INSERTED: Final = frozenset({f"{_W}ins", f"{_W}moveTo"})
_DELETED: Final = frozenset({f"{_W}del", f"{_W}moveFrom"})
_CHARACTERS: Final = {"br": "\n", "cr": "\n", "tab": " ", "noBreakHyphen": "-"}
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
class Passage:
    """A paragraph, or several that were split or joined.

    Attributes:
        segments: Its text in order.
        restyled: Whether emphasis in it was changed.
    """

    segments: tuple[Segment, ...]
    restyled: bool = False

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
    reader.read(archive.xml(_DOCUMENT, most=_LARGEST))
    said = _comments(archive.xml(_COMMENTS, most=_LARGEST)) if _COMMENTS in names else {}
    comments = [
        Comment(*said[identity], "".join(quote).strip(), place)
        for identity, (place, quote) in reader.quotes.items()
        if identity in said
    ]
    below = _Reader()
    for part in sorted(_NOTES.intersection(names)):
        below.read(archive.xml(part, most=_LARGEST))
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
        for paragraph in root.iter(f"{_W}p"):
            self._inline(paragraph, "same")
            mark = _mark(paragraph)
            if mark == "same":
                self._end()
            else:
                self._begun.append(Segment(mark, PARAGRAPH))
        self._end()

    def _end(self) -> None:
        if self._begun:
            self.passages.append(Passage(_joined(self._begun), self._restyled))
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
            elif name == "br" and _attribute(child, "type") in ("page", "column"):
                continue
            elif text and kind is not None:
                self._begun.append(Segment(kind, text, look))
                for identity in self._open if kind != "deleted" else ():
                    self.quotes[identity][1].append(text)

    def _comment(self, mark: Element) -> None:
        self.quotes.setdefault(_attribute(mark, "id"), (len(self.passages), []))


def _mark(paragraph: Element) -> Kind:
    """What was done to the mark at the end of a paragraph."""
    properties = paragraph.find(f"{_W}pPr/{_W}rPr")
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
