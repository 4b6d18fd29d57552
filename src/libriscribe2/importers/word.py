"""Word documents as blocks of Markdown."""

import io
import re
import zipfile
from typing import Any, Final
from xml.etree.ElementTree import Element

from libriscribe2.importers.blocks import SCENE_BREAK
from libriscribe2.importers.markup import MarkupPage, read_blocks
from libriscribe2.toolchain.sources.archives import Archive
from libriscribe2.toolchain.sources.docx import harmless_document
from libriscribe2.toolchain.sources.reading import not_what_it_says, tidy_line

_PROPERTIES: Final = "docProps/core.xml"
_DOCUMENT: Final = "word/document.xml"
_STYLES: Final = """
p[style-name='Title'] => p.title:fresh
p[style-name='Subtitle'] => !
p[style-name='Author'] => !
p[style-name='Date'] => !
p[style-name='TOC Heading'] => !
p[style-name='toc 1'] => !
p[style-name='toc 2'] => !
p[style-name='toc 3'] => !
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Block Text'] => blockquote > p:fresh
"""
_RULE: Final = re.compile(
    rb'<w:pict\b(?:(?!</w:pict>)[\s\S]){0,2000}?\bo:hr="t"(?:(?!</w:pict>)[\s\S]){0,2000}?</w:pict>'
)
_TITLE: Final = re.compile(r'<p class="title">(.*?)</p>', re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")
_LOCKED: Final = b"\xd0\xcf\x11\xe0"
_FAULTS: Final = (
    AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def read_word(name: str, data: bytes) -> tuple[MarkupPage, dict[str, str]]:
    """The pieces of a Word document, and what it says of itself.

    Returns:
        The page; and `title`, `author`, `language` and `description` as far as it has them.

    Raises:
        ToolError: 415 where it is none, 413 where it is too large.
    """
    import mammoth  # noqa: PLC0415 - slow to import, and only a document that is read needs it

    if data.startswith(_LOCKED):
        raise not_what_it_says(
            name, "it is locked with a password, or an old .doc; save it as a plain .docx"
        )
    checked = harmless_document(name, data)
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(_with_breaks(checked)),
            style_map=_STYLES,
            convert_image=mammoth.images.img_element(_only_named),
        )
    except _FAULTS as error:
        # Mammoth takes a document to be what Word writes.
        raise not_what_it_says(name, "it is not a Word document that can be read") from error
    title = _TITLE.search(result.value)
    html = _TITLE.sub("", result.value)
    said = _properties(name, checked)
    if title is not None:
        said["title"] = tidy_line(_TAG.sub("", title[1])) or said.get("title", "")
    return read_blocks(f"<body>{html}</body>", file=name), said


def _with_breaks(data: bytes) -> bytes:
    """The document with its drawn lines as marks of a scene break, which mammoth passes on."""
    kept, source = io.BytesIO(), zipfile.ZipFile(io.BytesIO(data))
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_STORED) as target:
        for member in source.namelist():
            part = source.read(member)
            if member == _DOCUMENT:
                part = _RULE.sub(f"<w:t>{SCENE_BREAK}</w:t>".encode(), part)
            target.writestr(member, part)
    return kept.getvalue()


def _properties(name: str, data: bytes) -> dict[str, str]:
    """What the document's properties say."""
    archive = Archive(name, data)
    if _PROPERTIES not in archive.names():
        return {}
    root = archive.xml(_PROPERTIES)
    names = {"title": "title", "creator": "author", "language": "language"}
    names["description"] = "description"
    return {
        key: tidy_line(one.text or "")
        for one in root.iter()
        if (key := names.get(_local(one), "")) and (one.text or "").strip()
    }


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _only_named(image: Any) -> dict[str, str]:
    """A picture by what it is said to show; its bytes are not taken over."""
    return {"src": getattr(image, "alt_text", None) or "picture"}
