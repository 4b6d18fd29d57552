"""A book whose model is a chat window: `--model manual`, and replies given with `answer`."""

import json
import sys
from pathlib import Path

import pexpect
import pytest
from tests.support.chat_window import reply_to
from tests.support.desk import PREMISE, Desk, Ran
from tests.support.terminal import everything, on_terminal

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


@pytest.mark.slow
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


def test_replies_in_bad_shape_are_read_or_asked_on(desk: Desk) -> None:
    begun(desk)
    concept = "\u201ctitle\u201d: \u201cThe Lamp\u201d, \u201clogline\u201d: \u201cShe \u2018goes\u2019.\u201d"
    answered(desk, f"Sure!\r\n\r\njson\r\nCopy code\r\n{{{concept}}}\r\n", expect=5)
    page = waiting(desk)[0].read_text(encoding="utf-8")
    turn = page.partition(BELOW)[0]
    assert "Chat still open? Paste only this into it" in turn
    assert "description" in turn
    assert '"title"' in asked(waiting(desk)[0])
    whole = f"{{{concept}, \u201cdescription\u201d: \u201cA lamp.\u201d}}"
    answered(desk, whole, expect=5)
    assert waiting(desk)[0].name == "003-concept.md"
    assert "The Lamp" in asked(waiting(desk)[0])


def test_of_several_answers_the_missing_one_is_asked_again(desk: Desk) -> None:
    begun(desk)
    while "characters" not in waiting(desk)[0].name:
        answered(desk)
    both = reply_to(asked(waiting(desk)[0]))
    second = both.partition("=== 2 ===")[2]
    ran = answered(desk, f"=== 2 ===\n{second}", expect=5)
    assert "Not found: 1 of 2" in ran.err
    root = desk.project().root
    assert (root / "world.json").is_file()
    assert not (root / "characters.json").exists()
    assert [path.name for path in waiting(desk)] == ["006-characters.md"]
    answered(desk, both.partition("=== 1 ===")[2].partition("=== 2 ===")[0], expect=5)
    assert (root / "characters.json").is_file()


def chapter_asked(desk: Desk) -> None:
    while "chapters" not in waiting(desk)[0].name:
        answered(desk)


@pytest.mark.slow
def test_a_chapter_cut_at_the_windows_limit_is_continued_in_the_open_chat(desk: Desk) -> None:
    begun(desk)
    chapter_asked(desk)
    assert "Write the whole chapter" in asked(waiting(desk)[0])
    text = " ".join(f"The keeper saw wave number {n} come in from the west." for n in range(80))
    cut = text[: text.rindex(" west.")]
    answered(desk, f"# Chapter 1\n\n{text}\n\n---\n\n{cut}", expect=5)
    turn = waiting(desk)[0].read_text(encoding="utf-8").partition(BELOW)[0]
    assert "Continue exactly where you stopped" in turn
    answered(desk, "from the west. And then it was morning.", expect=5)
    chapter = (desk.project().root / "chapters/01.md").read_text(encoding="utf-8")
    assert "in from the west. And then it was morning." in chapter
    assert "\n\n* * *\n\n" in chapter
    assert "# Chapter 1" not in chapter


def test_what_can_be_no_reply_is_refused_and_changes_nothing(desk: Desk) -> None:
    begun(desk)
    first = waiting(desk)[0]
    for text in (asked(first), "I cannot help with that.", "x" * 1_000_000, "\0" * 500):
        ran = answered(desk, text, expect=2)
        assert "This is not a reply to manual/001-concept.md" in ran.err
    answered(desk, "", expect=5)
    assert not first.with_suffix(".reply.md").exists()
    answered(desk, expect=5)
    twice = "She waits. " * 60 + '\n\n{"title": "T",\n "logline": "L"}'
    assert "two answers were pasted as one" in answered(desk, twice, expect=2).err
    answered(desk, "The middle is vague: " + "say what it costs her, and when. " * 20, expect=5)
    again = "The middle is vague: " + "say what it costs her, and when. " * 20
    assert "given before" in answered(desk, again, expect=2).err


def test_a_reply_for_another_question_costs_one_more_turn_and_no_book(desk: Desk) -> None:
    begun(desk)
    keywords = json.dumps({"primary_keywords": ["sea"]})
    waiting(desk)[0].with_suffix(".reply.md").write_text(keywords, encoding="utf-8")
    desk.run("resume", "book", expect=5)
    assert waiting(desk)[0].name == "002-concept.md"
    assert desk.run("status", "book", "--json").value["failed_calls"] == 0
    answered(desk, expect=5)
    assert waiting(desk)[0].name == "003-concept.md"


def test_deleted_and_damaged_files_are_told_or_made_again(desk: Desk, tmp_path: Path) -> None:
    begun(desk)
    first = waiting(desk)[0]
    text = first.read_text(encoding="utf-8")
    first.unlink()
    desk.run("resume", "book", expect=5)
    assert first.read_text(encoding="utf-8") == text
    reply = first.with_suffix(".reply.md")
    reply.write_bytes(b"\x80\x81" * 200)
    assert "001-concept.reply.md is not UTF-8 text" in desk.run("resume", "book", expect=3).err
    reply.write_bytes(reply_to(asked(first)).encode("utf-16"))
    desk.run("resume", "book", expect=5)
    assert waiting(desk)[0].name == "002-concept.md"
    reply.write_text("changed too late", encoding="utf-8")
    desk.run("resume", "book", expect=5)
    assert waiting(desk)[0].name == "002-concept.md"
    manual(desk).rename(tmp_path / "elsewhere")
    manual(desk).symlink_to(tmp_path / "elsewhere")
    assert "leads out of the project" in desk.run("answer", "book", "--show", expect=3).err


def test_status_lists_what_waits(desk: Desk) -> None:
    begun(desk)
    record = desk.run("status", "book", "--json").value
    assert [one["file"] for one in record["waiting"]] == ["manual/001-concept.md"]
    ran = desk.run("status", "book")
    assert "manual/001-concept.md waits for a reply: Concept: draft" in ran.err
    assert "`libriscribe2 answer book`" in ran.err
    shown = desk.run("answer", "book", "--show", expect=5).out
    assert shown.strip() == asked(waiting(desk)[0]).strip()


def test_the_list_of_what_waits_says_how_long_each_text_is(desk: Desk) -> None:
    def words(*options: str) -> int:
        return len(desk.run("answer", "book", "--show", *options, expect=5).out.split())

    def listed(*options: str) -> list[int]:
        waits = desk.run("answer", "book", "--json", *options, expect=5).value["waiting"]
        return [one["words"] for one in waits]

    begun(desk)
    assert listed() == [words()]
    answered(desk, '{"title": "The Lamp"}', expect=5)
    assert (listed(), listed("--new-chat")) == ([words()], [words("--new-chat")])
    assert words() < words("--new-chat")


def test_only_a_book_by_hand_is_answered_and_no_batch_is(desk: Desk) -> None:
    desk.folder.mkdir()
    desk.create("--until", "concept")
    assert "does not wait for a chat window" in desk.run("answer", "book", expect=2).err
    (desk.folder / "rows.csv").write_text("premise,model\nA lamp,manual\n", encoding="utf-8")
    ran = desk.run("batch", "add", "rows.csv", expect=2)
    assert "A batch cannot ask the model 'manual'" in ran.err


def test_a_whole_book_that_needs_no_reply_any_more_is_only_named(desk: Desk) -> None:
    begun(desk, "--chapters", "1", "--scenes-per-chapter", "1", "--words", "400")
    finished(desk)
    assert desk.run("answer", "book", "--json").value == {"waiting": []}
    assert desk.run("answer", "book").out.strip().endswith("manuscript.md")


@pytest.mark.slow
def test_a_novella_of_twelve_chapters_takes_at_most_forty_pastes(desk: Desk) -> None:
    begun(desk, "--project-type", "novella", "--chapters", "12", "--words", "9600")
    assert finished(desk) <= MOST_PASTES


@pytest.mark.slow
def test_what_another_command_asks_is_answered_too(desk: Desk) -> None:
    begun(desk, "--chapters", "2", "--scenes-per-chapter", "1", "--words", "400")
    finished(desk)
    assert (
        "next: `libriscribe2 answer book`"
        in desk.run("check", "book", "--book-review", expect=5).err
    )
    assert waiting(desk)[0].name.endswith("-story.md")
    ran = answered(desk, '{"doubts": []}', expect=0)
    assert "Now run the command again, which asked." in ran.err
    desk.run("check", "book", "--book-review")


def pasted_in(child: "pexpect.spawn[str]", text: str) -> None:
    child.expect("2004h")
    put_in(child, text)


def put_in(child: "pexpect.spawn[str]", text: str) -> None:
    lines = text.replace("\n", "\r")
    child.send(f"\x1b[200~{lines}\x1b[201~")
    child.send("\r")


@pytest.mark.slow
def test_replies_are_pasted_on_a_terminal_however_long_their_lines(desk: Desk) -> None:
    begun(desk)
    first = waiting(desk)[0]
    child = on_terminal(desk, "answer", "book")
    long = json.dumps({"title": "T", "logline": "L goes.", "description": "so it goes. " * 900})
    pasted_in(child, long)
    child.expect("002-concept")
    second = desk.run_apart("answer", "book", "--show", expect=9)
    assert "in use" in second.err
    child.expect("2004h")
    child.send("The beginning of an answer that ")
    child.sendintr()
    child.expect("Nothing of this reply was kept")
    everything(child)
    assert child.exitstatus == 130
    assert first.with_suffix(".reply.md").read_text(encoding="utf-8").strip() == long
    assert [path.name for path in waiting(desk)] == ["002-concept.md"]
    child = on_terminal(desk, "answer", "book", EDITOR=f"{sys.executable} {editor(desk)} --wait")
    child.expect("2004h")
    child.send("e\r")
    child.expect("003-concept")
    child.expect("2004h")
    child.send("q\r")
    everything(child)
    assert child.exitstatus == 5


@pytest.mark.slow
def test_on_a_terminal_the_plan_of_a_book_by_hand_is_shown_before_its_chapters(desk: Desk) -> None:
    begun(desk)
    while "scenes" not in waiting(desk)[0].name:
        answered(desk)
    child = on_terminal(desk, "answer", "book")
    while child.expect(["2004h", "What now"]) == 0:
        put_in(child, reply_to(asked(waiting(desk)[0]), number=1))
    child.sendline("s")
    assert "libriscribe2 resume book" in everything(child)
    assert not any("chapters" in path.name for path in manual(desk).iterdir())
    assert desk.run("books").err.endswith("Next: `libriscribe2 resume book`.\n")
    answered(desk, "", expect=5)
    assert "chapters" in waiting(desk)[0].name
    assert desk.run("books").err.endswith("Next: `libriscribe2 answer book`.\n")


def editor(desk: Desk) -> Path:
    """An editor that writes an answer into the file that it is given."""
    path = desk.folder / "editor.py"
    said = "The middle is vague; say what it costs her."
    path.write_text(
        "import os, pathlib, sys\n"
        "assert 'OPENAI_API_KEY' not in os.environ and sys.argv[1] == '--wait'\n"
        f"pathlib.Path(sys.argv[2]).write_text({said!r})\n",
        encoding="utf-8",
    )
    return path


def test_a_manuscript_is_imported_by_hand(desk: Desk) -> None:
    desk.folder.mkdir()
    text = "# One\n\nThe keeper rowed out.\n\n# Two\n\nNobody came.\n"
    (desk.folder / "old.md").write_text(text, encoding="utf-8")
    command = ("import", "old.md", "--model", "manual", "-p", "book")
    for _ in range(4):
        ran = desk.run(*command, expect=None)
        if ran.code == 0:
            break
        assert "beside its request" in ran.err
        for path in waiting(desk):
            path.with_suffix(".reply.md").write_text(reply_to(asked(path)), encoding="utf-8")
    assert (desk.project().root / "outline.json").is_file()


def test_a_damaged_list_of_requests_is_named_and_made_again(desk: Desk) -> None:
    begun(desk)
    index = desk.project().root / ".libriscribe/manual.json"
    for damage in ("{", '{"v": 1, "pastes": [{"name": 7}]}', '{"v": 9, "pastes": []}'):
        index.write_text(damage, encoding="utf-8")
        assert ".libriscribe/manual.json is damaged" in desk.run("resume", "book", expect=3).err
    index.unlink()
    desk.run("resume", "book", expect=5)
    assert [path.name for path in waiting(desk)] == ["001-concept.md", "002-concept.md"]


def test_a_piped_answer_that_is_not_enough_says_why(desk: Desk) -> None:
    begun(desk)
    ran = answered(desk, '{"title": "The Log", "logline": "A keeper')
    assert "The last answer is not enough: Your JSON ended before it was complete." in ran.err
    assert "The last answer is not enough" not in answered(desk).err
