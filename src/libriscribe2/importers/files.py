"""Which file is read how: from the bytes of a manuscript to its chapters."""

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from libriscribe2.importers.blocks import Block, Manuscript
from libriscribe2.importers.chapters import Division, divided
from libriscribe2.importers.epub import read_epub_blocks
from libriscribe2.importers.markdown_text import front_matter, markdown_blocks
from libriscribe2.importers.plain_text import text_blocks
from libriscribe2.importers.word import read_word
from libriscribe2.toolchain.sources.encoding import decode
from libriscribe2.toolchain.sources.reading import MOST_CHARACTERS, not_what_it_says, too_large

ENDINGS: Final = (".md", ".markdown", ".txt", ".docx", ".epub")
"""The endings of the files that can be imported."""

LARGEST: Final = 50 * 2**20
"""Most bytes of a file."""

_LARGEST_TEXT: Final = 20 * 2**20
_BINARY: Final = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x1f\x8b",
    b"{\\rtf",
)
_MOST_NAMED: Final = 5


def read_manuscript(name: str, data: bytes) -> Manuscript:
    """The chapters of a manuscript.

    Args:
        name: Its file's name, whose ending says what it is.
        data: Its bytes.

    Raises:
        ToolError: 413 where it is too large, 415 where it cannot be read or has no text.
    """
    ending = PurePosixPath(name).suffix.casefold()
    if ending not in ENDINGS:
        raise not_what_it_says(name, f"only {', '.join(ENDINGS)} are imported")
    if len(data) > (LARGEST if ending in (".docx", ".epub") else _LARGEST_TEXT):
        raise too_large(name, f"the file has {len(data):,} bytes", LARGEST)
    if ending == ".epub":
        found = _epub(name, data)
    elif ending == ".docx":
        page, said = read_word(name, data)
        found = _manuscript(divided(page.blocks), said, [_pictures(page.pictures)])
    else:
        found = _text(name, data, is_markdown=ending != ".txt")
    if not found.chapters:
        raise not_what_it_says(name, "it has no text")
    characters = sum(len(chapter.text) for chapter in found.chapters)
    if characters > MOST_CHARACTERS:
        raise too_large(name, f"it has {characters:,} characters", MOST_CHARACTERS)
    return found


def _epub(name: str, data: bytes) -> Manuscript:
    page, contents, frame = read_epub_blocks(name, data)
    left_out = [_pictures(page.pictures), _named("page", [one.rpartition("/")[2] for one in frame])]
    return _manuscript(divided(page.blocks), contents.said, left_out)


def _text(name: str, data: bytes, *, is_markdown: bool) -> Manuscript:
    if data.startswith(_BINARY):
        raise not_what_it_says(name, "it is not text, whatever its name says")
    text, guessed = decode(data)
    if "\0" in text:
        raise not_what_it_says(name, "it holds bytes that no text has")
    notes = ["the encoding of the file was guessed; look at accents and quotation marks"]
    remarks = notes if guessed else []
    if not is_markdown:
        return _manuscript(divided(text_blocks(text)), {}, remarks)
    fields, body = front_matter(text.replace("\r\n", "\n"))
    blocks, pictures = markdown_blocks(body)
    said = {
        "title": fields.get("title", ""),
        "author": fields.get("author", ""),
        "language": fields.get("language") or fields.get("lang", ""),
        "description": fields.get("description", ""),
    }
    return _manuscript(divided(_readable(blocks)), said, [*remarks, _pictures(pictures)])


def _readable(blocks: list[Block]) -> list[Block]:
    """Blocks without those that only mark a place for a program, such as a table of contents."""
    return [one for one in blocks if one.text.strip().upper() != "[TOC]"]


def _manuscript(division: Division, said: dict[str, str], left_out: list[str]) -> Manuscript:
    """A manuscript with what it says of itself."""
    found = Manuscript(
        division.chapters,
        title=said.get("title") or division.title,
        author=said.get("author", ""),
        language=said.get("language", ""),
        description=said.get("description", ""),
    )
    remarks = [*division.left_out, *left_out]
    return replace(found, left_out=tuple(one for one in remarks if one), how=division.how)


def _pictures(names: list[str] | tuple[str, ...]) -> str:
    return _named("picture", list(names))


def _named(what: str, names: list[str]) -> str:
    """How many things, with the names of the first; "" for none."""
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    plural = "s" if len(names) > 1 else ""
    return f"{len(names)} {what}{plural}: {', '.join(names[:_MOST_NAMED])}{more}"
