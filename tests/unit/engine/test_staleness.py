"""Why a unit runs, or why it does not."""

from pathlib import Path

import pytest

from libriscribe2.agents.chapter_writer import ChapterWriterAgent
from libriscribe2.agents.manuscript import ManuscriptAgent
from libriscribe2.engine.stages import decide, input_hashes
from libriscribe2.models.brief import Brief
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.project_view import ArtifactState, ProjectView, StateKind

UNIT = ChapterWriterAgent.unit(3)


@pytest.mark.parametrize(
    ("kind", "runs", "reason"),
    [
        ("missing", True, "not made yet"),
        ("old", True, "the last run ended before it was written"),
        ("fresh", False, "up to date"),
        ("edited", False, "edited by you"),
    ],
)
def test_XC_04_a_state_decides_and_gives_the_reason(
    kind: StateKind, runs: bool, reason: str
) -> None:
    for refresh in (False, True):
        found = decide(ChapterWriterAgent, UNIT, ArtifactState(kind), refresh=refresh)
        assert (found.unit, found.runs, found.reason, found.state) == (UNIT, runs, reason, kind)


def test_XC_04_what_is_stale_is_kept_until_asked_for() -> None:
    stale = ArtifactState("stale", ("book.toml:words", "outline.json"))
    kept = decide(ChapterWriterAgent, UNIT, stale)
    assert not kept.runs
    assert kept.reason == ("out of date: book.toml: words, outline.json changed")
    remade = decide(ChapterWriterAgent, UNIT, stale, refresh=True)
    assert remade.runs
    assert remade.reason == "book.toml: words, outline.json changed"


def test_XC_04_what_only_code_makes_is_remade_freely() -> None:
    stale = ArtifactState("stale", ("chapters/01.md",))
    assert decide(ManuscriptAgent, ManuscriptAgent.unit(), stale).runs


def test_XC_04_a_long_list_of_changes_is_cut() -> None:
    stale = ArtifactState("stale", ("a", "b", "c", "d", "e"))
    assert decide(ChapterWriterAgent, UNIT, stale).reason.startswith(
        "out of date: a, b, c and 2 more"
    )


@pytest.mark.parametrize("kind", ["missing", "fresh", "stale", "edited", "old"])
def test_XC_04_what_was_asked_for_again_runs_whatever_its_state(kind: StateKind) -> None:
    found = decide(ChapterWriterAgent, UNIT, ArtifactState(kind), again=True)
    assert (found.runs, found.reason, found.state) == (True, "rewritten as you asked", "again")


def view_of(folder: Path, *names: str) -> ProjectView:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return ProjectView(ProjectPaths(folder, folder / "debug"), Manifest())


def test_XC_04_inputs_are_files_and_fields_of_the_brief(tmp_path: Path) -> None:
    view = view_of(tmp_path, "concept.json", "outline.json", "chapters/02.md", "chapters/03.md")
    hashes = input_hashes(ChapterWriterAgent, UNIT, Brief(premise="p"), view)
    assert set(hashes) == {
        "concept.json",
        "outline.json",
        "chapters/02.md",
        *(f"book.toml:{key}" for key in ChapterWriterAgent.brief_keys),
    }
    assert hashes["concept.json"] == view.sha("concept.json")


def test_XC_04_a_pattern_stands_for_every_file_that_is_there(tmp_path: Path) -> None:
    view = view_of(tmp_path, "chapters/01.md", "chapters/02.md")
    hashes = input_hashes(ManuscriptAgent, ManuscriptAgent.unit(), Brief(premise="p"), view)
    assert {name for name in hashes if ":" not in name} == {"chapters/01.md", "chapters/02.md"}


def test_XC_04_a_field_of_the_brief_changes_only_its_own_hash(tmp_path: Path) -> None:
    view = view_of(tmp_path)
    before = input_hashes(ChapterWriterAgent, UNIT, Brief(premise="p"), view)
    after = input_hashes(ChapterWriterAgent, UNIT, Brief(premise="q", words=7), view)
    assert {name for name in after if after[name] != before[name]} == {"book.toml:words"}
