"""Which files a command about a project looks at."""

from pathlib import Path

import pytest

from libriscribe2.errors import ConfigError
from libriscribe2.settings.loading import load_for_project


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "projects" / "fox").mkdir(parents=True)
    return tmp_path


def test_XC_12_keys_of_the_env_file_reach_the_environment(folder: Path) -> None:
    (folder / ".env").write_text("OPENAI_API_KEY=canary\nA=file\n", encoding="utf-8")
    environ = {"A": "real"}
    load_for_project(None, environ=environ, flags={}, folder=folder)
    assert environ == {"A": "real", "OPENAI_API_KEY": "canary"}


def test_a_projects_own_file_is_found_in_its_folder(folder: Path) -> None:
    root = folder / "projects" / "fox"
    (root / "book.toml").write_text("[models]\nchapters = 'a'\n", encoding="utf-8")
    loaded = load_for_project(root, environ={}, flags={}, folder=folder)
    assert loaded.origins["models.chapters.model"] == str(root / "book.toml")


def test_a_project_without_a_file_has_the_other_layers(folder: Path) -> None:
    root = folder / "projects" / "fox"
    loaded = load_for_project(root, environ={}, flags={"no_input": True}, folder=folder)
    assert loaded.settings.no_input is True


def test_the_stages_are_passed_on(folder: Path) -> None:
    environ = {"LIBRISCRIBE2_MODELS__CONCPET": "a"}
    with pytest.raises(ConfigError):
        load_for_project(None, environ=environ, flags={}, stages=("concept",), folder=folder)
