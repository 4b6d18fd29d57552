"""`estimate` and `--dry-run`: what it would take, with nothing sent and nothing touched."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.desk import PREMISE, SMALL, Desk, Ran

CALLS = 18
UNREVISED_CALLS = 14
MODEL = "openai/gpt-4o-mini"


def everything(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder with its bytes and its time; without the quote."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "quote.json")
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def quoted(ran: Ran) -> dict[str, int]:
    """How many calls each stage would make."""
    return {part["stage"]: part["calls"] for part in ran.value["stages"]}


def made(desk: Desk) -> dict[str, int]:
    """How many calls each stage made."""
    found: dict[str, int] = {}
    for record in desk.project().records("sent"):
        stage = record["step"].partition("/")[0]
        found[stage] = found.get(stage, 0) + 1
    return found


def test_estimate_of_a_new_book_leaves_no_folder(desk: Desk) -> None:
    command = ("create", PREMISE, "--mock", *SMALL, "--dry-run", "--json")
    ran = desk.run(*command)
    assert list(desk.folder.iterdir()) == []
    assert ran.value["total"]["calls"] == CALLS
    desk.written()
    assert quoted(ran) == made(desk)


def test_estimate_needs_no_key_and_touches_nothing(desk: Desk) -> None:
    desk.written("--until", "outline")
    before = everything(desk.folder)
    ran = desk.run("estimate", "book", "--model", MODEL, "--json")
    assert everything(desk.folder) == before
    assert {part["model"] for part in ran.value["stages"]} == {MODEL}
    total = ran.value["total"]
    whole = total["input_tokens"] * 0.15e-6 + total["output_tokens"] * 0.6e-6
    assert total["high_usd"] == pytest.approx(whole * ran.value["high_factor"])
    assert total["cached_tokens"] > 0
    assert total["low_usd"] == pytest.approx(whole - total["cached_tokens"] * 0.075e-6)


def test_estimate_counts_what_is_left_and_what_the_run_then_asks(desk: Desk) -> None:
    desk.written("--until", "outline")
    before = made(desk)
    ran = desk.run("resume", "book", "--dry-run", "--json")
    assert desk.run("estimate", "book", "--json").value == ran.value
    desk.run("resume", "book")
    after = made(desk)
    assert quoted(ran) == {stage: calls for stage, calls in after.items() if stage not in before}
    assert desk.run("estimate", "book", "--json").value["total"]["calls"] == 0


def test_estimate_does_not_count_what_is_replayed(desk: Desk) -> None:
    desk.written()
    for name in ("chapters/01.md", "chapters/02.md", "outline.json"):
        desk.project().path(name).unlink()
    assert desk.run("estimate", "book", "--json").value["total"]["calls"] == 0


def test_estimate_of_redo_marks_nothing(desk: Desk) -> None:
    desk.written()
    before = everything(desk.folder)
    command = ("redo", "book", "chapters", "--chapter", "2", "--dry-run", "--json")
    assert quoted(desk.run(*command)) == {"chapters": 3}
    assert everything(desk.folder) == before
    assert f"{CALLS} calls" not in desk.run("resume", "book").out


def test_estimate_of_a_refresh_counts_what_is_stale(desk: Desk) -> None:
    desk.written()
    desk.project().write("chapters/01.md", "# One\n\nI wrote this.\n")
    assert desk.run("estimate", "book", "--json").value["total"]["calls"] == 0
    assert "chapters" in quoted(desk.run("estimate", "book", "--rewrite", "--json"))
    until = desk.run("estimate", "book", "--rewrite", "--until", "outline", "--json")
    assert until.value["total"]["calls"] == 0


def test_estimate_says_unknown_where_the_price_is(desk: Desk) -> None:
    desk.written("--until", "outline")
    ran = desk.run("estimate", "book", "--model", "openai/nobody-knows")
    assert "cost unknown" in ran.out.splitlines()[-1]
    assert "The price of openai/nobody-knows is unknown." in ran.err
    total = desk.run("estimate", "book", "--model", "openai/nobody-knows", "--json").value["total"]
    assert total["low_usd"] is total["high_usd"] is None
    assert total["output_tokens"] > 0


def test_estimate_prices_each_stage_by_its_own_model(desk: Desk) -> None:
    desk.written("--until", "outline")
    book = desk.project()
    book.write("book.toml", book.text("book.toml") + f'\n[models.chapters]\nmodel = "{MODEL}"\n')
    parts: list[dict[str, Any]] = desk.run("estimate", "book", "--json").value["stages"]
    models = {part["stage"]: part["model"] for part in parts}
    assert models == {
        "style": "demo",
        "scenes": "demo",
        "chapters": MODEL,
        "canon": "demo",
    }


def test_estimate_is_a_table_with_a_total(desk: Desk) -> None:
    ran = desk.run("create", PREMISE, "--mock", *SMALL, "--no-revision", "--dry-run")
    lines = [line.split("\t") for line in ran.out.splitlines()]
    assert lines[0] == ["stage", "model", "calls", "tokens in", "tokens out", "cost"]
    assert lines[-1][0] == "total"
    assert lines[-1][2] == str(UNREVISED_CALLS)
    assert lines[-1][5] == "$0.00"
    assert "Nothing was sent" in ran.err


def test_estimate_is_not_stopped_by_a_cap(desk: Desk) -> None:
    desk.written("--until", "outline", "--max-calls", "8")
    assert desk.run("estimate", "book", "--json").value["total"]["calls"] > 0


def test_estimate_fails_as_the_command_would(desk: Desk) -> None:
    desk.written("--until", "outline")
    desk.project().write("outline.json", "{")
    ran = desk.run("estimate", "book", expect=3)
    assert "outline.json" in ran.err
    desk.run("create", PREMISE, "--mock", "-p", "book", "--dry-run", expect=3)
    desk.run("estimate", "nobody", expect=3)


def test_the_quote_stands_beside_what_the_run_took(desk: Desk) -> None:
    desk.written("--until", "outline")
    total = desk.run("estimate", "book", "--json").value["total"]
    ran = desk.run("resume", "book")
    quote = next(line for line in ran.out.splitlines() if line.startswith("estimate: "))
    actual = next(line for line in ran.out.splitlines() if line.startswith("actual: "))
    assert quote.startswith(
        f"estimate: {total['calls']} calls, {total['input_tokens']:,} tokens in"
    )
    assert actual.startswith(f"actual: {total['calls']} calls, ")
    assert actual.endswith("$0.00")
    assert {quote, actual} <= set(desk.run("status", "book").out.splitlines())


def test_without_a_quote_nothing_is_said_of_one(desk: Desk) -> None:
    assert "estimate" not in desk.create().out


def test_a_damaged_quote_is_told_and_stops_nothing(desk: Desk) -> None:
    desk.written("--until", "outline")
    desk.project().write(".libriscribe/quote.json", '{"v": 2}')
    ran = desk.run("resume", "book")
    assert "quote.json is not a quote" in ran.err
    desk.run("estimate", "book")
    assert "is not a quote" not in desk.run("resume", "book").err


def test_the_quote_is_private(desk: Desk) -> None:
    desk.written("--until", "outline")
    desk.run("estimate", "book")
    mode = desk.project().path(".libriscribe/quote.json").stat().st_mode
    assert os.name != "posix" or mode & 0o077 == 0


def test_estimate_of_a_project_of_the_original_leaves_it_alone(desk: Desk) -> None:
    folder = desk.project().root
    folder.mkdir(parents=True)
    old = {"project_name": "book", "title": "Mine", "description": PREMISE, "num_chapters": 1}
    (folder / "project_data.json").write_text(json.dumps(old), encoding="utf-8")
    before = everything(desk.folder)
    ran = desk.run("estimate", "book", "--mock", "--json")
    assert ran.value["total"]["calls"] > 0
    assert everything(desk.folder) == before
    assert [path.name for path in folder.iterdir()] == ["project_data.json"]


def test_an_estimate_names_the_project_in_its_errors_and_no_copy(desk: Desk) -> None:
    desk.written("--until", "outline")
    book = desk.project()
    toml = book.text("book.toml")
    for old, new in (("premise = ", "premis = "), ("allow = []", 'allow = ["P99"]')):
        assert old in toml
        book.write("book.toml", toml.replace(old, new))
        for command in (("estimate", "book"), ("redo", "book", "concept", "--dry-run")):
            told = desk.run(*command, expect=3).err
            assert "book.toml" in told
            assert "/libriscribe2-" not in told


def test_a_quote_is_held_against_its_own_job_only(desk: Desk) -> None:
    desk.written("--no-revision")
    ran = desk.run("redo", "book", "concept", "--dry-run")
    assert "The next `redo concept` will be compared with this estimate." in ran.err
    assert "estimate" not in desk.run("resume", "book").out
    assert "last estimate: of `redo concept`" in desk.run("status", "book").out
    assert "estimate: 4 calls" in desk.run("redo", "book", "concept").out


def test_an_estimate_with_nothing_to_do_says_so(desk: Desk) -> None:
    desk.written("--no-revision")
    ran = desk.run("estimate", "book")
    assert ran.out == ""
    assert "Nothing is left to do" in ran.err
    assert desk.run("estimate", "book", "--json").value["total"]["calls"] == 0
