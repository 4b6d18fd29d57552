"""A book whose model is a chat window: `--model manual`, and replies given with `answer`."""

import json
from pathlib import Path

import pytest
from tests.support.chat_window import reply_to
from tests.support.desk import PREMISE, Desk, Ran

MOST_PASTES = 40
SMALL = ("--chapters", "2", "--scenes-per-chapter", "2", "--words", "1600")
BELOW = "\n======== Paste everything below this line into a new chat ========\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "desk")


def begun(desk: Desk, *size: str) -> Ran:
    options = ("--model", "manual", "--no-revision", "-p", "book", *(size or SMALL))
    desk.folder.mkdir()
    return desk.run("create", PREMISE, *options, expect=5)


def manual(desk: Desk) -> Path:
    return desk.project().root / "manual"


def waiting(desk: Desk) -> list[Path]:
    """The requests without a reply, oldest first."""
    every = sorted(manual(desk).glob("*.md"))
    asked = [path for path in every if not path.name.endswith(".reply.md")]
    return [path for path in asked if not path.with_suffix(".reply.md").exists()]


def asked(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition(BELOW)[2]


def answered(desk: Desk, reply: str | None = None, *, expect: int | None = None) -> Ran:
    """Give the next reply, as the chat window answers."""
    text = reply if reply is not None else reply_to(asked(waiting(desk)[0]), number=1)
    return desk.run("answer", "book", typed=text, expect=expect)


def finished(desk: Desk, most: int = MOST_PASTES) -> int:
    """Answer all that is asked; how many pastes that took."""
    for number in range(most):
        reply = reply_to(asked(waiting(desk)[0]), number=number)
        if answered(desk, reply).code == 0:
            return number + 1
    raise AssertionError(f"{most} pastes were not enough")


def test_a_book_is_written_by_hand_and_nothing_is_asked_twice(desk: Desk) -> None:
    ran = begun(desk)
    assert "1 request waits for a reply in manual/" in ran.err
    assert "libriscribe2 answer book" in ran.err
    finished(desk)
    book = desk.project()
    assert (book.root / "manuscript.md").is_file()
    chapter = (book.root / "chapters/01.md").read_text(encoding="utf-8")
    assert chapter.startswith("# ")
    record = desk.run("status", "book", "--json").value
    assert record["failed_calls"] == 0
    assert record["cost_usd"] == 0
    index = json.loads((book.root / ".libriscribe/manual.json").read_text(encoding="utf-8"))
    keys = [key for paste in index["pastes"] for key in paste["keys"]]
    assert len(keys) == len(set(keys)) == record["calls"]


def test_a_reply_beside_its_request_is_taken_by_resume(desk: Desk) -> None:
    begun(desk)
    request = waiting(desk)[0]
    request.with_suffix(".reply.md").write_text(" \n", encoding="utf-8")
    assert desk.run("resume", "book", expect=5).err.count("waits for a reply") == 1
    request.with_suffix(".reply.md").write_text(reply_to(asked(request)), encoding="utf-8")
    desk.run("resume", "book", expect=5)
    assert [path.name for path in waiting(desk)] == ["002-concept.md"]


@pytest.mark.slow
def test_a_novella_of_twelve_chapters_takes_at_most_forty_pastes(desk: Desk) -> None:
    begun(desk, "--project-type", "novella", "--chapters", "12", "--words", "9600")
    assert finished(desk) <= MOST_PASTES
