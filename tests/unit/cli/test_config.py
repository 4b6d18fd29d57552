"""`libriscribe2 config` through Typer and through a real process."""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from libriscribe2.cli.listings import config as app
from libriscribe2.cli.process import Invocation

CANARY = "sk-canary-0123456789"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working directory, and an environment that no command changes for good."""
    before = dict(os.environ)
    os.environ |= {"XDG_CONFIG_HOME": str(tmp_path / "config"), "OPENAI_API_KEY": CANARY}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config" / "libriscribe2").mkdir(parents=True)
    (tmp_path / "projects" / "fox").mkdir(parents=True)
    yield tmp_path
    os.environ.clear()
    os.environ.update(before)


def user_file(folder: Path) -> Path:
    return folder / "config" / "libriscribe2" / "config.toml"


def test_show_lists_every_key_and_its_value() -> None:
    result = CliRunner().invoke(app, ["show"])
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[0] == "key\tvalue"
    assert "pipeline.max_concurrency\t4" in lines
    assert "no_input\tfalse" in lines
    assert "models.default.temperature\t" in lines


def test_show_origin_names_every_layer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file(folder).write_text("[models]\nconcept = ['a', 'b']\n", encoding="utf-8")
    book = folder / "projects" / "fox" / "book.toml"
    book.write_text("[book]\npremise = 'x'\n[llm]\nretries = 1\n", encoding="utf-8")
    (folder / ".env").write_text("LIBRISCRIBE2_LLM__TIMEOUT_SECONDS=7\n", encoding="utf-8")
    monkeypatch.setenv("LIBRISCRIBE2_LOG_LEVEL", "debug")
    result = CliRunner().invoke(app, ["show", "--origin", "fox"])
    assert result.exit_code == 0
    rows = dict(line.split("\t", 1) for line in result.stdout.splitlines())
    assert rows["models.concept.fallbacks"] == f"b\t{user_file(folder)}"
    assert rows["llm.retries"] == f"1\t{Path('projects/fox/book.toml')}"
    assert rows["llm.timeout_seconds"] == "7.0\t.env"
    assert rows["log_level"] == "DEBUG\tenv LIBRISCRIBE2_LOG_LEVEL"
    assert rows["debug_dir"] == "debug\tdefault"


def test_show_json_is_one_object_of_values() -> None:
    result = CliRunner().invoke(app, ["show", "--json"])
    record = json.loads(result.stdout)
    assert record["pipeline.max_attempts"] == 3
    assert record["models.default.temperature"] is None


def test_show_json_with_origins() -> None:
    result = CliRunner().invoke(app, ["show", "--json", "--origin"])
    assert json.loads(result.stdout)["log_level"] == {"value": "INFO", "origin": "default"}


@pytest.mark.parametrize("options", [[], ["--json"], ["--origin"], ["--json", "--origin"]])
def test_XC_11_no_secret_is_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setenv("LIBRISCRIBE2_LLM__BASE_URL", f"http://me:{CANARY}@host/v1")
    (folder / ".env").write_text(f"ANTHROPIC_API_KEY={CANARY}\n", encoding="utf-8")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    result = CliRunner().invoke(app, ["show", *options])
    assert result.exit_code == 0
    assert CANARY not in result.stdout + result.stderr
    assert "@host/v1" in result.stdout


def test_an_ignored_variable_is_warned_of_on_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRISCRIBE2_PLAN_RETRY_MAX", "-1")
    result = CliRunner().invoke(app, ["show", "--json"])
    assert result.exit_code == 0
    assert "LIBRISCRIBE2_PLAN_RETRY_MAX" in result.stderr
    assert json.loads(result.stdout)["plan_retry_max"] == 2


def test_a_stage_that_nobody_knows_is_refused_with_the_nearest(folder: Path) -> None:
    user_file(folder).write_text("[models]\nconcpet = 'a'\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["show"])
    assert result.exit_code == 3
    assert str(user_file(folder)) in result.stderr
    assert "Did you mean `models.concept`?" in result.stderr


def test_an_unknown_project_is_three_lines_and_no_data() -> None:
    result = CliRunner().invoke(app, ["show", "wolf"])
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.startswith("error: There is no project 'wolf'")


def test_a_project_may_be_named_by_its_folder(folder: Path) -> None:
    book = folder / "projects" / "fox" / "book.toml"
    book.write_text("[llm]\nretries = 9\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["show", "projects/fox"])
    assert "llm.retries\t9" in result.stdout.splitlines()


def test_a_name_that_cannot_be_a_projects_is_a_usage_error() -> None:
    result = CliRunner().invoke(app, ["show", "fox?", "--json"])
    assert result.exit_code == 2
    assert json.loads(result.stderr)["error"] == "usage"


def test_path_is_the_users_file_alone_on_stdout(folder: Path) -> None:
    result = CliRunner().invoke(app, ["path"])
    assert result.exit_code == 0
    assert result.stdout == f"{user_file(folder)}\n"
    assert "does not exist yet" in result.stderr
    user_file(folder).write_text("", encoding="utf-8")
    assert CliRunner().invoke(app, ["path"]).stderr == ""


def test_quiet_leaves_the_path_alone(folder: Path) -> None:
    result = CliRunner().invoke(app, ["path"], obj=Invocation(quiet=True))
    assert (result.stdout, result.stderr) == (f"{user_file(folder)}\n", "")


def test_path_as_json(folder: Path) -> None:
    result = CliRunner().invoke(app, ["path", "--json"])
    assert json.loads(result.stdout) == {"path": str(user_file(folder)), "exists": False}


def test_XC_09_no_command_is_a_coroutine_function() -> None:
    callbacks = [command.callback for command in app.registered_commands]
    assert len(callbacks) == 5
    assert not any(inspect.iscoroutinefunction(callback) for callback in callbacks)


def test_local_variables_are_never_shown() -> None:
    assert app.pretty_exceptions_show_locals is False


def test_as_a_part_of_another_command_it_keeps_its_exit_codes(folder: Path) -> None:
    root = typer.Typer()
    root.add_typer(app)
    user_file(folder).write_text("modle = 'a'", encoding="utf-8")
    assert CliRunner().invoke(root, ["config", "show"]).exit_code == 3


@pytest.mark.slow
def test_XC_08_the_exit_code_is_the_process_s_and_litellm_stays_out(folder: Path) -> None:
    user_file(folder).write_text("modle = 'a'", encoding="utf-8")
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('litellm' in sys.modules))\n"
        "from libriscribe2.cli.listings import config as app\n"
        "app()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "show"],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout == "False\n"
    assert "Did you mean `models.default`?" in done.stderr
    assert "Traceback" not in done.stderr
