"""`libriscribe2 models`: which model does what."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from libriscribe2.cli import listings
from libriscribe2.cli.root import app
from libriscribe2.llm.default_model import LocalServer

SERVER = LocalServer("Ollama", "http://127.0.0.1:11434", ("ollama_chat/llama3",))


@pytest.fixture(autouse=True)
def one_local_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(listings, "local_servers", lambda: (SERVER,))


def test_every_asking_stage_is_told_with_its_model_and_fallbacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("LIBRISCRIBE2_MODELS__SCENE", "anthropic/a, openai/b")
    ran = CliRunner().invoke(app, ["models", "--json", "--model", "openai/x"])
    told = json.loads(ran.stdout)
    rows = {row["stage"]: row for row in told["stages"]}
    assert "manuscript" not in rows
    assert rows["outline"] == {"stage": "outline", "model": "openai/x", "fallbacks": []}
    assert rows["chapters"]["model"] == "anthropic/a"
    assert rows["chapters"]["fallbacks"] == ["openai/b"]
    assert told["providers_with_key"] == ["OpenAI"]
    assert told["local_servers"][0]["models"] == ["ollama_chat/llama3"]


def test_the_table_says_why_the_default_is_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-1")
    ran = CliRunner().invoke(app, ["models"])
    assert ran.exit_code == 0
    assert "outline\tanthropic/" in ran.stdout
    assert "(ANTHROPIC_API_KEY is set)" in ran.stderr
    assert "key found: Anthropic" in ran.stderr
    assert "Ollama at http://127.0.0.1:11434: ollama_chat/llama3" in ran.stderr


@pytest.mark.parametrize(
    ("variable", "model"),
    [
        ("FIREWORKS_AI_API_KEY", "fireworks_ai/"),
        ("PERPLEXITYAI_API_KEY", "perplexity/"),
        ("TOGETHER_AI_TOKEN", "together_ai/"),
    ],
)
def test_the_provider_of_a_key_is_the_default(
    variable: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "k-1")
    told = json.loads(CliRunner().invoke(app, ["models", "--json"]).stdout)
    assert told["default"]["model"].startswith(model)
    assert told["default"]["reason"] == f"{variable} is set"


def test_a_key_without_a_default_model_is_told_by_models_doctor_and_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listings, "local_servers", lambda: ())
    monkeypatch.setenv("HF_TOKEN", "hf-1")
    create = ["create", "A robot learns to paint", "--until", "concept", "--no-input"]
    for command in (["models"], ["doctor"], create):
        ran = CliRunner().invoke(app, command)
        assert "no key is set" not in ran.output
        assert "HF_TOKEN is set, but Hugging Face has no default model" in ran.output
        assert "--model huggingface/NAME" in ran.output
    assert "LIBRISCRIBE2_MODELS__DEFAULT" in CliRunner().invoke(app, ["doctor"]).output


def test_a_project_has_models_of_its_own(tmp_path: Path) -> None:
    create = ["create", "A robot paints", "--model", "demo", "-p", "mine", "--until", "concept"]
    CliRunner().invoke(app, [*create, "--no-input"])
    ran = CliRunner().invoke(app, ["models", "mine", "--json"])
    assert json.loads(ran.stdout)["default"]["model"] == "demo"
