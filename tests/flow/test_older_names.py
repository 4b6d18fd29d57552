"""Older names of options, stages and keys are read, and help lists the present ones."""

import re

import pytest
from tests.support.desk import PREMISE, SMALL, Desk


@pytest.mark.parametrize("option", ["--no-story-bible", "--no-canon"])
def test_both_names_of_the_option_leave_out_the_story_bible(desk: Desk, option: str) -> None:
    desk.written(option, "--until", "concept")
    assert desk.project().brief()["story_bible"] is False


def test_a_book_with_the_older_key_is_read(desk: Desk) -> None:
    desk.written("--until", "concept")
    book = desk.project()
    text = book.text("book.toml")
    assert "story_bible = true\n" in text
    book.write("book.toml", text.replace("story_bible = true\n", "canon = false\n"))
    units = desk.run("status", "book", "--json").value["units"]
    assert "canon" not in {unit["stage"] for unit in units}


@pytest.mark.parametrize("name", ["story_bible", "story-bible", "story bible", "canon"])
def test_the_story_bible_is_a_stage_under_each_of_its_names(desk: Desk, name: str) -> None:
    desk.written("--until", "chapters")
    desk.run("resume", "book", "--until", name)
    assert desk.project().path(".libriscribe/canon/01.json").exists()


def test_listings_name_the_story_bible(desk: Desk) -> None:
    assert "\nstory_bible\t" in desk.run("agents").out
    assert "\nstory_bible\t" in desk.run("models", "--model", "demo").out


@pytest.mark.parametrize("option", ["--evaluate", "--judge"])
def test_both_names_of_the_option_ask_the_evaluator(desk: Desk, option: str) -> None:
    desk.written()
    ran = desk.run("check", "book", option, expect=2)
    assert "--evaluate needs --story" in ran.err


@pytest.mark.parametrize("command", [("create",), ("check",), ("compare",)])
def test_help_leaves_older_names_out(desk: Desk, command: tuple[str, ...]) -> None:
    told = desk.run(*command, "--help").out
    assert "canon" not in told
    assert "judge" not in told


@pytest.mark.parametrize("name", ["evaluator", "judge"])
def test_settings_of_the_evaluator_are_read_under_both_names(desk: Desk, name: str) -> None:
    desk.environment[f"LIBRISCRIBE2_REVISION__{name.upper()}"] = "true"
    desk.run("create", PREMISE, "--mock", "-p", "book", *SMALL, "--until", "concept")
    book = desk.project()
    text = book.text("book.toml")
    assert "evaluator = true" in text
    book.write("book.toml", text.replace("evaluator", name) + f'\n[models.{name}]\nmodel = "a/b"\n')
    del desk.environment[f"LIBRISCRIBE2_REVISION__{name.upper()}"]
    rows = desk.run("config", "show", "book", "--json").value
    assert rows["revision.judge"] == rows["revision.evaluator"]
    shown = {key: rows[key] for key in ("revision.evaluator", "models.evaluator.model")}
    assert shown == {"revision.evaluator": True, "models.evaluator.model": "a/b"}


def test_a_dump_that_names_a_shape_by_its_older_name_is_replayed(desk: Desk) -> None:
    desk.written()
    file = min(desk.project().debug.glob("*-canon-*.json"))
    text = file.read_text(encoding="utf-8")
    now = "libriscribe2.models.story_bible:ChapterStatements"
    assert now in text
    file.write_text(text.replace(now, "libriscribe2.models.canon:ToldCanon"), encoding="utf-8")
    assert " 0 not replayed" in desk.run("debug", "replay", str(file)).err


@pytest.mark.parametrize(
    ("older", "present"),
    [
        (("report", "book", "--json"), ("check", "book", "--report", "--json")),
        (("compare", "book", "other", "--json"), ("check", "book", "--compare", "other", "--json")),
        (("estimate", "book", "--json"), ("resume", "book", "--dry-run", "--json")),
        (("agents", "--json"), ("config", "agents", "--json")),
        (("tools", "--json"), ("config", "tools", "--json")),
        (("models", "book", "--json"), ("config", "models", "book", "--json")),
        (("adopt", "book", "--all", "--json"), ("accept", "book", "--all", "--json")),
    ],
    ids=lambda words: words[0],
)
def test_an_older_command_says_what_the_present_one_says(
    desk: Desk, older: tuple[str, ...], present: tuple[str, ...]
) -> None:
    desk.written("--no-revision")
    desk.written("--no-revision", name="other")
    assert desk.run(*older).value == desk.run(*present).value


def test_citations_are_a_kind_of_check(desk: Desk) -> None:
    desk.written("--until", "concept")
    older = desk.run("citations", "check", "book", expect=None)
    present = desk.run("check", "book", "--citations", expect=None)
    assert (older.code, older.err) == (present.code, present.err)


def test_help_begins_with_eight_commands_and_leaves_older_ones_out(desk: Desk) -> None:
    told = desk.run("--help").out
    first = told.partition("Commands:\n")[2].partition("\n\n")[0]
    names = [line.split()[0] for line in first.splitlines() if line.startswith("  ")]
    assert names == ["create", "resume", "redo", "status", "view", "check", "export", "books"]
    assert not any(f"\n  {name} " in told for name in ("estimate", "adopt", "report", "agents"))


def test_create_shows_twelve_options_and_all_when_asked(desk: Desk) -> None:
    short, whole = desk.run("create", "--help").out, desk.run("create", "--help-all").out
    options = re.findall(r"^  (?:-\w, )?--[a-z-]+ ", short.partition("Options:\n")[2], re.MULTILINE)
    assert len(options) == 12 + 2  # --help, and the line that names --help-all
    assert "--help-all shows" in short
    assert "--max-cost" in whole
    assert "--max-cost" not in short
