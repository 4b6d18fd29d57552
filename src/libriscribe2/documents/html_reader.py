"""HTML, and what EPUB and Word are made of, as paragraphs with emphasis, lists, notes and places.

The page is read as a stream of tags and never becomes a tree, which would be a hundred times
larger than the page. No tag costs more the deeper it stands: pages come from strangers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath
from typing import ClassVar, Final
from urllib.parse import unquote

from lxml import etree
from typing_extensions import override

from libriscribe2.documents.blocks import (
    CELL,
    LINE_BREAK,
    SCENE_BREAK,
    Block,
    Run,
    heading_of,
    markdown_of,
    plain_of,
)
from libriscribe2.documents.decoding import tidy, tidy_line

TITLE_STYLE: Final = "libriscribe-title"
"""Class of a paragraph that holds the title of its book, as plain text."""

_NO_TEXT: Final = frozenset(
    {"iframe", "noscript", "object", "script", "style", "template", "textarea"}
)
_BOOK_HIDDEN: Final = _NO_TEXT | {"nav"}
_PAGE_HIDDEN: Final = _NO_TEXT | {"svg"}
_FRAME: Final = frozenset({"aside", "button", "footer", "form", "header", "nav", "select"})
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BLOCKS: Final = _FRAME.union(_HEADINGS) | {
    "address", "article", "blockquote", "body", "caption", "center", "dd", "div", "dl", "dt",
    "figcaption", "figure", "html", "li", "main", "ol", "p", "pre", "section", "table", "tbody",
    "tfoot", "thead", "title", "tr", "ul",
}  # fmt: skip
_VOID: Final = frozenset({"br", "hr", "img", "image", "col", "input", "link", "meta", "wbr"})
_LISTS: Final = frozenset({"ol", "ul"})
_EM: Final = frozenset({"em", "i", "cite", "dfn", "var"})
_STRONG: Final = frozenset({"strong", "b"})
_ITALIC: Final = re.compile(r"\bital|font-style:\s*(?:italic|oblique)")
_BOLD: Final = re.compile(r"\bbold|font-weight:\s*(?:bold|[6-9]00)")
_AFTER_LABEL: Final = re.compile(r"^[.:)\]]?\s+")
_CELLS: Final = frozenset({"td", "th"})
_QUOTED: Final = "> "
_LONGEST_LABEL: Final = 4
_LONGEST_NAME: Final = 80


@dataclass
class Notes:
    """The notes of a book: where each stands, and the number that it gets here.

    Attributes:
        numbers: Number by place (`file#id`).
    """

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, place: str) -> int:
        """The number of the note at a place."""
        return self.numbers.setdefault(place, len(self.numbers) + 1)


@dataclass(eq=False, frozen=True, slots=True)
class _Container:
    """A quotation or an item of a list, with what it stands in.

    Attributes:
        mark: What begins its lines: `> `, or the mark of a list before its first line alone.
        around: The quotation or item around it.
    """

    mark: str
    around: "_Container | None"


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says.

    Attributes:
        title: What it calls itself: its title, else its first heading; "" without either.
        parts: Heading and plain text of every part; the heading is the part's first paragraph.
    """

    title: str
    parts: tuple[tuple[str, str], ...]

    @property
    def characters(self) -> int:
        """How much text it has."""
        return sum(len(text) for _, text in self.parts)


@dataclass(frozen=True, slots=True)
class BookPage:
    """A page of a book.

    Attributes:
        blocks: Its text in order, as Markdown.
        pictures: What its pictures are called.
    """

    blocks: tuple[Block, ...]
    pictures: tuple[str, ...]


def read_page(html: str, *, framed: bool = False) -> Page:
    """What a page says, as plain text.

    Args:
        html: The page.
        framed: Whether navigation, headers and footers are left out.
    """
    target = _PlainText(_PAGE_HIDDEN | _FRAME if framed else _PAGE_HIDDEN)
    _parse(html, target)
    parts = tuple((heading, "\n\n".join(texts)) for heading, texts in target.parts if texts)
    heading = next((heading for heading, _ in parts if heading), "")
    return Page(target.title or heading, parts)


def read_book_page(
    html: str, *, file: str = "", starts: Mapping[str, str] = {}, notes: Notes | None = None
) -> BookPage:
    """The blocks of a page as Markdown, with its emphasis, lists, quotations and notes.

    Args:
        html: The page.
        file: Its name, from which its links lead on.
        starts: Titles of chapters that begin here, by id; "" is the beginning of the page.
        notes: The notes of the whole book.
    """
    target = _Markdown(file, starts, Notes() if notes is None else notes)
    _parse(html, target)
    return BookPage(tuple(target.blocks), tuple(target.pictures))


def _parse(html: str, target: "_Walker") -> None:
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    parser.feed(html.encode("utf-8", "replace"))
    parser.close()


@dataclass(slots=True)
class _Open:
    """A tag that is open.

    Attributes:
        tag: Its name.
        style: Its class.
        level: Level of the heading that it is in; 0 for none.
        in_pre: Whether line breaks count in it.
        em: Whether it or a tag around it emphasises.
        strong: Whether it or a tag around it makes strong.
        within: The quotation or item that its text stands in.
        note: Number of the note that it belongs to; 0 for none.
        target: Where a link leads, as `file#id`; "" for no link inside the book.
        is_reference: Whether the link leads to a note.
        paragraph: Number of the paragraph in which it was opened.
        first_run: How many runs that paragraph had then.
    """

    tag: str
    style: str = ""
    level: int = 0
    in_pre: bool = False
    em: bool = False
    strong: bool = False
    within: _Container | None = None
    note: int = 0
    target: str = ""
    is_reference: bool = False
    paragraph: int = 0
    first_run: int = 0


class _Walker:
    """Takes the tags and texts of a page as they come, and gathers the runs of each paragraph.

    Attributes:
        pre_break: What stands for a line break where the page keeps its lines.
        title: What the page calls itself.
    """

    pre_break: ClassVar = LINE_BREAK

    def __init__(self, hidden: frozenset[str]) -> None:
        self.title = ""
        self._hidden_tags = hidden
        self._hidden = 0
        """How many tags are open inside the outermost hidden one, itself included."""
        self._open: list[_Open] = [_Open("")]
        self._runs: list[Run] = []
        self._paragraph = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A tag opens."""
        if tag in _VOID:
            if not self._hidden:
                self._void(tag, attributes)
        elif self._hidden or tag in self._hidden_tags or _is_hidden(attributes):
            self._hidden += 1
        else:
            if tag in _BLOCKS:
                self._flush()
            elif tag in _CELLS and self._runs:
                self._runs.append(Run(CELL))
            self._push(tag, attributes)

    def end(self, tag: str) -> None:
        """A tag closes."""
        if tag in _VOID:
            return
        if self._hidden:
            self._hidden -= 1
            return
        if tag in _BLOCKS:
            self._flush()
        while len(self._open) > 1:
            closed = self._open.pop()
            self._close(closed)
            if closed.tag == tag:
                break

    def data(self, text: str) -> None:
        """A text."""
        if self._hidden:
            return
        inner = self._open[-1]
        text = tidy(text.replace(LINE_BREAK, " "))
        if inner.in_pre:
            text = text.replace("\n", self.pre_break)
        else:
            text = " ".join(f"|{text}|".split())[1:-1]
        self._runs.append(Run(text, em=inner.em, strong=inner.strong))

    def comment(self, text: str) -> None:
        """A comment is no text."""

    def close(self) -> None:
        """The page is at its end."""
        self._flush()

    def _void(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A tag without content."""
        del attributes
        if tag == "br":
            self._runs.append(Run(LINE_BREAK))
        elif tag == "hr":
            self._flush()

    def _push(self, tag: str, attributes: Mapping[str, str]) -> _Open:
        """Open a tag; text in it has the looks of what is around, too."""
        around = self._open[-1]
        opened = _Open(
            tag,
            style=attributes.get("class", ""),
            level=_HEADINGS.get(tag, around.level),
            in_pre=around.in_pre or tag == "pre",
            em=around.em,
            strong=around.strong,
            within=around.within,
            note=around.note,
            paragraph=self._paragraph,
            first_run=len(self._runs),
        )
        self._open.append(opened)
        return opened

    def _close(self, closed: _Open) -> None:
        """A tag was closed."""

    def _flush(self) -> None:
        """Make a paragraph of what was gathered."""
        runs, self._runs = self._runs, []
        self._paragraph += 1
        inner = self._open[-1]
        words = (run.text for run in runs if not (inner.level and run.is_markdown))
        if not any(word.strip() for word in words):
            return
        if inner.tag == "title":
            self.title = self.title or tidy_line(plain_of(runs))
        else:
            self._take(runs, inner)

    def _take(self, runs: Sequence[Run], inner: _Open) -> None:
        """A paragraph is whole; it stands in the tag `inner`."""
        raise NotImplementedError


class _PlainText(_Walker):
    """A page as parts under headings."""

    pre_break: ClassVar = " "

    def __init__(self, hidden: frozenset[str]) -> None:
        super().__init__(hidden)
        self.parts: list[tuple[str, list[str]]] = [("", [])]

    @override
    def _take(self, runs: Sequence[Run], inner: _Open) -> None:
        text = plain_of(runs)
        if not text:
            return
        if inner.level:
            self.parts.append((tidy_line(text), [text]))
        else:
            self.parts[-1][1].append(text)


class _Markdown(_Walker):
    """A page of a book as blocks."""

    def __init__(self, file: str, starts: Mapping[str, str], notes: Notes) -> None:
        super().__init__(_BOOK_HIDDEN)
        self.blocks: list[Block] = []
        self.pictures: list[str] = []
        self._file = file
        self._starts = starts
        self._notes = notes
        self._begins = starts.get("", "")
        self._begun = set[_Container]()
        """The items of lists whose mark was written already."""
        self._lists: list[tuple[str, int]] = []
        """The lists that are open, each with the number of its last item."""
        self._sups = 0

    @override
    def _void(self, tag: str, attributes: Mapping[str, str]) -> None:
        super()._void(tag, attributes)
        if tag == "hr":
            self.blocks.append(Block(SCENE_BREAK))
        elif tag in ("img", "image"):
            source = attributes.get("src") or attributes.get("xlink:href") or ""
            name = attributes.get("alt") or source.rpartition("/")[2]
            shown = " ".join(tidy(name).split())[:_LONGEST_NAME]
            self.pictures.append(shown or "without a name")

    @override
    def _push(self, tag: str, attributes: Mapping[str, str]) -> _Open:
        around = self._open[-1]
        opened = super()._push(tag, attributes)
        look = ""
        if tag == "span":
            look = f"{opened.style} {attributes.get('style', '')}".casefold()
        elif tag == "a":
            opened.target = self._place(attributes.get("href", ""))
            kind = f"{attributes.get('epub:type', '')} {attributes.get('role', '')}"
            opened.is_reference = bool(opened.target) and ("noteref" in kind or self._sups > 0)
        elif tag == "sup":
            self._sups += 1
            around.is_reference = around.is_reference or bool(around.target)
        elif tag == "blockquote":
            opened.within = _Container(_QUOTED, around.within)
        elif tag == "li":
            opened.within = _Container(self._next_mark(), around.within)
        elif tag in _LISTS:
            self._lists.append((tag, 0))
        opened.em = opened.em or tag in _EM or _ITALIC.search(look) is not None
        opened.strong = opened.strong or tag in _STRONG or _BOLD.search(look) is not None
        self._meet(attributes.get("id", "") or attributes.get("name", ""))
        return opened

    @override
    def _close(self, closed: _Open) -> None:
        if closed.tag == "a" and closed.target:
            self._close_link(closed)
        elif closed.tag == "sup":
            self._sups -= 1
        elif closed.tag in _LISTS:
            self._lists.pop()

    @override
    def _take(self, runs: Sequence[Run], inner: _Open) -> None:
        is_line = inner.level > 0 or inner.style == TITLE_STYLE
        text = heading_of(runs) if is_line else markdown_of(runs)
        note = str(inner.note) if inner.note else ""
        if note and not (self.blocks and self.blocks[-1].note == note):
            text = _AFTER_LABEL.sub("", text)
        if not inner.level and not note:
            text = _indented(text, inner.within, self._begun)
        begins, self._begins = ("", self._begins) if note else (self._begins, "")
        self.blocks.append(Block(text, inner.level, begins, note, inner.style))

    def _next_mark(self) -> str:
        """The mark of the next item of the innermost list."""
        if not self._lists:
            return "- "
        tag, number = self._lists[-1]
        self._lists[-1] = (tag, number + 1)
        return f"{number + 1}. " if tag == "ol" else "- "

    def _meet(self, name: str) -> None:
        """An id may be that of a note, or of the beginning of a chapter."""
        if not name:
            return
        self._begins = self._starts.get(name, self._begins)
        number = self._notes.numbers.get(f"{self._file}#{name}", 0)
        if not number:
            return
        for one in reversed(self._open):
            one.note = number
            if one.tag in _BLOCKS:
                break

    def _close_link(self, link: _Open) -> None:
        """Turn a reference into a mark, and drop the way back from a note."""
        first = link.first_run if link.paragraph == self._paragraph else 0
        label = "".join(run.text for run in self._runs[first:]).strip()
        if self._open[-1].note:
            if link.is_reference or len(label) <= _LONGEST_LABEL:
                del self._runs[first:]
        elif link.is_reference and label:
            del self._runs[first:]
            mark = f"[^{self._notes.number(link.target)}]"
            self._runs.append(Run(mark, is_markdown=True))

    def _place(self, href: str) -> str:
        """Where a link inside the book leads; "" where it leads elsewhere."""
        path, hash_sign, name = unquote(href).partition("#")
        if not hash_sign or not name or ":" in path:
            return ""
        return f"{normpath(join(dirname(self._file), path)) if path else self._file}#{name}"


def _indented(text: str, within: _Container | None, begun: set[_Container]) -> str:
    """A paragraph inside of lists and quotations.

    Args:
        text: Its Markdown.
        within: What it stands in.
        begun: The items whose mark was written already; those around this one are added.
    """
    first, later = "", ""
    while within is not None:
        blank = within.mark if within.mark == _QUOTED else " " * len(within.mark)
        first = (blank if within in begun else within.mark) + first
        later = blank + later
        begun.add(within)
        within = within.around
    lines = text.split("\n")
    return "\n".join([first + lines[0], *(later + line for line in lines[1:])])


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    """Whether the page itself says that a reader does not see this."""
    style = "".join(attributes.get("style", "").split()).casefold()
    return "hidden" in attributes or "display:none" in style or "visibility:hidden" in style
