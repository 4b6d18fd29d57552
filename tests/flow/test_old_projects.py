"""A project of the original LibriScribe2 opens, and `resume` goes on from it."""

import json
from typing import Any

import pytest
from tests.support.desk import Desk
from tests.support.entered import entered

from libriscribe2.utils.json_utils import JSONProcessor

REPLY = '{"title": "L\'\u00e9t\u00e9", "logline": "A summer ends.", "description": "Long."}'
CONCEPT = {
    "agent_name": "ConceptGeneratorAgent",
    "timestamp": "2025-08-01T10:00:00Z",
    "raw_content": f"Here it is:\n```json\n{REPLY}\n```",
}
SCENE = {"scene_number": 1, "summary": "They meet.", "characters": ["Ana"], "setting": "The pier"}
STATE: dict[str, Any] = {
    "project_name": "summer",
    "title": "L'\u00e9t\u00e9",
    "author": "A. Writer",
    "category": "Fiction",
    "language": "English",
    "description": "A long tale of a summer that ends.",
    "project_type": "novella",
    "num_chapters": 2,
    "num_characters": 1,
    "scenes_per_chapter": "1",
    "worldbuilding_needed": True,
    "characters": {"Ana": {"name": "Ana", "role": "lead", "age": "31"}},
    "worldbuilding": {"geography": "An island."},
    "chapters": {
        str(n): {
            "chapter_number": n,
            "title": f"Tide {n}",
            "summary": "It rises.",
            "scenes": [SCENE],
        }
        for n in (1, 2)
    },
}


@pytest.fixture
def old(desk: Desk) -> Desk:
    """A desk with an old project on it, escaped and wrapped as the original wrote it."""
    folder = desk.folder / "projects" / "summer"
    folder.mkdir(parents=True)
    for name, value in (("project_data.json", STATE), ("concept.json", CONCEPT)):
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    (folder / "chapter_1.md").write_text("# Tide 1\n\nAna waits.\n", encoding="utf-8")
    return desk


def test_OV_44_resume_finishes_an_old_book(old: Desk) -> None:
    old.run("resume", "summer", "--mock")
    book = old.project("summer")
    titles = [text.partition("\n")[0] for text in book.chapters()]
    assert titles == ["# Tide 1", "# Tide 2"]
    assert 'title: "L\'\u00e9t\u00e9"' in book.text("manuscript.md")
    assert "raw_content" not in book.text("concept.json")
    assert book.chapters()[0] == "# Tide 1\n\nAna waits.\n"
    assert book.brief()["premise"] == STATE["description"]
    assert "Ana" in "".join(book.chapters())


def test_OV_06_a_reply_that_the_original_saved_is_read_and_its_markdown_told(
    old: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    with entered(JSONProcessor.extract_json_from_response) as found:
        record = old.run("status", "summer", "--json").value
    assert "libriscribe2.project.legacy" in found["extract_json_from_response"]
    assert "JSON_EXTRACTION_WARNING: markdown_code_blocks, surrounding_text" in caplog.text
    states = {row["unit"]: row["state"] for row in record["units"]}
    assert states["concept.json"] == "original"
    old.run("resume", "summer", "--mock", "--until", "concept")
    concept = old.project("summer").json("concept.json")["concept"]
    assert concept == json.loads(REPLY)


def test_OV_06_a_saved_reply_without_json_is_told_and_counts_as_none(
    old: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    folder = old.folder / "projects" / "summer"
    reply = {"raw_content": "I have no idea."}
    state = STATE | {"logline": "As the state has it."}
    for name, value in (("concept.json", reply), ("project_data.json", state)):
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    old.run("resume", "summer", "--mock", "--until", "concept")
    concept = old.project("summer").json("concept.json")["concept"]
    assert concept["logline"] == state["logline"]
    assert "No JSON object in the reply: the reply contained no JSON" in caplog.text


def test_OV_45_what_an_old_file_said_of_its_reply_is_moved_out_of_it(old: Desk) -> None:
    wrapped = (old.folder / "projects" / "summer" / "concept.json").read_bytes()
    old.run("resume", "summer", "--mock", "--until", "concept")
    book = old.project("summer")
    assert list(book.json("concept.json")) == ["concept", "keywords"]
    moved = [
        path for path in book.root.rglob("*") if path.is_file() and wrapped in path.read_bytes()
    ]
    assert [path.relative_to(book.root).parts[0] for path in moved] == [".libriscribe"]


def test_OV_44_an_old_book_is_converted_once(old: Desk) -> None:
    old.run("resume", "summer", "--mock", "--until", "outline")
    first = old.project("summer").contents()
    old.run("resume", "summer", "--mock", "--until", "outline")
    assert old.project("summer").contents() == first


def test_OV_44_status_shows_an_old_book_and_writes_nothing(old: Desk) -> None:
    folder = old.folder / "projects" / "summer"
    before = {path: path.read_bytes() for path in folder.rglob("*")}
    record = old.run("status", "summer", "--json").value
    assert record["title"] == "L'\u00e9t\u00e9"
    assert record["chapters"] == 2
    states = {row["unit"]: row["state"] for row in record["units"]}
    assert (states["concept.json"], states["chapters/01.md"]) == ("original", "original")
    assert (states["chapters/02.md"], states["manuscript.md"]) == ("missing", "missing")
    told = old.run("status", "summer")
    assert "chapters/01.md\toriginal\t" in told.out
    assert "`libriscribe2 resume summer` converts it" in told.err
    assert {path: path.read_bytes() for path in folder.rglob("*")} == before


def test_OV_44_an_old_book_is_sound_before_it_is_converted(old: Desk) -> None:
    ran = old.run("doctor", "summer", "--json", expect=4)  # there is no model here
    checks = {one["name"]: one["state"] for one in ran.value["checks"]}
    assert checks["artifacts"] == "ok"
    assert "No problems found." in old.run("check", "summer").err
    assert "1\tTide 1\t2\t" in old.run("chapter", "list", "summer").out


@pytest.mark.parametrize("name", ["project_data.json", "concept.json"])
def test_XC_08_a_damaged_file_of_an_old_book_is_not_called_expendable(old: Desk, name: str) -> None:
    (old.folder / "projects" / "summer" / name).write_text("{", encoding="utf-8")
    line = old.run("resume", "summer", "--mock", expect=3).err
    assert f"{name} is not valid JSON" in line
    assert "fix: Correct it, or restore it from a backup." in line


def test_OV_44_an_old_book_has_no_journal_to_be_rebuilt_from(old: Desk) -> None:
    line = old.run("replay", "summer", expect=3).err
    assert "no recorded replies" in line
    assert "`libriscribe2 resume summer` converts it" in line


def test_OV_44_status_of_a_converted_book_has_no_originals(old: Desk) -> None:
    old.run("resume", "summer", "--mock", "--until", "outline")
    ran = old.run("status", "summer")
    assert "original" not in ran.out + ran.err
    assert "chapters/01.md\tedited\t" in ran.out
