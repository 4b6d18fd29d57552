"""The single checks of `doctor`, each against what it must not overlook."""

import errno
import json
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from libriscribe2.commands import doctor, installation
from libriscribe2.commands.doctor import Case, examinations
from libriscribe2.commands.installation import CheckResult, Examination, examine, exit_code_of
from libriscribe2.errors import ConfigError, ModelError, ProviderError, StorageError
from libriscribe2.llm.backend import BackendError, Completion, ScriptedBackend
from libriscribe2.llm.default_model import LocalServer
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.settings.schema import LlmConfig, Settings

FINE = CheckResult("ok", "Fine.")


def raiser(error: Exception) -> Callable[[], CheckResult]:
    def look() -> CheckResult:
        raise error

    return look


def test_a_check_that_raises_fails_and_the_others_go_on() -> None:
    checks = examine(
        [
            Examination("a", 3, raiser(ConfigError("Bad file.", "line 1", "Mend it."))),
            Examination("b", 6, raiser(ZeroDivisionError("by zero"))),
            Examination("c", 9, lambda: FINE),
        ]
    )
    first = CheckResult("failed", "Bad file: line 1", "Mend it.")
    second = CheckResult("failed", "The check itself failed: ZeroDivisionError: by zero")
    assert [check.finding for check in checks] == [first, second, FINE]
    assert [check.exit_code for check in checks] == [3, 6, 0]


def test_an_error_without_a_reason_is_told_as_it_is() -> None:
    checks = examine([Examination("a", 3, raiser(StorageError("The disk is gone.")))])
    assert checks[0].finding.message == "The disk is gone."
    assert checks[0].exit_code == 6


def test_a_finding_that_failed_has_the_exit_code_of_its_check() -> None:
    checks = examine(
        [
            Examination("a", 3, lambda: CheckResult("warning", "Hm.")),
            Examination("b", 6, lambda: CheckResult("failed", "No.")),
            Examination("c", 9, lambda: CheckResult("failed", "No.")),
        ]
    )
    assert exit_code_of(checks) == 6


def test_nothing_failed_is_exit_code_0() -> None:
    assert exit_code_of(examine([Examination("a", 3, lambda: FINE)])) == 0


def test_what_needs_a_failed_check_is_not_looked_at_down_the_chain() -> None:
    checks = examine(
        [
            Examination("a", 3, raiser(ConfigError("Bad."))),
            Examination("b", 4, raiser(AssertionError("looked at")), ("a",)),
            Examination("c", 7, raiser(AssertionError("looked at")), ("b",)),
            Examination("d", 7, lambda: FINE, ("e",)),
        ]
    )
    states = [(check.finding.state, check.exit_code) for check in checks]
    assert states == [("failed", 3), ("warning", 0), ("warning", 0), ("ok", 0)]
    assert checks[2].finding.message == "Not checked, because of 'b'."


@pytest.mark.parametrize(("version", "state"), [((3, 10, 9), "failed"), ((3, 11, 0), "ok")])
def test_python_has_to_be_new_enough(version: tuple[int, ...], state: str) -> None:
    assert installation.look_at_python(version).state == state


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ("1.82.6", "ok"),
        ("1.82.7", "failed"),
        ("1.82.8", "failed"),
        ("1.83.0", "ok"),
        (None, "failed"),
    ],
)
def test_a_compromised_litellm_fails(version: str | None, state: str) -> None:
    assert installation.look_at_litellm(version, []).state == state


@pytest.mark.parametrize("name", ["litellm_init.pth", "x-LiteLLM.pth"])
def test_a_litellm_file_that_python_would_run_fails(tmp_path: Path, name: str) -> None:
    (tmp_path / "other.pth").touch()
    assert installation.look_at_litellm("1.106.2", [tmp_path]).state == "ok"
    (tmp_path / name).touch()
    finding = installation.look_at_litellm("1.106.2", [tmp_path])
    assert (finding.state, str(tmp_path / name) in finding.message) == ("failed", True)


def test_the_real_installation_is_looked_at_without_importing_litellm() -> None:
    before = "litellm" in sys.modules
    assert installation.installed_litellm() == metadata.version("litellm")
    assert installation.site_folders()
    assert [check.finding.state for check in examine(installation.installation())[:3]] == ["ok"] * 3
    assert ("litellm" in sys.modules) is before


def test_no_litellm_is_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert installation.installed_litellm() is None


@pytest.mark.parametrize(
    ("encoding", "state"),
    [("UTF8", "ok"), ("utf-8", "ok"), ("cp1252", "warning"), ("no-such", "warning")],
)
def test_an_encoding_that_is_not_utf_8_is_a_warning(encoding: str, state: str) -> None:
    assert installation.look_at_encoding(encoding).state == state


def test_a_folder_that_is_there_or_can_be_made(tmp_path: Path) -> None:
    assert installation.look_at_folder(tmp_path).message == f"{tmp_path} can be written."
    missing = tmp_path / "a" / "b"
    assert installation.look_at_folder(missing).message == f"{missing} can be made."
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_a_folder_fails(tmp_path: Path) -> None:
    (tmp_path / "projects").touch()
    finding = installation.look_at_folder(tmp_path / "projects" / "x")
    assert (finding.state, str(tmp_path / "projects") in finding.message) == ("failed", True)


def test_a_folder_that_the_system_refuses_is_a_storage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(installation, "tempfile", SimpleNamespace(TemporaryFile=refuse))
    with pytest.raises(StorageError, match="Cannot write"):
        installation.look_at_folder(tmp_path)


@pytest.mark.parametrize(("free", "state"), [(64 * 2**20, "ok"), (64 * 2**20 - 1, "failed")])
def test_the_disk_needs_64_mib(tmp_path: Path, free: int, state: str) -> None:
    assert installation.look_at_room(tmp_path / "projects", lambda _folder: free).state == state


def test_a_disk_that_does_not_answer_is_a_storage_error(tmp_path: Path) -> None:
    def gone(folder: Path) -> int:
        raise OSError(errno.EIO, "Input/output error", str(folder))

    with pytest.raises(StorageError, match="free room"):
        installation.look_at_room(tmp_path, gone)


def case_with(choice: ModelChoice, settings: Settings | None = None) -> Case:
    case = Case(None, tuple)
    case.settings = settings if settings is not None else Settings()
    case.choice = choice
    case.servers = ()
    return case


ONLINE = ModelChoice("openai/m", "OPENAI_API_KEY is set")


def test_without_a_model_no_book_can_be_made() -> None:
    case = Case(None, tuple)
    case.settings = Settings()
    with pytest.raises(ModelError, match="no model") as caught:
        doctor.look_at_choice(case)
    assert "keys set openai" in caught.value.fix


@pytest.mark.parametrize("choice", [ONLINE, ModelChoice("demo", "named explicitly")])
def test_the_model_is_told_with_the_reason(choice: ModelChoice) -> None:
    settings = Settings.model_validate({"models": {"default": choice.model}})
    finding = doctor.look_at_choice(case_with(choice, settings))
    assert finding == CheckResult("ok", f"{choice.model}: {choice.reason}.")


def test_the_key_of_every_stage_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings.model_validate({"models": {"concept": "anthropic/claude"}})
    case = case_with(ONLINE, settings)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234567890")
    with pytest.raises(ModelError, match="anthropic/claude"):
        doctor.look_at_key(case)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1234567890")
    assert doctor.look_at_key(case).message == "Found ANTHROPIC_API_KEY, OPENAI_API_KEY."


def test_the_keys_of_fallbacks_and_of_the_evaluator_are_looked_for_before_there_is_a_book(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    models = {"default": "openai/m, mistral/m", "evaluator": "anthropic/claude"}
    settings = Settings.model_validate({"models": models, "revision": {"evaluator": True}})
    case = case_with(ONLINE, settings)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234567890")
    for name, variable in (("anthropic", "ANTHROPIC_API_KEY"), ("mistral", "MISTRAL_API_KEY")):
        with pytest.raises(ModelError, match=name):
            doctor.look_at_key(case)
        monkeypatch.setenv(variable, "sk-1234567890")
    found = doctor.look_at_key(case).message
    assert found == "Found ANTHROPIC_API_KEY, MISTRAL_API_KEY, OPENAI_API_KEY."


def test_no_key_is_needed_offline_or_at_a_server_of_ones_own() -> None:
    assert doctor.look_at_key(case_with(ModelChoice("demo", ""))).message == "No key is needed."
    settings = Settings(llm=LlmConfig(base_url="http://host/v1"))
    assert doctor.look_at_key(case_with(ONLINE, settings)).message.startswith("http://host/v1")


def test_no_request_is_sent_unless_wanted_and_it_says_so() -> None:
    finding = doctor.look_at_answer(case_with(ONLINE), None)
    assert (finding.state, "Not tested" in finding.message) == ("ok", True)


def test_the_stand_in_author_is_never_pinged() -> None:
    def never(_settings: Settings, _choice: ModelChoice) -> Completion:
        raise AssertionError("a request was sent")

    finding = doctor.look_at_answer(case_with(ModelChoice("demo", "")), never)
    assert finding.state == "ok"


def test_an_answer_is_told_with_time_and_cost() -> None:
    done = Completion("ready", model="m-2", seconds=1.2, cost_usd=0.001)
    finding = doctor.look_at_answer(case_with(ONLINE), lambda _settings, _choice: done)
    assert finding.message == "m-2 answered in 1s ($0.0010)."
    nameless = Completion("", seconds=1.2)
    finding = doctor.look_at_answer(case_with(ONLINE), lambda _settings, _choice: nameless)
    assert finding.message == "openai/m answered in 1s (cost unknown)."


def test_local_servers_are_listed() -> None:
    case = case_with(ONLINE)
    assert doctor.look_at_servers(case).message.startswith("None found")
    case.servers = (LocalServer("Ollama", "http://127.0.0.1:11434", ("ollama_chat/m", "b")),)
    expected = "Ollama at http://127.0.0.1:11434: ollama_chat/m, b"
    assert doctor.look_at_servers(case).message == expected


async def test_one_tiny_request_is_sent_and_an_empty_reply_will_do() -> None:
    backend = ScriptedBackend([Completion("", finish_reason="length")])
    assert (await doctor.ask_once("openai/m", "", backend)).finish_reason == "length"
    (request,) = backend.calls
    assert (request.model, request.max_tokens) == ("openai/m", doctor.LONGEST_REPLY)
    assert len(json.dumps(request.messages)) < 100


async def test_a_failure_is_not_tried_again() -> None:
    backend = ScriptedBackend([BackendError("rate", "slow down", status=429)])
    with pytest.raises(ProviderError):
        await doctor.ask_once("openai/m", "", backend)
    assert len(backend.calls) == 1


def test_names_of_checks_are_unique_and_their_needs_come_before_them() -> None:
    found = examinations(Case("book", tuple), None)
    names = [one.name for one in found]
    assert len(set(names)) == len(names)
    for index, one in enumerate(found):
        assert set(one.needs) <= set(names[:index])
