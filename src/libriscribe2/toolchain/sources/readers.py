"""Which reader reads what: by the ending of a file's name, or by the type of a page."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Final

from libriscribe2.toolchain.sources.docx import read_docx
from libriscribe2.toolchain.sources.epub import read_epub
from libriscribe2.toolchain.sources.html import read_html
from libriscribe2.toolchain.sources.pdf import read_pdf
from libriscribe2.toolchain.sources.plain import read_markdown, read_text
from libriscribe2.toolchain.sources.reading import (
    MOST_CHARACTERS,
    Reading,
    not_what_it_says,
    too_large,
)

LARGEST_SOURCE: Final = 50 * 2**20
"""Most bytes of a file."""

LARGEST_TEXT: Final = 20 * 2**20
"""Most bytes of a text or Markdown file."""

READER_VERSION: Final = 1
"""Goes up when a reader makes another text of the same bytes, so that saved texts are remade."""

Reader = Callable[[str, bytes], Reading]

_READERS: Final[dict[str, Reader]] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_text,
    ".text": read_text,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".pdf": read_pdf,
    ".epub": read_epub,
    ".docx": read_docx,
}
_TEXTS: Final = frozenset({".md", ".markdown", ".txt", ".text"})
ENDINGS: Final = tuple(_READERS)
"""The endings of the files that can be read."""

_TYPES: Final = {
    "application/pdf": ".pdf",
    "application/xhtml+xml": ".html",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
}
PAGE_TYPES: Final = tuple(_TYPES)
"""The content types of the pages that can be read."""


def read_file(name: str, data: bytes) -> Reading:
    """The text of a file.

    Args:
        name: Its name, whose ending says what it is.
        data: Its bytes.

    Raises:
        ToolError: 413 where it is too large, 415 where it cannot be read.
    """
    ending = PurePosixPath(name).suffix.casefold()
    if ending not in _READERS:
        raise not_what_it_says(name, f"files of this kind are not read, only {', '.join(ENDINGS)}")
    limit = LARGEST_TEXT if ending in _TEXTS else LARGEST_SOURCE
    if len(data) > limit:
        raise too_large(name, f"the file has {len(data):,} bytes", limit)
    return _within(name, _READERS[ending](name, data))


def read_page(url: str, data: bytes, content_type: str, charset: str = "") -> Reading:
    """The text of a page.

    Args:
        url: Its address.
        data: Its bytes.
        content_type: One of `PAGE_TYPES`.
        charset: The charset that the server declared.

    Raises:
        ToolError: 413 where it is too large, 415 where it cannot be read.
    """
    ending = _TYPES[content_type]
    if ending == ".pdf":
        return _within(url, read_pdf(url, data))
    declaring = {".html": read_html, ".md": read_markdown, ".txt": read_text}
    return _within(url, declaring[ending](url, data, charset))


def _within(name: str, reading: Reading) -> Reading:
    """The reading, unless it says nothing or too much."""
    characters = sum(len(text) for _, text in reading.parts)
    if characters > MOST_CHARACTERS:
        raise too_large(name, f"it has {characters:,} characters", MOST_CHARACTERS)
    if not any(text.strip() for _, text in reading.parts):
        raise not_what_it_says(name, "it has no text")
    return reading
