"""Documents of somebody else that ask for files, addresses and programs, or for time and memory."""

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Final

from tests.support.hostile_files import bombs, slips, xml_attacks
from tests.support.source_files import archive, docx, epub, pdf

_RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_WORD: Final = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{_RELATIONS}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
_KINDS: Final = (
    *("image", "attachedTemplate", "oleObject", "subDocument", "aFChunk", "hyperlink", "frame"),
    *("package", "video", "styles", "numbering", "footnotes", "theme"),
)
"""Relations of a Word document that may lead to a file or an address."""

_PAGE: Final = '<html xmlns="http://www.w3.org/1999/xhtml"><body>%s</body></html>'
_TEXT: Final = "Salt melts at 801 degrees."


def corpus(file: str, url: str) -> dict[str, bytes]:
    """All of them by name.

    Args:
        file: Path of a file that they ask for.
        url: An address that they ask for.
    """
    return {
        **bombs(),
        **slips("ran-owned.md"),
        **xml_attacks(file, url),
        **_word(file, url),
        **_epubs(file, url),
        **_pages(file, url),
        **_pdfs(file, url),
        **_texts(file, url),
    }


def _word(file: str, url: str) -> dict[str, bytes]:
    body = (
        f'<w:p><w:r><w:t>{_TEXT}</w:t><w:drawing><a:blip r:link="x" r:embed="x"/></w:drawing>'
        '</w:r><w:hyperlink r:id="x"><w:r><w:t>x</w:t></w:r></w:hyperlink>'
        '<w:subDoc r:id="x"/></w:p><w:altChunk r:id="x"/>'
    )
    made = {}
    for kind in _KINDS:
        for name, target in (("file", f"file://{file}"), ("web", url)):
            relation = (
                f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="x" Target="{target}" '
                f'Type="{_RELATIONS}/{kind}" TargetMode="External"/></Relationships>'
            )
            made[f"{kind}-{name}.docx"] = _document(body, relation)
    for name, target in (("up", f"../../../../../..{file}"), ("root", file)):
        relation = (
            f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="x" Target="{target}" '
            f'Type="{_RELATIONS}/image"/></Relationships>'
        )
        made[f"{name}.docx"] = _document(body, relation)
    fields = (f'INCLUDETEXT "{file}"', f'INCLUDEPICTURE "{url}"', 'DDEAUTO "/bin/sh" "-c id"')
    for number, field in enumerate(fields):
        simple = (
            f"<w:p><w:fldSimple w:instr='{field}'><w:r><w:t>{_TEXT}</w:t></w:r></w:fldSimple></w:p>"
        )
        made[f"field-{number}.docx"] = _document(simple)
    deep = "<w:sdt><w:sdtContent>" * 5_000 + "</w:sdtContent></w:sdt>" * 5_000
    made["deep.docx"] = _document(deep)
    made["runs.docx"] = _document("<w:p>" + "<w:r><w:t>x</w:t></w:r>" * 100_000 + "</w:p>")
    laughs = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x [<!ENTITY e "ha">]>'
    wide = f"{laughs}<w:document {_WORD}><w:body><w:p>&e;</w:p></w:body></w:document>"
    made["wide.docx"] = docx([], {"word/document.xml": wide.encode("utf-16")})
    made["macro.docx"] = docx([("", _TEXT)], {"word/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 100})
    return made


def _document(body: str, relations: str = "") -> bytes:
    document = f'<?xml version="1.0"?><w:document {_WORD}><w:body>{body}</w:body></w:document>'
    extra = {"word/_rels/document.xml.rels": relations} if relations else {}
    return docx([], {"word/document.xml": document, **extra})


def _epubs(file: str, url: str) -> dict[str, bytes]:
    places = {
        "file": f"file://{file}",
        "up": f"../../../../../..{file}",
        "root": file,
        "coded": "%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e" + file.replace("/", "%2f"),
        "web": url,
    }
    made = {f"page-{name}.epub": epub({place: _TEXT}) for name, place in places.items()}
    inner = {"a.xhtml": f"<p>{_TEXT}</p>"}
    made |= {
        f"package-{name}.epub": _with(
            epub(inner),
            {
                "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:'
                f'container"><rootfiles><rootfile full-path="{place}"/></rootfiles></container>'
            },
        )
        for name, place in places.items()
    }
    made["asks.epub"] = epub({"a.xhtml": _asking(file, url)})
    made["include.epub"] = epub(
        {
            "a.xhtml": '<p xmlns:xi="http://www.w3.org/2001/XInclude">'
            f'<xi:include href="file://{file}" parse="text"/>{_TEXT}</p>'
        }
    )
    made["deep.epub"] = epub({"a.xhtml": "<div>" * 50_000 + _TEXT + "</div>" * 50_000})
    again = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest><item id="a" '
        'href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine>'
        + '<itemref idref="a"/>' * 50_000
        + "</spine></package>"
    )
    long = _PAGE % ("<p>Salt melts at many degrees.</p>" * 2_000)
    made["again.epub"] = _with(epub(inner), {"OEBPS/content.opf": again, "OEBPS/a.xhtml": long})
    points = "<navPoint><navLabel><text>x</text></navLabel><content src='a.xhtml'/>"
    ncx = f"<ncx><navMap>{points * 3_000}{'</navPoint>' * 3_000}</navMap></ncx>"
    made["points.epub"] = _with(epub(inner), {"OEBPS/toc.ncx": ncx})
    return made


def _asking(file: str, url: str) -> str:
    return (
        f'<p>{_TEXT}</p><iframe src="file://{file}"></iframe><object data="{url}"></object>'
        f'<img src="{url}"/><img src="file://{file}"/><link rel="stylesheet" href="{url}"/>'
        f'<script src="{url}"></script><meta http-equiv="refresh" content="0;url={url}"/>'
        f'<embed src="{url}"/><svg><image href="file://{file}"/><use href="{url}#x"/></svg>'
        f'<form action="{url}"><input autofocus="x"/></form><video src="{url}" poster="{url}"/>'
    )


def _with(data: bytes, changed: Mapping[str, str]) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as source:
        members: dict[str, bytes | str] = {name: source.read(name) for name in source.namelist()}
    return archive({**members, **changed})


def _pages(file: str, url: str) -> dict[str, bytes]:
    made = {
        "asks.html": f'<base href="file://{file}">{_asking(file, url)}',
        "deep.html": "<div>" * 100_000 + _TEXT,
        "tables.html": "<table><tr><td>" * 5_000 + _TEXT,
        "attribute.html": f'<p title="{"x" * 5_000_000}">{_TEXT}</p>',
        "data.html": f'<img src="data:image/png;base64,{"A" * 5_000_000}"><p>{_TEXT}</p>',
        "comment.html": f"<p>{_TEXT}</p><!--" * 20_000,
        "seven.html": '<meta charset="utf-7">+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
    }
    return {name: text.encode() for name, text in made.items()}


def _pdfs(file: str, url: str) -> dict[str, bytes]:
    bomb = zlib.compress(b" " * 200_000_000, 9)
    twice = zlib.compress(zlib.compress(b" " * 100_000_000, 9), 9)
    actions = {
        "script": f"<< /S /JavaScript /JS (app.launchURL('{url}')) >>",
        "launch": "<< /S /Launch /F (/bin/sh) >>",
        "uri": f"<< /S /URI /URI ({url}) >>",
        "remote": f"<< /S /GoToR /F ({file}) /D [0 /Fit] >>",
        "import": f"<< /S /ImportData /F ({file}) >>",
        "submit": f"<< /S /SubmitForm /F ({url}) >>",
    }
    made = {
        f"{name}.pdf": pdf([_TEXT]).replace(
            b"/Type /Catalog", f"/Type /Catalog /OpenAction {action}".encode()
        )
        for name, action in actions.items()
    }
    kids = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000000 >>",
    )
    made["loop.pdf"] = _objects([one.encode() for one in kids])
    made["outer.pdf"] = _one_page(f"/F (file://{file}) /FFilter /FlateDecode", b"")
    made["blanks.pdf"] = _one_page("/Filter /FlateDecode", bomb)
    made["twice.pdf"] = _one_page("/Filter [/FlateDecode /FlateDecode]", twice)
    made["often.pdf"] = _one_page(f"/Filter [{'/ASCIIHexDecode ' * 200}]", b"20" * 100 + b">")
    made["prev.pdf"] = pdf([_TEXT]).replace(b"trailer\n<< ", b"trailer\n<< /Prev 9 ")
    return made


def _one_page(filters: str, stream: bytes) -> bytes:
    """A PDF of one page whose content is this stream."""
    head = f"<< /Length {len(stream)} {filters} >>\nstream\n".encode()
    return _objects(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
            head + stream + b"\nendstream",
        ]
    )


def _objects(objects: Sequence[bytes]) -> bytes:
    """A PDF of these objects; readers look for them themselves where the table is missing."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % pair for pair in enumerate(objects, start=1))
    size = len(objects) + 1
    return b"%%PDF-1.4\n%strailer\n<< /Size %d /Root 1 0 R >>\n%%%%EOF\n" % (body, size)


def _texts(file: str, url: str) -> dict[str, bytes]:
    asks = (
        f"---\ninclude: {file}\nbibliography: {file}\n---\n\n# Salt\n\n![x]({file}) ![x]({url}) "
        f"[x](file://{file}) {{{{include {file}}}}} !include {file} @import '{url}' "
        f"<img src='{url}'> \\input{{{file}}} $(cat {file}) `id` ${{HOME}}\n\n{_TEXT}\n"
    )
    return {
        "asks.md": asks.encode(),
        "asks.txt": asks.encode(),
        "quotes.md": b"> " * 20_000 + _TEXT.encode(),
        "lists.md": "\n".join("  " * n + "- x" for n in range(2_000)).encode(),
        "brackets.md": b"[" * 50_000 + _TEXT.encode(),
        "stars.md": b"*a **b " * 20_000,
        "ticks.md": b" ".join(b"`" * n for n in range(1, 1_000)),
        "heads.md": b"#\n" * 100_000,
        "line.txt": b"x" * 5_000_000,
        "nul.txt": b"\0" * 100_000,
        "wide.txt": b"\xff\xfe\x00\xd8" * 10_000,
    }
