"""What authors do to the command line: odd words, odd files, closed pipes."""

import os
import subprocess
import sys

import pytest
from tests.support.authors import Author
from tests.support.desk import PREMISE, SMALL, Desk

WORDS_AND_CHAPTERS = [(300, 3), (1200, 3), (300, 12), (1200, 12)]


def test_XC_08_a_blank_title_is_no_title(desk: Desk) -> None:
    desk.written("--title", "   ", "--auto-title")
    assert desk.project().brief()["title"] == ""
    assert desk.project().path("title.json").exists()


def test_XC_08_counts_in_book_toml_may_be_numbers_and_change_nothing(desk: Desk) -> None:
    desk.written("--characters", "4", "--until", "outline")
    book = desk.project()
    text = book.text("book.toml")
    for key, count in (("chapters", 2), ("characters", 4), ("scenes_per_chapter", 1)):
        assert f'{key} = "{count}"' in text
        text = text.replace(f'{key} = "{count}"', f"{key} = {count}")
    book.write("book.toml", text)
    author = Author()
    desk.run("resume", "book", "--until", "outline", backend=author)
    assert author.asked == []
    book.write("book.toml", text.replace("chapters = 2", "chapters = true"))
    assert "chapters" in desk.run("resume", "book", expect=3).err


def test_XC_08_a_premise_that_is_too_long_is_refused_without_repeating_it(desk: Desk) -> None:
    ran = desk.run("create", "word " * 5_000, "--mock", expect=2)
    assert "24,999 characters" in ran.err
    assert "20,000" in ran.err
    assert len(ran.err) < 400
    assert not (desk.folder / "projects").exists()
    desk.written("--until", "concept")
    book = desk.project()
    book.write("book.toml", book.text("book.toml").replace(PREMISE, "word " * 5_000))
    ran = desk.run("resume", "book", expect=3)
    assert "book.toml" in ran.err
    assert "24,999 characters" in ran.err
    assert len(ran.err) < 400


@pytest.mark.parametrize(
    ("options", "kind", "told"),
    [
        ((), "fiction", False),
        (("--category", "Business"), "non-fiction", True),
        (("--category", "Science Fiction"), "fiction", True),
        (("--category", "Cookbook"), "non-fiction", True),
        (("--category", "Cookbook", "--kind", "Fiction"), "fiction", False),
        (("--kind", "nonfiction"), "non-fiction", False),
    ],
)
def test_XC_03_the_kind_of_a_book_and_how_it_was_found(
    desk: Desk, options: tuple[str, ...], kind: str, told: bool
) -> None:
    ran = desk.create(*options, "--until", "concept")
    assert f"kind: {kind}" in desk.project().dumps()[0]["prompt"][1]["content"]
    assert (f"kind: {kind}" in ran.err) is told
    assert ("--kind" in ran.err) is told
    assert "book_kind = " in desk.project().text("book.toml")


def test_XC_08_an_unknown_kind_names_the_option(desk: Desk) -> None:
    ran = desk.create("--kind", "poem", expect=2)
    assert "--kind 'poem'" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize(("words", "chapters"), WORDS_AND_CHAPTERS)
def test_XC_03_a_short_book_has_the_asked_length_without_a_number_of_scenes(
    desk: Desk, words: int, chapters: int
) -> None:
    desk.written(size=("--words", str(words), "--chapters", str(chapters)))
    assert desk.project().words() == pytest.approx(words, rel=0.1)


def test_XC_08_a_stray_dollar_in_an_own_prompt_is_exit_3(desk: Desk) -> None:
    desk.written("--until", "concept")
    prompts = desk.project().path("prompts")
    prompts.mkdir()
    (prompts / "characters.md").write_text(
        "--- system ---\nx\n--- user ---\nIt costs $5.\n", encoding="utf-8"
    )
    ran = desk.run("resume", "book", expect=3)
    assert "characters.md, line 4" in ran.err
    (prompts / "characters.md").write_bytes(b"--- system ---\n\xff\n--- user ---\n")
    assert "characters.md, line 2" in desk.run("resume", "book", expect=3).err


def test_XC_08_debug_shows_the_traceback_of_an_expected_error(desk: Desk) -> None:
    plain = desk.run("resume", "nosuch", expect=3).err
    assert "Traceback" not in plain
    shown = desk.run("--debug", "resume", "nosuch", expect=3).err
    assert shown.startswith("Traceback (most recent call last)")
    assert shown.endswith(plain)
    assert "Traceback" not in desk.run("resume", "nosuch", expect=3).err


@pytest.mark.slow
def test_XC_08_debug_as_a_value_asks_for_no_traceback(desk: Desk) -> None:
    ran = desk.run_apart("resume", "--project-name", "--debug", expect=2)
    assert "Traceback" not in ran.err


def test_XC_08_a_stage_that_is_switched_off_says_how_to_switch_it_on(desk: Desk) -> None:
    for stage, options, switch in (
        ("title", (), "--auto-title"),
        ("world", ("--no-worldbuilding",), "--worldbuilding"),
        ("characters", ("--category", "Business"), "--characters"),
    ):
        ran = desk.create("--until", stage, *options, expect=2)
        assert f"no stage {stage!r}" in ran.err
        assert switch in ran.err
        assert "Did you mean" not in ran.err
    assert not (desk.folder / "projects").exists()


def test_XC_08_the_nearest_stage_is_one_that_the_book_has(desk: Desk) -> None:
    ran = desk.create("--until", "titel", expect=2)
    assert "Did you mean 'title'" not in ran.err
    assert "Did you mean 'world'?" in desk.create("--until", "wrld", expect=2).err


@pytest.mark.parametrize("typed", ["./link", "link/"])
def test_XC_08_a_separator_makes_it_a_path(desk: Desk, typed: str) -> None:
    desk.written("--until", "concept")
    (desk.folder / "link").symlink_to(desk.project().root, target_is_directory=True)
    assert desk.run("status", typed, "--json").value["project"] == "book"
    desk.run("resume", typed, "--until", "concept")
    assert "no project 'link'" in desk.run("status", "link", expect=3).err


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("config", "show", "--json"), ("agents",), ("--help",)])
def test_XC_08_a_reader_that_goes_away_is_no_error(desk: Desk, arguments: tuple[str, ...]) -> None:
    assert closed_pipe(desk, *arguments) == (141, "")


@pytest.mark.slow
def test_XC_08_a_run_whose_reader_goes_away_ends_silently(desk: Desk) -> None:
    code, err = closed_pipe(desk, "--quiet", "create", PREMISE, "--mock", "--json", *SMALL)
    assert (code, err) == (141, "")


@pytest.mark.slow
def test_XC_08_talk_that_nobody_hears_is_no_error_either(desk: Desk) -> None:
    command = "create", PREMISE, "--mock", *SMALL
    assert closed_pipe(desk, *command, stream="stderr")[0] == 141


def closed_pipe(desk: Desk, *arguments: str, stream: str = "stdout") -> tuple[int, str]:
    """The exit code of a command whose reader has gone, and what it says on stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    other = "stderr" if stream == "stdout" else "stdout"
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "libriscribe2", *arguments],
            cwd=desk.folder,
            env=desk.whole_environment(),
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
            **{stream: writing, other: subprocess.PIPE},  # type: ignore[call-overload]
        )
    finally:
        os.close(writing)
    told = getattr(ran, other) if other == "stderr" else b""
    return ran.returncode, told.decode("utf-8")


def test_XC_12_the_model_that_a_book_keeps_leaves_the_fallbacks_of_the_user(desk: Desk) -> None:
    user = desk.folder / "home" / "libriscribe2" / "config.toml"
    user.parent.mkdir(parents=True)
    user.write_text('[models]\ndefault = ["demo", "openai/spare"]\n', encoding="utf-8")
    desk.environment["XDG_CONFIG_HOME"] = str(desk.folder / "home")
    desk.environment["OPENAI_API_KEY"] = "sk-none"
    desk.run("create", PREMISE, "-p", "book", *SMALL, "--until", "concept")
    assert '[models.default]\nmodel = "demo"\n' in desk.project().text("book.toml")
    shown = desk.run("config", "show", "book", "--json").out
    assert "openai/spare" in shown


def test_XC_08_a_run_does_not_tell_its_own_number(desk: Desk) -> None:
    ran = desk.create("--until", "concept")
    assert not [line for line in ran.err.splitlines() if line.startswith("run ")]
    assert desk.create("--until", "concept", "--json", name="b").events[0]["event"] == "run.start"
