"""Word documents as HTML: every part is found harmless before anything else reads it."""

import io
import re
import zipfile
from typing import Any, Final

from libriscribe2.documents.archive import Archive
from libriscribe2.documents.blocks import SCENE_BREAK
from libriscribe2.documents.decoding import not_readable, tidy_line, too_large
from libriscribe2.documents.html_reader import TITLE_STYLE

FRONT_STYLE: Final = "libriscribe-front"
"""Class of a paragraph of the title page, or of a table of contents."""

MOST_TAGS: Final = 400_000
"""Most tags of one part: each takes some 400 bytes of memory while it is read."""

_LARGEST_PART: Final = 8 * 2**20
"""Most bytes of one part: Word's XML of a long novel; in memory it is twenty times as much."""

_PROPERTIES: Final = "docProps/core.xml"
_DOCUMENT: Final = "word/document.xml"
_FRONT: Final = (
    *("Subtitle", "Author", "Date", "TOC Heading", "toc 1", "toc 2", "toc 3", "Imprint"),
    *("Imprint First", "Dedication", "Epigraph", "Contact", "Word Count", "End"),
)
_RUNS: Final = {"Emphasis": "em", "Strong": "strong", "Strong Emphasis": "strong > em"}
_STYLES: Final = "\n".join(
    [
        *(f"r[style-name='{name}'] => {tags}" for name, tags in _RUNS.items()),
        f"p[style-name='Title'] => p.{TITLE_STYLE}:fresh",
        *(f"p[style-name='{name}'] => p.{FRONT_STYLE}:fresh" for name in _FRONT),
        *(
            f"p[style-name='{name}'] => blockquote > p:fresh"
            for name in ("Quote", "Block Text", "Letter")
        ),
    ]
)
_RULE: Final = re.compile(
    rb'<w:pict\b(?:(?!</w:pict>)[\s\S]){0,2000}?\bo:hr="t"(?:(?!</w:pict>)[\s\S]){0,2000}?</w:pict>'
)
_LOCKED: Final = b"\xd0\xcf\x11\xe0"
_FAULTS: Final = (
    AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def read_word(name: str, data: bytes) -> tuple[str, dict[str, str]]:
    """A Word document as HTML, and what it says of itself.

    Drawn lines are scene breaks; titles and what frames a book are classes of paragraphs.

    Returns:
        The HTML; and `title`, `author`, `language`, `description`, `version` and when it was
        `created`, as far as it has them.

    Raises:
        DocumentError: 415 where it is none, 413 where it is too large.
    """
    import mammoth  # noqa: PLC0415 - slow to import, and only a document that is read needs it

    if data.startswith(_LOCKED):
        raise not_readable(
            name, "it is password-protected or an old .doc; save it as an ordinary .docx"
        )
    archive = Archive(name, data)
    if _DOCUMENT not in archive.names():
        raise not_readable(name, "it is not a Word document")
    try:
        result = mammoth.convert_to_html(
            _harmless(name, archive),
            style_map=_STYLES,
            convert_image=mammoth.images.img_element(_only_named),
        )
    except _FAULTS as error:
        # Mammoth takes a document to be what Word writes.
        raise not_readable(name, "it is not a Word document that can be read") from error
    return f"<body>{result.value}</body>", _properties(archive)


def _harmless(name: str, archive: Archive) -> io.BytesIO:
    """The document with its XML alone, every part of which was read and found harmless.

    Drawn lines become marks of a scene break, which mammoth passes on.
    """
    checked = io.BytesIO()
    with zipfile.ZipFile(checked, "w", zipfile.ZIP_DEFLATED) as target:
        for member in dict.fromkeys(archive.names()):
            if member.endswith((".xml", ".rels")):
                part = archive.read(member, most=_LARGEST_PART)
                if (tags := part.count(b"<")) > MOST_TAGS:
                    told = f": the document has {tags:,} tags; the limit is {MOST_TAGS:,}."
                    raise too_large(name, told, limit_tags=MOST_TAGS)
                archive.xml(member, most=_LARGEST_PART)
                if member == _DOCUMENT:
                    part = _RULE.sub(f"<w:t>{SCENE_BREAK}</w:t>".encode(), part)
                target.writestr(member, part)
    return checked


def _properties(archive: Archive) -> dict[str, str]:
    """What the document's properties say."""
    if _PROPERTIES not in archive.names():
        return {}
    keys = {"title": "title", "creator": "author", "language": "language"}
    keys |= {name: name for name in ("description", "created", "version")}
    return {
        key: tidy_line(one.text or "")
        for one in archive.xml(_PROPERTIES).iter()
        if (key := keys.get(str(one.tag).rpartition("}")[2], "")) and (one.text or "").strip()
    }


def _only_named(image: Any) -> dict[str, str]:
    """A picture by what it is said to show; its bytes are not taken over."""
    return {"src": getattr(image, "alt_text", None) or "picture"}
