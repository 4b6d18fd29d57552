"""A Word file, for editors and for shops that want one; written here, part by part."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from typing_extensions import override

from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import TYPES, check_paragraphs
from libriscribe2.exporters.word_styles import WORD_SPACES, WordPage, WordStyle, page_of, styles_xml
from libriscribe2.exporters.word_text import WordParts, WordText
from libriscribe2.prose import prose_words

_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATION: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_KINDS: Final = {
    **dict.fromkeys(("styles", "numbering", "settings", "footnotes"), ""),
    "header1": "header",
    "header2": "header",
    "footer1": "footer",
}
"""Parts besides the document, and their kind where it is not their name."""

_SCENE_BREAKS: Final = {"book": "* * *", "manuscript": "#"}
_NEVER: Final = datetime(1980, 1, 1, tzinfo=UTC).timestamp()


class DocxExporter(Exporter):
    """Paragraphs with styles alone, in standard manuscript format or as the pages of a book."""

    name = "docx"
    suffix = ".docx"
    note = "Word adds page numbers to the table of contents when you update it (click it, F9)."
    also_called = ("word",)
    place = 40
    usual = True

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the Word file; see `Exporter.export`."""
        check_paragraphs(book)
        style = book.edition.style
        page = page_of(style, book.language, vertical=book.is_vertical)
        room = (page.width - 2 * page.side, page.height - 2 * page.top - 800)
        text = WordText(book.images, room, _SCENE_BREAKS[style])
        chapters = [text.chapter(part.text) for part in book.parts]
        frame = _manuscript if style == "manuscript" else _pages
        body = frame(book, text, page, chapters)
        target = folder / f"book{self.suffix}"
        moment = datetime.fromtimestamp(max(book.epoch, _NEVER), UTC)
        with ZipFile(target, "w", ZIP_DEFLATED) as archive:
            for name, content in _files(book, style, text.parts, body).items():
                entry = ZipInfo(name, moment.timetuple()[:6])
                entry.compress_type = ZIP_DEFLATED
                archive.writestr(entry, content)
        return target


EXPORTERS: Final[tuple[Exporter, ...]] = (DocxExporter(),)


def _pages(book: ExportBook, text: WordText, page: WordPage, chapters: list[str]) -> str:
    """The body in the style of a book: title page, imprint, contents, chapters."""
    front = [
        text.paragraph("Title", text.run(book.title)),
        _line(text, "Subtitle", book.place_in_series),
        _line(text, "Author", book.author),
        _line(text, "Author", book.publisher),
    ]
    lines = [one for one in book.imprint if one]
    front += [_line(text, "Imprint" if at else "ImprintFirst", one) for at, one in enumerate(lines)]
    front += [
        text.paragraph(style, "<w:r><w:br/></w:r>".join(text.run(one) for one in words))
        for style, words in (("Dedication", book.dedication), ("Epigraph", book.epigraph))
        if words
    ]
    front.append(_contents(book, text) or text.paragraph("Normal", ""))
    sections = [_ended("".join(front), _section(page, ""))]
    for place, chapter in enumerate(chapters):
        # A section of its own, whose first page has no running head.
        section = _section(page, _RUNNING, first=1 if not place else None)
        sections.append(
            _ended(chapter, section) if place < len(chapters) - 1 else chapter + section
        )
    return "".join(sections)


def _ended(paragraphs: str, section: str) -> str:
    """Paragraphs with the properties of their section in the last one."""
    before, _, after = paragraphs.rpartition("</w:pPr>")
    return f"{before}{section}</w:pPr>{after}"


def _manuscript(book: ExportBook, text: WordText, page: WordPage, chapters: list[str]) -> str:
    """The body in standard manuscript format: contact and length, title, chapters, the end."""
    english = book.language.code == "en"
    words = round(sum(prose_words(part.text) for part in book.parts), -2)
    front = [
        _line(text, "Contact", book.author),
        text.paragraph(
            "WordCount", text.run(f"About {words:,} words" if english else f"{words:,}")
        ),
        text.paragraph("Title", text.run(book.title)),
        _line(text, "Author", f"by {book.author}" if english and book.author else book.author),
    ]
    end = text.paragraph("End", text.run("END" if english else "# # #"))
    return f"{''.join(front)}{''.join(chapters)}{end}{_section(page, _RUNNING)}"


_RUNNING: Final = (
    '<w:headerReference w:type="default" r:id="header1"/>'
    '<w:headerReference w:type="even" r:id="header2"/>'
    '<w:footerReference w:type="default" r:id="footer1"/>'
    '<w:footerReference w:type="even" r:id="footer1"/>'
)


def _section(page: WordPage, running: str, first: int | None = None) -> str:
    """The properties of a section; its first page has no running head.

    Args:
        page: The paper.
        running: Its running heads.
        first: The number of its first page; None goes on counting.
    """
    numbers = f'<w:pgNumType w:start="{first}"/>' if first else ""
    direction = '<w:textDirection w:val="tbRl"/>' if page.is_vertical else ""
    return (
        f'<w:sectPr>{running}<w:type w:val="nextPage"/>'
        f'<w:pgSz w:w="{page.width}" w:h="{page.height}"/>'
        f'<w:pgMar w:top="{page.top}" w:right="{page.side}" w:bottom="{page.top}" '
        f'w:left="{page.side}" w:header="620" w:footer="620" w:gutter="0"/>{numbers}'
        f"<w:titlePg/>{direction}</w:sectPr>"
    )


def _line(text: WordText, style: str, words: str) -> str:
    return text.paragraph(style, text.run(words)) if words else ""


def _contents(book: ExportBook, text: WordText) -> str:
    """The table of contents: a field that has its entries already."""
    headings = text.parts.headings
    if len(headings) < 2:
        return ""
    begin = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve">'
        ' TOC \\o "1-2" \\h \\z \\u </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    )
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    lines = []
    for place, (level, words, name) in enumerate(headings):
        link = f'<w:hyperlink w:anchor="{name}" w:history="1">{text.run(words)}</w:hyperlink>'
        link = f"{begin if not place else ''}{link}{end if place == len(headings) - 1 else ''}"
        lines.append(text.paragraph(f"TOC{level}", link))
    return _line(text, "TOCHeading", book.language.contents) + "".join(lines)


def _files(
    book: ExportBook, style: WordStyle, parts: WordParts, body: str
) -> dict[str, str | bytes]:
    """The files of the archive."""
    pictures = {
        f"word/media/picture{number}{path.suffix.lower()}": path.read_bytes()
        for number, path in enumerate(parts.pictures.values(), start=1)
    }
    return {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": _relations(
            {
                "document": ("officeDocument", "word/document.xml", ""),
                "core": ("core", "docProps/core.xml", ""),
            }
        ),
        "docProps/core.xml": _properties(book),
        "word/_rels/document.xml.rels": _relations(_related(parts)),
        "word/document.xml": f"{_HEAD}<w:document {WORD_SPACES}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": styles_xml(style, book.language, parts.looks),
        "word/numbering.xml": _numbering(parts),
        "word/settings.xml": _settings(style),
        "word/footnotes.xml": _footnotes(parts),
        **_running_heads(book, style),
        **pictures,
    }


def _related(parts: WordParts) -> dict[str, tuple[str, str, str]]:
    related = {name: (kind or name, f"{name}.xml", "") for name, kind in _KINDS.items()}
    for number, path in enumerate(parts.pictures.values(), start=1):
        place = f"media/picture{number}{path.suffix.lower()}"
        related[f"picture{number}"] = ("image", place, "")
    for number, target in enumerate(parts.links, start=1):
        related[f"link{number}"] = ("hyperlink", target, ' TargetMode="External"')
    return related


def _relations(related: dict[str, tuple[str, str, str]]) -> str:
    lines = "".join(
        f'<Relationship Id="{name}" Type="{_kind(kind)}" Target={quoteattr(target)}{mode}/>'
        for name, (kind, target, mode) in related.items()
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{lines}</Relationships>'


def _kind(kind: str) -> str:
    core = f"{_PACKAGE}/relationships/metadata/core-properties"
    return core if kind == "core" else f"{_RELATION}/{kind}"


def _content_types() -> str:
    overrides = {"/word/document.xml": f"{_TYPE}.document.main+xml"}
    overrides |= {
        f"/word/{name}.xml": f"{_TYPE}.{kind or name}+xml" for name, kind in _KINDS.items()
    }
    overrides["/docProps/core.xml"] = "application/vnd.openxmlformats-package.core-properties+xml"
    defaults = {"rels": "application/vnd.openxmlformats-package.relationships+xml"}
    defaults |= {ending[1:]: kind for ending, kind in TYPES.items()}
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        + "".join(
            f'<Default Extension="{one}" ContentType="{kind}"/>' for one, kind in defaults.items()
        )
        + '<Default Extension="xml" ContentType="application/xml"/>'
        + "".join(
            f'<Override PartName="{one}" ContentType="{kind}"/>' for one, kind in overrides.items()
        )
        + "</Types>"
    )


def _properties(book: ExportBook) -> str:
    moment = datetime.fromtimestamp(book.epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    dates = "".join(
        f'<dcterms:{name} xsi:type="dcterms:W3CDTF">{moment}</dcterms:{name}>'
        for name in ("created", "modified")
    )
    told = {
        "dc:title": book.title,
        "dc:creator": book.author,
        "dc:language": book.language.tag,
        "dc:description": book.description,
        "cp:keywords": ", ".join(book.keywords),
    }
    lines = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in told.items() if value)
    return (
        f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{lines}{dates}</cp:coreProperties>'
    )


def _settings(style: WordStyle) -> str:
    book = "<w:mirrorMargins/>" if style == "book" else ""
    hyphens = "<w:autoHyphenation/>" if style == "book" else ""
    even = "<w:evenAndOddHeaders/>" if style == "book" else ""
    return (
        f"{_HEAD}<w:settings {WORD_SPACES}>{book}{hyphens}{even}"
        '<w:footnotePr><w:footnote w:id="-1"/><w:footnote w:id="0"/></w:footnotePr>'
        '<w:compat><w:compatSetting w:name="compatibilityMode" '
        'w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>'
    )


def _footnotes(parts: WordParts) -> str:
    separators = (
        '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
        '<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/>'
        "</w:r></w:p></w:footnote>"
    )
    return f"{_HEAD}<w:footnotes {WORD_SPACES}>{separators}{''.join(parts.notes)}</w:footnotes>"


def _numbering(parts: WordParts) -> str:
    """The lists: each numbered one begins at its own number."""
    marks, numbers = [], []
    for level in range(9):
        place = f'<w:pPr><w:ind w:left="{(level + 1) * 400}" w:hanging="320"/></w:pPr>'
        start = f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/>'
        marks.append(
            f'{start}<w:numFmt w:val="bullet"/><w:lvlText w:val="{"•–"[level % 2]}"/>'
            f'<w:lvlJc w:val="left"/>{place}</w:lvl>'
        )
        numbers.append(
            f'{start}<w:numFmt w:val="decimal"/><w:lvlText w:val="%{level + 1}."/>'
            f'<w:lvlJc w:val="left"/>{place}</w:lvl>'
        )
    lists = []
    for number, start_at in enumerate(parts.lists, start=1):
        begins = "".join(
            f'<w:lvlOverride w:ilvl="{level}"><w:startOverride w:val="{start_at}"/></w:lvlOverride>'
            for level in (range(9) if start_at is not None else ())
        )
        kind = 1 if start_at is None else 2
        lists.append(f'<w:num w:numId="{number}"><w:abstractNumId w:val="{kind}"/>{begins}</w:num>')
    kinds = "".join(
        f'<w:abstractNum w:abstractNumId="{kind}"><w:multiLevelType w:val="hybridMultilevel"/>'
        f"{''.join(levels)}</w:abstractNum>"
        for kind, levels in ((1, marks), (2, numbers))
    )
    return f"{_HEAD}<w:numbering {WORD_SPACES}>{kinds}{''.join(lists)}</w:numbering>"


def _running_heads(book: ExportBook, style: WordStyle) -> dict[str, str]:
    """What stands above and below every page but the first."""
    page = '<w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>'
    title, author = _shown(book.title), _shown(book.author)
    if style == "manuscript":
        names = "".join(f"{one} / " for one in (book.author, book.title) if one)
        heads = {"header1": _shown(names) + page, "header2": _shown(names) + page, "footer1": ""}
    else:
        heads = {"header1": title, "header2": author or title, "footer1": page}
    wrapped = {}
    for name, content in heads.items():
        tag, look = ("ftr", "Footer") if name == "footer1" else ("hdr", "Header")
        wrapped[f"word/{name}.xml"] = (
            f'{_HEAD}<w:{tag} {WORD_SPACES}><w:p><w:pPr><w:pStyle w:val="{look}"/></w:pPr>'
            f"{content}</w:p></w:{tag}>"
        )
    return wrapped


def _shown(words: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(words)}</w:t></w:r>' if words else ""
