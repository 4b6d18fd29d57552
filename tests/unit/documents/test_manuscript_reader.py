"""Manuscripts of every format, with what real programs put into them."""

import io
import zipfile

import pytest
from tests.support.source_files import archive, docx, epub

from libriscribe2.documents.decoding import DocumentError
from libriscribe2.documents.manuscript_reader import Manuscript, read_manuscript

NOTE = (
    '<p>He came<a href="notes.xhtml#n1"><sup>1</sup></a> and <i>went</i>.</p>'
    '<p><img src="pics/map.png" alt="A map"/></p><p>* * *</p><p>Later.</p>'
)


def markdown(text: str) -> Manuscript:
    return read_manuscript("a.md", text.encode())


def test_markdown_stays_as_it_is_but_for_pictures_and_front_matter() -> None:
    found = markdown(
        "---\ntitle: \"A \\\"Book\\\"\"\nauthor: 'O''Hara'\nlang: de\n---\n\n"
        "# One\n\nA *so* text\nof two lines.\n\n- a\n- b\n\n> said\n\n***\n\n![Map](m.png)\n\n"
        "<!-- mine -->\n\nRef[^a].\n\nTwo\n===\n\nb\n\n[^a]: The note.\n"
    )
    assert (found.title, found.author, found.language) == ('A "Book"', "O'Hara", "de")
    assert found.left_out == ("1 picture: Map",)
    assert [one.text for one in found.chapters] == [
        "# One\n\nA *so* text\nof two lines.\n\n- a\n- b\n\n> said\n\n* * *\n\n<!-- mine -->\n\n"
        "Ref[^a].\n\n[^a]: The note.\n",
        "# Two\n\nb\n",
    ]


def test_a_heading_in_a_fence_is_none() -> None:
    found = markdown("# One\n\n```\n# not this\n```\n\n# Two\n\nb\n")
    assert [one.title for one in found.chapters] == ["One", "Two"]


def test_wrapped_text_is_joined_and_verse_is_not() -> None:
    long = "It was a line that a program of old days had wrapped at\nseventy characters or so."
    found = read_manuscript("a.txt", f"Chapter 1\n\n{long}\n\nShort\nas verse\n".encode("cp1252"))
    assert found.chapters[0].text.endswith(f"{long.replace(chr(10), ' ')}\n\nShort\nas verse\n")


def test_an_old_encoding_is_guessed_and_told() -> None:
    found = read_manuscript("a.txt", "Er sagte: „schön“.".encode("cp1252"))
    assert "„schön“" in found.chapters[0].text
    assert "encoding" in found.left_out[0]


def test_the_licence_of_project_gutenberg_is_no_part_of_the_book() -> None:
    body = "Chapter 1\n\na\n\nChapter 2\n\nb"
    mark = "*** {} OF THE PROJECT GUTENBERG EBOOK X ***"
    text = f"Licence\n\n{mark.format('START')}\n\n{body}\n\n{mark.format('END')}\n\nMore licence"
    found = read_manuscript("a.txt", text.encode())
    assert [one.text for one in found.chapters] == ["# Chapter 1\n\na\n", "# Chapter 2\n\nb\n"]


def test_an_epub_with_notes_on_a_page_of_their_own() -> None:
    pages = {
        "cover.xhtml": '<section epub:type="cover"><p>Cover</p></section>',
        "c1.xhtml": f"<h2>One</h2>{NOTE}",
        "c2.xhtml": "<h2>Two</h2><p>End.</p>",
        "notes.xhtml": '<aside id="n1"><p><a href="c1.xhtml#r1">1</a>. By <b>boat</b>.</p></aside>',
    }
    found = read_manuscript("a.epub", epub(pages, title="The Boat"))
    assert found.title == "The Boat"
    assert [one.text for one in found.chapters] == [
        "# One\n\nHe came[^1] and *went*.\n\n* * *\n\nLater.\n\n[^1]: By **boat**.\n",
        "# Two\n\nEnd.\n",
    ]
    assert found.left_out == ("1 picture: A map", "1 page: cover.xhtml")


def test_a_book_of_one_page_with_its_contents_on_it_is_no_frame() -> None:
    contents = '<nav epub:type="toc"><ol><li>One</li></ol></nav>'
    page = f"{contents}<h2>One</h2><p>{'word ' * 1_500}</p><h2>Two</h2><p>End.</p>"
    found = read_manuscript("a.epub", epub({"a.xhtml": page}))
    assert [one.title for one in found.chapters] == ["One", "Two"]


def test_an_epub_with_a_nested_table_of_contents() -> None:
    point = '<navPoint><navLabel><text>{}</text></navLabel><content src="{}"/>{}</navPoint>'
    inner = point.format("Inside", "c1.xhtml#in", "") + point.format("Two", "c2.xhtml", "")
    ncx = (
        '<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "x" "y"><ncx xmlns="z"><navMap>'
        f"{point.format('One', 'c1.xhtml', inner)}</navMap></ncx>"
    )
    pages = {
        "c1.xhtml": '<p class="t">ONE</p><p>a</p><p id="in">Inside</p><p>b</p>',
        "c2.xhtml": "<p>c</p>",
    }
    data = epub(pages)
    source = zipfile.ZipFile(io.BytesIO(data))
    item = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
    package = source.read("OEBPS/content.opf").decode().replace("</manifest>", item)
    members: dict[str, bytes | str] = {one: source.read(one) for one in source.namelist()}
    found = read_manuscript(
        "a.epub", archive({**members, "OEBPS/content.opf": package, "OEBPS/toc.ncx": ncx})
    )
    assert [one.text for one in found.chapters] == ["# One\n\na\n\nInside\n\nb\n", "# Two\n\nc\n"]
    assert found.how == "the table of contents"


def test_an_epub_without_any_heading_has_a_chapter_per_page() -> None:
    pages = {f"p{n}.xhtml": f"<p>Text {n}.</p>" for n in (1, 2)}
    found = read_manuscript("a.epub", epub(pages))
    assert [one.text for one in found.chapters] == ["# 1\n\nText 1.\n", "# 2\n\nText 2.\n"]


def test_lists_quotations_and_breaks_of_markup_are_kept() -> None:
    body = (
        "<h1>A</h1><blockquote><p>Said.</p></blockquote><ol><li>one</li><li><p>two</p><p>on</p></li>"
        "</ol><p>a<br/>b</p><hr/><p><span style='font-style: italic'>so</span></p><h1>B</h1><p>c</p>"
    )
    found = read_manuscript("a.epub", epub({"a.xhtml": body}))
    assert found.chapters[0].text == (
        "# A\n\n> Said.\n\n1. one\n\n2. two\n\n   on\n\na\\\nb\n\n* * *\n\n*so*\n"
    )


def test_word_chapters_come_from_its_headings_and_the_title_from_its_style() -> None:
    styles = (
        '<?xml version="1.0"?><w:styles xmlns:w="http://schemas.openxmlformats.org/'
        'wordprocessingml/2006/main">'
        + "".join(
            f'<w:style w:type="paragraph" w:styleId="{one.replace(" ", "")}"><w:name w:val="{one}"/>'
            "</w:style>"
            for one in ("Title", "heading 1")
        )
        + "</w:styles>"
    )
    paragraphs = [
        *(("Title", "The Boat & *Me*"), ("heading1", "One"), ("", "It came.")),
        *(("", "***"), ("", "Later."), ("heading1", "Two"), ("", "It went.")),
    ]
    found = read_manuscript("a.docx", docx(paragraphs, {"word/styles.xml": styles}))
    assert found.chapters[0].text.endswith("It came.\n\n* * *\n\nLater.\n")
    assert [one.title for one in found.chapters] == ["One", "Two"]
    assert found.title == "The Boat & *Me*"


@pytest.mark.parametrize("member", ["META-INF/rights.xml", "META-INF/license.lcpl"])
def test_a_protected_epub_is_refused(member: str) -> None:
    locked = epub({"a.xhtml": "<p>a</p>"})
    with pytest.raises(DocumentError, match="DRM"):
        read_manuscript("a.epub", with_member(locked, member, "<x/>"))


@pytest.mark.parametrize(
    ("algorithm", "is_refused"),
    [("http://www.w3.org/2001/04/xmlenc#aes128-cbc", True),
     ("http://www.idpf.org/2008/embedding", False)],
)  # fmt: skip
def test_hidden_fonts_are_no_protection(algorithm: str, is_refused: bool) -> None:
    told = f'<encryption><EncryptionMethod Algorithm="{algorithm}"/></encryption>'
    data = with_member(epub({"a.xhtml": "<p>a</p>"}), "META-INF/encryption.xml", told)
    if is_refused:
        with pytest.raises(DocumentError, match="DRM"):
            read_manuscript("a.epub", data)
    else:
        assert len(read_manuscript("a.epub", data).chapters) == 1


@pytest.mark.parametrize(
    ("name", "data", "status"),
    [
        ("a.pdf", b"%PDF-1.4", 415),
        ("a.md", b"\x89PNG\r\n", 415),
        ("a.txt", b"a\0b", 415),
        ("a.md", b"# Only a heading\n", 415),
        ("a.md", b"***\n\n---\n", 415),
        ("a.docx", b"\xd0\xcf\x11\xe0 old", 415),
        ("a.docx", archive({"x": "y"}), 415),
        ("a.epub", b"PK\x03\x04", 415),
        ("a.epub", archive({"mimetype": "application/epub+zip"}), 415),
        ("a.txt", bytes(20 * 2**20 + 1), 413),
        ("a.epub", archive({"META-INF/container.xml": "<a>" + " " * (21 * 2**20)}), 413),
    ],
    ids=lambda value: f"{len(value)} bytes" if isinstance(value, bytes) else str(value),
)  # fmt: skip
def test_what_is_no_manuscript_is_refused(name: str, data: bytes, status: int) -> None:
    with pytest.raises(DocumentError) as caught:
        read_manuscript(name, data)
    assert caught.value.status == status


def with_member(data: bytes, name: str, content: str) -> bytes:
    """An archive with one more member."""

    source = zipfile.ZipFile(io.BytesIO(data))
    members: dict[str, bytes | str] = {one: source.read(one) for one in source.namelist()}
    return archive({**members, name: content})
