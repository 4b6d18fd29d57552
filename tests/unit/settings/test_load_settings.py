"""The layers through the public door: who wins, and where a value comes from."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.settings_sources import Sources

from libriscribe2.errors import ConfigError
from libriscribe2.settings.loading import load_settings
from libriscribe2.settings.schema import Settings


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path)


def test_without_any_source_all_values_are_defaults() -> None:
    loaded = load_settings(flags={}, project_file=None, user_file=None, environ={})
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {"default"}
    assert loaded.origins.keys() == loaded.values().keys()
    assert loaded.warnings == ()


def test_missing_files_are_empty_layers(tmp_path: Path) -> None:
    loaded = load_settings(
        flags={}, project_file=tmp_path / "no.toml", user_file=tmp_path / "none.toml", environ={}
    )
    assert loaded.settings == Settings()


def test_settings_alone_never_read_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRISCRIBE2_LOG_LEVEL", "ERROR")
    assert Settings().log_level == "INFO"


def test_load_reads_the_given_environment_and_no_other(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBRISCRIBE2_LOG_LEVEL", "ERROR")
    assert sources.load().settings.log_level == "INFO"


def test_XC_12_each_layer_wins_over_the_one_below(sources: Sources) -> None:
    level = "log_level = '{}'".format
    layers: dict[str, Any] = {"user": level("ERROR")}
    steps: list[tuple[str, Any, str, str]] = [
        ("project", level("WARNING"), "WARNING", str(sources.project)),
        ("env_file", {"LIBRISCRIBE2_LOG_LEVEL": "debug"}, "DEBUG", ".env"),
        ("env", {"LIBRISCRIBE2_LOG_LEVEL": "Error"}, "ERROR", "env LIBRISCRIBE2_LOG_LEVEL"),
        ("flags", {"log_level": "WARNING"}, "WARNING", "flag"),
    ]
    loaded = sources.load(**layers)
    assert (loaded.settings.log_level, loaded.origins["log_level"]) == ("ERROR", str(sources.user))
    for name, layer, value, origin in steps:
        layers[name] = layer
        loaded = sources.load(**layers)
        assert (loaded.settings.log_level, loaded.origins["log_level"]) == (value, origin)


def test_a_flag_that_was_not_given_is_none_and_says_nothing(sources: Sources) -> None:
    loaded = sources.load(user="no_input = true", flags={"no_input": None, "log_level": None})
    assert loaded.settings.no_input is True
    assert loaded.origins["no_input"] == str(sources.user)


def test_a_false_flag_is_a_value(sources: Sources) -> None:
    loaded = sources.load(user="no_input = true", flags={"no_input": False})
    assert loaded.settings.no_input is False


def test_tables_of_several_layers_are_merged_key_by_key(sources: Sources) -> None:
    loaded = sources.load(
        user="[pipeline]\nmax_concurrency = 2\nmax_attempts = 5",
        project="[pipeline]\nmax_attempts = 4",
        env={"LIBRISCRIBE2_PIPELINE__MAX_CONCURRENCY": "8"},
    )
    assert loaded.settings.pipeline.max_concurrency == 8
    assert loaded.settings.pipeline.max_attempts == 4


def test_an_empty_variable_counts_as_not_set(sources: Sources) -> None:
    loaded = sources.load(
        user="log_level = 'ERROR'", env={"LIBRISCRIBE2_LOG_LEVEL": "", "LLM_TIMEOUT": ""}
    )
    assert loaded.settings.log_level == "ERROR"
    assert loaded.origins["llm.timeout_seconds"] == "default"


def test_zero_is_a_value(sources: Sources) -> None:
    loaded = sources.load(
        env={"LIBRISCRIBE2_LLM__RETRIES": "0", "LIBRISCRIBE2_MODELS__CHAPTERS__TEMPERATURE": "0"}
    )
    assert loaded.settings.llm.retries == 0
    assert loaded.settings.models.for_stage("chapters").temperature == 0.0


def test_variables_of_the_original_count_below_our_own(sources: Sources) -> None:
    old = {"OPENAI_DEFAULT_MODEL": "gpt-4o", "LLM_TIMEOUT": "300", "PROJECTS_DIR": "/books"}
    loaded = sources.load(user="projects_dir = 'mine'", env=old)
    assert loaded.settings.models.default.model == "gpt-4o"
    assert loaded.settings.llm.timeout_seconds == 300.0
    assert loaded.settings.projects_dir == Path("/books")
    assert loaded.origins["projects_dir"] == "env PROJECTS_DIR"
    ours = sources.load(env={**old, "LIBRISCRIBE2_MODELS__DEFAULT": "claude"})
    assert ours.settings.models.default.model == "claude"


def test_other_programs_variables_are_left_alone(sources: Sources) -> None:
    env = {"OPENAI_API_KEY": "k", "LIBRISCRIBE": "x", "_LIBRISCRIBE2_COMPLETE": "bash_source"}
    assert sources.load(env=env).settings == Settings()


def test_the_brief_in_book_toml_is_not_read_here(sources: Sources) -> None:
    loaded = sources.load(project="[book]\npremise = 'A fox.'\nmodle = 1\n[models]\ndefault = 'a'")
    assert loaded.settings.models.default.model == "a"


def test_XC_08_the_users_file_has_no_brief(sources: Sources) -> None:
    with pytest.raises(ConfigError, match=r"unknown key `book\.author`"):
        sources.load(user="[book]\nauthor = 'Me'")


@pytest.mark.parametrize("text", ["[models]", "[llm]", "[models.concept]", ""])
def test_an_empty_table_says_nothing(sources: Sources, text: str) -> None:
    loaded = sources.load(user="[llm]\nretries = 1\n[models]\nconcept = 'a'", project=text)
    assert loaded.settings.llm.retries == 1
    assert loaded.settings.models.for_stage("concept").model == "a"


@given(
    st.dictionaries(st.sampled_from(["env_file", "env", "flags"]), st.integers(1, 64), min_size=1)
)
def test_the_highest_layer_that_speaks_is_the_one_that_counts(given_by: dict[str, int]) -> None:
    def variables(layer: str) -> dict[str, str]:
        value = given_by.get(layer)
        return {} if value is None else {"LIBRISCRIBE2_PIPELINE__MAX_CONCURRENCY": str(value)}

    loaded = load_settings(
        flags={"pipeline.max_concurrency": given_by.get("flags")},
        project_file=None,
        user_file=None,
        environ=variables("env"),
        env_file=variables("env_file"),
    )
    highest = next(name for name in ("flags", "env", "env_file") if name in given_by)
    assert loaded.settings.pipeline.max_concurrency == given_by[highest]


@pytest.mark.parametrize("value", ["false", "0", "no", "OFF"])
@pytest.mark.parametrize("name", ["LIBRISCRIBE2_PLAN_RETRY_ENABLED", "GOMIND_PLAN_RETRY_ENABLED"])
def test_PR_10_plan_retry_is_switched_by_variable(sources: Sources, name: str, value: str) -> None:
    assert sources.load().settings.plan_retry_enabled is True
    assert sources.load(env={name: value}).settings.plan_retry_enabled is False


def test_PR_10_an_unknown_word_keeps_the_default_and_warns(sources: Sources) -> None:
    loaded = sources.load(env={"LIBRISCRIBE2_PLAN_RETRY_ENABLED": "perhaps"})
    assert loaded.settings.plan_retry_enabled is True
    assert len(loaded.warnings) == 1
    assert "LIBRISCRIBE2_PLAN_RETRY_ENABLED='perhaps'" in loaded.warnings[0]


@pytest.mark.parametrize(
    ("value", "wanted"), [("5", 5), ("0", 0), ("-1", 2), ("abc", 2), ("1.5", 2)]
)
@pytest.mark.parametrize("name", ["LIBRISCRIBE2_PLAN_RETRY_MAX", "GOMIND_PLAN_RETRY_MAX"])
def test_PR_11_plan_retry_max_by_variable(
    sources: Sources, name: str, value: str, wanted: int
) -> None:
    loaded = sources.load(env={name: value})
    assert loaded.settings.plan_retry_max == wanted
    assert bool(loaded.warnings) is (str(wanted) != value)


def test_PR_10_our_own_variable_wins_over_the_seeds_name(sources: Sources) -> None:
    env = {"GOMIND_PLAN_RETRY_MAX": "7", "LIBRISCRIBE2_PLAN_RETRY_MAX": "1"}
    assert sources.load(env=env).settings.plan_retry_max == 1
