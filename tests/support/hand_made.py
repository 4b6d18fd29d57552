"""A project made by hand: a `book.toml`, an outline, chapters; no model had a part in it."""

import json
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.exporters.book_reading import read_book
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import OUTLINE, ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView

ARABIC: Final = (
    "# الفصل الأول\n\nكان المنارُ واقفًا على الساحل الغارق، وكان حارسه يكتب كل ليلة في دفتره.\n\n"
    "قال الحارس: «غدًا ستغرق سفينة»، ثم أغلق الدفتر (2026) وكتب كلمة Lighthouse بالإنجليزية.[^1]\n\n"
    "* * *\n\nوفي الصباح لم يجد أحدًا.\n\n[^1]: المنارة.\n"
)
CHINESE: Final = (
    "# 第一章　灯塔\n\n灯塔矗立在被淹没的海岸上，守灯人每夜都在日志里写字。\n\n"
    "“明天会有一艘船沉没。”他合上了日志，又写下 Lighthouse 一词。[^1]\n\n"
    "* * *\n\n早晨，那里一个人也没有。\n\n[^1]: 即守灯塔的人。\n"
)


class HandMade:
    """A project in `folder/projects/<name>`.

    Args:
        folder: The folder that commands are run in.
        name: The project's name.
    """

    def __init__(self, folder: Path, name: str = "book") -> None:
        self.paths = ProjectPaths(folder / "projects" / name, folder / "debug" / name)

    def brief(self, **values: Any) -> "HandMade":
        """Write `book.toml`."""
        write_book_toml(self.paths.book_toml, {"premise": "A lighthouse", **values}, {})
        return self

    def chapters(self, *texts: str | None) -> "HandMade":
        """Write the outline and the chapters; None is planned and not written."""
        plan = [{"title": f"Part {n}", "summary": "S"} for n in range(1, len(texts) + 1)]
        self.write(OUTLINE, json.dumps({"summary": "S", "chapters": plan}))
        for number, text in enumerate(texts, start=1):
            if text is not None:
                self.write(chapter_file(number), text)
        return self

    def write(self, name: str, data: str | bytes) -> "HandMade":
        """Put a file into the project."""
        path = self.paths.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return self

    @property
    def view(self) -> ProjectView:
        return look_at(self.paths)

    def read(self, *, partial: bool = False) -> ExportBook:
        """The book for the exporters."""
        return read_book(self.view, read_brief(self.paths), partial=partial)


def book_of(folder: Path, *texts: str, **brief: Any) -> ExportBook:
    """A book of these chapters, as the exporters see it."""
    return HandMade(folder).brief(title="The Lantern", **brief).chapters(*texts).read()


def png(width: int = 40, height: int = 20) -> bytes:
    """A small picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x40\x80\xc0" * width) * height)
    chunks = ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in chunks)


def long_chapter(number: int, paragraphs: Sequence[str], words: int) -> str:
    """A chapter of about that many words out of paragraphs that repeat."""
    text, count, at = [f"# Chapter {number}"], 0, number
    while count < words:
        text.append(paragraphs[at % len(paragraphs)])
        count += len(text[-1].split())
        at += 1
    return "\n\n".join(text) + "\n"
