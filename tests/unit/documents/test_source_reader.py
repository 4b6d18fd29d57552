"""Every kind of file as text with locators, and hostile ones as refusals with a reason."""

import io
import json
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.source_files import archive, docx, epub, pdf

from libriscribe2.documents import source_reader
from libriscribe2.documents.archive import MOST_ENTRIES
from libriscribe2.documents.bibliography import DocumentRecord
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.documents.source_reader import (
    LARGEST_SOURCE,
    SOURCE_ENDINGS,
    SourceText,
    read_pdf,
    read_source,
    read_web_page,
)
from libriscribe2.documents.word_reader import MOST_TAGS

LONG = (
    "Salt was traded along the coast from 1420 on, and a barrel cost 3.5 ducats for most of the "
    "century that followed, whatever the harvest of the pans brought. "
)
ENTITIES = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>'


def refusal(name: str, data: bytes) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        read_source(name, data)
    assert caught.value.message.startswith(name)
    return caught.value


def outcome(name: str, data: bytes) -> SourceText | DocumentError:
    try:
        return read_source(name, data)
    except DocumentError as error:
        return error


@contextmanager
def little_memory(most: int = 150_000_000) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def test_markdown_is_divided_at_its_headings() -> None:
    text = (
        b"Before.\n\n# Salt #\n\nIt was *traded*.\r\n\n```\n# no heading\n```\n\n## 2 Later\n\nEnd."
    )
    reading = read_source("a.md", text)
    assert reading.title == "Salt"
    assert [locator for locator, _ in reading.parts] == ["", "Salt", "2 Later"]
    assert reading.parts[1][1] == "# Salt #\n\nIt was *traded*.\n\n```\n# no heading\n```"


def test_text_stays_as_it_is_without_control_characters() -> None:
    reading = read_source("a.txt", b"One\x1b[31m.\r\n\r\nTwo.\x00"[:-1])
    assert reading.parts == (("", "One[31m.\n\nTwo."),)


def test_a_page_is_its_article() -> None:
    html = (
        "<title>Salt &amp; more</title><nav>Home</nav><script>evil()</script>"
        f"<article><h1>The trade</h1><p>{LONG}</p><h2>Its end</h2><p>{LONG * 2}</p></article>"
        "<footer>Imprint</footer>"
    )
    reading = read_source("a.html", html.encode())
    assert reading.title == "Salt & more"
    text = "\n".join(part for _, part in reading.parts)
    assert LONG.strip() in text
    assert "evil" not in text
    assert "Imprint" not in text
    assert "Its end" in [locator for locator, _ in reading.parts]


def test_a_page_without_an_article_is_what_a_reader_sees() -> None:
    html = (
        b"<body><nav>Home</nav><div style='display: none'>Do as I say.</div><!-- no text -->"
        b"<ul><li>Salt: 3<li>Oil: 4</ul><table><tr><td>a</td><td>b</td></tr></table>x<br>y</body>"
    )
    text = "\n\n".join(part for _, part in read_source("a.htm", html).parts)
    assert text == "Salt: 3\n\nOil: 4\n\na b\n\nx\ny"


def test_a_page_of_any_depth_is_read() -> None:
    html = b"<div>" * 20_000 + b"Deep salt." + b"</div>" * 20_000
    assert read_source("a.html", html).parts == (("", "Deep salt."),)


def test_nothing_of_a_file_reaches_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    read_source("a.html", b"<p>\x1b[31mSalt of the coast.</p>")
    refusal("a.pdf", b"%PDF-1.4\n1 0 obj\n<< /x (\x1b[31m) >>\nstartxref\n9\n%%EOF")
    assert capfd.readouterr() == ("", "")


def test_a_pdf_has_pages() -> None:
    reading = read_source("a.pdf", pdf(["Salt in 1420.", "", "Oil in 1851."], "On salt"))
    assert reading.title == "On salt"
    assert reading.parts == (("page 1", "Salt in 1420."), ("page 3", "Oil in 1851."))
    assert reading.flags == ("pages_without_text",)


def test_a_pdf_of_pictures_says_so() -> None:
    assert "only images" in refusal("a.pdf", pdf(["", ""])).message


def test_a_pdf_with_a_filter_by_its_short_name_is_refused() -> None:
    page = pdf(["SALT"]).replace(b"<< /Length", b"<< /Filter /Fl /Length", 1)
    assert "it is damaged" in refusal("a.pdf", page).message


def test_a_pdf_that_takes_too_long_is_given_up() -> None:
    ticks = iter(range(0, 10_000, 40))
    with pytest.raises(DocumentError) as caught:
        read_pdf("a.pdf", pdf(["Salt."] * 5), clock=lambda: float(next(ticks)))
    assert (caught.value.status, caught.value.details["page"]) == (413, 2)


def test_a_pdf_whose_stream_is_a_bomb_is_refused() -> None:
    packed = zlib.compress(b" " * 120_000_000, 9)
    head = f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode()
    whole = pdf(["SALT"])
    stream = whole[whole.index(b"<< /Length") : whole.index(b"\nendstream")]
    with little_memory():
        error = refusal("a.pdf", whole.replace(stream, head + packed))
    assert error.status == 415


def test_an_epub_is_read_in_the_order_of_its_spine() -> None:
    book = epub(
        {"b.xhtml": "<h1>One</h1><p>Salt.</p>", "a b.xhtml": "<p>Oil &#8212; dear.</p>"}, "Trade"
    )
    reading = read_source("a.epub", book)
    assert reading.title == "Trade"
    assert reading.parts == (("One", "One\n\nSalt."), ("chapter 2", "Oil \u2014 dear."))


def test_a_word_document_is_divided_at_its_headings() -> None:
    document = docx([("", "Before."), ("Heading1", "Salt"), ("", "It was <traded>.")])
    reading = read_source("a.docx", document)
    assert reading.parts == (("", "Before."), ("Salt", "Salt\n\nIt was <traded>."))


def test_what_is_locked_is_refused_and_not_read_as_noise() -> None:
    with zipfile.ZipFile(locked := io.BytesIO(epub({"a.xhtml": "<p>Salt.</p>"})), "a") as target:
        target.writestr("META-INF/rights.xml", "<x/>")
    assert "DRM" in refusal("a.epub", locked.getvalue()).message
    assert "password" in refusal("a.docx", b"\xd0\xcf\x11\xe0 old").message
    assert "not text" in refusal("a.txt", b"{\\rtf1 Salt.}").message


@pytest.mark.parametrize("ending", SOURCE_ENDINGS)
def test_a_file_that_is_not_what_its_ending_says_is_refused(ending: str) -> None:
    other = archive({"a": "b"}) if ending in (".md", ".txt", ".html", ".pdf") else b"%PDF-1.4 no"
    error = refusal(f"a{ending}", other)
    assert (error.status, error.code) == (415, "source_not_readable")
    assert error.details["reason"]


@pytest.mark.parametrize("name", ["a.exe", "a", "a.doc", ".md"])
def test_other_kinds_are_named_as_such(name: str) -> None:
    assert "files of this kind are not read" in refusal(name, b"x").message


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.html"])
@pytest.mark.parametrize("data", [b"", b" \n", b"\x00\x01\x02", b"text\x00text"])
def test_a_file_without_text_is_refused(name: str, data: bytes) -> None:
    assert refusal(name, data).status == 415


@pytest.mark.parametrize("name", ["a.md", "a.pdf", "a.html", "a.epub", "a.docx"])
def test_a_file_that_is_too_large_is_refused_by_its_size(name: str) -> None:
    error = refusal(name, bytes(LARGEST_SOURCE + 1))
    assert (error.status, error.code) == (413, "source_too_large")


@pytest.mark.parametrize(
    ("name", "member"), [("a.epub", "OEBPS/b.xhtml"), ("a.docx", "word/x.xml")]
)
def test_a_zip_bomb_is_refused_by_what_comes_out_of_it(name: str, member: str) -> None:
    whole = epub({"b.xhtml": "<p>x</p>"}) if name == "a.epub" else docx([("", "x")])
    bomb = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(whole)) as old,
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for info in old.infolist():
            if info.filename != member:
                new.writestr(info.filename, old.read(info))
        new.writestr(member, b" " * 60_000_000)
    with little_memory(60_000_000):
        error = refusal(name, bomb.getvalue())
    assert (error.status, error.code) == (413, "source_too_large")


def test_a_member_that_lies_about_its_size_is_refused() -> None:
    data = bytearray(epub({"b.xhtml": f"<p>{LONG * 50}</p>"}))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as whole:
        size = whole.getinfo("OEBPS/b.xhtml").file_size.to_bytes(4, "little")
    at = data.rindex(size)
    data[at : at + 4] = (20).to_bytes(4, "little")
    assert refusal("a.epub", bytes(data)).status == 415


def test_a_document_of_too_many_tags_is_refused_before_it_is_read() -> None:
    tags = "".join(f"<w{number * 7919 % 1_000_003}/>" for number in range(MOST_TAGS + 1))
    many = docx([("", "x")], {"word/styles.xml": tags})
    assert "tags" in refusal("a.docx", many).message


def test_an_archive_of_too_many_members_is_refused() -> None:
    many = archive({f"m{number}": "" for number in range(MOST_ENTRIES + 1)})
    assert refusal("a.docx", many).status == 413


def test_members_that_lead_out_of_the_archive_lead_nowhere() -> None:
    book = epub({"../../../etc/x.xhtml": "<p>Salt of the coast.</p>"})
    # The package names a member of the archive, whatever its name looks like.
    with pytest.raises(DocumentError, match="no text"):
        read_source("a.epub", book)


@pytest.mark.parametrize(
    "data",
    [
        epub({"a.xhtml": "<p>Salt.</p>"}, "&c;", ENTITIES.replace("x [", "package [")),
        docx([("", "x")], {"word/styles.xml": f"{ENTITIES}<x>&b;</x>"}),
        docx([("", "x")], {"word/document.xml": f"{ENTITIES}<x>&c;</x>"}),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_entities_are_refused(data: bytes) -> None:
    name = "a.epub" if b"OEBPS" in data else "a.docx"
    assert refusal(name, data).status == 415


def test_entities_of_a_page_stay_unread() -> None:
    reading = read_source(
        "a.xhtml", f"{ENTITIES}<html><body><p>Salt &c; oil</p></body></html>".encode()
    )
    assert "root:" not in str(reading.parts)


@pytest.mark.parametrize(
    ("kind", "data"),
    [("text/plain", b"Salt."), ("text/markdown", b"# S\n\nx"), ("application/pdf", pdf(["Salt."]))],
)
def test_a_page_is_read_by_its_type(kind: str, data: bytes) -> None:
    assert read_web_page("http://salt.example/x", data, kind).parts


def damage(make: Callable[[], bytes]) -> st.SearchStrategy[bytes]:
    whole = make()
    cut = st.integers(0, len(whole)).map(lambda end: whole[:end])
    put = st.tuples(st.integers(0, len(whole) - 1), st.binary(min_size=1, max_size=8))
    return cut | put.map(lambda at: whole[: at[0]] + at[1] + whole[at[0] + len(at[1]) :])


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.pdf", lambda: pdf(["Salt in 1420.", "Oil."], "T")),
        ("a.epub", lambda: epub({"b.xhtml": "<p>Salt.</p>"})),
        ("a.docx", lambda: docx([("Heading1", "Salt"), ("", "x")])),
        ("a.html", lambda: b"<html><body><p>Salt</p><ul><li>x</ul></body></html>"),
    ],
)
def test_a_damaged_file_is_read_or_refused_with_a_reason(
    name: str, make: Callable[[], bytes]
) -> None:
    @given(damage(make))
    @settings(max_examples=40, deadline=None)
    def check(data: bytes) -> None:
        found = outcome(name, data)
        if isinstance(found, DocumentError):
            assert found.status in (413, 415)
        else:
            assert any(text.strip() for _, text in found.parts)

    check()


WRAPPED = """<!doctype html><html><head><title>Site | Manual</title>
<meta name="citation_title" content="The Manual"><meta name="author" content="Ada Miller; Bo Lund">
<link rel="canonical" href="https://yard.example/manual"><meta property="og:site_name" content="The Yard"><meta name="date" content="2019-03-02T10:00">
</head><body><nav>Home About</nav><h1>Manual</h1><p>{first}</p><h2>2. Recovering data</h2>
<p>{second}</p><pre>tool -x</pre></body></html>"""
LINES = "\n".join(
    ["The tool writes its blocks one", "behind the other, and each of them", "stands alone."] * 4
)


def test_XC_07_a_hard_wrapped_page_is_read_as_its_paragraphs_and_headings() -> None:
    page = WRAPPED.format(first=LINES, second=LINES.replace("tool", "<code>tool</code>"))
    found = read_source("manual.html", page.encode())
    assert [heading for heading, _ in found.parts] == ["Manual", "2. Recovering data"]
    texts = [text.split("\n\n") for _, text in found.parts]
    assert [len(one) for one in texts] == [2, 3]
    assert texts[1][1] == " ".join(LINES.split())
    assert found.title == "The Manual"
    assert found.record.authors == ("Ada Miller", "Bo Lund")
    assert (found.record.date, found.record.publisher) == ("2019-03-02", "The Yard")
    assert found.record.address == "https://yard.example/manual"


def test_a_page_says_who_wrote_it_in_json_ld() -> None:
    thing = {
        "@graph": [
            {"@type": "WebSite", "name": "Site"},
            {
                "@type": "Article",
                "headline": "On salt",
                "datePublished": "2021-05",
                "author": [
                    {"@type": "Person", "name": "Ada Miller"},
                    {"@type": "Organization", "name": "Salt Board"},
                ],
                "publisher": {"name": "Coast Press"},
            },
        ]
    }
    script = f'<script type="application/ld+json">{json.dumps(thing)}</script>'
    page = f"<html><head><title>x</title>{script}</head><body><p>{LINES}</p></body></html>"
    assert read_source("a.html", page.encode()).record == DocumentRecord(
        "On salt", ("Ada Miller", "{Salt Board}"), "2021-05", "Coast Press"
    )
    broken = page.replace(json.dumps(thing), '{"author": [')
    assert read_source("a.html", broken.encode()).record.authors == ()


def test_a_word_document_says_who_wrote_it() -> None:
    core = (
        '<cp:coreProperties xmlns:cp="p" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Salt Questions</dc:title>'
        "<dc:creator>Ada Miller, Bo Lund</dc:creator><dcterms:created>2018-01-01</dcterms:created>"
        "</cp:coreProperties>"
    )
    extra = {"docProps/core.xml": core}
    found = read_source("a.docx", docx([("", "Written in 2018."), ("Heading1", "Q")], extra))
    assert found.title == "Salt Questions"
    assert found.record.authors == ("Ada Miller", "Bo Lund")
    assert found.record.date == "2018"
    undated = read_source("a.docx", docx([("", "Written once.")], extra))
    assert undated.record.date == ""  # the file may have been converted in that year


def test_a_text_that_sets_its_body_in_has_headings() -> None:
    text = (
        "News of the tool\n\nRelease 2\n\n  It is faster.\n  And smaller.\n\nRelease 1\n  Begun.\n"
    )
    found = read_source("news.txt", text.encode())
    assert [heading for heading, _ in found.parts] == ["", "Release 2", "Release 1"]
    assert found.title == "News of the tool"
    plain = read_source("a.txt", b"One line.\n\nAnother line\n\n  set in.\n")
    assert [heading for heading, _ in plain.parts] == [""]
    assert plain.title == ""


def places(name: str, text: str) -> list[str]:
    return [heading for heading, _ in read_source(name, text.encode()).parts]


def test_lines_that_stand_alone_in_a_text_are_its_headings() -> None:
    body = "The salt was traded over the pass\nand along the coast.\n\nNobody weighed it.\n"
    apart = f"Of salt\n\n{body}\n\nSweden\n\n{body}\n\nFrance\n\n{body}"
    assert places("a.txt", apart) == ["", "Sweden", "France"]
    numbered = f"1. Salt\n\n{body}\n1.1 Its price\n\n{body}\n2. Oil\n\n{body}"
    assert places("a.txt", numbered) == ["1. Salt", "1.1 Its price", "2. Oil"]
    assert read_source("a.txt", numbered.encode()).title == ""
    capitals = f"SALT\n{body}\nOIL\n{body}"
    assert places("a.txt", capitals) == ["SALT", "OIL"]
    years = f"1955 in October\n\n{body}\n2007 in March\n\n{body}"
    assert places("a.txt", years) == [""]
    assert places("a.txt", f"Once only\n\n{body}\n\nApart\n\n{body}") == [""]
    verse = "\n\n\n".join(f"Line of {word}" for word in ("salt", "oil", "tin", "wool"))
    assert places("a.txt", verse) == [""]


def test_a_file_whose_lines_are_all_remarks_is_read_without_their_marks() -> None:
    lines = ["SALT", "It was traded over", "the pass.", "", "OIL", "It came", "by sea.", ""] * 3
    remarks = "\n".join(f"#\t{line}" for line in lines)
    found = read_source("salt.txt", remarks.encode())
    assert [heading for heading, _ in found.parts] == ["SALT", "OIL"] * 3
    assert found.parts[0][1] == "SALT\nIt was traded over\nthe pass."


def test_a_by_line_is_no_section_and_names_the_author() -> None:
    pytest.importorskip("trafilatura")
    rows = "".join(
        f"<p>Row {n} tells what was traded, and where, and by whom.</p>" for n in range(99)
    )
    page = f"<html><head><title>Salt</title></head><body><h1>Salt</h1><h2>by Ada Miller</h2>{rows}"
    found = read_source("salt.html", page.encode())
    assert {heading for heading, _ in found.parts} == {""}
    assert found.record.authors == ("Ada Miller",)
    classes = '<h1>Salt</h1><h3 class="author"><b>Ada</b> Miller</h3><p>Long ago.</p>'
    quoting = classes + '<p class="author">A Reader</p>'
    assert read_source("a.html", quoting.encode()).record.authors == ("Ada Miller",)


def test_fields_above_a_text_tell_its_authors_and_its_date() -> None:
    head = (
        "Salt roads\n\nTitle: Salt roads Author: Ada Miller <ada@sea.example>, Bo Lund "
        "Status: Final Created: 02-Aug-2015\n\nAbstract: none.\n\nIt was traded."
    )
    found = read_source("a.docx", docx([("", one) for one in head.split("\n\n")]))
    assert found.record.authors == ("Ada Miller", "Bo Lund")
    assert found.record.date == "2015-08-02"
    letter = "From: Ada Miller Subject: Salt Date: 3 May 1999\n\nIt was traded."
    assert read_source("a.txt", letter.encode()).record.date == ""


def test_a_file_of_a_book_without_headings_is_divided_at_numbered_lines() -> None:
    asked = "".join(f"<p>{n}. Is salt {n}?</p><p>Yes.</p><p>It is.</p>" for n in range(1, 9))
    found = read_source("a.epub", epub({"a.xhtml": f"<p>Of salt.</p>{asked}"}))
    assert [heading for heading, _ in found.parts] == [
        "chapter 1",
        *(f"{n}. Is salt {n}?" for n in range(1, 9)),
    ]


def test_a_markdown_text_is_called_by_its_first_line_and_not_by_a_later_part() -> None:
    assert read_source("a.md", b"It is salt.\n\n## Prices\n\nHigh.").title == ""
    assert read_source("a.md", b"It is salt.\n\n# Salt\n\nHigh.").title == "Salt"


def test_a_manual_page_is_called_by_its_header() -> None:
    page = b"SALT(1)\t\tUser Commands\t\tSALT(1)\nNAME\n       salt - trade\n"
    assert read_source("salt.txt", page).title == ""
    alone = page.replace(b"NAME", b"\nNAME")
    assert read_source("salt.txt", alone).title == "SALT(1) User Commands"


def test_a_pdf_without_a_title_is_called_by_what_stands_largest_on_its_first_page() -> None:
    lines = "No. 7) Tj 0 -40 Td /F1 24 Tf (Salt and light) Tj 0 -40 Td /F1 12 Tf (By the sea."
    assert read_source("a.pdf", pdf([lines, "More."])).title == "Salt and light"
    assert read_source("a.pdf", pdf(["One line) Tj 0 -40 Td (and another"])).title == ""


def test_without_the_extra_a_web_page_is_read_whole_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = " ".join(["The lamp was lit in 1811 and burned whale oil."] * 8)
    page = f"<body><div>Home News</div><article><p>{text}</p></article></body>".encode()
    monkeypatch.setattr(source_reader, "find_spec", lambda _name: None)
    reading = read_source("page.html", page)
    assert reading.flags == ("whole_page",)
    told = " ".join(part for _, part in reading.parts)
    assert "Home News" in told
    assert "burned whale oil" in told
