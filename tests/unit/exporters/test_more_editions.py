"""Plain text, a page for each chapter, a script for an audiobook."""

import json
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from lxml import etree
from tests.support.exported import hostile, made
from tests.support.hand_made import HandMade, book_of

TEXT = """# The *Letter*

Hester said "no"[^1] & **left**.

Roses are red
and so is the sea.

1. first
2. second
   - deeper

| a | b |
|---|---|
| 1 | 2 |

* * *

`x < y`

[^1]: To *him*.
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> HandMade:
    found = HandMade(tmp_path_factory.mktemp("book")).brief(title="The Lantern", author="M. Okubo")
    found.write("pronunciations.md", "- Hester: /ˈhɛstə/\n- no sound\n")
    return found.chapters(TEXT, "# Two\n\nMore.\n")


def test_EX_8_plain_text_has_no_marks_and_loses_nothing(project: HandMade, tmp_path: Path) -> None:
    text = made(project.read(), tmp_path / "a", "txt").read_text("utf-8")
    assert text.startswith("The Lantern\nM. Okubo\n\n\n\nThe Letter\n\n")
    assert "Hester said “no”[1] & left.\n\nRoses are red\nand so is the sea.\n\n" in text
    assert (
        "1. first\n\n2. second\n\n- deeper\n\na\tb\n\n1\t2\n\n* * *\n\nx < y\n\n[1] To him." in text
    )
    assert text.endswith("Two\n\nMore.\n")


def test_EX_8_each_chapter_has_a_page_of_its_own(project: HandMade, tmp_path: Path) -> None:
    path = made(project.read(), tmp_path / "a", "serial")
    with ZipFile(path) as archive:
        pages = {name: archive.read(name).decode() for name in archive.namelist()}
    assert [*pages] == ["book-001.html", "book-002.html"]
    assert "Hester said" in pages["book-001.html"]
    assert "More." not in pages["book-001.html"]
    assert made(project.read(), tmp_path / "b", "chapters").read_bytes() == path.read_bytes()


def test_EX_8_an_audiobook_says_names_as_the_author_does(project: HandMade, tmp_path: Path) -> None:
    with ZipFile(made(project.read(), tmp_path / "a", "audio")) as archive:
        script = archive.read("book-001.ssml").decode()
    assert '<phoneme alphabet="ipa" ph="ˈhɛstə">Hester</phoneme> said “no” &amp; <emph' in script
    assert (
        '<p>The <emphasis level="moderate">Letter</emphasis></p>\n<break time="1500ms"/>' in script
    )
    assert 'red<break time="300ms"/>and' in script
    assert '<break time="2s"/>' in script
    assert "x &lt; y" in script


SPOKEN = """# One

"No," said Hester Vane. "I *will* not go."

Tom turned. "Why?" he asked her.

Hester said, "Because of that." And Vane's brother laughed: "Ha," said Vane's brother.

"Go!" cried Tom, and "stay," said Hester.

"What now?" Tom went out. "Nobody," she told Tom.

„Nein“, sagte Hester. «Non», dit Tom. "Both," said Hester and Tom.
"""


def test_EX_8_a_quotation_has_the_voice_of_whom_its_clause_names(tmp_path: Path) -> None:
    project = HandMade(tmp_path).brief().chapters(SPOKEN)
    told = {"name": "Hester Vane", "role": "keeper", "background": "Hester /ˈhɛstə/ keeps it."}
    people = [told, {"name": "Tom Ash", "role": "boy"}]
    book = project.write("characters.json", json.dumps({"characters": people})).read()
    with ZipFile(made(book, tmp_path / "a", "audio")) as archive:
        script = archive.read("book-001.ssml")
        cast = archive.read("book-cast.tsv").decode()
    voices = re.findall(
        r'<voice name="([\w-]+)" required="name"[^>]*>(.*?)</voice>', script.decode()
    )
    assert voices == [
        ("Hester-Vane", "“No,”"),
        ("Hester-Vane", '“I <emphasis level="moderate">will</emphasis> not go.”'),
        ("Hester-Vane", "“Because of that.”"),
        ("Tom-Ash", "“Go!”"),
        ("Hester-Vane", "“stay,”"),
        ("Hester-Vane", "„Nein“"),
        ("Tom-Ash", "«Non»"),
    ]
    assert 'ph="ˈhɛstə">Hester</phoneme> said' in script.decode()
    assert cast.splitlines()[1:] == [
        "narrator\t\t\t5",
        "Hester-Vane\tHester Vane\t\t5",
        "Tom-Ash\tTom Ash\t\t2",
    ]
    check_ssml(script)


SSML = {
    "speak": ({"p", "break"}, {"version", "{http://www.w3.org/XML/1998/namespace}lang"}),
    "p": ({"break", "emphasis", "phoneme", "sub", "voice"}, set[str]()),
    "voice": ({"break", "emphasis", "phoneme", "sub"}, {"name", "required", "onvoicefailure"}),
    "emphasis": ({"break", "emphasis", "phoneme", "sub", "voice"}, {"level"}),
    "phoneme": (set[str](), {"alphabet", "ph"}),
    "sub": (set[str](), {"alias"}),
    "break": (set[str](), {"time"}),
}
"""Of SSML 1.1: elements, what may stand in them, and the attributes that scripts use."""


def check_ssml(script: bytes) -> None:
    root = etree.fromstring(script)
    assert root.get("version") == "1.1"
    for one in root.iter(etree.Element):
        space, _, name = str(one.tag).removeprefix("{").partition("}")
        below, attributes = SSML[name]
        assert space == "http://www.w3.org/2001/10/synthesis"
        assert {str(child.tag).partition("}")[2] for child in one} <= below
        assert {*one.attrib} <= attributes
        assert " " not in str(one.get("name", ""))
        assert name != "break" or re.fullmatch(r"\d+m?s", str(one.get("time")))


def test_EX_8_hostile_chapters_make_whole_scripts_and_pages(tmp_path: Path) -> None:
    book = book_of(tmp_path, *map(hostile, range(30)))
    with ZipFile(made(book, tmp_path / "a", "audio")) as archive:
        for name in archive.namelist():
            if name.endswith(".ssml"):
                check_ssml(archive.read(name))
    text = made(book, tmp_path / "b", "txt").read_text("utf-8")
    assert not re.search("[\x00-\x08\x0b]", text)
