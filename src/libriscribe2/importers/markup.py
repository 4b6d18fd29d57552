"""HTML, such as EPUB and Word bring it, as blocks of Markdown."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath
from typing import Final
from urllib.parse import unquote

from lxml import etree

from libriscribe2.importers.blocks import SCENE_BREAK, Block
from libriscribe2.importers.inline import LINE_BREAK, Run, markdown_of, plain_of
from libriscribe2.toolchain.sources.reading import tidy

_UNSEEN: Final = frozenset({
    "head", "iframe", "nav", "noscript", "object", "script", "style", "template", "textarea",
    "title",
})  # fmt: skip
_BLOCKS: Final = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "div", "dl",
    "dt", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "html",
    "li", "main", "ol", "p", "pre", "section", "table", "tbody", "tfoot", "thead", "tr", "ul",
})  # fmt: skip
_VOID: Final = frozenset({"br", "hr", "img", "image", "col", "input", "link", "meta", "wbr"})
_HEADING: Final = re.compile(r"h([1-6])")
_EM: Final = frozenset({"em", "i", "cite", "dfn", "var"})
_STRONG: Final = frozenset({"strong", "b"})
_AFTER_LABEL: Final = re.compile(r"^[.:)\]]?\s+")
_ITALIC: Final = re.compile(r"\bital|font-style:\s*(?:italic|oblique)")
_BOLD: Final = re.compile(r"\bbold|font-weight:\s*(?:bold|[6-9]00)")
_LONGEST_LABEL: Final = 4


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


@dataclass
class _Open:
    """A tag that is open.

    Attributes:
        tag: Its name.
        em: Whether it emphasises.
        strong: Whether it makes strong.
        note: Number of the note that it holds; 0 for none.
        target: Where a link leads, as `file#id`; "" for no link inside the book.
        is_reference: Whether the link leads to a note.
        runs: How many runs there were when it was opened.
        item: The number of the last item of a list.
        told: Whether a list item has said something yet.
    """

    tag: str
    em: bool = False
    strong: bool = False
    note: int = 0
    target: str = ""
    is_reference: bool = False
    runs: int = 0
    item: int = 0
    told: bool = False


@dataclass(frozen=True, slots=True)
class MarkupPage:
    """What a page holds.

    Attributes:
        blocks: Its pieces in order.
        pictures: What its pictures are called.
    """

    blocks: tuple[Block, ...]
    pictures: tuple[str, ...]


def read_blocks(
    html: str, *, file: str = "", starts: Mapping[str, str] = {}, notes: Notes | None = None
) -> MarkupPage:
    """The pieces of a page.

    Args:
        html: The page.
        file: Its name, from which its links lead on.
        starts: Titles of chapters that begin here, by id; "" is the beginning of the page.
        notes: The notes of the whole book.
    """
    target = _Target(file, starts, Notes() if notes is None else notes)
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    parser.feed(html.encode("utf-8", "replace"))
    page: MarkupPage = parser.close()
    return page


class _Target:
    """Takes the tags and texts of a page as they come."""

    def __init__(self, file: str, starts: Mapping[str, str], notes: Notes) -> None:
        self._file = file
        self._starts = starts
        self._notes = notes
        self._hidden = 0
        self._open: list[_Open] = []
        self._runs: list[Run] = []
        self._blocks: list[Block] = []
        self._pictures: list[str] = []
        self._begins = starts.get("", "")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A tag opens."""
        if tag in _VOID:
            self._void(tag, attributes)
        elif self._hidden or tag in _UNSEEN or _is_hidden(attributes):
            self._hidden += 1
        else:
            if tag in _BLOCKS:
                self._flush()
            elif tag in ("td", "th") and self._runs:
                self._runs.append(Run(" | "))
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
        while self._open:
            closed = self._open.pop()
            if closed.tag == "a":
                self._close_link(closed)
            if closed.tag == tag:
                break

    def data(self, text: str) -> None:
        """A text."""
        if self._hidden:
            return
        em = any(one.em for one in self._open)
        strong = any(one.strong for one in self._open)
        kept = text if self._is_in("pre") else " ".join(tidy(f"|{text}|").split())[1:-1]
        kept = kept.replace(LINE_BREAK, " ")
        if self._is_in("pre"):
            kept = kept.strip("\n").replace("\n", LINE_BREAK)
        self._runs.append(Run(kept, em=em, strong=strong))

    def comment(self, text: str) -> None:
        """A comment is no text."""

    def close(self) -> MarkupPage:
        """The page is at its end."""
        self._flush()
        return MarkupPage(tuple(self._blocks), tuple(self._pictures))

    def _void(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A tag without content."""
        if self._hidden:
            return
        if tag == "br":
            self._runs.append(Run(LINE_BREAK))
        elif tag == "hr":
            self._flush()
            self._blocks.append(Block(SCENE_BREAK))
        elif tag in ("img", "image"):
            source = attributes.get("src") or attributes.get("xlink:href") or ""
            name = attributes.get("alt") or source.rpartition("/")[2]
            self._pictures.append(" ".join(tidy(name).split())[:80] or "without a name")

    def _push(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Note what an open tag means for the text in it."""
        look = f"{attributes.get('class', '')} {attributes.get('style', '')}".casefold()
        opened = _Open(
            tag,
            em=tag in _EM or (tag == "span" and _ITALIC.search(look) is not None),
            strong=tag in _STRONG or (tag == "span" and _BOLD.search(look) is not None),
            runs=len(self._runs),
        )
        if tag == "a":
            opened.target = self._place(attributes.get("href", ""))
            kind = f"{attributes.get('epub:type', '')} {attributes.get('role', '')}"
            opened.is_reference = bool(opened.target) and ("noteref" in kind or self._is_in("sup"))
        elif tag == "sup":
            for one in self._open[-1:]:
                one.is_reference = one.is_reference or bool(one.tag == "a" and one.target)
        elif tag == "li":
            self._count_item()
        self._open.append(opened)
        self._meet(attributes.get("id", "") or attributes.get("name", ""))

    def _count_item(self) -> None:
        for one in reversed(self._open):
            if one.tag in ("ol", "ul"):
                one.item += 1
                return

    def _meet(self, name: str) -> None:
        """An id may be that of a note, or of the beginning of a chapter."""
        if not name:
            return
        self._begins = self._starts.get(name, self._begins)
        number = self._notes.numbers.get(f"{self._file}#{name}", 0)
        if number:
            holder = next((one for one in reversed(self._open) if one.tag in _BLOCKS), None)
            if holder is not None:
                holder.note = number

    def _close_link(self, link: _Open) -> None:
        """Turn a reference into a mark, and drop the way back from a note."""
        if not link.target:
            return
        label = "".join(run.text for run in self._runs[link.runs :]).strip()
        if self._note:
            if link.is_reference or len(label) <= _LONGEST_LABEL:
                del self._runs[link.runs :]
        elif link.is_reference and label:
            del self._runs[link.runs :]
            mark = f"[^{self._notes.number(link.target)}]"
            self._runs.append(Run(mark, is_markdown=True))

    def _place(self, href: str) -> str:
        """Where a link inside the book leads; "" where it leads elsewhere."""
        path, hash_sign, name = unquote(href).partition("#")
        if not hash_sign or not name or ":" in path:
            return ""
        return f"{normpath(join(dirname(self._file), path)) if path else self._file}#{name}"

    @property
    def _note(self) -> int:
        """The note that the text belongs to; 0 for none."""
        return next((one.note for one in reversed(self._open) if one.note), 0)

    def _is_in(self, tag: str) -> bool:
        return any(one.tag == tag for one in self._open)

    def _flush(self) -> None:
        """Make a block of what was gathered."""
        runs, self._runs = self._runs, []
        for one in self._open:
            one.runs = 0
        level = self._level()
        text = plain_of(runs) if level else markdown_of(runs)
        note = self._note
        if note and not (self._blocks and self._blocks[-1].note == str(note)):
            text = _AFTER_LABEL.sub("", text)
        if not text:
            return
        if not level and not note:
            text = self._indented(text)
        begins, self._begins = ("", self._begins) if note else (self._begins, "")
        self._blocks.append(Block(text, level, begins, str(note) if note else ""))

    def _level(self) -> int:
        found = (_HEADING.fullmatch(one.tag) for one in reversed(self._open))
        return next((int(match[1]) for match in found if match), 0)

    def _indented(self, text: str) -> str:
        """A paragraph inside of lists and quotations."""
        first, later = "", ""
        for index, one in enumerate(self._open):
            if one.tag == "blockquote":
                first, later = f"{first}> ", f"{later}> "
            elif one.tag == "li":
                mark = self._item_mark(index)
                first += " " * len(mark) if one.told else mark
                later += " " * len(mark)
                one.told = True
        lines = text.split("\n")
        return "\n".join([first + lines[0], *(later + line for line in lines[1:])])

    def _item_mark(self, index: int) -> str:
        around = (one for one in reversed(self._open[:index]) if one.tag in ("ol", "ul"))
        holder = next(around, None)
        return f"{holder.item}. " if holder is not None and holder.tag == "ol" else "- "


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    """Whether the page itself says that a reader does not see this."""
    style = "".join(attributes.get("style", "").split()).casefold()
    return "hidden" in attributes or "display:none" in style
