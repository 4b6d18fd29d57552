"""`libriscribe2 doctor` through Typer: what a user sees and the exit code that a script gets."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer
from tests.support.written_book import WrittenBook
from typer.testing import CliRunner

from libriscribe2.cli.root import app
from libriscribe2.project.lock import ProjectLock
from libriscribe2.project.paths import BOOK_TOML, ProjectPaths

KEY = "sk-canary-0123456789"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The model servers that happen to run on the machine are none of the tests' business.
    monkeypatch.setattr("libriscribe2.cli.listings.local_servers", tuple)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIBRISCRIBE2_MODELS__DEFAULT", "demo")
    return tmp_path


@pytest.fixture
def book(folder: Path) -> ProjectPaths:
    paths = ProjectPaths(folder / "projects" / "fox", folder / "debug" / "fox")
    paths.state.mkdir(parents=True)
    paths.book_toml.write_text('[book]\npremise = "A fox."\n', encoding="utf-8")
    return paths


def doctor(*arguments: str) -> tuple[int, dict[str, dict[str, str]], Any]:
    """The exit code, the checks by name, and the whole record."""
    result = CliRunner().invoke(app, ["doctor", "--json", *arguments])
    record = json.loads(result.stdout)
    assert KEY not in result.stdout + result.stderr
    return result.exit_code, {check["name"]: check for check in record["checks"]}, record


def test_a_sound_installation_is_0_and_every_check_has_four_fields() -> None:
    code, checks, record = doctor()
    assert (code, record["ok"]) == (0, True)
    assert {tuple(check) for check in checks.values()} == {("name", "state", "message", "fix")}
    assert {check["state"] for check in checks.values()} <= {"ok", "warning"}
    assert "project" not in checks
    assert checks["answer"]["state"] == "ok"


def test_without_json_it_is_a_table_and_a_sentence() -> None:
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "check\tstate\tmessage\tfix"
    assert lines[1].startswith("python\tok\t")
    assert result.stderr == "Everything needed to write a book is in place.\n"


def test_a_bad_variable_is_3_and_what_depends_on_it_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LIBRISCRIBE2_MODLES", "x")
    code, checks, record = doctor()
    assert (code, record["ok"]) == (3, False)
    assert "LIBRISCRIBE2_MODLES" in checks["configuration"]["message"]
    assert "Not checked" in checks["model"]["message"]
    assert checks["python"]["state"] == "ok"


def test_a_value_that_is_ignored_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRISCRIBE2_PLAN_RETRY_MAX", "-1")
    code, checks, _ = doctor()
    assert (code, checks["configuration"]["state"]) == (0, "warning")


def test_the_configuration_files_are_named(folder: Path) -> None:
    (folder / ".env").write_text("# nothing yet\n", encoding="utf-8")
    assert doctor()[1]["configuration"]["message"] == ".env can be used."


def test_a_missing_key_is_4_and_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRISCRIBE2_MODELS__DEFAULT", "anthropic/claude-sonnet-5")
    code, checks, _ = doctor("--ping")
    assert code == 4
    assert "ANTHROPIC_API_KEY" in checks["key"]["fix"]
    assert "Not checked" in checks["answer"]["message"]
    result = CliRunner().invoke(app, ["doctor"])
    assert (result.exit_code, result.stderr) == (4, "1 check failed.\n")


def test_a_projects_folder_that_is_a_file_is_6(folder: Path) -> None:
    (folder / "projects").touch()
    code, checks, _ = doctor()
    assert (code, checks["projects"]["state"], checks["debug"]["state"]) == (6, "failed", "ok")


def test_an_unknown_project_is_3_and_the_folders_are_still_looked_at() -> None:
    code, checks, _ = doctor("wolf")
    assert code == 3
    assert "There is no project 'wolf'" in checks["project"]["message"]
    assert checks["disk"]["state"] == "ok"
    assert "Not checked" in checks["artifacts"]["message"]


def test_a_sound_project_is_0(book: ProjectPaths) -> None:
    before = sorted(path.name for path in book.root.rglob("*"))
    code, checks, _ = doctor("fox")
    assert code == 0
    assert {checks[name]["state"] for name in ("project", "lock", "journal", "artifacts")} == {"ok"}
    assert sorted({path.name for path in book.root.rglob("*")} - {"lock"}) == before


def test_a_project_that_never_ran_is_free(book: ProjectPaths) -> None:
    book.state.rmdir()
    assert doctor("fox")[1]["lock"]["state"] == "ok"
    assert not book.state.exists()


def test_a_project_that_is_worked_on_is_9_and_names_the_process(book: ProjectPaths) -> None:
    held = ProjectLock.acquire(book)
    code, checks, _ = doctor("fox")
    held.release()
    assert code == 9
    assert f"host {socket.gethostname()}" in checks["lock"]["message"]
    assert checks["artifacts"]["state"] == "ok"


def test_damaged_records_are_a_warning_with_their_number(book: ProjectPaths) -> None:
    book.journal.write_text("00000000 {}\nnonsense\n", encoding="utf-8")
    code, checks, _ = doctor("fox")
    assert (code, checks["journal"]["state"]) == (0, "warning")
    assert checks["journal"]["message"].startswith("2 records of")


def test_a_damaged_artifact_is_3_and_names_the_file(folder: Path) -> None:
    written = WrittenBook(folder).people("Mara")
    written.write(BOOK_TOML, '[book]\npremise = "A fox."\n')
    written.write("characters.json", "{")
    code, checks, _ = doctor(str(written.paths.root))
    assert code == 3
    assert "characters.json" in checks["artifacts"]["message"]


@pytest.mark.parametrize(
    "text", ['[book]\npremis = "x"\n', "[book]\npremise = 'x'\n[llm]\nx = 1\n"]
)
def test_a_bad_book_toml_is_3(book: ProjectPaths, text: str) -> None:
    book.book_toml.write_text(text, encoding="utf-8")
    code, checks, _ = doctor("fox")
    assert (code, checks["project"]["state"]) == (3, "failed")
    assert "Not checked" in checks["model"]["message"]


def test_a_book_that_names_its_model_has_that_one_checked(book: ProjectPaths) -> None:
    text = "[book]\npremise = 'x'\n[models]\nconcept = 'mistral/m'\n"
    book.book_toml.write_text(text, encoding="utf-8")
    code, checks, _ = doctor("fox")
    assert (code, "MISTRAL_API_KEY" in checks["key"]["message"]) == (4, True)


def test_ping_sends_one_request_and_tells_what_came_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer(replies=["ready"], models=["test-model"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("LIBRISCRIBE2_MODELS__DEFAULT", "openai/test-model")
        assert "Not tested" in doctor()[1]["answer"]["message"]
        assert server.posts == []
        code, checks, _ = doctor("--ping")
    assert (code, len(server.posts)) == (0, 1)
    assert "answered in" in checks["answer"]["message"]


@pytest.mark.parametrize(("status", "code"), [(401, 4), (503, 7)])
def test_a_model_that_refuses_is_4_and_one_that_is_away_7(
    monkeypatch: pytest.MonkeyPatch, status: int, code: int
) -> None:
    with OpenAIServer([Fault(status=status)] * 3) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("LIBRISCRIBE2_MODELS__DEFAULT", "openai/test-model")
        assert doctor("--ping")[0] == code
    assert len(server.posts) == 1


@pytest.mark.slow
def test_doctor_is_quick_because_litellm_stays_out(folder: Path) -> None:
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('litellm' in sys.modules))\n"
        "from libriscribe2.cli.root import app\n"
        "app(['--quiet', 'doctor', '--json'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("}\nFalse\n")


def test_a_bundle_for_a_bug_report_holds_no_text_name_or_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789abcdef")
    create = ["create", "A robot learns to paint", "--model", "demo", "-p", "robots"]
    CliRunner().invoke(app, [*create, "--until", "concept", "--no-input"])
    ran = CliRunner().invoke(app, ["doctor", "robots", "--bundle", "bug.zip"])
    assert "bug.zip holds doctor.json, versions.json, settings.json, events.jsonl" in ran.stderr
    with ZipFile("bug.zip") as archive:
        held = "".join(archive.read(name).decode("utf-8") for name in archive.namelist())
    assert '"event": "run.end"' in held
    assert "litellm==" in held
    for private in ("robots", "learns to paint", str(tmp_path), "sk-very-secret"):
        assert private not in held
    again = CliRunner().invoke(app, ["doctor", "--bundle", "bug.zip"])
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)
