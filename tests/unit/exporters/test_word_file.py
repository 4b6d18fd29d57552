"""The Word file: two styles, nothing formatted directly, text that stays as it is."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
from lxml import etree
from tests.support.exported import hostile, made
from tests.support.hand_made import ARABIC, CHINESE, HandMade, book_of, png

from libriscribe2.documents.manuscript_reader import read_manuscript
from libriscribe2.exporters.formats.docx import DocxExporter
from libriscribe2.models.brief import Edition

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
TEXT = """# The *Letter*

She unfolded the page that had come with the tide.

> Dear Hester,
> I shall not come back.

Under it stood a song:

The lamp is lit, the lamp is low,
  the tide is at the door.

::: sign
NO ENTRY
:::

He read [THE TIMES]{.smallcaps} and ~~nothing~~ **_more_**[^1] in [a paper](https://a.example/x).

3. three
4. four

   and more of it
   - a mark

```
code   stays
  here
```

| ship | lost |
|---|--:|
| *Anna* | 12 |

![A map](images/x.png)

* * *

The end.[^1]

[^1]: A *note*.
"""


def parts(path: Path) -> dict[str, etree._Element]:
    with ZipFile(path) as archive:
        assert archive.testzip() is None
        return {
            name: etree.fromstring(archive.read(name))
            for name in archive.namelist()
            if name.endswith((".xml", ".rels"))
        }


def styled(body: etree._Element) -> list[tuple[str, str]]:
    """Style and text of every paragraph; `|` for a line break."""
    found = []
    for one in body.iter(f"{WORD}p"):
        style = one.find(f"{WORD}pPr/{WORD}pStyle")
        words = "".join(
            "|" if piece.tag == f"{WORD}br" else piece.text or ""
            for piece in one.iter(f"{WORD}t", f"{WORD}br")
        )
        found.append((style.get(f"{WORD}val"), words))
    return found


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("letter")
    project = HandMade(folder).write("images/x.png", png())
    project.brief(title="The Lantern", author="Mira Okubo", rights="© 2026 Mira Okubo")
    return made(project.chapters(TEXT, "# Two\n\nMore.\n").read(), folder / "a", "docx")


def test_EX_1_lines_letters_signs_lists_and_tables_stay_as_they_are(letter: Path) -> None:
    paragraphs = styled(parts(letter)["word/document.xml"])
    for one in (
        ("Quote", "Dear Hester,|I shall not come back."),
        ("Lines", "The lamp is lit, the lamp is low,|the tide is at the door."),
        ("Sign", "NO ENTRY"),
        ("ListParagraph", "three"),
        ("ListContinue", "and more of it"),
        ("SourceCode", "code   stays|  here"),
        ("TableTextEnd", "12"),
        ("SceneBreak", "* * *"),
        ("FirstParagraph", "The end."),
        ("ImprintFirst", "© 2026 Mira Okubo"),
        ("TOC1", "The Letter"),
        ("TOC1", "Two"),
    ):
        assert one in paragraphs


def test_EX_1_nothing_in_a_word_file_is_formatted_directly(letter: Path) -> None:
    found = parts(letter)
    looks = {style.get(f"{WORD}styleId") for style in found["word/styles.xml"]}
    for name in ("word/document.xml", "word/footnotes.xml", "word/header1.xml"):
        runs = {child.tag for one in found[name].iter(f"{WORD}rPr") for child in one}
        paragraphs = {child.tag for one in found[name].iter(f"{WORD}pPr") for child in one}
        assert runs <= {f"{WORD}rStyle"}
        assert paragraphs <= {f"{WORD}{one}" for one in ("pStyle", "numPr", "sectPr")}
        used = found[name].iter(f"{WORD}rStyle", f"{WORD}pStyle", f"{WORD}tblStyle")
        assert {one.get(f"{WORD}val") for one in used} <= looks
    assert {"Emphasis", "SmallCapitals", "Struck", "StrongEmphasis", "Hyperlink"} <= looks


def test_EX_1_the_manuscript_style_is_standard_manuscript_format(tmp_path: Path) -> None:
    book = HandMade(tmp_path).brief(title="The Lantern", author="Mira Okubo")
    book.chapters("# One\n\n" + "word " * 260 + "\n\n* * *\n\nEnd.\n", "# Two\n\nMore.\n")
    (tmp_path / "a").mkdir()
    edition = Edition(style="manuscript")
    found = parts(made_in(book, tmp_path / "a", edition))
    paragraphs = styled(found["word/document.xml"])
    assert paragraphs[:4] == [
        ("Contact", "Mira Okubo"),
        ("WordCount", "About 300 words"),
        ("Title", "The Lantern"),
        ("Author", "by Mira Okubo"),
    ]
    assert ("SceneBreak", "#") in paragraphs
    assert paragraphs[-1] == ("End", "END")
    head = "".join(found["word/header1.xml"].itertext())
    assert head == "Mira Okubo / The Lantern / 1"
    styles = etree.tostring(found["word/styles.xml"]).decode()
    assert '<w:sz w:val="24"/>' in styles
    body = re.search(r'w:styleId="BodyText".*?</w:style>', styles, re.DOTALL)
    assert body is not None
    assert 'w:line="480"' in body[0]
    assert 'w:firstLine="720"' in body[0]


def made_in(project: HandMade, folder: Path, edition: Edition) -> Path:
    return DocxExporter().export(replace(project.read(), edition=edition), folder)


def test_EX_1_a_word_file_is_read_back_as_it_was_written(letter: Path) -> None:
    found = read_manuscript("a.docx", letter.read_bytes())
    assert [one.title for one in found.chapters] == ["The Letter", "Two"]
    text = found.chapters[0].text
    for piece in (
        "Dear Hester,",
        "* * *",
        "[^1]: A *note*.",
        "The end.",
    ):
        assert piece in text
    assert "Mira Okubo" not in text


@pytest.mark.parametrize(("text", "language"), [(ARABIC, "Arabic"), (CHINESE, "Chinese")])
def test_EX_1_a_word_file_in_another_script_knows_its_language(
    tmp_path: Path, text: str, language: str
) -> None:
    book = book_of(tmp_path, text, language=language)
    first = made(book, tmp_path / "a", "docx").read_bytes()
    assert made(book, tmp_path / "b", "docx").read_bytes() == first
    styles = etree.tostring(parts(tmp_path / "a/book.docx")["word/styles.xml"]).decode()
    assert ("<w:bidi/>" in styles) == (language == "Arabic")
    assert ("SimSun" in styles) == (language == "Chinese")


def test_EX_3_hostile_chapters_make_a_whole_word_file(tmp_path: Path) -> None:
    found = parts(made(book_of(tmp_path, *map(hostile, range(60))), tmp_path / "a", "docx"))
    notes = {one.get(f"{WORD}id") for one in found["word/footnotes.xml"]}
    cited = found["word/document.xml"].iter(f"{WORD}footnoteReference")
    assert {one.get(f"{WORD}id") for one in cited} <= notes
    known = {one.get("Id") for one in found["word/_rels/document.xml.rels"]}
    used = re.findall(
        r'r:(?:id|embed)="(.*?)"', etree.tostring(found["word/document.xml"]).decode()
    )
    assert {*used} <= known


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_EX_1_libreoffice_opens_both_styles(letter: Path, tmp_path: Path) -> None:
    home = f"-env:UserInstallation=file://{tmp_path}/home"
    command = ["soffice", home, "--headless", "--convert-to", "txt:Text", str(letter)]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    text = (tmp_path / "book.txt").read_text(encoding="utf-8-sig")
    assert "The lamp is lit, the lamp is low,\nthe tide is at the door." in text
