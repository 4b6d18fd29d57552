"""Notes that are looked up again."""

import os
from pathlib import Path

import pytest
from tests.support.research_desk import ResearchDesk
from tests.support.source_files import pdf

from libriscribe2.checks.note_check import CheckedNote, check_notes
from libriscribe2.models.notes import Fact, Note
from libriscribe2.research.sources import Library
from libriscribe2.research.tools.save_note import note_of

TEXT = "A barrel of salt cost 3.5 ducats.\n\nThe trade ended in 1797 by decree.\n"
QUOTE = "A barrel of salt cost 3.5 ducats."


@pytest.fixture
def desk(tmp_path: Path) -> ResearchDesk:
    return ResearchDesk(tmp_path)


def noted(desk: ResearchDesk, name: str, quote: str = QUOTE) -> Note:
    document = Library(desk.folder, "2026-03-31").open(name)
    return note_of(document, Fact(claim="It was costly.", quote=quote))


def only(desk: ResearchDesk, note: Note) -> CheckedNote:
    (found,) = check_notes(desk.folder, [note])
    return found


def test_XC_07_a_note_holds_while_nothing_changed(desk: ResearchDesk) -> None:
    desk.source("salt.txt", TEXT)
    found = only(desk, noted(desk, "salt.txt"))
    assert (found.holds, found.place, found.remark) == (True, "salt.txt", "")


def test_XC_07_a_changed_file_that_still_says_it_still_proves_it(desk: ResearchDesk) -> None:
    desk.source("salt.txt", TEXT)
    note = noted(desk, "salt.txt")
    desk.source("salt.txt", f"A new beginning.\n\n{TEXT}")
    assert only(desk, note).holds


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            TEXT.replace("3.5", "3.6"),
            "the source file was changed and no longer contains the quote",
        ),
        ("", "the source file was changed and cannot be read"),
        (b"%PDF-1.4 \x00\xff\xfe broken", "the source file was changed"),
    ],
)
def test_XC_07_a_corrupted_file_is_told(
    desk: ResearchDesk, content: str | bytes, reason: str
) -> None:
    desk.source("salt.txt", TEXT)
    note = noted(desk, "salt.txt")
    later = desk.source("salt.txt", content)
    os.utime(later, (later.stat().st_mtime + 1,) * 2)  # two writes may share a tick of the clock
    found = only(desk, note)
    assert not found.holds
    assert found.reason.startswith(reason)


def test_XC_07_a_pdf_that_is_none_any_more_is_told(desk: ResearchDesk) -> None:
    desk.source("salt.pdf", pdf([QUOTE]))
    note = noted(desk, "salt.pdf")
    assert only(desk, note).holds
    desk.source("salt.pdf", b"no pdf")
    assert "cannot be read" in only(desk, note).reason


def test_XC_07_a_file_that_is_gone_leaves_its_saved_text(desk: ResearchDesk) -> None:
    path = desk.source("salt.txt", TEXT)
    note = noted(desk, "salt.txt")
    path.unlink()
    found = only(desk, note)
    assert found.holds
    assert "source file is gone" in found.remark


def test_XC_07_a_saved_text_that_is_gone_or_changed_proves_nothing(desk: ResearchDesk) -> None:
    desk.source("salt.txt", TEXT)
    note = noted(desk, "salt.txt")
    saved = desk.folder.paths.root / "research" / "fetched" / f"{note.source}.md"
    saved.write_text(f"{TEXT} And more.", encoding="utf-8")
    assert "was changed" in only(desk, note).reason
    saved.unlink()
    assert only(desk, note).reason == "the saved text of the source is gone"


def test_XC_07_a_note_that_was_made_up_by_hand_does_not_hold(desk: ResearchDesk) -> None:
    desk.source("salt.txt", TEXT)
    note = noted(desk, "salt.txt")
    assert not only(desk, note.model_copy(update={"quote": "A barrel cost 9 ducats."})).holds
    assert not only(desk, note.model_copy(update={"source": "../../secret"})).holds
    assert check_notes(desk.folder, [note.model_copy(update={"verified": False})]) == []
