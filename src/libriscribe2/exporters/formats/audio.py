"""A script for an audiobook: a file of SSML for each chapter, for people and for voices."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from markdown_it.token import Token

from libriscribe2.exporters.book_markdown import book_parser
from libriscribe2.exporters.chapter_files import write_chapters
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import check_paragraphs, harmless

_SPACE: Final = "http://www.w3.org/2001/10/synthesis"
_PAUSES: Final = {"h": "1500ms", "scene": "2s", "line": "300ms"}


class AudioExporter:
    """Paragraphs, pauses and emphasis; names as `pronunciations.md` says them; no notes."""

    name = "audio"
    suffix = "-audio.zip"
    needs: tuple[str, ...] = ()
    note = ""
    also_called: tuple[str, ...] = ("ssml", "audiobook")
    place = 92
    usual = False

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the archive; see `Exporter.export`."""
        check_paragraphs(book)
        scripts = (_script(book, part.text) for part in book.parts)
        return write_chapters(folder / f"book{self.suffix}", book, scripts, ".ssml")


EXPORTER: Final[Exporter] = AudioExporter()


def _script(book: ExportBook, text: str) -> str:
    """A chapter as SSML 1.1."""
    env: dict[str, Any] = {"notes": {}, "used": []}
    spoken = _Names(book.pronunciations)
    body = "\n".join(_paragraphs(book_parser().parse(text, env), spoken))
    tag = escape(book.language.tag)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<speak version="1.1" xmlns="{_SPACE}" xml:lang="{tag}">\n{body}\n</speak>\n'
    )


def _paragraphs(tokens: list[Token], spoken: "_Names") -> Iterator[str]:
    heading = False
    for token in tokens:
        if token.type == "heading_open":
            heading = True
        elif token.type == "hr":
            yield _pause("scene")
        elif token.type == "inline":
            words = "".join(_spoken(token.children or [], spoken)).strip()
            if words:
                yield f"<p>{words}</p>"
                yield from [_pause("h")] if heading else []
            heading = False


def _spoken(tokens: list[Token], spoken: "_Names") -> Iterator[str]:
    for one in tokens:
        if one.type in ("text", "code_inline"):
            yield spoken.said(harmless(one.content))
        elif one.type in ("em_open", "strong_open"):
            yield f'<emphasis level="{"moderate" if one.tag == "em" else "strong"}">'
        elif one.type in ("em_close", "strong_close"):
            yield "</emphasis>"
        elif one.type == "softbreak":
            yield " "
        elif one.type == "hardbreak":
            yield _pause("line")


def _pause(kind: str) -> str:
    return f'<break time="{_PAUSES[kind]}"/>'


class _Names:
    """How names are said.

    Args:
        known: The sounds of names, in the International Phonetic Alphabet.
    """

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
        longest = sorted(known, key=len, reverse=True)
        self._pattern = (
            re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b") if known else None
        )

    def said(self, text: str) -> str:
        """A text in which each name has its sound."""
        if self._pattern is None:
            return escape(text, quote=False)
        pieces, at = [], 0
        for found in self._pattern.finditer(text):
            sound = escape(self._known[found[0]])
            name = escape(found[0], quote=False)
            pieces.append(escape(text[at : found.start()], quote=False))
            pieces.append(f'<phoneme alphabet="ipa" ph="{sound}">{name}</phoneme>')
            at = found.end()
        return "".join([*pieces, escape(text[at:], quote=False)])
