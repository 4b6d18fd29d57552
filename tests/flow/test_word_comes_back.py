"""A Word file that an editor changed comes back: `import --back`."""

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from tests.support.desk import Desk
from tests.support.hand_made import HandMade
from tests.support.recorded_books import played
from tests.support.word_editor import KINDS, PROGRAMS, WordEditor

from libriscribe2.documents.word_changes import read_changes
from libriscribe2.exporters.book_markdown import plain_blocks

PYTHON = "/usr/bin/python3"
TEXT = """# One

It was *late*, and the "lamp" -- hers -- stood in the window...

> Dear H.,
> I shall not come back.

The tide came [^1] in over the stones as it had every evening, and **nobody** saw it.

- milk
- two lamps

* * *

She put the key down.

Nobody saw it.

[^1]: A note.
"""


def read(book: Path) -> list[str]:
    """The text of all chapters as a reader sees it."""
    chapters = sorted((book / "chapters").glob("*.md"))
    return [
        " ".join(block.text.split())
        for path in chapters
        for block in plain_blocks(path.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("program", PROGRAMS)
def test_EX_7_two_hundred_edits_of_ten_kinds_arrive_and_nothing_beside_them(
    tmp_path: Path, program: str
) -> None:
    desk = Desk(tmp_path / "desk")
    played(desk, "locked-key")
    book = desk.project("locked-key")
    desk.run("export", "locked-key", "docx", "-o", str(tmp_path))
    before = {path.name: path.read_text("utf-8") for path in (book.root / "chapters").iterdir()}
    editor = WordEditor(tmp_path / "locked-key.docx", 7, program)
    untouched = [" ".join(one.split()) for one in read(book.root)]
    assert [one for one in editor.text() if " ".join(one.split()) not in untouched] == []
    places = range(0, len(editor.paragraphs) - 2, 2)
    done = len(places)
    for number, place in enumerate(places):
        editor.edit(KINDS[number % len(KINDS)], place)
    assert done > 70  # with each of the three programs
    edited = editor.save(tmp_path / "edited.docx")
    document = read_changes("edited.docx", edited.read_bytes())
    rejected = [" ".join(one.original.split()) for one in document.passages]
    assert [one for one in untouched if one not in " ".join(rejected)] == []
    found = desk.run("import", "locked-key", "--back", str(edited), "--json", "--yes").value
    assert (found["unplaced"], found["untracked"]) == ([], 0)
    assert found["changes"] == sum(1 for n in range(done) if n % 10 != KINDS.index("comment"))
    assert [one["note"].partition(": ")[2] for one in found["notes"]] == [
        f"{text} (Ed)" for text in editor.comments()
    ]
    text = "\n".join(read(book.root))
    lost = [one for one in editor.text() if " ".join(one.split()) not in text]
    assert lost == []
    # What no editor touched stands as it stood, byte for byte.
    kept = 0
    for name, old in before.items():
        new = (book.root / "chapters" / name).read_text("utf-8")
        paragraphs = old.split("\n\n")
        kept += sum(one in new for one in paragraphs)
    assert kept >= sum(len(old.split("\n\n")) for old in before.values()) - done * 1.2


def test_EX_7_changes_are_shown_before_they_are_kept_and_then_are_the_authors(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path / "desk")
    made = (
        HandMade(desk.folder).brief(title="T").chapters(TEXT, "# Two\n\nOnly one line here now.\n")
    )
    desk.run("export", "book", "docx", "-o", str(tmp_path))
    editor = WordEditor(tmp_path / "book.docx", 1)
    texts = ["".join(one.itertext()) for one in editor.paragraphs]
    editor.edit("add sentence", texts.index("She put the key down."))
    editor.edit("comment", texts.index("Only one line here now."))
    edited = editor.save(tmp_path / "edited.docx")
    shown = desk.run("import", "book", "--back", str(edited))
    assert "+It was late by then." in shown.err
    assert "Nothing was changed" in shown.err
    chapter = made.paths.root / "chapters/01.md"
    assert chapter.read_text("utf-8") == TEXT
    told = desk.run("import", "book", "--back", str(edited), "--yes").err
    assert "1 change, 1 comment kept" in told
    assert chapter.read_text("utf-8") == TEXT.replace("down.\n", "down. It was late by then.\n")
    note = (made.paths.root / "notes/ch02.md").read_text("utf-8")
    assert re.search(r"On “.*now\.”: Is this so\? 0 \(Ed\)", note)
    again = desk.run("import", "book", "--back", str(edited), "--yes").err
    assert "0 changes, 1 comment kept" in again
    assert (made.paths.root / "notes/ch02.md").read_text("utf-8") == note
    assert chapter.read_text("utf-8").count("It was late") == 1


def test_EX_7_what_was_changed_without_tracking_is_found_by_its_text(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    made = HandMade(desk.folder).brief(title="T").chapters(TEXT)
    desk.run("export", "book", "docx", "-o", str(tmp_path))
    editor = WordEditor(tmp_path / "book.docx", 1)
    for one in editor.paragraphs:
        for piece in one.iter("{*}t"):
            piece.text = (piece.text or "").replace("the key", "a key")
    edited = editor.save(tmp_path / "edited.docx")
    found = desk.run("import", "book", "--back", str(edited), "--json", "--yes").value
    assert (found["changes"], found["untracked"]) == (1, 1)
    text = (made.paths.root / "chapters/01.md").read_text("utf-8")
    assert text == TEXT.replace("the key", "a key")


def test_EX_7_a_change_in_a_footnote_is_named_and_left_out(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    made = HandMade(desk.folder).brief(title="T").chapters(TEXT)
    desk.run("export", "book", "docx", "-o", str(tmp_path))
    edited = tmp_path / "edited.docx"
    with zipfile.ZipFile(tmp_path / "book.docx") as old, zipfile.ZipFile(edited, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "word/footnotes.xml":
                run = re.search(rb"<w:r>(?:(?!</w:r>).)*A note\..*?</w:r>", text, re.DOTALL)
                assert run is not None
                text = text.replace(run[0], b"<w:ins w:id='9' w:author='E'>" + run[0] + b"</w:ins>")
            new.writestr(name, text)
    found = desk.run("import", "book", "--back", str(edited), "--json", "--yes").value
    assert found["changes"] == 0
    assert found["unplaced"] == ["A note."]
    assert (made.paths.root / "chapters/01.md").read_text("utf-8") == TEXT


def test_EX_7_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    HandMade(desk.folder).brief().chapters("# A\n\nText.\n")
    (tmp_path / "x.docx").write_bytes(b"no")
    told = desk.run("import", "book", "--back", str(tmp_path / "x.docx"), expect=2).err
    assert "ZIP" in told
    told = desk.run("import", "book", "--back", str(tmp_path / "y.docx"), expect=6).err
    assert "y.docx" in told


def has_uno() -> bool:
    """Whether LibreOffice can be driven here."""
    found = Path(PYTHON).exists() and shutil.which("soffice") is not None
    return found and not subprocess.run([PYTHON, "-c", "import uno"], check=False).returncode


@pytest.mark.slow
@pytest.mark.skipif(not has_uno(), reason="LibreOffice with Python is not installed")
def test_EX_7_what_libreoffice_tracks_arrives(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    played(desk, "locked-key")
    desk.run("export", "locked-key", "docx", "-o", str(tmp_path))
    script = Path(__file__).parents[1] / "support" / "libreoffice_edits.py"
    files = (tmp_path / "locked-key.docx", tmp_path / "edited.docx", tmp_path / "home")
    command = [PYTHON, str(script), *map(str, files)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=200)
    found = desk.run("import", "locked-key", "--back", str(files[1]), "--json", "--yes").value
    assert found["changes"] == int(done.stdout)
    assert (found["unplaced"], found["untracked"]) == ([], 0)
    accepted = read_changes("edited.docx", files[1].read_bytes())
    text = " ".join(read(desk.project("locked-key").root))
    assert all(" ".join(one.edited.split()) in text for one in accepted.passages if one.is_changed)
