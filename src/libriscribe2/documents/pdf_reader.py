"""Reads PDF, page by page."""

import io
import time
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from libriscribe2.documents.decoding import (
    MOST_CHARACTERS,
    not_readable,
    silence,
    tidy,
    tidy_line,
    too_large,
)

if TYPE_CHECKING:
    from pypdf import PdfReader

MOST_PAGES: Final = 5_000
MOST_SECONDS: Final = 60.0
"""Longest time that one document may take; looked at between pages."""

_LARGEST_STREAM: Final = 20 * 2**20
_HEADER_WITHIN: Final = 1024
_FAULTS: Final = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NotImplementedError,
    OSError, RecursionError, TypeError, ValueError, zlib.error,
)  # fmt: skip
"""What a parser of a format that grew for thirty years raises over bytes nobody expected."""

Clock = Callable[[], float]


def read_pdf(name: str, data: bytes, *, clock: Clock = time.monotonic) -> tuple[str, list[str]]:
    """The title and the text of every page of a PDF; "" for a page without text.

    Args:
        name: What errors call it.
        data: Its bytes.
        clock: Seconds that only grow.

    Raises:
        DocumentError: 415 where it is none, is locked or has no text, 413 where it takes too long.
    """
    import pypdf  # noqa: PLC0415 - slow to import, and only a PDF that is read needs it
    from pypdf.errors import PyPdfError  # noqa: PLC0415

    silence("pypdf")
    if b"%PDF-" not in data[:_HEADER_WITHIN]:
        raise not_readable(name, "it is not a PDF, whatever its name says")
    try:
        with pypdf.apply_configuration(
            maximum_declared_stream_length=_LARGEST_STREAM,
            array_based_stream_maximum_output_length=_LARGEST_STREAM,
            lzw_maximum_output_length=_LARGEST_STREAM,
            run_length_maximum_output_length=_LARGEST_STREAM,
            zlib_maximum_output_length=_LARGEST_STREAM,
        ):
            reader = pypdf.PdfReader(io.BytesIO(data))
            if reader.is_encrypted and not reader.decrypt(""):
                raise not_readable(name, "it is locked with a password")
            pages = list(_pages(name, reader, clock))
            title = _title(reader)
    except (PyPdfError, *_FAULTS) as error:
        raise not_readable(name, "it is damaged, or not a PDF") from error
    if not any(pages):
        raise not_readable(name, "it has no text, only pictures of it")
    return title, pages


def _pages(name: str, reader: "PdfReader", clock: Clock) -> Iterator[str]:
    """The text of every page; "" for one that has none."""
    begun, taken = clock(), 0
    for number, page in enumerate(reader.pages, start=1):
        text = tidy(page.extract_text()).strip()
        taken += len(text)
        if clock() - begun > MOST_SECONDS or number > MOST_PAGES or taken > MOST_CHARACTERS:
            told = (
                f" is too much to read: page {number} is beyond {MOST_PAGES:,} pages, "
                f"{MOST_SECONDS:g} seconds or {MOST_CHARACTERS:,} characters."
            )
            raise too_large(name, told, page=number)
        yield text


def _title(reader: "PdfReader") -> str:
    title = reader.metadata.title if reader.metadata is not None else None
    return tidy_line(title) if isinstance(title, str) else ""
