"""`create --sources`, and what is told of a book of facts that has none."""

from pathlib import Path

import pytest
from tests.support.desk import Desk

FACTS = ("--mock", "-c", "Business", "-p", "guide", "--chapters", "2", "--words", "1200")
NONE = "guide states facts and has no source"


@pytest.fixture
def folder(desk: Desk) -> Path:
    root = desk.folder / "papers"
    (root / "old").mkdir(parents=True)
    (root / "salt.md").write_text("# Salt\n\nSalt was traded from 1420 on.\n", encoding="utf-8")
    (root / "old" / "coast.txt").write_text("A barrel cost 3.5 ducats.\n", encoding="utf-8")
    (root / ".hidden.md").write_text("no\n", encoding="utf-8")
    (root / "picture.png").write_bytes(b"\x89PNG")
    return root


def test_sources_are_files_and_what_can_be_read_in_folders(desk: Desk, folder: Path) -> None:
    more = desk.folder / "salt.md"
    more.write_text("The salt tax was high.\n", encoding="utf-8")
    words = ("--sources", str(folder), "--sources", str(more), "--until", "research")
    ran = desk.run("create", "A guide to salt", *FACTS, *words)
    root = desk.project("guide").path("research/sources")
    names = {one.relative_to(root).as_posix() for one in root.rglob("*") if one.is_file()}
    assert names == {"salt.md", "old/coast.txt", "2-salt.md"}
    assert desk.project("guide").json("research/notes.json")["notes"]
    assert NONE not in ran.err
    assert NONE not in desk.run("status", "guide").err


@pytest.mark.parametrize("named", ["gone.md", "papers/picture.png", "empty"])
def test_what_is_no_source_is_refused_before_anything_is_made(
    desk: Desk, folder: Path, named: str
) -> None:
    (folder.parent / "empty").mkdir()
    path = str(folder.parent / named)
    ran = desk.run("create", "A guide to salt", *FACTS, "--sources", path, expect=2)
    assert "Name sources in these formats" in ran.err
    assert not desk.project("guide").root.exists()


def test_a_book_of_facts_without_a_source_says_so_wherever_it_is_told_of(desk: Desk) -> None:
    ran = desk.run("create", "A guide to salt", *FACTS)
    assert ran.err.count(NONE) == 2
    assert ran.err.index(NONE) < ran.err.index("Concept")
    assert NONE in desk.run("status", "guide").err
    assert desk.run("status", "guide", "--json").value["unsourced"] is True
    desk.run("export", "guide", "--format", "md")
    told = desk.project("guide").text("exports/AI-DISCLOSURE.md")
    assert "rests on no source" in told
    desk.create()
    assert "states facts" not in desk.run("status", "book").err
