"""Titles of an EPUB's pages: each is called like its heading, not like its file."""

import re
import shutil
from pathlib import Path
from typing import Final
from zipfile import ZipFile

_PAGE: Final = re.compile(r"EPUB/text/ch\d+\.xhtml")
_TITLE: Final = re.compile(r"(?<=<title>)[^<]*(?=</title>)")
_HEADING: Final = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.DOTALL)
_NOTE: Final = re.compile(r"<a\b[^>]*noteref[^>]*>.*?</a>", re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")


def entitle(epub: Path, title: str) -> None:
    """Give every chapter's page the chapter's title; pandoc gives it the name of its file.

    Order, times and compression of the archive's files stay as they are.

    Args:
        epub: The book, which is replaced.
        title: What a page without a heading is called, as XML.
    """
    made = epub.with_suffix(".titled")
    with ZipFile(epub) as source, ZipFile(made, "w") as written:
        for entry in source.infolist():
            data = source.read(entry)
            if _PAGE.fullmatch(entry.filename):
                data = _entitled(data.decode("utf-8"), title).encode("utf-8")
            written.writestr(entry, data)
    shutil.move(made, epub)


def _entitled(page: str, title: str) -> str:
    """A page whose title is the text of its first heading."""
    heading = _HEADING.search(page)
    inside = "" if heading is None else _TAG.sub("", _NOTE.sub("", heading[1]))
    told = " ".join(inside.split()) or title
    return _TITLE.sub(lambda _found: told, page, count=1)
