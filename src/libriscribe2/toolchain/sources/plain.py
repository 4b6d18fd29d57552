"""Reads text and Markdown."""

import re
from collections.abc import Iterator
from typing import Final

from libriscribe2.toolchain.sources.encoding import decode
from libriscribe2.toolchain.sources.reading import Reading, not_what_it_says, tidy, tidy_line

_HEADING: Final = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_BINARY: Final = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b")


def read_text(name: str, data: bytes, declared: str = "") -> Reading:
    """A text file; its locators are the numbers of its paragraphs.

    Raises:
        ToolError: 415 where it is no text.
    """
    text, flag = _text(name, data, declared)
    return Reading("", (("", text),), (flag,) if flag else ())


def read_markdown(name: str, data: bytes, declared: str = "") -> Reading:
    """A Markdown file; its locators are its headings.

    Raises:
        ToolError: 415 where it is no text.
    """
    text, flag = _text(name, data, declared)
    parts = tuple(_by_heading(text))
    title = next((heading for heading, _ in parts if heading), "")
    return Reading(title, parts, (flag,) if flag else ())


def _text(name: str, data: bytes, declared: str) -> tuple[str, str]:
    if data.startswith(_BINARY):
        raise not_what_it_says(name, "it is not text, whatever its name says")
    text, flag = decode(data, declared=declared)
    if "\0" in text:
        raise not_what_it_says(name, "it holds bytes that no text has")
    return tidy(text), flag


def _by_heading(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a Markdown text, each under its heading, which is its first line."""
    locator, lines, fence = "", list[str](), ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark.group(1).startswith(fence)):
            fence = "" if fence else mark.group(1)
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            yield locator, "\n".join(lines).strip("\n")
            locator, lines = tidy_line(heading.group(1)), []
        lines.append(line)
    yield locator, "\n".join(lines).strip("\n")
