"""Files of an author's research, made in memory: PDF, EPUB, DOCX, and hostile relatives."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
    'version="1.0"><rootfiles><rootfile full-path="OEBPS/content.opf" '
    'media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
    'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override '
    'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
    'relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/'
    '2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def archive(members: Mapping[str, bytes | str]) -> bytes:
    """A ZIP archive."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return kept.getvalue()


def pdf(pages: Sequence[str], title: str = "") -> bytes:
    """A PDF with a line of text per page; an empty one is a page without text."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        number = len(objects) + 1
        kids.append(f"{number} 0 R")
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R "
            "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica "
            ">> >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title ({title}) >>")
    return _numbered(objects)


def _numbered(objects: Sequence[str]) -> bytes:
    """A PDF of these objects; the first is the catalogue, the last the information."""
    data, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\n"
    end = f"startxref\n{len(data)}\n%%EOF\n"
    return f"{data}xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}{end}".encode("latin-1")


def epub(chapters: Mapping[str, str], title: str = "A Book", extra: str = "") -> bytes:
    """An EPUB; the chapters are bodies in HTML by file name.

    Args:
        chapters: The chapters in the order of the spine.
        title: Its title.
        extra: A document type for the package document.
    """
    items = "".join(
        f'<item id="c{number}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    package = (
        f'<?xml version="1.0"?>{extra}<package xmlns="http://www.idpf.org/2007/opf"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title>'
        f'</metadata><manifest>{items}<item id="gone" href="gone.xhtml" '
        f'media-type="application/xhtml+xml"/></manifest><spine>{spine}<itemref idref="gone"/>'
        "</spine></package>"
    )
    pages = {
        f"OEBPS/{name}": f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>'
        for name, body in chapters.items()
    }
    members = {"META-INF/container.xml": _CONTAINER, "OEBPS/content.opf": package}
    return archive({"mimetype": "application/epub+zip", **members, **pages})


def docx(paragraphs: Sequence[tuple[str, str]], extra: Mapping[str, bytes | str] = {}) -> bytes:
    """A Word document.

    Args:
        paragraphs: Style and text of every paragraph; "" is the plain style.
        extra: Further members.
    """
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    document = f'<?xml version="1.0"?><w:document {_WORD}><w:body>{body}</w:body></w:document>'
    members = {"[Content_Types].xml": _CONTENT_TYPES, "_rels/.rels": _RELATIONS}
    return archive({**members, "word/document.xml": document, **extra})
