"""What loading LiteLLM does to the process: as little as can be, and as late as can be."""

import json
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.support.transport import with_litellm

from libriscribe2.llm.litellm_library import SWITCHES, load_litellm, provider_of

pytestmark = with_litellm
OURS = ("providers", "limits.retries", "default_model", "client", "backends.provider_batches")


def test_litellm_is_quiet_and_offline(capsys: pytest.CaptureFixture[str]) -> None:
    litellm = load_litellm()
    assert provider_of("nobody-knows-this") is None
    assert capsys.readouterr() == ("", "")
    assert litellm.drop_params
    assert not litellm.callbacks
    # Gemini's adapter registers LiteLLM's local store of cached prompts when it is first used.
    assert set(litellm.success_callback) <= {"cache"}


def run_python(code: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True, cwd=cwd
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def loaded_by_then() -> dict[str, list[str]]:
    """What was loaded of LiteLLM and its client when each module had been imported, in order."""
    code = (
        "import importlib, json, sys\n"
        "loaded = {}\n"
        f"for module in {OURS}:\n"
        "    importlib.import_module(f'libriscribe2.llm.{module}')\n"
        "    loaded[module] = sorted({'litellm', 'httpx'} & set(sys.modules))\n"
        "print(json.dumps(loaded))\n"
    )
    found: dict[str, list[str]] = json.loads(run_python(code))
    return found


@pytest.mark.parametrize("module", OURS)
def test_importing_our_modules_does_not_load_litellm(
    loaded_by_then: dict[str, list[str]], module: str
) -> None:
    assert loaded_by_then[module] == []


@pytest.mark.slow
def test_litellm_reads_no_env_file_behind_our_back(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-from-the-file\n", encoding="utf-8")
    code = (
        "import os; from libriscribe2.llm.litellm_library import load_litellm; load_litellm();"
        "print(os.environ.get('OPENAI_API_KEY'))"
    )
    assert run_python(code, cwd=tmp_path) == "None"
    assert SWITCHES["LITELLM_MODE"] == "PRODUCTION"


def test_no_litellm_hook_runs_at_interpreter_start() -> None:
    """Version 1.82.8 carried a credential stealer in such a file."""
    folders = {Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")}
    assert [path for folder in folders for path in folder.glob("*litellm*.pth")] == []


def test_no_compromised_version_is_installed() -> None:
    assert version("litellm") not in {"1.82.7", "1.82.8"}
