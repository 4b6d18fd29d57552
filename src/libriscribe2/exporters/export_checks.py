"""What is let into an export: text without traps, paragraphs of a length, sound pictures.

Two things in a text harm and cannot be caught later: characters that XML forbids or that turn the
direction of all that follows, and references inside the text of footnotes. A footnote that cites
itself, at once or by way of others, keeps pandoc 3.9 busy until its memory is full.
"""

import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from libriscribe2.errors import ProjectError
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.models.languages import Language
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import EXPORTS, ProjectPaths

_NONCHARACTERS: Final = "".join(
    chr(plane * 0x10000 + last) for plane in range(17) for last in (0xFFFE, 0xFFFF)
)
_FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    f"\ufdd0-\ufdef{_NONCHARACTERS}]"
)
_LINE_ENDS: Final = re.compile("\r\n?|[\x85\u2028\u2029]")
_HALVES: Final = re.compile("[\ud800-\udfff]")
_NOTE: Final = re.compile(r"[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)*\[\^[^\]\s]+\]:")
_REFERENCE: Final = re.compile(r"\[\^[^\]\s]*\](\^?)")
CITED: Final = re.compile(r"\[((?:[^\[\]\\]|\\.){1,400})\]\((?:cite|source):\d{1,6}\)")
"""A citation or a reference that leads to the other, and what it says."""

_FIRST_LINES: Final = re.compile(r"^[^\n{]*hr \+ p \{ text-indent: 0; \}\n", re.MULTILINE)
_CONTINUED: Final = re.compile(r"[ \t>]")


def indented(style: str, language: Language) -> str:
    """A style sheet with the indents of a language; Chinese ones have no exceptions.

    Args:
        style: Its CSS.
        language: The book's.
    """
    if language.ideographic:
        style = _FIRST_LINES.sub("", style, 1)
    return style.replace("text-indent: 1.3em", f"text-indent: {language.indent}em")


def harmless(text: str) -> str:
    """The text without forbidden characters; half a surrogate pair becomes U+FFFD.

    Lines end in line feeds, whatever they ended in.
    """
    return _HALVES.sub("\ufffd", _FORBIDDEN.sub("", _LINE_ENDS.sub("\n", text)))


def without_nested_notes(text: str) -> str:
    """The text with no reference to a footnote inside the text of one; linear in its length."""
    if "[^" not in text:
        return text
    lines = text.split("\n")
    inside, after_blank = False, False
    for number, line in enumerate(lines):
        label = _NOTE.match(line)
        if label is not None:
            lines[number] = line[: label.end()] + _cited_nothing(line[label.end() :])
            inside = True
        elif inside and after_blank and line.strip() and not _CONTINUED.match(line):
            inside = False
        elif inside:
            lines[number] = _cited_nothing(line)
        after_blank = not line.strip()
    return "\n".join(lines)


def _cited_nothing(line: str) -> str:
    """A line without references; what stood around one in `[[^a]^1]` does not become another."""
    return _REFERENCE.sub(lambda found: " ^" if found[1] else "", line)


def prepared(text: str) -> str:
    """A chapter as pandoc may read it."""
    return without_nested_notes(harmless(text))


_LONGEST: Final = 100_000
"""Characters; readers of Markdown take a time that grows as the square of a hostile one."""


def check_paragraphs(book: ExportBook) -> None:
    """Refuse a book with a paragraph over which a converter would sit for minutes.

    Raises:
        ProjectError: There is one; the error names the line.
    """
    for part in book.parts:
        found = too_long(part.text)
        if found is not None:
            raise ProjectError(
                f"{part.name} has a paragraph that is too long.",
                why=f"{part.name}, line {found - part.added}: more than {_LONGEST:,} characters "
                "without a blank line",
                fix="Put blank lines between its paragraphs, or export md.",
            )


def too_long(text: str) -> int | None:
    """The line, from 1, where the first paragraph begins that is too long; None without one."""
    if len(text) <= _LONGEST:
        return None
    begun, length = 0, 0
    for number, line in enumerate(text.split("\n"), start=1):
        begun, length = (number, 0) if not line.strip() or not length else (begun, length)
        length += len(line)
        if length > _LONGEST:
            return begun
    return None


TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
}
"""Media types by the end of a name. SVG is left out: it may hold scripts and load files."""

_BIGGEST: Final = 30 * 2**20
_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers of a JPEG behind which its size stands."""

_PNG: Final = b"\x89PNG\r\n\x1a\n"


def pictures_of(paths: ProjectPaths) -> dict[str, Path]:
    """The pictures of a project by their path in it, sorted; damaged ones are not among them.

    Raises:
        StorageError: A folder or a file cannot be read.
    """
    with storage_errors("read", paths.root):
        found = sorted(_candidates(paths.root))
        return {path.relative_to(paths.root).as_posix(): path for path in found if is_picture(path)}


def cover_of(paths: ProjectPaths, name: str) -> Path | None:
    """The author's picture for the cover; None where no name is given.

    Raises:
        ProjectError: The file is not there, leads out of the project, or is no sound PNG or JPEG.
    """
    if not name:
        return None
    path = paths.resolve(name)
    with storage_errors("read", path):
        if path.is_file() and path.suffix.lower() != ".gif" and is_picture(path):
            return path
    raise ProjectError(
        f"The cover {name!r} cannot be used.",
        why="it is not a valid PNG or JPEG" if path.is_file() else "there is no such file",
        fix="Put the picture into the project's folder and name it in book.toml as `cover`.",
    )


def is_picture(path: Path) -> bool:
    """Whether a file holds a whole picture of the kind that its name says."""
    kind = TYPES.get(path.suffix.lower())
    if kind is None or not path.is_file() or path.stat().st_size > _BIGGEST:
        return False
    data = path.read_bytes()
    if kind == "image/png":
        return data.startswith(_PNG) and _chunks_are_whole(data)
    if kind == "image/jpeg":
        return data.startswith(b"\xff\xd8\xff") and b"\xff\xd9" in data[-4096:]
    return data[:6] in (b"GIF87a", b"GIF89a") and data.rstrip(b"\0").endswith(b";")


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a picture in pixels; None where it does not say."""
    if data.startswith(_PNG):
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if data[:3] == b"GIF":
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        if data[at + 1] in _FRAMES:
            height, width = data[at + 5 : at + 7], data[at + 7 : at + 9]
            return int.from_bytes(width, "big"), int.from_bytes(height, "big")
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _chunks_are_whole(data: bytes) -> bool:
    """Whether every chunk of a PNG has its checksum, and the last one is the end."""
    at = len(_PNG)
    while at + 12 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 4], "big")
        if data[end : end + 4] != zlib.crc32(data[at + 4 : end]).to_bytes(4, "big"):
            return False
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at = end + 4
    return False


def _candidates(root: Path) -> Iterator[Path]:
    """Files whose name is a picture's, outside hidden folders and exports; no links."""
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if not name.startswith(".") and name != EXPORTS]
        paths = (Path(folder, name) for name in names if Path(name).suffix.lower() in TYPES)
        yield from (path for path in paths if not path.is_symlink())
