"""Reads Word documents."""

import io
import zipfile
from typing import Any, Final

from libriscribe2.toolchain.sources.archives import Archive
from libriscribe2.toolchain.sources.markup import read_markup
from libriscribe2.toolchain.sources.reading import Reading, not_what_it_says
from libriscribe2.toolchain.tool_error import ToolError

_DOCUMENT: Final = "word/document.xml"
_LARGEST_PART: Final = 8 * 2**20
"""Most bytes of one part: Word's XML of a long novel; in memory it is twenty times as much."""

_FAULTS: Final = (
    AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError,
)  # fmt: skip
MOST_TAGS: Final = 400_000
"""Most tags of one part: each takes some 400 bytes of memory while it is read."""


def read_docx(name: str, data: bytes) -> Reading:
    """A Word document; its locators are its headings.

    Raises:
        ToolError: 415 where it is none, 413 where it is too large.
    """
    import mammoth  # noqa: PLC0415 - slow to import, and only a document that is read needs it

    checked = harmless_document(name, data)
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(checked), convert_image=mammoth.images.img_element(_no_image)
        )
    except _FAULTS as error:
        # Mammoth takes a document to be what Word writes.
        raise not_what_it_says(name, "it is not a Word document that can be read") from error
    page = read_markup(result.value)
    if not page.parts:
        raise not_what_it_says(name, "it has no text")
    return Reading(page.title, page.parts)


def harmless_document(name: str, data: bytes) -> bytes:
    """The document with its XML alone, every part of which was read and found harmless.

    Raises:
        ToolError: 415 where it is no Word document, 413 where it is too large.
    """
    archive = Archive(name, data)
    if _DOCUMENT not in archive.names():
        raise not_what_it_says(name, "it is not a Word document")
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as target:
        for member in dict.fromkeys(archive.names()):
            if member.endswith((".xml", ".rels")):
                part = archive.read(member, most=_LARGEST_PART)
                _check_tags(name, part)
                archive.xml(member, most=_LARGEST_PART)
                target.writestr(member, part)
    return kept.getvalue()


def _check_tags(name: str, part: bytes) -> None:
    """Refuse a part that would fill the memory once it is read."""
    tags = part.count(b"<")
    if tags > MOST_TAGS:
        raise ToolError(
            413,
            "source_too_large",
            f"{name}: the document has {tags:,} tags; the limit is {MOST_TAGS:,}.",
            {"source": name, "limit_tags": MOST_TAGS},
        )


def _no_image(image: Any) -> dict[str, str]:
    """Pictures are not text."""
    del image
    return {"src": ""}
