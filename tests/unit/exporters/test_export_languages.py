"""Which language an author means, and what follows from it."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.support.exported import made
from tests.support.hand_made import CHINESE, book_of

from libriscribe2.models.languages import Language, language_of


@pytest.mark.parametrize(
    ("said", "tag"),
    [
        ("English", "en"),
        ("british english", "en-GB"),
        ("Brazilian Portuguese", "pt-BR"),
        ("Français", "fr"),
        ("中文", "zh"),
        ("简体中文", "zh-Hans"),
        ("Traditional Chinese", "zh-Hant"),
        ("zh-tw", "zh-TW"),
        ("de_at", "de-AT"),
        ("العربية", "ar"),
        ("Arabic (Egypt)", "ar"),
        ("Latin American Spanish", "es-419"),
        ("Norwegian Nynorsk", "nn"),
        ("Latin", "la"),
        ("Klingon", "und"),
        ("", "und"),
    ],
)
def test_a_name_or_a_tag_is_understood(said: str, tag: str) -> None:
    assert language_of(said).tag == tag


@pytest.mark.parametrize("tag", ["ar", "fa-IR", "he", "ur", "ug", "ckb"])
def test_right_to_left_follows_the_language(tag: str) -> None:
    assert Language(tag).right_to_left
    assert Language(tag).fonts


def test_chinese_fonts_follow_the_script() -> None:
    assert Language("zh").fonts[0] == "Noto Serif CJK SC"
    assert Language("zh-TW").fonts[0] == Language("zh-Hant").fonts[0] == "Noto Serif CJK TC"
    assert Language("ja").fonts[0] == "Noto Serif CJK JP"
    assert Language("zh-TW").contents == "目錄"
    assert all(Language(tag).ideographic for tag in ("zh", "ja", "ko"))


def test_a_language_without_a_word_for_it_has_contents() -> None:
    assert (Language("und").contents, Language("und").fonts) == ("Contents", ())
    assert (Language("pt-BR").contents, Language("pt-BR").region) == ("Índice", "BR")


@pytest.mark.parametrize(("tag", "letters"), [("zh", 2), ("ja", 1)])
def test_all_paragraphs_of_an_ideographic_book_are_indented(
    tag: str, letters: int, tmp_path: Path
) -> None:
    book = book_of(tmp_path, CHINESE, language=tag)
    with ZipFile(made(book, tmp_path / "epub", "epub")) as archive:
        style = archive.read("EPUB/epub.css").decode()
    page = made(book, tmp_path / "html", "html").read_text("utf-8")
    for css in (style, page):
        assert f"text-indent: {letters}em" in css
        assert "hr + p" not in css
    with ZipFile(made(book, tmp_path / "docx", "docx")) as archive:
        styles = archive.read("word/styles.xml").decode()
    assert f'w:firstLine="{letters * 220}"' in styles
