"""Sources that somebody else made: archives that explode or lead astray, XML with entities."""

import struct
import zipfile
from io import BytesIO
from typing import Final

from tests.support.source_files import archive, docx, epub

WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
CANARY: Final = "CANARY-4711"
"""Stands in the file that entities ask for."""

_BODY: Final = f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:body></w:document>'


def bombs() -> dict[str, bytes]:
    """Archives that are small and unpack to very much."""
    blanks = "<p>" + " " * 30_000_000 + "</p>"
    paragraphs = "<p>again</p>" * 600_000
    return {
        "blanks.epub": epub({"a.xhtml": blanks}),
        "paragraphs.epub": epub({"a.xhtml": paragraphs}),
        "word.docx": docx([], {"word/document.xml": _BODY % (" " * 12_000_000)}),
        "styles.docx": docx([("", "Text.")], {"word/styles.xml": "<a>" + " " * 12_000_000}),
        "many.epub": archive({f"{n}.xhtml": "" for n in range(10_001)}),
        "lying.epub": _lying(epub({"a.xhtml": "<p>" + "x" * 10_000_000 + "</p>"})),
        "inside.epub": archive(
            {"mimetype": "application/epub+zip", "in.zip": archive({"x": blanks})}
        ),
    }


def slips(outside: str) -> dict[str, bytes]:
    """Archives with members that would be unpacked elsewhere."""
    names = (f"../../../{outside}", f"/tmp/{outside}", f"..\\..\\{outside}", f"C:\\{outside}")
    return {
        "slip.epub": epub(dict.fromkeys(names, "<p>Salt melts at 801 degrees.</p>")),
        "slip.docx": docx([("", "Salt melts at 801 degrees.")], dict.fromkeys(names, "owned")),
        "link.epub": _with_link(epub({"a.xhtml": "<p>Salt melts at 801 degrees.</p>"})),
    }


def xml_attacks(file: str, url: str) -> dict[str, bytes]:
    """Documents whose XML grows without end, or asks for a file or an address.

    Args:
        file: Path of a file that they ask for.
        url: An address that they ask for.
    """
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    laughs = f'<!DOCTYPE x [<!ENTITY l0 "ha">{levels}]>'
    long = "A" * 100_000
    quadratic = f'<!DOCTYPE x [<!ENTITY q "{long}">]>'
    asks = {
        "laughs": (laughs, "&l9;"),
        "quadratic": (quadratic, "&q;" * 5_000),
        "file": (f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{file}">]>', "&e;"),
        "address": (f'<!DOCTYPE x [<!ENTITY e SYSTEM "{url}">]>', "&e;"),
        "parameter": (f'<!DOCTYPE x [<!ENTITY % p SYSTEM "{url}"> %p;]>', "x"),
        "outside": (f'<!DOCTYPE x SYSTEM "{url}">', "x"),
    }
    made: dict[str, bytes] = {}
    for name, (head, text) in asks.items():
        made[f"{name}.epub"] = epub({"a.xhtml": f"<p>{text}</p>"}, extra=head)
        made[f"{name}.docx"] = docx([], {"word/document.xml": head + _BODY % text})
        page = f'<?xml version="1.0"?>{head}<html><body><p>{text}</p></body></html>'
        made[f"{name}.html"] = page.encode()
        inner = epub({"a.xhtml": "<p>x</p>"})
        made[f"{name}-page.epub"] = _replaced(inner, "OEBPS/a.xhtml", page)
    return made


def _replaced(data: bytes, member: str, content: str) -> bytes:
    """An archive with another content of a member."""
    with zipfile.ZipFile(BytesIO(data)) as source:
        members: dict[str, bytes | str] = {name: source.read(name) for name in source.namelist()}
    return archive({**members, member: content})


def _lying(data: bytes) -> bytes:
    """An archive that says of every member that it unpacks to ten bytes."""
    changed = bytearray(data)
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = changed.find(mark)
        while place >= 0:
            changed[place + at : place + at + 4] = struct.pack("<I", 10)
            place = changed.find(mark, place + 4)
    return bytes(changed)


def _with_link(data: bytes) -> bytes:
    """An archive with a member that is a symbolic link to `/etc/passwd`."""
    kept = BytesIO(data)
    with zipfile.ZipFile(kept, "a") as target:
        link = zipfile.ZipInfo("OEBPS/link.xhtml")
        link.external_attr = 0o120777 << 16
        target.writestr(link, "/etc/passwd")
    return kept.getvalue()
