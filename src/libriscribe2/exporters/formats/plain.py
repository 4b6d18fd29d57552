"""One file of Markdown, and one of plain text, which has no marks and the notes behind a chapter."""

import json
from pathlib import Path
from typing import Any, Final

from markdown_it.token import Token
from typing_extensions import override

from libriscribe2.exporters.book_markdown import book_parser, without_tags
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import CITED, check_paragraphs, harmless
from libriscribe2.prose import without_notes

_GAP: Final = "\n\n\n\n"


class MarkdownExporter(Exporter):
    """The title page as YAML front matter, and every chapter without what no reader can see."""

    name = "md"
    suffix = ".md"
    also_called = ("markdown",)
    place = 10
    usual = True

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the Markdown file; see `Exporter.export`."""
        values = {name: value for name, value in _title_page(book).items() if value}
        # A JSON string is a YAML one.
        lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())
        parts = (CITED.sub(r"\1", without_notes(part.text)).strip("\n") for part in book.parts)
        text = "---\n" + "\n".join(lines) + "\n---\n\n" + "\n\n".join(parts) + "\n"
        target = folder / f"book{self.suffix}"
        target.write_text(text, encoding="utf-8", newline="")
        return target


def _title_page(book: ExportBook) -> dict[str, Any]:
    return {
        "title": book.title,
        "author": book.author,
        "lang": book.language.tag,
        "series": book.series,
        "series_number": book.series_number,
        "publisher": book.publisher,
        "rights": book.rights,
        "identifier": book.identifier,
        "description": book.description,
        "keywords": list(book.keywords),
    }


class TextExporter(Exporter):
    """Paragraphs with blank lines between them; lines that were written as lines stay lines."""

    name = "txt"
    suffix = ".txt"
    also_called = ("text",)
    place = 90

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the text; see `Exporter.export`."""
        check_paragraphs(book)
        head = "\n".join(filter(None, (book.title, book.author, *book.imprint)))
        chapters = (plain_chapter(part.text) for part in book.parts)
        target = folder / f"book{self.suffix}"
        text = _GAP.join((head, *chapters))
        target.write_text(f"{harmless(text)}\n", encoding="utf-8", newline="")
        return target


def plain_chapter(text: str) -> str:
    """A chapter as plain text."""
    parser = book_parser()
    env: dict[str, Any] = {"notes": {}, "used": []}
    tokens = parser.parse(text, env)
    blocks = [*_blocks(tokens)]
    for number, label in enumerate(env["used"], start=1):
        note = " ".join(_blocks(parser.parse(env["notes"][label], {"notes": {}, "used": []})))
        blocks.append(f"[{number}] {note}")
    return "\n\n".join(blocks)


def _blocks(tokens: list[Token]) -> list[str]:
    """The paragraphs; items of lists with their marks, rows of tables with tabs."""
    writer = _Writer()
    for token in tokens:
        writer.take(token)
    return [one.rstrip() for one in writer.found if one.strip()]


class _Writer:
    """Takes tokens one after the other."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._marks: list[int | None] = []
        self._mark = ""
        self._in_row = False

    def take(self, token: Token) -> None:
        """Write what a token is."""
        name = token.type.rpartition("_")[0]
        if name in ("bullet_list", "ordered_list", "list_item", "tr"):
            self._frame(name, token)
        elif token.type == "inline":
            self._paragraph(_words(token.children or []))
        elif token.type == "hr":
            self.found.append("* * *")
        elif token.type in ("fence", "code_block"):
            self.found.append(token.content)
        elif token.type == "html_block":
            self.found.append(without_tags(token.content))

    def _frame(self, name: str, token: Token) -> None:
        """Begin or end a list, an item or a row."""
        opens = token.nesting > 0
        if name == "tr":
            self._in_row = opens
            self.found += [""] if opens else []
        elif name == "list_item" and opens:
            self._mark, self._marks[-1] = _next(self._marks[-1])
        elif name.endswith("_list"):
            first = int(token.attrs.get("start", 1)) - 1 if name == "ordered_list" else None
            self._marks.append(first) if opens else self._marks.pop()

    def _paragraph(self, words: str) -> None:
        if self._in_row:
            self.found[-1] += f"{words}\t"
        elif words.strip():
            self.found.append(self._mark + words)
        self._mark = ""


def _next(number: int | None) -> tuple[str, int | None]:
    return ("- ", None) if number is None else (f"{number + 1}. ", number + 1)


def _words(tokens: list[Token]) -> str:
    pieces = []
    for one in tokens:
        if one.type in ("text", "code_inline"):
            pieces.append(one.content)
        elif one.type == "note_reference":
            pieces.append(f"[{one.meta['mark']}]")
        elif one.type == "image":
            pieces.append(f"[{one.content}]")
        elif one.type == "ruby_close":
            pieces.append(f"（{one.meta['said']}）")
        elif one.type == "softbreak":
            pieces.append(" ")
        elif one.type == "hardbreak" or one.content[:3].lower() == "<br":
            pieces.append("\n")
    return "".join(pieces)


EXPORTERS: Final[tuple[Exporter, ...]] = (MarkdownExporter(), TextExporter())
