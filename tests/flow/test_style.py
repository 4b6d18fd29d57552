"""The style sheet and the author's samples, from the command line to the prompts."""

import json
from pathlib import Path

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk

SAMPLE = (
    "The boat came in at noon, and nobody stood there to take the rope; it lay where it fell.\n\n"
    "“You are late,” she said. He was. Nothing else came to him that he could have said to her."
)


@pytest.fixture
def letters(desk: Desk) -> Path:
    path = desk.folder / "My Letters.MD"
    path.write_text(SAMPLE, encoding="utf-8")
    return path


def test_create_takes_the_voice_from_samples(desk: Desk, letters: Path) -> None:
    desk.create("--samples", str(letters), "--until", "style")
    book = desk.project()
    assert book.text("samples/my-letters.md") == SAMPLE
    style = book.json("style.json")
    assert style["passages"] == [{"file": "samples/my-letters.md", "text": SAMPLE}]
    assert style["numbers"]["words"] == 38
    assert style["rules"]
    assert all(one["quote"].strip("“”") in SAMPLE for one in style["rules"])


def test_an_edited_voice_is_kept_and_a_changed_sample_makes_it_stale(
    desk: Desk, letters: Path
) -> None:
    desk.create("--samples", str(letters), "--until", "style")
    book = desk.project()
    book.write("samples/my-letters.md", SAMPLE.replace("noon", "one"))
    units = {row["unit"]: row for row in desk.run("status", "book", "--json").value["units"]}
    assert units["style.json"]["state"] == "stale"
    book.write("style.json", '{"rules": []}')
    desk.run("resume", "book", "--rewrite", "--yes", "--until", "style")
    assert book.text("style.json") == '{"rules": []}'


def test_without_samples_the_plan_brings_a_sheet_that_every_prompt_of_prose_shows(
    desk: Desk,
) -> None:
    author = Author()
    desk.create("--until", "plan", backend=author)
    assert author.steps.count("style") == 1
    style = desk.project().json("style.json")
    assert style["sheet"]["voices"]
    style["sheet"]["tense"] = "the tense that the author wrote"
    desk.project().write("style.json", json.dumps(style))
    desk.run("resume", "book", backend=author)
    assert author.steps.count("style") == 1
    prose = [one for one in author.asked if one.step.startswith("chapters/")]
    assert prose
    assert all("tense: the tense that the author wrote" in str(one.messages) for one in prose)


def test_a_book_that_was_begun_without_a_sheet_goes_on_without_it(desk: Desk) -> None:
    desk.create()
    desk.project().path("style.json").unlink()
    desk.project().path("chapters/02.md").unlink()
    author = Author()
    rows = desk.run("status", "book", "--json").value["units"]
    assert "style.json" not in [row["unit"] for row in rows]
    desk.run("resume", "book", backend=author)
    assert "style" not in author.steps
    assert not desk.project().path("style.json").exists()
    desk.run("redo", "book", "style", backend=author)
    assert "style" in author.steps
    assert desk.project().path("style.json").exists()


def test_two_samples_of_one_name_are_both_kept(desk: Desk, letters: Path) -> None:
    other = desk.folder / "more" / "my letters.md"
    other.parent.mkdir()
    other.write_text(SAMPLE.replace("noon", "one"), encoding="utf-8")
    desk.create("--samples", str(letters), "--samples", str(other), "--until", "style")
    names = [path.name for path in sorted(desk.project().path("samples").iterdir())]
    assert names == ["my-letters-2.md", "my-letters.md"]


def test_a_dry_run_counts_the_question_and_leaves_nothing(desk: Desk, letters: Path) -> None:
    without = desk.create("--dry-run", "--json").value
    with_samples = desk.create("--dry-run", "--json", "--samples", str(letters)).value
    assert [one["stage"] for one in with_samples["stages"]].count("style") == 1
    assert [one["stage"] for one in without["stages"]].count("style") == 1
    assert not desk.project().root.exists()


def test_a_book_with_a_voice_is_rebuilt_from_its_journal(desk: Desk, letters: Path) -> None:
    desk.create("--samples", str(letters))
    told = desk.run("replay", "book", "--json").value
    assert {row["file"]: row["likeness"] for row in told["files"]}["style.json"] == "same"


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("gone.md", None, "There is no "),
        ("a.pdf", b"%PDF-1.4", "unsupported format"),
        ("a.md", b" \n", "is empty"),
        ("a.txt", b"\x89PNG\r\n\x1a\n", "cannot be read"),
        ("a.docx", b"PK\x03\x04", "cannot be read"),
    ],
)
def test_a_sample_that_cannot_be_used_begins_nothing(
    desk: Desk, name: str, data: bytes | None, told: str
) -> None:
    if data is not None:
        (desk.folder / name).write_bytes(data)
    ran = desk.create("--samples", name, expect=2)
    assert told in ran.err
    assert "fix: " in ran.err
    assert not desk.project().root.exists()


def test_the_report_says_how_far_the_book_is_from_the_samples(desk: Desk, letters: Path) -> None:
    desk.create("--samples", str(letters))
    desk.create(name="without")
    figures = {
        name: {one["name"]: one for one in desk.run("report", name, "--json").value["figures"]}
        for name in ("book", "without")
    }
    assert 0 < figures["book"]["distance to the samples"]["value"] < 1
    assert "distance to the samples" not in figures["without"]
