"""What is shown: live lines and questions on a terminal, plain lines in a pipe, JSON on request."""

import re
import shlex
from datetime import datetime

import pytest
from tests.support.desk import PREMISE, SMALL, Desk
from tests.support.terminal import everything, on_terminal

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
EVENTS = {"run.start", "stage.start", "stage.end", "llm.call", "run.end"}


@pytest.mark.slow
def test_XC_08_on_a_terminal_progress_is_drawn_and_the_cursor_comes_back(desk: Desk) -> None:
    child = on_terminal(desk, "create", PREMISE, "--mock", "-p", "book", "--yes", *SMALL)
    shown = everything(child)
    assert child.exitstatus == 0
    assert "\x1b[2K" in shown
    assert "·" in ESCAPE.sub("", shown)
    assert shown.rfind("\x1b[?25h") >= shown.rfind("\x1b[?25l")
    assert "\u2713 Chapter 2 of 2: " in ESCAPE.sub("", shown)


@pytest.mark.slow
def test_XC_08_NO_COLOR_is_honoured(desk: Desk) -> None:
    desk.written("--until", "concept")
    coloured = everything(on_terminal(desk, "resume", "nobody"))
    plain = everything(on_terminal(desk, "resume", "nobody", NO_COLOR="1"))
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    assert colour.search(coloured)
    assert not colour.search(plain)
    assert "no project 'nobody'" in plain


@pytest.mark.slow
def test_XC_08_in_a_pipe_there_is_one_plain_line_per_finished_unit(desk: Desk) -> None:
    ran = desk.run_apart("create", PREMISE, "--mock", "-p", "book", "--no-revision", *SMALL)
    assert "\x1b" not in ran.out + ran.err
    done = [line for line in ran.err.splitlines() if line.startswith("\u2713 ")]
    names = [line[2:].partition(":")[0] for line in done]
    stages = ["Concept", "Characters", "World", "Outline", "Style", "Scenes", "Manuscript"]
    kinds = ("Chapter", "Story bible, chapter", "Summary of chapter")
    assert sorted(names) == sorted([*stages, *(f"{kind} {n}" for kind in kinds for n in (1, 2))])
    assert re.search(r"^\u2713 Chapter 2: \d+ words, \d+\.\ds$", ran.err, re.MULTILINE)
    assert re.search(
        r"^Finished: \d+ words, 14 calls, [\d,]+ tokens, \$0\.00, ", ran.err, re.MULTILINE
    )


def test_XC_08_with_json_every_line_of_stdout_is_an_event_in_order(desk: Desk) -> None:
    ran = desk.create("--json")
    events = ran.events
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["event"] for event in events} >= EVENTS
    assert len({event["run"] for event in events}) == 1
    assert all(datetime.fromisoformat(event["ts"]).tzinfo is not None for event in events)
    assert (events[0]["event"], events[-1]["event"]) == ("run.start", "run.end")
    calls = [event for event in events if event["event"] == "llm.call"]
    assert events[-1]["calls"] == sum(event["calls"] for event in calls) == 18
    for event in (one for one in events if one["event"] == "stage.end"):
        before = [one for one in events if one["seq"] < event["seq"]]
        assert any(one["event"] == "stage.start" and one["unit"] == event["unit"] for one in before)


def test_XC_08_with_json_a_run_that_fails_still_writes_only_events(desk: Desk) -> None:
    desk.environment["LIBRISCRIBE2_PIPELINE__MAX_ATTEMPTS"] = "1"
    desk.written("--until", "concept")
    ran = desk.run("redo", "book", "concept", "--json")
    assert ran.events[-1]["event"] == "run.end"
    assert desk.run("resume", "book", "--json", "--until", "concept").events[1]["event"] == (
        "stage.skipped"
    )


@pytest.mark.slow
def test_XC_03_without_a_premise_a_terminal_is_asked_and_told_the_equal_command(desk: Desk) -> None:
    brief = ("--words", "200", "--genre", "Mystery", "--no-worldbuilding", "--auto-title")
    options = (*brief, "--mock", "--until", "concept")
    child, before = on_terminal(desk, "create", *options), ""
    for question, answer in (
        (re.escape("What is your book about? "), "A baker's last loaf"),
        ("Fiction or", ""),
        ("Language", "Français"),
        ("Voice", "3"),
        (re.escape("Start? [Y/e/n]"), ""),
    ):
        child.expect(question)
        before += child.before or ""
        child.sendline(answer)
    shown = ESCAPE.sub("", before + everything(child))
    assert child.exitstatus == 0
    told = next(line for line in shown.splitlines() if "libriscribe2 create" in line)
    words = shlex.split(told[told.index("libriscribe2 create") :])
    assert words[:3] == ["libriscribe2", "create", "A baker's last loaf"]
    desk.run(*words[1:], "--project-name", "typed")
    asked = desk.project("a-baker-s-last-loaf").brief()
    assert desk.project("typed").brief() == asked
    assert not desk.project("typed").path("outline.json").exists()
    assert (asked["language"], asked["tense"], asked["genre"]) == ("Français", "past", "Mystery")


@pytest.mark.slow
def test_the_plan_is_shown_and_nothing_more_is_written_without_a_word(desk: Desk) -> None:
    size = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "200", "--no-revision")
    child = on_terminal(desk, "create", PREMISE, "--mock", "-p", "book", *size)
    book = desk.project()
    for question, answer in (
        (r"Start\? \[Y/e/n\]", "y"),
        ("What now", "c"),
        ("What should be different", "The lamp is never lit."),
        ("What is it about", "9"),
        ("Write 1 to 4", "4"),
        ("What now", "c"),
        ("What should be different", "The end is quiet."),
        ("What is it about", ""),
        ("What now", "s"),
    ):
        child.expect(question)
        child.sendline(answer)
    shown = ESCAPE.sub("", everything(child))
    assert child.exitstatus == 0
    assert "libriscribe2 resume book" in shown
    assert "The lamp is never lit." in book.text("notes/book.md")
    assert "The end is quiet." in book.text("notes/outline.md")
    assert not book.chapters()
    child = on_terminal(desk, "resume", "book", "--step")
    for question, answer in (("k keep and go on", "n"), ("different", "Tenser."), ("k keep", "s")):
        child.expect(question)
        child.sendline(answer)
    everything(child)
    assert len(book.chapters()) == 1
    assert "Tenser." in book.text("notes/ch01.md")
    assert "no chapter 9" in desk.run("resume", "book", "--until", "chapter:9", expect=2).err
    desk.run("resume", "book", "--until", "chapter:2")
    assert len(book.chapters()) == 2
    assert not book.path("manuscript.md").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "code"), [("n", 0), ("\x04", 2)])
def test_a_no_and_the_end_of_the_input_begin_nothing(desk: Desk, answer: str, code: int) -> None:
    child = on_terminal(desk, "create", PREMISE, "--mock", "-p", "book", *SMALL)
    child.expect(r"Start\? \[Y/e/n\]")
    child.sendline(answer) if answer == "n" else child.send(answer)
    everything(child)
    assert child.exitstatus == code
    assert not (desk.folder / "projects").exists()


@pytest.mark.slow
def test_a_plan_that_an_editor_leaves_unreadable_is_put_back(desk: Desk) -> None:
    editor = desk.folder / "editor.sh"
    editor.write_text('#!/bin/sh\necho "{" > "$1"\n', encoding="utf-8")
    editor.chmod(0o755)
    child = on_terminal(
        desk, "create", PREMISE, "--mock", "-p", "book", *SMALL, EDITOR=str(editor), VISUAL=""
    )
    for question, answer in (
        (r"Start\?", "y"),
        ("What now", "e"),
        ("outline.json is as it was; your edit is in", ""),
    ):
        child.expect(question)
        child.sendline(answer) if answer else None
    child.expect("What now")
    child.sendline("s")
    everything(child)
    assert desk.project().json("outline.json")["chapters"]


@pytest.mark.slow
def test_resume_shows_a_plan_that_its_author_has_not_seen(desk: Desk) -> None:
    desk.written("--until", "concept")
    child = on_terminal(desk, "resume", "book")
    child.expect("What now")
    child.sendintr()
    shown = everything(child)
    assert child.exitstatus == 130
    assert "Continue with `libriscribe2 resume book`" in shown
    assert not desk.project().chapters()


@pytest.mark.slow
def test_other_answers_begin_with_the_ones_before(desk: Desk) -> None:
    child = on_terminal(desk, "create", PREMISE, "--mock", "-p", "book", *SMALL)
    for question, answer in (
        (r"Start\?", "e"),
        ("Fiction or", ""),
        ("Genre", "Tragedy"),
        (r"Length.*\[", "3000 2"),
        ("Language", "Deutsch"),
        ("Voice", "3"),
        (r"Start\?", "e"),
        ("Fiction or", ""),
        (r"Genre[^\n]*\[Tragedy\]", ""),
        (r"Length[^\n]*\[3000 2\]", ""),
        (r"Language \[Deutsch\]", ""),
        (r"Voice[^\n]*\[3\]", ""),
        (r"Start\?", "n"),
    ):
        child.expect(question)
        child.sendline(answer)
    assert "Nothing was started." in everything(child)


@pytest.mark.slow
def test_without_a_model_nothing_is_asked(desk: Desk) -> None:
    child = on_terminal(desk, "create")
    shown = ESCAPE.sub("", everything(child))
    assert child.exitstatus == 4
    assert "What is your book about?" not in shown
    assert "libriscribe2 keys set openai" in shown


def test_step_needs_somebody_to_ask(desk: Desk) -> None:
    desk.written("--until", "concept")
    assert "--until chapter:5" in desk.run("resume", "book", "--step", expect=2).err


@pytest.mark.slow
def test_XC_03_no_input_asks_nothing_on_a_terminal_either(desk: Desk) -> None:
    child = on_terminal(desk, "create", "--no-input")
    assert "no premise" in everything(child)
    assert child.exitstatus == 2


def test_XC_08_hostile_words_do_not_reach_the_terminal(desk: Desk) -> None:
    title = "Red \x1b[31m [bold]and[/bold] \x07 :smile:"
    ran = desk.create("--title", title, "--until", "concept", name="x")
    assert "\x1b" not in ran.out + ran.err
    ran = desk.run("create", PREMISE, "--mock", "-p", "y", "--tone", "\x1b]0;x\x07", *SMALL)
    assert "\x1b" not in ran.out + ran.err
