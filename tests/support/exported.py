"""Books in one format, and the text that a reader of them sees; chapters by a hostile hand."""

import random
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from tests.support.hand_made import book_of

from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.pandoc import convert, find_pandoc, stage
from libriscribe2.exporters.publishing import exporters_for

PIECES: Final = (
    *("[^1]", "[^2]", "\n\n[^1]: see [^2] [^1]\n\n", "\n\n[^2]: x [^1]\n\n", "@key ", "$x$ "),
    *("<br>", "<script>", "</div>", "<a href=x>", "![i](x.png)", "![](//h/x)", "[l](j:x)", "\n"),
    *("[l](https://h/a b)", "<https://h/%%#a#b>", "{#id}", "{.c}", "::: {#id}\n", ":::\n", "***"),
    *("\n\n---\n\n", "\n\n* * *\n\n", "\n# \n", "\n# H\n", "\n### H\n", "\n- a\n  - b\n", "\n> "),
    *("\n```\n", "`", "``", "|a|b|\n|-|-|\n|1|2|\n", "&#0;", "&lrm;", "&#xD800;", "\x00", "\x0b"),
    *(
        "\u202e",
        "\u200f",
        "العربية ",
        "中文",
        "🧑‍🚀",
        "\n1986. y\n",
        "~~s~~",
        "**b",
        "*i",
        "\\",
        "  \n",
    ),
)
WORDS: Final = ("tide", "lamp", "said,", '"no"', "--", "...", "it's", "1986", "*loud*", "café")


def made(book: ExportBook, folder: Path, name: str) -> Path:
    """The book in one format."""
    folder.mkdir()
    (exporter,) = exporters_for((name,))
    return exporter.export(book, folder)


def converted(folder: Path, text: str, writer: str = "html") -> str:
    """What pandoc makes of a chapter."""
    book = book_of(folder, text)
    staging = folder / "staging"
    staging.mkdir()
    options = ("--to", writer, "--output", "out.txt")
    convert(find_pandoc(), book, staging, stage(book, staging), options)
    return (staging / "out.txt").read_text(encoding="utf-8")


class _Words(HTMLParser):
    """Collects the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def plain(markup: str) -> str:
    """The text that a reader sees."""
    reader = _Words()
    reader.feed(markup)
    return " ".join("".join(reader.pieces).split())


def hostile(seed: int) -> str:
    """A chapter that a hostile hand might have written."""
    dice = random.Random(seed)  # noqa: S311 - the same chapters every time
    count = dice.randint(20, 120)
    body = (
        dice.choice(PIECES) if dice.random() < 0.6 else dice.choice(WORDS) + " "
        for _ in range(count)
    )
    return f"# Chapter {seed}\n\n" + "".join(body)
