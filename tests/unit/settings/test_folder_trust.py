"""What the `.env` of a folder may set, with and without the user's trust."""

from pathlib import Path

import pytest

from libriscribe2.errors import ConfigError
from libriscribe2.settings.loading import Loaded, load_for_project
from libriscribe2.settings.trust import forget, trust_file, trusted_folders

EVIL = "http://evil.example/v1"


def load(folder: Path, text: str, environ: dict[str, str]) -> Loaded:
    (folder / ".env").write_text(text, encoding="utf-8")
    return load_for_project(None, environ=environ, flags={}, folder=folder)


def test_keys_and_harmless_settings_count(tmp_path: Path) -> None:
    environ: dict[str, str] = {}
    loaded = load(
        tmp_path,
        "OPENAI_API_KEY=sk-1\nHF_TOKEN=hf\nFAR_AWAY_API_KEY=x\nLIBRISCRIBE2_LLM__RETRIES=1\n"
        "LIBRISCRIBE2_MODELS__DEFAULT=openai/x\nGOMIND_PLAN_RETRY_MAX=1\nAZURE_API_VERSION=2025-01-01\n"
        "OPENAI_DEFAULT_MODEL=gpt-x\nLLM_TIMEOUT=7\nBROWSER=\n",
        environ,
    )
    assert set(environ) == {
        *("OPENAI_API_KEY", "HF_TOKEN", "FAR_AWAY_API_KEY", "LIBRISCRIBE2_LLM__RETRIES"),
        *("LIBRISCRIBE2_MODELS__DEFAULT", "GOMIND_PLAN_RETRY_MAX", "AZURE_API_VERSION"),
        *("OPENAI_DEFAULT_MODEL", "LLM_TIMEOUT"),
    }
    assert loaded.settings.llm.retries == 1
    assert loaded.warnings == loaded.notes == ()


@pytest.mark.parametrize(
    "line",
    [
        *(
            "LD_PRELOAD=./x.so",
            "BROWSER=./x",
            "PYTHONPATH=.",
            "https_proxy=http://x",
            "SSL_VERIFY=0",
        ),
        *("OTEL_EXPORTER_OTLP_ENDPOINT=http://x", "GOOGLE_APPLICATION_CREDENTIALS=./x.json"),
        *(f"OPENAI_BASE_URL={EVIL}", f"OPENAI_API_BASE={EVIL}", f"ANTHROPIC_BASE_URL={EVIL}"),
        *(f"LIBRISCRIBE2_LLM__BASE_URL={EVIL}", f"libriscribe2_llm__base_url={EVIL}"),
        *("LIBRISCRIBE2_PROJECTS_DIR=/tmp/x", "PROJECTS_DIR=/tmp/x", "libriscribe2_debug_dir=/x"),
        "LIBRISCRIBE2_RESEARCH__MCP__X__COMMAND=/bin/sh",
        "LIBRISCRIBE2_RESEARCH__SEARCH_URL=http://x/?q={query}",
        f"LIBRISCRIBE2_MODELS__DEFAULT=oobabooga/{EVIL}",
        f"LIBRISCRIBE2_MODELS__CHAPTERS=openai/x, huggingface/{EVIL}",
        f"OPENAI_DEFAULT_MODEL=huggingface/{EVIL}",
        *("AWS_REGION=x.evil.example/", "VERTEXAI_LOCATION=evil.example/#"),
        *("GROQ_API_KEY=${OPENAI_API_KEY}", "GROQ_API_KEY='${OPENAI_API_KEY:-x}'"),
        "AZURE_AD_TOKEN=oidc/file//etc/passwd",
    ],
)
def test_programs_places_and_hosts_are_ignored_with_the_line(tmp_path: Path, line: str) -> None:
    user = {"OPENAI_API_KEY": "sk-user", "ANTHROPIC_API_KEY": "sk-ant"}
    environ = dict(user)
    loaded = load(tmp_path, f"# a book\n\n{line}\n", environ)
    assert environ == user
    assert set(loaded.origins.values()) == {"default"}
    (told,) = loaded.warnings
    assert f"{line.partition('=')[0]} (line 3)" in told
    assert "`libriscribe2 trust`" in told
    assert "evil" not in told


@pytest.mark.parametrize(
    ("text", "user", "used"),
    [
        ("OPENAI_API_KEY=k\nOPENAI_BASE_URL=%s", {}, True),
        ("OPENAI_API_KEY=k\nOPENAI_BASE_URL=%s", {"ANTHROPIC_API_KEY": "u"}, True),
        ("OPENAI_API_KEY=k\nOPENAI_BASE_URL=%s", {"OPENAI_API_KEY": "u"}, False),
        ("OPENAI_API_KEY=k\nOPENAI_BASE_URL=%s", {"OPENAI_API_KEY": "k\n"}, True),
        ("OPENAI_API_KEY=\nOPENAI_BASE_URL=%s", {}, False),
        ("OPENAI_BASE_URL=%s", {}, False),
        ("OPENAI_API_KEY=k\nANTHROPIC_API_BASE=%s", {}, False),
        ("GEMINI_API_KEY=k\nGEMINI_API_BASE=%s", {"GOOGLE_API_KEY": "u"}, False),
        ("DATABRICKS_API_KEY=k\nDATABRICKS_API_BASE=%s", {"DATABRICKS_CLIENT_SECRET": "u"}, False),
        ("DATABRICKS_API_KEY=k\nDATABRICKS_API_BASE=%s", {}, True),
        ("AZURE_API_KEY=k\nAZURE_API_VERSION=1\nAZURE_API_BASE=%s", {}, True),
        ("OLLAMA_API_KEY=none\nOLLAMA_API_BASE=%s", {}, True),
        ("ANTHROPIC_API_KEY=k\nLIBRISCRIBE2_LLM__BASE_URL=%s", {}, True),
        ("ANTHROPIC_API_KEY=k\nLIBRISCRIBE2_LLM__BASE_URL=%s", {"HF_TOKEN": "u"}, False),
        ("AZURE_AD_TOKEN=oidc/file//etc/x\nAZURE_API_BASE=%s", {}, False),
        ("VERTEX_AI_API_KEY=k\nVERTEX_AI_API_BASE=%s", {}, False),
    ],
)
def test_an_address_counts_with_a_key_of_the_same_file_only(
    tmp_path: Path, text: str, user: dict[str, str], used: bool
) -> None:
    environ = dict(user)
    loaded = load(tmp_path, text % EVIL, environ)
    assert (EVIL in environ.values()) is used
    assert bool(loaded.notes) is used
    assert bool(loaded.warnings) is not used
    if used:
        assert (
            f"line {text.count(chr(10)) + 1}: requests go to http://evil.example ("
            in loaded.notes[0]
        )
    again = load_for_project(None, environ=environ, flags={}, folder=tmp_path)
    assert again == loaded


def test_an_address_for_every_model_takes_no_key_that_stands_nowhere(tmp_path: Path) -> None:
    text = f"OPENAI_API_KEY=k\nLIBRISCRIBE2_LLM__BASE_URL={EVIL}\nLIBRISCRIBE2_MODELS__DEFAULT="
    assert load(tmp_path, f"{text}openai/x, demo\n", {}).notes
    for model in ("vertex_ai/x", "github_copilot/x", "openai/x, bedrock/x", "gemini-pro"):
        with pytest.raises(ConfigError, match="cannot be used for the model"):
            load(tmp_path, f"{text}{model}\n", {})


def test_a_value_may_refer_to_the_file_itself(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "user"}
    load(tmp_path, "GROQ_API_KEY=g\nXAI_API_KEY=${GROQ_API_KEY}-${OPENAI_API_KEY:-x}\n", environ)
    assert environ == {"OPENAI_API_KEY": "user", "GROQ_API_KEY": "g"}
    load(tmp_path, "GROQ_API_KEY=g\nXAI_API_KEY=${GROQ_API_KEY}1\n", environ)
    assert environ["XAI_API_KEY"] == "g1"


def test_a_trusted_file_sets_everything_until_it_changes(tmp_path: Path) -> None:
    text = f"BROWSER=mine\nOPENAI_BASE_URL={EVIL}\nLIBRISCRIBE2_DEBUG_DIR=dumps\n"
    (tmp_path / ".env").write_text(text, encoding="utf-8")
    assert trust_file(tmp_path / ".env") == (
        *("BROWSER (line 1)", "OPENAI_BASE_URL (line 2)", "LIBRISCRIBE2_DEBUG_DIR (line 3)"),
    )
    environ = {"OPENAI_API_KEY": "sk-user"}
    loaded = load(tmp_path, text, environ)
    assert environ["BROWSER"] == "mine"
    assert loaded.origins["debug_dir"] == ".env"
    assert loaded.warnings == loaded.notes == ()
    assert trusted_folders() == [(str(tmp_path), "trusted")]

    environ = {}
    loaded = load(tmp_path, f"{text}# more\n", environ)
    assert environ == {}
    assert "has changed since you trusted it" in loaded.warnings[0]
    assert trusted_folders() == [(str(tmp_path), "changed since, not trusted")]
    assert forget(tmp_path)
    assert not forget(tmp_path)
    assert trusted_folders() == []


def test_trust_is_of_the_folder_and_not_of_the_text(tmp_path: Path) -> None:
    (mine := tmp_path / "mine").mkdir()
    (other := tmp_path / "other").mkdir()
    text = "BROWSER=x\n"
    (mine / ".env").write_text(text, encoding="utf-8")
    trust_file(mine / ".env")
    environ: dict[str, str] = {}
    load(other, text, environ)
    assert environ == {}
    forget(mine)


def test_only_a_file_that_is_there_can_be_trusted(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no"):
        trust_file(tmp_path / ".env")
