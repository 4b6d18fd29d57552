"""What is refused: unknown keys, values that do not fit, secrets, what only the user may set."""

from pathlib import Path

import pytest
from tests.support.settings_sources import Sources, refusal

from libriscribe2.errors import ConfigError
from libriscribe2.settings.loading import load_settings
from libriscribe2.settings.schema import Settings


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path)


@pytest.mark.parametrize(
    ("text", "typed", "nearest"),
    [
        ("modle = 'a'", "modle", "models.default"),
        ("[models]\nconcpet = 'a'", "models.concpet", "models.concept"),
        ("[models.concept]\ntempature = 1", "models.concept.tempature", "concept.temperature"),
        ("[lmm]\nretries = 1", "lmm.retries", "llm.retries"),
        ("max_concurrency = 2", "max_concurrency", "pipeline.max_concurrency"),
        ("max_concurency = 2", "max_concurency", "pipeline.max_concurrency"),
        ("max_conc = 2", "max_conc", "pipeline.max_concurrency"),
        ("log_levle = 'INFO'", "log_levle", "log_level"),
        ("[log_level]\na = 1", "log_level.a", "log_level"),
    ],
)
@pytest.mark.parametrize("layer", ["user", "project"])
def test_an_unknown_key_names_file_key_and_nearest(
    sources: Sources, layer: str, text: str, typed: str, nearest: str
) -> None:
    error = refusal(sources, **{layer: text})
    assert str(getattr(sources, layer)) in error.what
    assert f"`{typed}`" in error.what
    assert f"{nearest}`?" in error.fix


def test_an_unknown_variable_names_the_nearest_variable(sources: Sources) -> None:
    error = refusal(sources, env={"LIBRISCRIBE2_LLM__TIEMOUT_SECONDS": "3"})
    assert "LIBRISCRIBE2_LLM__TIEMOUT_SECONDS" in error.what
    assert "`LIBRISCRIBE2_LLM__TIMEOUT_SECONDS`" in error.fix


def test_an_unknown_variable_in_the_env_file_names_the_file(sources: Sources) -> None:
    error = refusal(sources, env_file={"LIBRISCRIBE2_LOGLEVEL": "INFO"})
    assert error.what.startswith(".env: ")
    assert "`LIBRISCRIBE2_LOG_LEVEL`" in error.fix


def test_a_key_like_nothing_known_says_how_to_list_the_keys(sources: Sources) -> None:
    assert "config show" in refusal(sources, user="xyzzy = 1").fix


def test_an_unknown_flag_is_refused_too(sources: Sources) -> None:
    assert refusal(sources, flags={"modle": "x"}).what.startswith("The command line")


@pytest.mark.parametrize("name", ["openai_api_key", "api_key", "token", "llm.key"])
def test_XC_11_a_secret_as_a_setting_is_refused_without_showing_it(
    sources: Sources, name: str
) -> None:
    error = refusal(sources, user=f"{name} = 'sk-canary-123456'")
    assert "OPENAI_API_KEY" in error.fix
    assert "canary" not in f"{error.what}{error.why}{error.fix}"


@pytest.mark.parametrize(
    "key", ["llm.base_url = 'http://evil.example'", "projects_dir = '/'", "debug_dir = '/'"]
)
def test_a_book_cannot_choose_the_server_or_the_folders(sources: Sources, key: str) -> None:
    error = refusal(sources, project=key)
    assert str(sources.project) in error.what
    assert "LIBRISCRIBE2_" in error.fix
    assert sources.load(user=key).settings != Settings()


def test_a_section_written_as_a_value_says_what_it_holds(sources: Sources) -> None:
    error = refusal(sources, user="llm = 'gpt-4o'")
    assert "`llm` is a section" in error.what
    assert "base_url" in error.why
    assert "`llm.base_url`" in error.fix
    models = refusal(sources, env={"LIBRISCRIBE2_MODELS": "gpt-4o"})
    assert "default, chapters, concept" in models.why
    assert "`LIBRISCRIBE2_MODELS__DEFAULT`" in models.fix


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[pipeline]\nmax_concurrency = 0", "pipeline.max_concurrency"),
        ("[pipeline]\nmax_concurrency = 65", "pipeline.max_concurrency"),
        ("[pipeline]\nmax_attempts = true", "pipeline.max_attempts"),
        ("[pipeline]\nmax_attempts = 2.5", "pipeline.max_attempts"),
        ("[llm]\ntimeout_seconds = 0", "llm.timeout_seconds"),
        ("[llm]\ntimeout_seconds = nan", "llm.timeout_seconds"),
        ("[llm]\ntimeout_seconds = inf", "llm.timeout_seconds"),
        ("[llm]\nretries = -1", "llm.retries"),
        ("[llm]\nbase_url = 'ftp://x'", "llm.base_url"),
        ("[llm]\nbase_url = 'http://'", "llm.base_url"),
        ("[models]\nconcept = 5", "models.concept"),
        ("[models]\nconcept = ['a', '']", "models.concept"),
        ("[models.concept]\ntemperature = 2.1", "models.concept.temperature"),
        ("log_level = 'LOUD'", "log_level"),
        ("log_level = 3", "log_level"),
        ("projects_dir = '~nobody-has-this-name/x'", "projects_dir"),
        ("plan_retry_max = -1", "plan_retry_max"),
    ],
)
def test_a_value_that_does_not_fit_names_file_and_key(
    sources: Sources, text: str, key: str
) -> None:
    error = refusal(sources, user=text)
    assert str(sources.user) in error.what
    assert f"`{key}`" in error.what
    assert error.why


def test_several_misfits_are_counted(sources: Sources) -> None:
    error = refusal(sources, user="log_level = 'LOUD'\nno_input = 'perhaps'")
    assert "(1 more do not fit either.)" in error.why


def test_a_misfit_in_the_environment_names_the_variable(sources: Sources) -> None:
    error = refusal(sources, env={"LLM_TIMEOUT": "soon"})
    assert error.what == "The environment: `LLM_TIMEOUT` cannot be 'soon'."


def test_XC_11_a_password_in_an_address_is_not_shown(sources: Sources) -> None:
    error = refusal(sources, user="[llm]\nbase_url = 'ftp://me:canary@host'")
    assert "canary" not in error.what
    assert "@host" in error.what


def test_a_long_value_is_shortened(sources: Sources) -> None:
    assert len(refusal(sources, user=f"log_level = '{'x' * 5000}'").what) < 400


def test_without_a_list_of_stages_any_stage_may_have_a_model(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[models]\nanything = 'a'\n[models.other]\n", encoding="utf-8")
    loaded = load_settings(flags={}, project_file=None, user_file=file, environ={})
    assert loaded.settings.models.for_stage("anything").model == "a"
    file.write_text("[models]\n'Not a name' = 'a'", encoding="utf-8")
    with pytest.raises(ConfigError):
        load_settings(flags={}, project_file=None, user_file=file, environ={})


@pytest.mark.parametrize(
    "text",
    [
        "models.default = 'oobabooga/http://evil.example/x'",
        "models.chapters = ['openai/x', 'huggingface/https://evil.example']",
        "models.scenes = {model = 'openai/x', fallbacks = ['custom/http:evil.example']}",
        "log_level = 'http://evil.example'",
    ],
)
def test_a_book_names_no_address(sources: Sources, text: str) -> None:
    error = refusal(sources, project=text)
    assert str(sources.project) in error.what
    assert "evil.example" in error.what
    assert "LIBRISCRIBE2_LLM__BASE_URL" in error.fix


def test_the_user_may_name_a_model_by_its_address(sources: Sources) -> None:
    model = "huggingface/https://mine.example/x"
    loaded = sources.load(env={"LIBRISCRIBE2_MODELS__DEFAULT": model})
    assert loaded.settings.models.default.model == model
