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

from libriscribe2.documents.blocks import NOTE_MARK
from libriscribe2.documents.word_reader import PARAGRAPH, Passage, read_changes
from libriscribe2.exporters.book_markdown import note_blocks, plain_blocks

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
    return [one for path in chapters for one in plain(path.read_text(encoding="utf-8"))]


def plain(text: str) -> list[str]:
    """What a reader sees of Markdown, block by block."""
    return [" ".join(block.text.split()) for block in plain_blocks(text)]


@pytest.mark.slow
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
    again = desk.run("import", "locked-key", "--back", str(edited), "--json", "--yes").value
    assert again["changes"] == 0
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


NOTED = """# One

The tide[^1] came in[^b] over the stones.[^c]

A table:

| a | b |
|---|---|
| 1 | 2 |

[^1]: It *rises* in the "autumn".
[^b]: Not always on time.

[^c]: First.

    Second.
"""


def with_notes(source: Path, target: Path, changes: dict[str, bytes]) -> Path:
    """A Word file in which runs of notes are replaced, found by their words."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            for words, runs in changes.items() if name == "word/footnotes.xml" else ():
                pattern = rb"<w:r>(?:(?!</w:r>).)*" + words.encode() + rb".*?</w:r>"
                found = re.search(pattern, text, re.DOTALL)
                assert found is not None
                text = text.replace(found[0], runs.replace(b"$", found[0]))
            new.writestr(name, text)
    return target


def added(words: str) -> bytes:
    run = f'<w:r><w:t xml:space="preserve">{words}</w:t></w:r>'
    return f'<w:ins w:id="9" w:author="E">{run}</w:ins>'.encode()


def test_EX_7_a_change_in_a_footnote_is_placed_in_its_text(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    made = HandMade(desk.folder).brief(title="T").chapters(NOTED)
    desk.run("export", "book", "docx", "-o", str(tmp_path))
    edited = with_notes(
        tmp_path / "book.docx",
        tmp_path / "edited.docx",
        {"autumn": b"$" + added(" And in spring."), "Not always": b"$" + added(" Ask the keeper.")},
    )
    found = desk.run("import", "book", "--back", str(edited), "--json", "--yes").value
    assert (found["changes"], found["untracked"], found["unplaced"]) == (2, 0, [])
    text = (made.paths.root / "chapters/01.md").read_text("utf-8")
    assert text == NOTED.replace('"autumn".', '"autumn". And in spring.').replace(
        "on time.", "on time. Ask the keeper."
    )
    again = desk.run("import", "book", "--back", str(edited), "--json", "--yes").value
    assert again["changes"] == 0


def test_EX_7_a_note_that_goes_or_has_paragraphs_is_named_and_left_out(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    made = HandMade(desk.folder).brief(title="T").chapters(NOTED)
    desk.run("export", "book", "docx", "-o", str(tmp_path))
    gone = b'<w:del w:id="8" w:author="E"><w:r><w:delText>%b</w:delText></w:r></w:del>'
    edited = with_notes(
        tmp_path / "book.docx",
        tmp_path / "edited.docx",
        {"Not always": gone % b"Not always on time.", "Second": b"$" + added(" Third.")},
    )
    found = desk.run("import", "book", "--back", str(edited), "--json", "--yes").value
    assert found["changes"] == 0
    assert found["unplaced"] == ["Not always on time.", "Second. Third."]
    assert (made.paths.root / "chapters/01.md").read_text("utf-8") == NOTED


def test_EX_7_a_paragraph_keeps_its_footnotes_and_a_deleted_one_goes(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    made = HandMade(desk.folder).brief(title="T").chapters(NOTED)
    desk.run("export", "book", "docx", "-o", str(tmp_path))
    editor = WordEditor(tmp_path / "book.docx", 1)
    editor.change_run(" came in", "ins", " of May")
    editor.change_run(" over the", "del", " over the stones.")
    editor.delete_note(2)
    edited = editor.save(tmp_path / "edited.docx")
    found = desk.run("import", "book", "--back", str(edited), "--json", "--yes").value
    assert (found["unplaced"], found["changes"]) == ([], 1)
    text = (made.paths.root / "chapters/01.md").read_text("utf-8")
    assert text == NOTED.replace(
        "[^1] came in[^b] over the stones.", "[^1] of May came in"
    ).replace("[^b]: Not always on time.\n\n", "")


TABLED = """# One

> | ship | lost | why |
> |:-----|-----:|-----|
> | *Anna* | 12 | fog \\| ice[^1] |
> | Berta | 12 | |
> | Clara | 3 | `x` and "storm" |

After it.

a | b
--|--
1 | 2
3 | 4

[^1]: A note.
"""


def in_table(source: Path, target: Path, changes: dict[str, str]) -> Path:
    """A Word file in which runs, rows (by the words of a cell) and empty cells are changed."""
    editor = WordEditor(source, 1)
    editor.in_tables(changes)
    return editor.save(target)


def test_EX_7_changes_in_tables_come_back_and_nothing_beside_them(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    made = HandMade(desk.folder).brief(title="T").chapters(TABLED)
    desk.run("export", "book", "docx", "-o", str(tmp_path))
    changes = {
        "12": "+ or 13",
        "fog | ice": "+ | *snow*",
        "Clara": "-",
        "4": "~5",
        "ship": "/+Vessel",
        "lost": "*",
        "Berta": "row+Bella|9|a | b",
        "": "+unknown",
        "1": "row-",
    }
    edited = in_table(tmp_path / "book.docx", tmp_path / "edited.docx", changes)
    shown = read_changes("edited.docx", edited.read_bytes())
    rejected = {" ".join(one.original.split()) for one in shown.passages}
    assert {f"fog | ice{NOTE_MARK}", "Clara", "1", "4", "Berta"} <= rejected
    found = desk.run("import", "book", "--back", str(edited), "--json", "--yes").value
    assert (found["unplaced"], found["untracked"], found["changes"]) == ([], 0, 9)
    text = (made.paths.root / "chapters/01.md").read_text("utf-8")
    assert text == (
        TABLED.replace("Anna* | 12 |", "Anna* | 12 or 13 |")
        .replace("ice[^1]", "ice[^1] \\| \\*snow\\*")
        .replace("Clara", "")
        .replace("12 | |", "12 |unknown |\n> | Bella | 9 | a \\| b |")
        .replace("3 | 4", "3 | 5")
        .replace("| ship | lost", "| ship<br>Vessel | *lost*")
        .replace("\n1 | 2", "")
    )
    again = desk.run("import", "book", "--back", str(edited), "--json", "--yes").value
    assert again["changes"] == 0
    assert (made.paths.root / "chapters/01.md").read_text("utf-8") == text


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
def test_EX_7_two_hundred_edits_of_ten_kinds_that_libreoffice_tracks_arrive(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    chapters: list[str] = []
    for name in ("locked-key", "skarra"):
        played(desk, name)
        book = desk.project(name).root
        chapters += [noted(path.read_text("utf-8")) for path in sorted(book.glob("chapters/*.md"))]
    made = HandMade(desk.folder).brief(title="T").chapters(*chapters)
    desk.run("export", "book", "docx", "-o", str(tmp_path))
    before = [one for one in read(made.paths.root) if one]
    edited, count = edited_by_libreoffice(tmp_path / "book.docx")
    document = read_changes("edited.docx", edited.read_bytes())
    rejected = [one for passage in document.passages for one in shown(passage, "original")]
    assert rejected[-len(before) :] == before
    found = desk.run("import", "book", "--back", str(edited), "--json", "--yes").value
    assert (found["unplaced"], found["untracked"]) == ([], 0)
    assert found["changes"] == count > 200
    accepted = [one for passage in document.passages for one in shown(passage, "edited")]
    after = [one for one in read(made.paths.root) if one]
    assert after == accepted[-len(after) :]
    notes = [one.edited.strip() for one in document.footnotes if one.is_changed]
    paths = made.paths.root.glob("chapters/*.md")
    there = {one.text for path in paths for one in note_blocks(path.read_text("utf-8"))}
    assert len(notes) > 20
    assert [one for one in notes if one not in there] == []
    # What was not edited stands as it stood, byte for byte.
    text = "".join(path.read_text("utf-8") for path in made.paths.root.glob("chapters/*.md"))
    sources = [block for chapter in chapters for block in chapter.split("\n\n")]
    same = [one for one in sources if plain(one) and {*plain(one)} <= {*after} and "|" not in one]
    assert len(same) > 200
    assert [one for one in same if one not in text] == []


def edited_by_libreoffice(book: Path) -> tuple[Path, int]:
    """A Word file after LibreOffice edited it, and the number of edits."""
    script = Path(__file__).parents[1] / "support" / "libreoffice_edits.py"
    edited = book.with_name("edited.docx")
    command = [PYTHON, str(script), str(book), str(edited), str(book.with_name("home"))]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=200)
    return edited, int(done.stdout)


def noted(chapter: str) -> str:
    """A chapter with a footnote at each eleventh paragraph and a table behind each thirteenth."""
    blocks = chapter.strip().split("\n\n")
    for at in range(len(blocks) - 1, 0, -1):
        if at % 13 == 0:
            table = f"| Ship | Lost |\n|---|--:|\n| *Anna* {at} | 12 |\n| Clara | {at} |"
            blocks.insert(at + 1, table)
        if at % 11 == 0 and "*" not in blocks[at]:
            blocks[at] += f"[^{at}]"
            blocks.append(f"[^{at}]: It is *so* in the ledger, line {at}.")
    return "\n\n".join(blocks) + "\n"


def shown(passage: Passage, side: str) -> list[str]:
    if passage.cell and passage.cell.kind == ("deleted" if side == "edited" else "inserted"):
        return []
    texts = str(getattr(passage, side)).split(PARAGRAPH)
    return [words for one in texts if (words := " ".join(one.replace("\u200d", "").split()))]
