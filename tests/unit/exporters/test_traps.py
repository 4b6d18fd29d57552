"""One book with every trap that was found by trying, in every format."""

import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.support.exported import hostile, made, plain
from tests.support.hand_made import ARABIC, CHINESE, HandMade, book_of, png
from tests.support.java import needs_java

from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.formats.epub import check_epub

TRAPS = r"""# One *bold* &amp; "quoted" [^1]

With @keeper and $5 and $6, :smile: and `{=typst}` [^1].
### A level is skipped
* listed without a blank line
---
key: value
---

* * *

1986. A great year

![A "map"](../images/x.png) ![far](https://example.org/x.png) ![none](images/none.png)

<script>alert(1)</script> a<br>b<div onclick="x()">inside</div> &#x1F; &#x202E;

[bad](javascript:alert(1)) [file](../../etc/passwd) [odd](<https://a.example/a b|c%zz#d#e>)
<https://a.example/ok>

::: {.note #same}
fenced {#same}
:::

| a | b |
|---|---|
| 1 | 2 |

```{=typst}
#panic("raw")
```

`#panic("inline")`{=typst} `{=html}<b>`

#

[^1]: A note [^1] that cites [^2].
[^2]: Another [^1].
"""


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> ExportBook:
    """A book with every trap, pictures and all metadata."""
    folder = tmp_path_factory.mktemp("trapped")
    project = HandMade(folder).write("images/x.png", png())
    project.brief(title="*Stars* & <b>", author="A [x] #panic", series="S", series_number=2)
    project.brief(rights="© 2026", publisher="P", language="German")
    texts = (TRAPS, "No heading.\n", "# Three\n\n* * *\n", *map(hostile, range(8)))
    return project.chapters(*texts).read()


@pytest.fixture(scope="module")
def trapped_epub(trapped: ExportBook, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(trapped, tmp_path_factory.mktemp("epub") / "a", "epub")


@pytest.mark.slow
@needs_java
def test_EX_3_a_book_of_traps_is_a_valid_epub(trapped_epub: Path) -> None:
    # The one book that epubcheck sees in the ordinary suite: a run of it takes seconds.
    report = check_epub(trapped_epub)
    assert (report.errors, report.warnings, report.messages) == (0, 0, ())


def test_EX_3_a_book_of_traps_has_its_metadata_and_nothing_alive(trapped_epub: Path) -> None:
    with ZipFile(trapped_epub) as archive:
        package = archive.read("EPUB/content.opf").decode("utf-8")
        nav = archive.read("EPUB/nav.xhtml").decode("utf-8")
        text = archive.read("EPUB/text/ch001.xhtml").decode("utf-8")
        titles = [
            re.findall(r"<title>(.*)</title>", archive.read(name).decode("utf-8"))
            for name in archive.namelist()
            if "/ch0" in name
        ]
    assert "*Stars* &amp; &lt;b&gt;</dc:title>" in package
    assert titles[1:3] == [["Part 2"], ["Three"]]
    assert all(title and not title[0].endswith(".xhtml") for title in titles)
    assert '<meta property="schema:accessMode">visual' in package
    assert "schema:accessibilitySummary" in package
    assert re.search(r'group-position">2<', package)
    assert "<dc:language>de</dc:language>" in package
    assert "Part 2" in nav
    assert "Inhalt" in nav
    assert "alert(1)" in plain(text)
    assert "<script" not in text
    assert 'href="javascript' not in text
    assert "example.org" not in text


def test_EX_2_citations_and_notes_lead_to_their_chapter_and_back(tmp_path: Path) -> None:
    cites = "# A\n\nSo it is.[[1]](cite:1) Noted.[^n] [Nowhere](cite:9)\n\n[^n]: A note.\n"
    book = book_of(tmp_path, cites, "# Sources\n\n[1](source:1) A source.\n")
    with ZipFile(made(book, tmp_path / "a", "epub")) as archive:
        one, two = (archive.read(f"EPUB/text/ch00{n}.xhtml").decode("utf-8") for n in (1, 2))
    assert '<a href="ch002.xhtml#source-1" id="cite-1" role="doc-biblioref">[1]</a>' in one
    assert 'href="ch001.xhtml#cite-1"' in two
    assert "Nowhere</p>" in one
    assert 'epub:type="noteref" role="doc-noteref">1</a>' in one
    assert 'role="doc-backlink">↩</a>' in one


def test_EX_3_a_book_of_traps_is_an_accessible_pdf(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    # Without scripts that no bundled font has: whether they can be set depends on the machine.
    path = made(book_of(tmp_path, TRAPS, "No heading.\n"), tmp_path / "a", "pdf")
    assert path.read_bytes().startswith(b"%PDF-")
    assert b"pdfuaid" in path.read_bytes()


def test_EX_3_a_book_of_traps_is_a_word_file(trapped: ExportBook, tmp_path: Path) -> None:
    with ZipFile(made(trapped, tmp_path / "a", "docx")) as archive:
        text = archive.read("word/document.xml").decode("utf-8")
        styles = archive.read("word/styles.xml").decode("utf-8")
    assert "*Stars*" in text
    assert "TOC" in text
    assert "w:pageBreakBefore" in styles


@pytest.mark.soak
@needs_java
@pytest.mark.parametrize(
    ("text", "language", "sign"),
    [
        (ARABIC, "Arabic", 'page-progression-direction="rtl"'),
        (CHINESE, "中文", "<dc:language>zh"),
    ],
    ids=["arabic", "chinese"],
)
def test_EX_2_books_of_other_scripts_are_valid(
    tmp_path: Path, text: str, language: str, sign: str
) -> None:
    path = made(book_of(tmp_path, text, language=language), tmp_path / "a", "epub")
    report = check_epub(path)
    assert (report.errors, report.warnings, report.messages) == (0, 0, ())
    with ZipFile(path) as archive:
        assert sign in archive.read("EPUB/content.opf").decode("utf-8")


@pytest.mark.soak
@needs_java
def test_EX_3_hostile_chapters_make_a_valid_epub(tmp_path: Path) -> None:
    book = book_of(tmp_path, *(hostile(seed) for seed in range(300)))
    report = check_epub(made(book, tmp_path / "a", "epub"))
    assert (report.errors, report.warnings, report.messages) == (0, 0, ())


@pytest.mark.soak
def test_EX_3_hostile_chapters_make_every_other_format(tmp_path: Path) -> None:
    # Scripts that no bundled font has are left out: whether they can be set depends on the machine.
    texts = (
        re.sub("[\u0600-\u06ff\u4e00-\u9fff\U0001f000-\U0001ffff]", "", hostile(n))
        for n in range(300)
    )
    book = book_of(tmp_path, *texts)
    for name in ("html", "docx", "pdf"):
        assert made(book, tmp_path / name, name).stat().st_size > 50_000
