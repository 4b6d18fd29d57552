"""What the hostile corpus is packed with: ZIP, Word, EPUB and PDF, each as wrong as asked for."""

import itertools
import stat
import struct
import warnings
import zlib
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, Final, TypeAlias
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

MB: Final = 1_000_000
TEXT: Final = "Salt melts at 801 degrees, and the sea has more of it than anybody could count."
DOCUMENT: Final = "word/document.xml"

Data: TypeAlias = bytes | str | Iterable[bytes]
Part: TypeAlias = tuple[str | ZipInfo, Data]
Make: TypeAlias = Callable[[Path], object]
Change: TypeAlias = Callable[[bytes], bytes]


def much(data: bytes, times: int, *, before: bytes = b"", after: bytes = b"") -> Iterable[bytes]:
    """Much of the same without holding it."""
    return itertools.chain([before], itertools.repeat(data, times), [after])


def put(*pieces: Data) -> Make:
    """Write these to a file."""

    def make(path: Path) -> None:
        with path.open("wb") as file:
            for piece in pieces:
                file.writelines(_pieces(piece))

    return make


def zipped(*parts: Part, change: Change = lambda data: data) -> Make:
    """Write a ZIP of these members, and then the change to its bytes."""

    def make(path: Path) -> None:
        with path.open("wb") as file:
            _pack(file, parts)
        data = path.read_bytes()
        path.write_bytes(change(data))

    return make


def nested() -> bytes:
    """A ZIP of ten ZIPs of ten ZIPs of 100 MB each."""
    inner: Data = much(b"0" * MB, 100)
    for count in (1, 10, 10):
        buffer = BytesIO()
        _pack(buffer, [(f"{number}.zip", inner) for number in range(count)])
        inner = buffer.getvalue()
    assert isinstance(inner, bytes)
    return inner


def link_member(name: str) -> ZipInfo:
    """A member that is a symbolic link."""
    info = ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info


def crowded(count: int) -> Make:
    """A Word file with so many empty members besides."""

    def make(path: Path) -> None:
        zipped(*docx(document("")))(path)
        with ZipFile(path, "a") as archive:
            for number in range(count):
                archive.writestr(f"{number}", b"")

    return make


def overlapping(data: bytes) -> bytes:
    """The central directory again and again: each entry stands for the same bytes."""
    start = data.index(b"PK\1\2")
    end = data.rindex(b"PK\5\6")
    entries = [b"PK\1\2" + one for one in data[start:end].split(b"PK\1\2")[1:]]
    name = DOCUMENT.encode()
    one = next(entry for entry in entries if name in entry)
    entries += [one.replace(name, b"word/%011d" % n) for n in range(5000)]
    central = b"".join(entries)
    tail = struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), len(central), start, 0)
    return data[:start] + central + b"PK\5\6" + tail


def declaring(size: int, name: str = "") -> Change:
    """In the central directory this member, or every one, declares this size."""

    def change(data: bytes) -> bytes:
        changed, at = bytearray(data), data.find(b"PK\1\2")
        while at >= 0:
            if data.startswith(name.encode(), at + 46):
                changed[at + 24 : at + 28] = size.to_bytes(4, "little")
            at = data.find(b"PK\1\2", at + 4)
        return bytes(changed)

    return change


def heads(offset: int, value: int) -> Change:
    """Set a number of two bytes in every head of a member, local and central."""

    def change(data: bytes) -> bytes:
        changed = bytearray(data)
        for mark, start in ((b"PK\3\4", 0), (b"PK\1\2", 2)):
            at = data.find(mark)
            while at >= 0:
                changed[at + start + offset : at + start + offset + 2] = value.to_bytes(2, "little")
                at = data.find(mark, at + 4)
        return bytes(changed)

    return change


OFFICE: Final = "http://schemas.openxmlformats.org/"
W: Final = f'xmlns:w="{OFFICE}wordprocessingml/2006/main"'
A: Final = f'xmlns:a="{OFFICE}drawingml/2006/main"'
R: Final = f"{OFFICE}officeDocument/2006/relationships"


def paragraph(text: str = TEXT) -> str:
    """A paragraph of Word."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def document(body: str, doctype: str = "", encoding: str = "UTF-8") -> str:
    """A main part of Word with this between two paragraphs."""
    return (
        f'<?xml version="1.0" encoding="{encoding}"?>{doctype}<w:document {W} xmlns:r="{R}">'
        f"<w:body>{paragraph()}{body}{paragraph()}</w:body></w:document>"
    )


def long_document(data: bytes, times: int, opening: str = "", closing: str = "") -> Iterable[bytes]:
    """A main part of Word with much of the same in it."""
    before, after = document(f"{opening}<!---->{closing}").encode().split(b"<!---->")
    return much(data, times, before=before, after=after)


def relations(*rows: tuple[str, str, str]) -> str:
    """A part of relationships: kind, target and mode of each."""
    told = (
        f'<Relationship Id="r{n}" Type="{R}/{kind}" Target="{to}" TargetMode="{mode}"/>'
        for n, (kind, to, mode) in enumerate(rows)
    )
    space = f"{OFFICE}package/2006/relationships"
    return f'<Relationships xmlns="{space}">{"".join(told)}</Relationships>'


def core(title: str, doctype: str = "") -> Part:
    """The properties of a Word file."""
    space = f"{OFFICE}package/2006/metadata/core-properties"
    names = f'xmlns:cp="{space}" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    text = f"<cp:coreProperties {names}><dc:title>{title}</dc:title></cp:coreProperties>"
    return ("docProps/core.xml", doctype + text)


def docx(main: Data | None, *more: Part, target: str = DOCUMENT) -> list[Part]:
    """The members of a Word file."""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    types = (
        f'<Types xmlns="{OFFICE}package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/{DOCUMENT}" ContentType="{kind}"/></Types>'
    )
    parts: list[Part] = [
        ("[Content_Types].xml", types),
        ("_rels/.rels", relations(("officeDocument", target, "Internal"))),
        *more,
    ]
    return parts if main is None else [*parts, (DOCUMENT, main)]


def page(body: str = f"<p>{TEXT}</p>", doctype: str = "") -> str:
    """A page of XHTML."""
    space = 'xmlns="http://www.w3.org/1999/xhtml"'
    return f"{doctype}<html {space}><head><title>A</title></head><body>{body}</body></html>"


def epub(
    pages: Sequence[tuple[str, Data]],
    *more: Part,
    spine: Iterable[int] | None = None,
    title: str = "Salt",
    doctype: str = "",
    language: str = "en",
    hrefs: Sequence[str] = (),
    attributes: str = "",
) -> list[Part]:
    """The members of an EPUB; `hrefs` stand in the manifest where they are not the pages' names."""
    kind = 'media-type="application/xhtml+xml"'
    names = hrefs or [name for name, _ in pages]
    items = (f'<item id="i{n}" href="{to}" {kind} {attributes}/>' for n, to in enumerate(names))
    order = range(len(names)) if spine is None else spine
    refs = "".join(f'<itemref idref="i{n}"/>' for n in order)
    package = (
        f'{doctype}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title>'
        f"<dc:language>{language}</dc:language></metadata><manifest>{''.join(items)}"
        '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        f'</manifest><spine toc="ncx">{refs}</spine></package>'
    )
    parts: list[Part] = [
        ("mimetype", "application/epub+zip"),
        container("book.opf"),
        ("book.opf", package),
        *more,
        *pages,
    ]
    return parts


def container(root: str, doctype: str = "") -> Part:
    """The member that names the package of an EPUB."""
    space = 'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
    file = f'<rootfile full-path="{root}" media-type="application/oebps-package+xml"/>'
    text = f"{doctype}<container {space}><rootfiles>{file}</rootfiles></container>"
    return ("META-INF/container.xml", text)


def stream(data: bytes, words: bytes = b"", length: bytes | None = None) -> bytes:
    """A stream of PDF."""
    length = length or b"%d" % len(data)
    return b"<< /Length %b %b >> stream\n%b\nendstream" % (length, words, data)


SHOWN: Final = b"BT /F1 12 Tf 72 700 Td (%b) Tj ET" % TEXT.encode()
FONT: Final = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def leaf(words: bytes = b"", box: bytes = b"0 0 612 792", contents: bytes = b"4 0 R") -> bytes:
    """A page of PDF, below object 2."""
    named = b"/Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >>"
    start = b"<< /Type /Page /Parent 2 0 R /MediaBox [%b] " % box
    return start + b"/Contents %b %b %b >>" % (contents, named, words)


def pdf(
    changed: dict[int, bytes] | None = None,
    *,
    trailer: bytes = b"",
    size: int | None = None,
    shift: int = 0,
) -> bytes:
    """A PDF of one page, some of its objects changed.

    Args:
        changed: Objects by number: 1 catalogue, 2 pages, 3 page, 4 contents, 5 font.
        trailer: Stands in the trailer too.
        size: Number of objects that the trailer declares.
        shift: How far the places in the table are off.
    """
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: leaf(),
        4: stream(SHOWN),
        5: FONT,
    } | (changed or {})
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number, data in sorted(objects.items()):
        places[number] = len(out) + shift
        out += b"%d 0 obj\n%b\nendobj\n" % (number, data)
    start, count = len(out) + shift, max(places) + 1
    rows = (b"%010d 00000 n \n" % places.get(n, 0) for n in range(1, count))
    out += b"xref\n0 %d\n0000000000 65535 f \n%b" % (count, b"".join(rows))
    words = trailer.replace(b"START", b"%d" % start)
    out += b"trailer\n<< /Size %d /Root 1 0 R %b >>\n" % (size or count, words)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def deflated(data: bytes, times: int, *, again: int = 0) -> bytes:
    """Much of the same, packed; and what comes of it packed again."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(data) for _ in range(times)) + packer.flush()
    return packed if not again else deflated(packed, 1, again=again - 1)


def _pieces(data: Data) -> Iterable[bytes]:
    if isinstance(data, str):
        return [data.encode()]
    return [data] if isinstance(data, bytes) else data


def _pack(file: IO[bytes], parts: Iterable[Part]) -> None:
    with warnings.catch_warnings(), ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        warnings.simplefilter("ignore")  # two members of one name are what some are about
        for member, data in parts:
            with archive.open(member, "w") as out:
                for piece in _pieces(data):
                    out.write(piece)
