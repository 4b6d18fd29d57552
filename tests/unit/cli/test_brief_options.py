"""From options to a brief, and from questions to the same options."""

import io
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.support.screen import Screen

from libriscribe2.cli.wizard import equal_command, interview
from libriscribe2.commands.new_book import brief_from, kind_note, with_drafting
from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief


def asked(
    monkeypatch: pytest.MonkeyPatch, typed: str, **options: Any
) -> tuple[dict[str, Any], list[Path], str]:
    """The answers, the samples, and what was said."""
    screen = Screen()
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    monkeypatch.setattr("sys.stderr", screen.err)
    given = {"premise": None, **options}
    answers, _, files, _ = interview(screen.renderer, given, model="demo", samples=())
    return answers, files, screen.talk


def test_XC_03_the_answers_join_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "A keeper\n1\n3\n9000 3\n\n3\n"
    answers, files, _ = asked(monkeypatch, typed, title="T")
    assert answers == {
        "premise": "A keeper",
        "title": "T",
        "book_kind": "fiction",
        "genre": "Mystery",
        "words": 9_000,
        "chapters": "3",
        "language": "English",
        "person": "first person",
        "tense": "past",
    }
    assert files == []
    assert brief_from(answers).words == 9_000


def test_XC_03_a_size_may_be_chosen_by_its_number_and_a_voice_by_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sample = tmp_path / "letters.md"
    sample.write_text("It rained on the quay. " * 40, encoding="utf-8")
    typed = f"A guide\n2\n8\n2\nDeutsch\n{tmp_path / 'none.md'}\n{sample}\nnone\n\n"
    answers, files, told = asked(monkeypatch, typed)
    assert "Sources, a file or a folder" in told
    assert (answers["book_kind"], answers["category"]) == ("non-fiction", "Cookbook")
    assert (answers["project_type"], answers["language"]) == ("novella", "Deutsch")
    assert "There is no" in told
    assert files == [sample]


def test_XC_03_what_the_options_say_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    answers, _, told = asked(
        monkeypatch,
        "A keeper\n",
        category="Essay",
        research=False,
        genre="",
        language="fr",
        chapters="2",
        tense="past",
    )
    assert answers["premise"] == "A keeper"
    assert not any(word in told for word in ("Language", "Length", "Genre", "Voice"))


def test_XC_08_a_wrong_answer_is_asked_for_again_and_the_others_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typed = "  \nA keeper\n?\n3\n1\n?\n12\nSaga\nmany\n0 3\n900 12-8\n900 8-12\n?\nabout ten\nabout ten\n?\n1\n"
    answers, _, told = asked(monkeypatch, typed)
    assert (answers["premise"], answers["book_kind"], answers["genre"]) == (
        "A keeper",
        "fiction",
        "Saga",
    )
    assert (answers["words"], answers["chapters"]) == (900, "8-12")
    assert answers["language"] == "about ten"  # said twice, it is meant
    assert told.count("warning: ") == 11
    assert "write 8-12" in told


def test_XC_08_wrong_options_are_told_before_the_first_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match="--characters 'no'"):
        asked(monkeypatch, "", characters="no")


def test_XC_08_the_end_of_the_input_is_one_line_that_says_how(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match="input has ended") as caught:
        asked(monkeypatch, "A keeper\n1\n")
    assert "--yes" in caught.value.fix


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
