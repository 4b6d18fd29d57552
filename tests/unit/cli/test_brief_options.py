"""From options to a brief, and from questions to the same options."""

import shlex
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from libriscribe2.cli.create import ask_for_brief, equal_command
from libriscribe2.commands.new_book import brief_from, kind_note, with_drafting
from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief


def asked(typed: str, **options: Any) -> tuple[dict[str, Any], str]:
    """The options with the answers that were typed, and what was said."""
    answers: dict[str, Any] = {}
    app = typer.Typer()

    @app.command()
    def _ask() -> None:
        answers.update(ask_for_brief(options))

    result = CliRunner().invoke(app, input=typed, catch_exceptions=False)
    return answers, result.stderr


def test_XC_03_the_answers_join_the_options() -> None:
    answers, _ = asked("A keeper\n\nMystery\n\n3\n", title="T", words=900)
    assert answers == {
        "premise": "A keeper",
        "title": "T",
        "words": 900,
        "category": "Fiction",
        "genre": "Mystery",
        "language": "English",
        "chapters": "3",
    }


def test_XC_03_what_the_options_say_is_not_asked() -> None:
    answers, told = asked("A keeper\n", category="Essay", genre="", language="fr", chapters="2")
    assert answers["premise"] == "A keeper"
    assert "Language" not in told


def test_XC_08_a_wrong_answer_is_asked_for_again_and_the_others_stay() -> None:
    answers, told = asked("  \nA keeper\n\n\n \nBrezhoneg\n12-8\n0\n8-12\n")
    assert (answers["premise"], answers["language"], answers["chapters"]) == (
        "A keeper",
        "Brezhoneg",
        "8-12",
    )
    assert told.count("Error: ") == 4
    assert "write 8-12" in told


def test_XC_08_wrong_options_are_told_before_the_first_question() -> None:
    with pytest.raises(UsageError, match="--characters 'no'"):
        ask_for_brief({"premise": None, "characters": "no"})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"words": 200, "worldbuilding": False}, ["--words", "200", "--no-worldbuilding"]),
        ({"worldbuilding": True, "auto_title": True}, ["--worldbuilding", "--auto-title"]),
        ({"tone": None, "genre": "", "max_cost": 0.0}, ["--max-cost", "0.0"]),
        (
            {"audience": "All", "book_kind": "fiction"},
            ["--target-audience", "All", "--kind", "fiction"],
        ),
        ({"as_json": True, "title": "Keeper's"}, ["--json", "--title", "Keeper's"]),
    ],
)
def test_XC_03_the_equal_command_says_all(options: dict[str, Any], words: list[str]) -> None:
    command = equal_command({"premise": "A keeper", **options})
    assert shlex.split(command) == ["libriscribe2", "create", "A keeper", *words]


def test_XC_03_the_equal_command_of_a_premise_that_looks_like_an_option() -> None:
    command = equal_command({"premise": "-3 degrees", "words": 200})
    assert shlex.split(command) == [
        "libriscribe2", "create", "--words", "200", "--", "-3 degrees",
    ]  # fmt: skip


def test_XC_08_a_wrong_value_is_repeated_in_part_only() -> None:
    with pytest.raises(UsageError) as caught:
        brief_from({"premise": "x" * 30_000})
    assert caught.value.what.startswith("PREMISE 'xxx")
    assert len(caught.value.what) < 120
    assert "30,000" in caught.value.why


@pytest.mark.parametrize(
    ("brief", "told"),
    [
        (Brief(premise="x"), ""),
        (Brief(premise="x", category="Fiction"), ""),
        (Brief(premise="x", category="non-fiction"), ""),
        (Brief(premise="x", category="Science"), "'Science'"),
        (Brief(premise="x", category="Science", book_kind="fiction"), ""),
        (Brief(premise="x", category="Fantasy", book_kind="fiction"), ""),
        (Brief(premise="x", category="Fantasy"), "'Fantasy'"),
    ],
)
def test_XC_03_a_guess_at_the_kind_is_told(brief: Brief, told: str) -> None:
    note = kind_note(brief)
    assert bool(note) is bool(told)
    assert told in note


def test_QU_the_order_of_drafting_follows_the_calls_at_once_and_says_so() -> None:
    brief, told = with_drafting(brief_from({"premise": "A keeper"}), 8)
    assert brief.drafting == "redblack"
    assert "redblack" in told
    assert "8 calls" in told


def test_QU_the_default_order_needs_no_words() -> None:
    brief = brief_from({"premise": "A keeper"})
    assert with_drafting(brief, 4) == (brief, "")


@pytest.mark.parametrize("mode", ["sequential", "redblack", "parallel"])
def test_QU_an_order_that_was_asked_for_stays(mode: str) -> None:
    brief = brief_from({"premise": "A keeper", "drafting": mode})
    assert with_drafting(brief, 64) == (brief, "")
    assert with_drafting(brief, 1) == (brief, "")
