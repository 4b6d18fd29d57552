"""Which model a stage uses: short forms, fallbacks, the default."""

from typing import Any

import pytest
from pydantic import ValidationError

from libriscribe2.settings.loading import load_settings
from libriscribe2.settings.schema import ModelsConfig, StageModel


@pytest.mark.parametrize(
    ("written", "model", "fallbacks"),
    [
        ("a", "a", ()),
        (" a , b,, c ", "a", ("b", "c")),
        (["a", "b"], "a", ("b",)),
        (("a",), "a", ()),
        ("", "", ()),
        ([], "", ()),
        ({"model": "a", "fallbacks": ["b"]}, "a", ("b",)),
        ({"model": "a", "fallbacks": "b, c"}, "a", ("b", "c")),
        (StageModel(model="a"), "a", ()),
    ],
)
def test_an_entry_is_a_name_a_list_or_a_table(
    written: Any, model: str, fallbacks: tuple[str, ...]
) -> None:
    entry = StageModel.model_validate(written)
    assert (entry.model, entry.fallbacks) == (model, fallbacks)


@pytest.mark.parametrize(
    "written", [5, {"model": "a", "modle": "b"}, ["a", 1], {"temperature": True}, [[]]]
)
def test_anything_else_is_refused(written: Any) -> None:
    with pytest.raises(ValidationError):
        StageModel.model_validate(written)


def models(**entries: Any) -> ModelsConfig:
    return ModelsConfig.model_validate(entries)


def test_a_stage_without_an_entry_takes_the_default() -> None:
    config = models(default={"model": "a", "fallbacks": ["b"], "temperature": 0.5})
    assert config.for_stage("concept") == config.default
    assert config.stages() == {}


def test_a_stage_with_a_model_has_its_own_fallbacks() -> None:
    config = models(default=["a", "b"], concept="c")
    assert config.for_stage("concept") == StageModel(model="c")
    assert config.stages() == {"concept": StageModel(model="c")}


def test_a_stage_with_a_temperature_only_keeps_the_defaults_model() -> None:
    config = models(default=["a", "b"], concept={"temperature": 0})
    assert config.for_stage("concept") == StageModel(model="a", fallbacks=("b",), temperature=0.0)


def test_the_defaults_temperature_holds_for_a_stage_with_a_model() -> None:
    config = models(default={"temperature": 0.5}, concept="c")
    assert config.for_stage("concept").temperature == 0.5


def test_nobody_has_chosen_a_model() -> None:
    assert models().for_stage("concept") == StageModel()


def test_a_short_form_clears_the_fallbacks_of_a_lower_layer() -> None:
    loaded = load_settings(
        flags={"models.default": "c"},
        project_file=None,
        user_file=None,
        environ={
            "LIBRISCRIBE2_MODELS__DEFAULT": "a, b",
            "LIBRISCRIBE2_MODELS__DEFAULT__TEMPERATURE": "0.3",
        },
    )
    assert loaded.settings.models.default == StageModel(model="c", temperature=0.3)
    assert loaded.origins["models.default.fallbacks"] == "flag"
    assert loaded.origins["models.default.temperature"] == (
        "env LIBRISCRIBE2_MODELS__DEFAULT__TEMPERATURE"
    )


def test_the_longer_variable_wins_over_the_short_form() -> None:
    loaded = load_settings(
        flags={},
        project_file=None,
        user_file=None,
        environ={
            "LIBRISCRIBE2_MODELS__SCENES__FALLBACKS": "x,y",
            "LIBRISCRIBE2_MODELS__SCENES": "a",
        },
    )
    assert loaded.settings.models.for_stage("scenes") == StageModel(model="a", fallbacks=("x", "y"))
