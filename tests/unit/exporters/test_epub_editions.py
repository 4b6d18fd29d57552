"""EPUBs with fonts of their own, with the pages of print; Japanese with readings, from the top."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from fontTools.ttLib import TTFont
from pypdf import PdfReader
from tests.support.cjk_font import needs_cjk_font
from tests.support.exported import made
from tests.support.hand_made import HandMade, book_of, png

from libriscribe2.documents.word_reader import read_changes, read_word
from libriscribe2.errors import ConfigError
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.formats.epub import check_epub
from libriscribe2.models.brief import Edition

pytestmark = pytest.mark.slow

JAPANESE = (
    "# 第一章　燈台《とうだい》\n\n海岸の燈台《とうだい》は｜三十二《さんじゅうに》年前から立っていた。"
    "彼は雑誌《文藝》を読み、《かな》と書いた。\n\n* * *\n\n朝《あさ》には誰もいなかった。\n"
)


def files(epub: Path) -> dict[str, bytes]:
    with ZipFile(epub) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def clean(epub: Path) -> bool:
    report = check_epub(epub)
    assert report.messages == ()
    return report.errors == report.warnings == 0


@pytest.fixture
def japanese(tmp_path: Path) -> ExportBook:
    return book_of(tmp_path / "p", JAPANESE, "# 第二章\n\n海。\n", language="ja")


@needs_cjk_font
def test_EX_4_readings_stand_beside_their_characters(japanese: ExportBook, tmp_path: Path) -> None:
    epub = made(japanese, tmp_path / "a", "epub")
    page = files(epub)["EPUB/text/ch001.xhtml"].decode()
    assert "<ruby>燈台<rp>（</rp><rt>とうだい</rt><rp>）</rp></ruby>は" in page
    assert "<ruby>三十二<rp>（</rp><rt>さんじゅうに</rt>" in page
    assert "雑誌《文藝》を読み、《かな》と" in page  # a title, and no characters before it
    assert "第一章 燈台</a>" in files(epub)["EPUB/nav.xhtml"].decode()
    assert clean(epub)
    text = made(japanese, tmp_path / "b", "txt").read_text("utf-8")
    assert "燈台（とうだい）は三十二（さんじゅうに）年前" in text
    words = PdfReader(made(japanese, tmp_path / "c", "pdf")).pages[-2].extract_text()
    assert "とうだい" in words
    assert "《文藝》" in words
    assert "《とうだい》" not in words


def test_EX_4_readings_in_word_come_back_as_they_were_written(
    japanese: ExportBook, tmp_path: Path
) -> None:
    data = made(japanese, tmp_path / "a", "docx").read_bytes()
    passages = [one.original for one in read_changes("a.docx", data).passages]
    assert any(one.startswith("海岸の燈台は三十二年前") for one in passages)
    assert "｜燈台《とうだい》は｜三十二《さんじゅうに》" in read_word("a.docx", data)[0]


def test_EX_4_japanese_runs_from_top_to_bottom_where_that_is_wanted(
    japanese: ExportBook, tmp_path: Path
) -> None:
    upright = replace(japanese, edition=Edition(vertical=True))
    epub = made(upright, tmp_path / "a", "epub")
    found = files(epub)
    assert b'page-progression-direction="rtl"' in found["EPUB/content.opf"]
    assert b'class="vertical"' in found["EPUB/text/ch001.xhtml"]
    assert b"writing-mode: vertical-rl" in found["EPUB/epub.css"]
    assert clean(epub)
    word = files(made(upright, tmp_path / "b", "docx"))["word/document.xml"]
    assert word.count(b'<w:textDirection w:val="tbRl"/>') == 3
    english = replace(book_of(tmp_path / "q", "# A\n"), edition=Edition(vertical=True))
    assert b"vertical" not in files(made(english, tmp_path / "c", "epub"))["EPUB/text/ch001.xhtml"]


def test_EX_5_a_font_is_embedded_with_the_characters_of_the_book(tmp_path: Path) -> None:
    book = book_of(tmp_path, "# Tide\n\nThe *sea* – “rose”.\n", author="M. Okubo")
    lettered = replace(book, edition=Edition(font="DejaVu Serif"))
    epub = made(lettered, tmp_path / "a", "epub")
    found = files(epub)
    fonts = {name: data for name, data in found.items() if "/fonts/" in name}
    assert fonts
    for data in fonts.values():
        assert len(data) < 60_000
        known = {chr(code) for code in TTFont(io.BytesIO(data)).getBestCmap()}
        assert set("The sea – “rose”.M. Okubo") <= known
        assert "Ж" not in known
    assert (
        b'font-family: "DejaVu Serif"; font-style: normal; font-weight: 400; src: url(fonts/'
        in (found["EPUB/epub.css"])
    )
    assert clean(epub)
    assert made(lettered, tmp_path / "b", "epub").read_bytes() == epub.read_bytes()


def test_EX_5_fonts_of_the_project_come_first_and_a_wrong_name_is_told(tmp_path: Path) -> None:
    system = Path("/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf")
    font = TTFont(system)
    for record in font["name"].names:
        if record.nameID in (1, 4, 6, 16):
            record.string = "HouseFace" if record.nameID == 6 else "House Face"
    written = io.BytesIO()
    font.save(written)
    project = HandMade(tmp_path).brief().write("fonts/house.ttf", written.getvalue())
    book = replace(project.chapters("# A\n\nText.\n").read(), edition=Edition(font="House Face"))
    assert "EPUB/fonts/face-1.ttf" in files(made(book, tmp_path / "a", "epub"))
    page: Any = PdfReader(made(book, tmp_path / "b", "pdf")).pages[-1]
    fonts = page["/Resources"]["/Font"]
    assert any("House" in str(one.get_object()["/BaseFont"]) for one in fonts.values())
    with pytest.raises(ConfigError, match="There is no font 'No Such Face'"):
        made(replace(book, edition=Edition(font="No Such Face")), tmp_path / "c", "epub")
    font["OS/2"].fsType = 2
    font.save(tmp_path / "projects/book/fonts/house.ttf")
    with pytest.raises(ConfigError, match="may not be embedded"):
        made(book, tmp_path / "d", "epub")


def test_EX_5_the_epub_says_where_the_pages_of_the_print_edition_begin(tmp_path: Path) -> None:
    words = ["lamp", "tide", "stone", "wall", "salt", "rope"]
    texts = [
        f"# Chapter {n}\n\n"
        + "\n\n".join(
            f'Mark {n} {k} {" ".join(words[(n * k + m) % 6] for m in range(60 + k % 9))}, "no".[^1]'
            for k in range(14)
        )
        + "\n\n[^1]: A note.\n"
        for n in range(1, 4)
    ]
    book = book_of(tmp_path / "p", *texts)
    paged = replace(book, edition=Edition(page_list=True, trim="5x8"))
    epub = made(paged, tmp_path / "a", "epub")
    found = files(epub)
    (nav,) = re.findall(
        r'<nav epub:type="page-list".*?</nav>', found["EPUB/nav.xhtml"].decode(), re.DOTALL
    )
    listed = re.findall(r'<a href="(text/ch\d+.xhtml)#(page-\d+)">(\d+)</a>', nav)
    numbers = [int(number) for _, _, number in listed]
    assert numbers == [*range(1, numbers[-1] + 1)]
    printed = PdfReader(made(paged, tmp_path / "b", "print"))
    plain = replace(paged, edition=Edition(trim="5x8"))
    assert len(printed.pages) == len(PdfReader(made(plain, tmp_path / "c", "print")).pages)
    first = len(printed.pages) - numbers[-1]
    for name, mark, number in listed:
        page = found[f"EPUB/{name}"].decode()
        after = page[page.index(f'id="{mark}"') :]
        begun = re.search(r"Mark (\d+) (\d+) ", after)
        assert begun is not None
        sheet = printed.pages[first + int(number) - 1].extract_text()
        assert begun[0].strip() in " ".join(sheet.split())
    assert b"pageBreakSource" in found["EPUB/content.opf"]
    assert clean(epub)
    assert b"page-list" not in files(made(plain, tmp_path / "d", "epub"))["EPUB/nav.xhtml"]


def test_EX_5_running_text_has_the_defaults_that_kindle_asks_for(tmp_path: Path) -> None:
    found = files(made(book_of(tmp_path, "# A\n\nText.\n"), tmp_path / "a", "epub"))
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", found["EPUB/epub.css"].decode())
    for selectors, body in rules:
        if {one.strip() for one in selectors.split(",")} & {"body", "p", "html", "section"}:
            assert not re.search(r"line-height|font-size|color|margin(?!: 0;)|padding|align", body)
    alignment = [body for names, body in rules if re.match(r"\s*h[1-6]\b(?! \+)", names)]
    assert len(alignment) == 2
    assert all("text-align" in body for body in alignment)


@pytest.mark.parametrize(
    ("wide", "tall", "told"),
    [
        (600, 960, "the least is 625 x 1000"),
        (1000, 1600, "recommends 1600 x 2560"),
        (1600, 2560, ""),
    ],
)
def test_EX_5_covers_are_held_against_the_rules_of_kindle(
    wide: int, tall: int, told: str, tmp_path: Path
) -> None:
    project = HandMade(tmp_path).write("c.png", png(wide, tall))
    book = project.brief(cover="c.png").chapters("# A\n\nText.\n").read()
    (remark,) = check_epub(made(book, tmp_path / "a", "epub")).kindle or ("",)
    assert (told in remark) == bool(told or not remark)


def test_EX_5_what_stands_behind_the_chapters_is_no_chapter(tmp_path: Path) -> None:
    project = HandMade(tmp_path).brief(series="Tides", series_number="2").chapters("# A\n")
    project.write("acknowledgements.md", "Thanks.").write("also-by.md", "- Salt\n")
    found = files(made(project.read(), tmp_path / "a", "epub"))
    assert b'epub:type="acknowledgments" role="doc-ack' in found["EPUB/text/ch002.xhtml"]
    assert b'<body epub:type="backmatter">' in found["EPUB/text/ch003.xhtml"]
    assert b"doc-chapter" not in found["EPUB/text/ch003.xhtml"]
    assert b'property="group-position">2<' in found["EPUB/content.opf"]
