"""Commands that are told as the way out can be typed as they are told."""

import shutil
from pathlib import Path

import pytest
from tests.support.desk import Desk


@pytest.fixture
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A plan without chapters, in a folder beside the projects too."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written("--until", "outline")
    shutil.copytree(desk.project().root, desk.folder / "elsewhere/moved book")
    return desk


@pytest.mark.parametrize("command", ["status", "estimate", "replay"])
def test_a_command_without_a_project_is_told_with_its_own_name(
    desk: Desk, command: str, tmp_path: Path
) -> None:
    desk = desk.copied_to(tmp_path / "two")
    shutil.copytree(desk.project().root, desk.folder / "projects" / "other")
    assert f"`libriscribe2 {command} PROJECT`" in desk.run(command, expect=2).err


@pytest.mark.parametrize(
    ("project", "called"), [("book", "book"), ("elsewhere/moved book", "'elsewhere/moved book'")]
)
def test_a_fix_names_the_project_as_it_was_typed(desk: Desk, project: str, called: str) -> None:
    resume = f"`libriscribe2 resume {called}`"
    assert resume in desk.run("report", project, expect=5).err
    assert resume in desk.run("status", project).err
    assert resume in desk.run("adopt", project, "scenes.json", expect=3).err
    told = desk.run("chapter", "split", project, "1", "--break", "1", "--title", "T", expect=3).err
    assert resume in told
    told = desk.run("check", project, "--story", expect=5).err
    assert f"libriscribe2 resume {called}" in told


def test_import_points_to_its_own_help(desk: Desk) -> None:
    (desk.folder / "m.md").write_text("# One\n\nIt rained.\n", encoding="utf-8")
    told = desk.run("import", "m.md", "--mock", "--premise", "", expect=2).err
    assert "`libriscribe2 import --help`" in told


def test_redo_after_an_import_names_the_project(desk: Desk) -> None:
    (desk.folder / "m.md").write_text("# One\n\nIt rained.\n", encoding="utf-8")
    desk.run("import", "m.md", "--mock")
    desk.project("m").path("outline.json").unlink()
    told = desk.run("redo", "m", "scenes", "--force", expect=None).err
    assert "`libriscribe2 resume`" not in told


def test_a_name_with_a_blank_is_quoted(desk: Desk) -> None:
    desk.create("--until", "outline", name="two words")
    again = desk.create(name="two words", expect=3).err
    assert "`libriscribe2 resume 'two words'`" in again
    assert "`libriscribe2 resume 'two words'`" in desk.run("export", "two words", expect=5).err
    (desk.folder / "m.md").write_text("# One\n\nIt rained.\n", encoding="utf-8")
    taken = desk.run("import", "m.md", "--mock", "-p", "my own").err
    assert "`libriscribe2 resume 'my own'`" in taken


@pytest.mark.slow
def test_the_name_of_a_demonstration_with_a_blank_is_quoted(desk: Desk) -> None:
    assert "libriscribe2 view 'a demo'\n" in desk.run("demo", "-p", "a demo").err
