"""Chapters as the body of a Word file: paragraphs with styles, runs, notes, lists, tables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from markdown_it.token import Token

from libriscribe2.exporters.book_markdown import (
    LINES,
    book_parser,
    mark_lines,
    project_path,
    without_tags,
)
from libriscribe2.exporters.export_checks import harmless, picture_size
from libriscribe2.exporters.word_styles import character_style

_LOOKS: Final = {"em": "i", "strong": "b", "s": "s", "small_caps": "k", "link": "l"}
_DIVISIONS: Final = {"verse": "Verse", "letter": "Letter", "sign": "Sign"}
_ALIGNED: Final = {"center": "TableTextCentre", "right": "TableTextEnd"}
_WEB: Final = re.compile(r"(?:https?://[\w.-]+|mailto:[\w.+-]+@[\w.-]+)[^\s]*")
_CITED: Final = re.compile(r"(cite|source):(\d+)")
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
_EMU: Final = 635
"""English Metric Units in a twentieth of a point."""

_PIXEL: Final = 15
"""Twentieths of a point in a pixel of a screen."""

_DEEPEST: Final = 8


@dataclass(slots=True)
class WordParts:
    """What the body of a Word file needs beside it.

    Attributes:
        notes: The footnotes, each as XML.
        links: Addresses on the web.
        pictures: Files of pictures by their path in the project.
        lists: Whether each list is numbered, and from which number.
        looks: The looks of runs that it has.
        headings: Level, text and bookmark of the headings of the first two levels.
    """

    notes: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    pictures: dict[str, Path] = field(default_factory=dict)
    lists: list[int | None] = field(default_factory=list)
    looks: set[frozenset[str]] = field(default_factory=set)
    headings: list[tuple[int, str, str]] = field(default_factory=list)


class WordText:
    """Turns chapters into paragraphs of a Word file.

    Args:
        images: Pictures of the project by their path in it.
        room: Width and height for a picture, in twentieths of a point.
        scene_break: What stands between two scenes.
    """

    def __init__(self, images: Mapping[str, Path], room: tuple[int, int], scene_break: str) -> None:
        self.parts = WordParts()
        self._images = images
        self._room = room
        self._scene_break = scene_break
        self._parser = book_parser()
        self._cited = set[str]()
        self._bookmarks = 0

    def chapter(self, text: str) -> str:
        """The paragraphs of a chapter.

        Args:
            text: Markdown that went through `prepared`.
        """
        env: dict[str, Any] = {"notes": {}, "used": []}
        tokens = self._parser.parse(text, env)
        mark_lines(tokens)
        return "".join(self._blocks(tokens, env["notes"]))

    def paragraph(self, style: str, content: str, extra: str = "") -> str:
        """A paragraph of runs that are XML already."""
        return f'<w:p><w:pPr><w:pStyle w:val="{style}"/>{extra}</w:pPr>{content}</w:p>'

    def run(self, text: str, look: frozenset[str] = frozenset()) -> str:
        """A run of text of one look."""
        if not text:
            return ""
        if look:
            self.parts.looks.add(look)
        style = f'<w:rPr><w:rStyle w:val="{character_style(look)}"/></w:rPr>' if look else ""
        return f'<w:r>{style}<w:t xml:space="preserve">{escape(harmless(text))}</w:t></w:r>'

    def bookmark(self, name: str, content: str) -> str:
        """Content that links can lead to."""
        self._bookmarks += 1
        number = self._bookmarks
        return (
            f'<w:bookmarkStart w:id="{number}" w:name="{name}"/>{content}'
            f'<w:bookmarkEnd w:id="{number}"/>'
        )

    def _blocks(self, tokens: Sequence[Token], notes: Mapping[str, str]) -> Iterator[str]:
        """The paragraphs of a run of tokens."""
        place = _Place()
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.type == "table_open":
                end = _closing(tokens, at)
                yield self._table(tokens[at : end + 1], notes)
                at, place.first = end, True
            elif token.type == "inline":
                yield self._text(tokens[at - 1], token, place, notes)
            elif token.type in ("fence", "code_block"):
                yield self._code(token)
            elif token.type == "hr":
                yield self.paragraph("SceneBreak", self.run(self._scene_break))
                place.first = True
            elif token.type == "html_block":
                words = without_tags(token.content)
                yield self.paragraph("BodyText", self.run(words)) if words else ""
            else:
                place.enter(token, self.parts.lists)
            at += 1

    def _text(
        self, opening: Token, inline: Token, place: "_Place", notes: Mapping[str, str]
    ) -> str:
        """A paragraph or a heading."""
        children = inline.children or []
        if opening.type == "heading_open":
            return self._heading(opening, children, place, notes)
        content = self._runs(children, notes)
        if not content:
            return ""
        alone = len(children) == 1 and children[0].type == "image"
        style = "Figure" if alone else place.style(LINES in str(opening.attrs.get("class", "")))
        return self.paragraph(style, content, place.membership())

    def _heading(
        self, opening: Token, children: Sequence[Token], place: "_Place", notes: Mapping[str, str]
    ) -> str:
        content = self._runs(children, notes)
        words = " ".join(_words(children).split())
        if not words:
            return ""
        level = min(int(opening.tag[1]), place.level + 1, 3)
        place.level, place.first = max(level, 1), True
        name = f"_Toc{len(self.parts.headings) + 1:06d}"
        if level < 3:
            self.parts.headings.append((level, words, name))
            content = self.bookmark(name, content)
        return self.paragraph(f"Heading{level}", content)

    def _code(self, token: Token) -> str:
        lines = token.content.rstrip("\n").split("\n")
        shown = "<w:r><w:br/></w:r>".join(self.run(line) for line in lines)
        return self.paragraph("SourceCode", shown)

    def _table(self, tokens: Sequence[Token], notes: Mapping[str, str]) -> str:
        """A table; its first row is a heading that is repeated on every page."""
        rows: list[str] = []
        cells: list[str] = []
        columns = 0
        for opening, token in pairwise(tokens):
            if token.type == "inline":
                style = _ALIGNED.get(
                    str(opening.attrs.get("style", "")).partition(":")[2], "TableText"
                )
                text = self.paragraph(style, self._runs(token.children or [], notes))
                cells.append(f'<w:tc><w:tcPr><w:tcW w:w="0" w:type="auto"/></w:tcPr>{text}</w:tc>')
            elif token.type == "tr_close":
                head = "" if rows else "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>"
                rows.append(f"<w:tr>{head}{''.join(cells)}</w:tr>")
                columns, cells = max(columns, len(cells)), []
        width = self._room[0] // max(1, columns)
        grid = f'<w:gridCol w:w="{width}"/>' * columns
        return (
            '<w:tbl><w:tblPr><w:tblStyle w:val="BookTable"/><w:tblW w:w="0" w:type="auto"/>'
            f'<w:tblLook w:firstRow="1"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{"".join(rows)}'
            f"</w:tbl>{self.paragraph('TableText', '')}"
        )

    def _runs(
        self,
        tokens: Sequence[Token],
        notes: Mapping[str, str],
        look: frozenset[str] = frozenset(),
    ) -> str:
        """The runs of a paragraph."""
        pieces: list[str] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.nesting == 1:
                end = _closing(tokens, at)
                pieces.append(self._span(token, tokens[at + 1 : end], notes, look))
                at = end
            else:
                pieces.append(self._piece(token, notes, look))
            at += 1
        return "".join(pieces)

    def _span(
        self,
        opening: Token,
        inner: Sequence[Token],
        notes: Mapping[str, str],
        look: frozenset[str],
    ) -> str:
        """Runs with a look, or a link."""
        kind = opening.type.removesuffix("_open")
        target = str(opening.attrs.get("href", ""))
        cited = _CITED.fullmatch(target)
        if cited is not None:
            return self._citation(cited[1], cited[2], self._runs(inner, notes, look))
        if kind == "ruby":
            return self._ruby(self._runs(inner, notes, look), opening.meta["said"])
        if kind == "link" and _WEB.fullmatch(target) is None:
            return self._runs(inner, notes, look)
        content = self._runs(inner, notes, look | {_LOOKS[kind]} if kind in _LOOKS else look)
        if kind != "link":
            return content
        self.parts.links.append(target)
        return (
            f'<w:hyperlink r:id="link{len(self.parts.links)}" w:history="1">{content}</w:hyperlink>'
        )

    def _ruby(self, base: str, said: str) -> str:
        """Characters with their reading above them."""
        return (
            '<w:r><w:ruby><w:rubyPr><w:rubyAlign w:val="distributeSpace"/><w:hps w:val="11"/>'
            '<w:hpsRaise w:val="20"/><w:hpsBaseText w:val="22"/><w:lid w:val="ja-JP"/></w:rubyPr>'
            f'<w:rt><w:r><w:rPr><w:sz w:val="11"/></w:rPr><w:t>{said}</w:t></w:r></w:rt>'
            f"<w:rubyBase>{base}</w:rubyBase></w:ruby></w:r>"
        )

    def _citation(self, kind: str, number: str, content: str) -> str:
        """A citation and its source lead to each other; the first one of a number is led to."""
        other = "source" if kind == "cite" else "cite"
        link = f'<w:hyperlink w:anchor="{other}_{number}" w:history="1">{content}</w:hyperlink>'
        name = f"{kind}_{number}"
        if name in self._cited:
            return link
        self._cited.add(name)
        return self.bookmark(name, link)

    def _piece(self, token: Token, notes: Mapping[str, str], look: frozenset[str]) -> str:
        """What one token of a paragraph is."""
        if token.type == "code_inline":
            return self.run(token.content, look | {"c"})
        if token.type == "softbreak":
            return self.run(" ", look)
        if token.type == "hardbreak" or (
            token.type == "html_inline" and _BREAK.fullmatch(token.content)
        ):
            return "<w:r><w:br/></w:r>"
        if token.type == "image":
            return self._image(token, look)
        if token.type == "note_reference":
            return self._note(notes.get(token.meta["label"], ""))
        return self.run(token.content, look) if token.type == "text" else ""

    def _note(self, text: str) -> str:
        """The mark of a footnote, whose text goes to the foot of the page."""
        number = len(self.parts.notes) + 1
        self.parts.notes.append("")
        inner = [
            self._runs(token.children or [], {})
            for token in self._parser.parse(text, {"notes": {}, "used": []})
            if token.type == "inline"
        ] or [""]
        mark = '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>'
        lead = f"{mark}<w:footnoteRef/></w:r>{self.run(' ')}"
        body = "".join(
            self.paragraph("FootnoteText", (lead if not place else "") + runs)
            for place, runs in enumerate(inner)
        )
        self.parts.notes[number - 1] = f'<w:footnote w:id="{number}">{body}</w:footnote>'
        return f'{mark}<w:footnoteReference w:id="{number}"/></w:r>'

    def _image(self, token: Token, look: frozenset[str]) -> str:
        """A picture of the project; any other as its alternative text."""
        words = _words(token.children or [])
        name = project_path(str(token.attrs.get("src", "")))
        path = self._images.get(name)
        size = picture_size(path.read_bytes()) if path is not None else None
        if path is None or size is None:
            return self.run(f"[{words}]", look)
        self.parts.pictures.setdefault(name, path)
        number = [*self.parts.pictures].index(name) + 1
        scale = min(1.0, self._room[0] / (size[0] * _PIXEL), self._room[1] / (size[1] * _PIXEL))
        extent = " ".join(
            f'{axis}="{max(1, round(pixels * _PIXEL * scale)) * _EMU}"'
            for axis, pixels in zip(("cx", "cy"), size, strict=True)
        )
        shown = (
            f'<wp:docPr id="{number}" name="Picture {number}" descr={quoteattr(harmless(words))}/>'
            '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">'
            f'<pic:pic><pic:nvPicPr><pic:cNvPr id="{number}" name="Picture {number}"/><pic:cNvPicPr/>'
            f'</pic:nvPicPr><pic:blipFill><a:blip r:embed="picture{number}"/><a:stretch><a:fillRect/>'
            f'</a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext {extent}/>'
            '</a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>'
            "</a:graphicData></a:graphic>"
        )
        return (
            '<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0">'
            f"<wp:extent {extent}/>{shown}</wp:inline></w:drawing></w:r>"
        )


@dataclass(slots=True)
class _Place:
    """Where a paragraph stands: in quotations, divisions and lists, and behind what."""

    first: bool = True
    level: int = 0
    around: list[str] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)
    begun: list[bool] = field(default_factory=list)

    def enter(self, token: Token, known: list[int | None]) -> None:
        """Go into a block, or out of it."""
        name = token.type.rpartition("_")[0]
        if name in ("bullet_list", "ordered_list"):
            if token.nesting < 0:
                self.lists.pop()
            else:
                known.append(int(token.attrs.get("start", 1)) if name == "ordered_list" else None)
                self.lists.append(len(known))
        elif name == "list_item":
            self.begun.append(False) if token.nesting > 0 else self.begun.pop()
        elif name == "blockquote":
            self.around.append("Quote") if token.nesting > 0 else self.around.pop()
        elif name == "division":
            kind = _DIVISIONS[str(token.attrs["class"])] if token.nesting > 0 else ""
            self.around.append(kind) if token.nesting > 0 else self.around.pop()

    def style(self, has_lines: bool) -> str:  # noqa: FBT001
        """The style of a paragraph here."""
        first, self.first = self.first, False
        if self.lists:
            return "ListContinue" if self.begun and self.begun[-1] else "ListParagraph"
        if self.around:
            self.first = True
            return self.around[-1]
        if has_lines:
            return "Lines"
        return "FirstParagraph" if first else "BodyText"

    def membership(self) -> str:
        """The list that a paragraph is an item of; a further paragraph of an item has no mark."""
        if not self.lists or not self.begun or self.begun[-1]:
            return ""
        self.begun[-1] = True
        level, number = min(len(self.lists) - 1, _DEEPEST), self.lists[-1]
        return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'


def _closing(tokens: Sequence[Token], at: int) -> int:
    """Where the token at `at` is closed."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += tokens[place].nesting
        if not depth:
            return place
    return len(tokens) - 1


def _words(tokens: Sequence[Token]) -> str:
    """Text without its looks."""
    return "".join(
        _words(one.children) if one.children else " " if "break" in one.type else one.content
        for one in tokens
        if one.type != "html_inline"
    )
