"""Every trap that was found by trying, through pandoc: one book with all of them, and one each."""

import random
import re
from html.parser import HTMLParser
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.support.hand_made import ARABIC, CHINESE, HandMade, book_of, png
from tests.support.java import needs_java

from libriscribe2.errors import ConfigError, ProjectError
from libriscribe2.exporters.catalog import exporters_for
from libriscribe2.exporters.culprit import convert
from libriscribe2.exporters.epub_check import check_epub
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.pandoc import Pandoc, PandocError
from libriscribe2.exporters.staging import stage
from libriscribe2.exporters.typesetting import Job, cover_picture, typeset
from libriscribe2.exporters.word_styles import write_reference

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


def made(book: ExportBook, folder: Path, name: str) -> Path:
    """The book in one format."""
    folder.mkdir()
    (exporter,) = exporters_for((name,))
    return exporter.export(book, folder)


def converted(folder: Path, text: str, writer: str = "html") -> str:
    """What pandoc makes of a chapter."""
    book = book_of(folder, text)
    staging = folder / "staging"
    staging.mkdir()
    options = ("--to", writer, "--output", "out.txt")
    convert(Pandoc(), book, staging, stage(book, staging), options)
    return (staging / "out.txt").read_text(encoding="utf-8")


class _Words(HTMLParser):
    """Collects the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def plain(markup: str) -> str:
    """The text that a reader sees."""
    reader = _Words()
    reader.feed(markup)
    return " ".join("".join(reader.pieces).split())


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
    assert "*Stars* &amp; &lt;b&gt;</dc:title>" in package
    assert '<meta property="schema:accessMode">visual' in package
    assert "schema:accessibilitySummary" in package
    assert re.search(r'group-position">2<', package)
    assert "<dc:language>de</dc:language>" in package
    assert "Part 2" in nav
    assert "Inhalt" in nav
    assert "alert(1)" in plain(text)
    assert "<script" not in text
    assert "javascript:" not in text
    assert "example.org" not in text


def test_EX_3_a_book_of_traps_is_an_accessible_pdf(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("# A\n\nHi @keeper.\n", "A Hi @keeper."),
        ("# A\n\n---\nkey: value\n---\n", "A key: value"),
        ("# A\n\n1986. A great year\n", "A A great year"),
        ("# A\n\nIt is $5 and $6 :smile: here\n", "A It is $5 and $6 :smile: here"),
        ("# A\n\na<br>b <b>c</b> <script>d</script>\n", "A a b c d"),
        ("# A\n\n<center>\n  b *c*\n</center>\n\n<!-- d -->\n\n<p>e</p>\n", "A b c e"),
        ("# A\n\n![alt](https://example.org/x.png)\n", "A [alt]"),
        ("# A\n\n&#x1F;&#x202E;&#xFFFE;x\n", "A x"),
    ],
)
def test_EX_3_what_is_written_is_what_is_read(tmp_path: Path, text: str, seen: str) -> None:
    assert plain(converted(tmp_path, text)) == seen


def test_EX_3_marks_without_a_blank_line_before_are_read(tmp_path: Path) -> None:
    html = converted(tmp_path, "# A\ntext\n## B\ntext\n- item\n\n* * *\n\n1986. Year\n")
    assert "<h2>B</h2>" in html
    assert "<li>item</li>" in html
    assert "<hr" in html
    assert 'start="1986"' in html


def test_EX_3_no_level_of_headings_is_skipped_and_no_id_is_the_texts(tmp_path: Path) -> None:
    html = converted(tmp_path, "# A\n\n#### B {#same}\n\n##### C\n\n## D\n\n#\n\n## \n")
    assert re.findall(r"<h(\d)", html) == ["1", "2", "3", "2"]
    assert 'id="same"' not in html


def test_EX_3_lists_and_quotations_are_nested_only_so_deep(tmp_path: Path) -> None:
    deep = "# A\n\n" + "> " * 300 + "deep\n\n" + "".join("  " * n + "- x\n" for n in range(100))
    html = converted(tmp_path, deep)
    assert html.count("<blockquote>") == 12
    assert html.count("<ul>") <= 24
    assert html.count("x</") + html.count("x\n") >= 100


def test_EX_3_a_picture_has_its_alternative_text_in_typst(tmp_path: Path) -> None:
    HandMade(tmp_path).write("images/a b.png", png())
    text = converted(tmp_path, '# A\n\n![a "b" \\\\](../images/a%20b.png)\n', "typst")
    assert r'#picture("picture-1.png", "a “b” \\")' in text


def test_EX_3_the_line_up_to_which_pandoc_fails_is_found(tmp_path: Path) -> None:
    script = tmp_path / "pandoc"
    fails = 'for last; do :; done\nif grep -q BAD "$last"; then echo a fault >&2; exit 1; fi\n'
    script.write_text(f"#!/bin/sh\n{fails}", encoding="utf-8")
    script.chmod(0o700)
    lines = [f"line {number}" for number in range(2, 40)]
    bad = "\n".join([*lines[:20], "BAD", *lines[20:]])
    book = book_of(tmp_path, "# A\n\nfine\n", f"# B\n{bad}\n", bad)
    staging = tmp_path / "staging"
    staging.mkdir()
    with pytest.raises(ProjectError) as caught:
        convert(Pandoc(script), book, staging, stage(book, staging), ("--to", "html"))
    assert caught.value.why == "chapters/02.md, line 22: a fault"


def test_EX_3_a_pandoc_that_does_not_work_is_told(tmp_path: Path) -> None:
    script = tmp_path / "pandoc"
    script.write_text("#!/bin/sh\necho broken >&2\nexit 1\n", encoding="utf-8")
    script.chmod(0o700)
    with pytest.raises(ConfigError, match="pandoc does not work") as caught:
        write_reference(script, tmp_path / "reference.docx")
    assert caught.value.why == "broken"


@pytest.mark.soak
def test_EX_3_a_chapter_that_pandoc_cannot_read_is_named_with_its_line(tmp_path: Path) -> None:
    # The prepass takes the cause away, so the text is put past it.
    book = book_of(tmp_path, "# A\n\nfine\n", "# B\n\nfine\n")
    staging = tmp_path / "staging"
    staging.mkdir()
    circle = "# B\n\nsee [^1]\n\n[^1]: text [^1]\n\nmore\n"
    bad = type(book.parts[1])("chapters/02.md", "B", circle)
    hostile = type(book)(
        book.name, book.title, book.language, book.identifier, 0, (book.parts[0], bad)
    )
    with pytest.raises(ProjectError) as caught:
        convert(
            Pandoc(megabytes=40),
            hostile,
            staging,
            stage(hostile, staging),
            ("--to", "html", "--output", "x"),
        )
    assert "chapters/02.md, line 5" in caught.value.why
    assert "40 MiB" in caught.value.why


def test_EX_3_a_conversion_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    book = book_of(tmp_path, "# A\n")
    staging = tmp_path / "staging"
    staging.mkdir()
    names = stage(book, staging)
    (staging / names[0]).write_text("see [^1]\n\n[^1]: text [^1]\n", encoding="utf-8")
    with pytest.raises(PandocError, match="longer than 1 seconds"):
        Pandoc(megabytes=4000).run(staging, names, ("--to", "html"), seconds=1)


@pytest.mark.parametrize("name", ["html", "epub", "docx", "pdf"])
def test_EX_3_a_paragraph_of_two_megabytes_is_named_at_once(tmp_path: Path, name: str) -> None:
    book = book_of(tmp_path, "# A\n\nfine\n", "No heading.\n\n" + "word and more. " * 140_000)
    with pytest.raises(ProjectError, match=r"chapters/02\.md") as caught:
        made(book, tmp_path / "a", name)
    assert "line 3" in caught.value.why


def test_EX_2_a_missing_letter_is_named_and_no_box_is_printed(tmp_path: Path) -> None:
    book = book_of(tmp_path, "# A\n\nfine\n\nHere 中 is\n")
    staging = tmp_path / "staging"
    staging.mkdir()
    names = stage(book, staging)
    convert(Pandoc(), book, staging, names, ("--to", "typst", "--output", "body.typ"))
    cover, jobs = cover_picture(book, staging)
    job = Job("book.typ", "book.pdf", accessible=True)
    with pytest.raises(ConfigError, match=r"'中' \(U\+4E2D CJK") as caught:
        typeset(book, staging, [*jobs, job], cover=cover, system_fonts=False)
    assert "chapters/01.md, line 5" in caught.value.why
    assert "fonts-noto-cjk" in caught.value.fix


def test_EX_2_a_missing_letter_of_the_title_is_found_on_the_cover(tmp_path: Path) -> None:
    book = HandMade(tmp_path).brief(title="中").chapters("# A\n").read()
    staging = tmp_path / "staging"
    staging.mkdir()
    with pytest.raises(ConfigError, match="U\\+4E2D") as caught:
        typeset(book, staging, cover_picture(book, staging)[1], system_fonts=False)
    assert "title page" in caught.value.why


PIECES = (
    *("[^1]", "[^2]", "\n\n[^1]: see [^2] [^1]\n\n", "\n\n[^2]: x [^1]\n\n", "@key ", "$x$ "),
    *("<br>", "<script>", "</div>", "<a href=x>", "![i](x.png)", "![](//h/x)", "[l](j:x)", "\n"),
    *("[l](https://h/a b)", "<https://h/%%#a#b>", "{#id}", "{.c}", "::: {#id}\n", ":::\n", "***"),
    *("\n\n---\n\n", "\n\n* * *\n\n", "\n# \n", "\n# H\n", "\n### H\n", "\n- a\n  - b\n", "\n> "),
    *("\n```\n", "`", "``", "|a|b|\n|-|-|\n|1|2|\n", "&#0;", "&lrm;", "&#xD800;", "\x00", "\x0b"),
    *(
        "\u202e",
        "\u200f",
        "العربية ",
        "中文",
        "🧑‍🚀",
        "\n1986. y\n",
        "~~s~~",
        "**b",
        "*i",
        "\\",
        "  \n",
    ),
)
WORDS = ("tide", "lamp", "said,", '"no"', "--", "...", "it's", "1986", "*loud*", "café")


def hostile(seed: int) -> str:
    """A chapter that a hostile hand might have written."""
    dice = random.Random(seed)  # noqa: S311 - the same chapters every time
    count = dice.randint(20, 120)
    body = (
        dice.choice(PIECES) if dice.random() < 0.6 else dice.choice(WORDS) + " "
        for _ in range(count)
    )
    return f"# Chapter {seed}\n\n" + "".join(body)


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
