"""Stages by the names that users type."""

import pytest

from libriscribe2.commands.projects import stage_called, stage_names, wanted_stages
from libriscribe2.engine.stages import stages_of
from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief

BRIEF = Brief(premise="x")


def test_XC_08_a_stage_has_its_name_and_older_ones() -> None:
    stages = stages_of(BRIEF)
    for name in ("chapters", "chapter", "scene"):
        assert stage_called(name, stages).name == "chapters"
        assert name in stage_names()


def test_XC_03_a_run_ends_after_the_last_of_the_named_stages() -> None:
    assert wanted_stages(BRIEF) == stages_of(BRIEF)
    ends = [stage.name for stage in wanted_stages(BRIEF, ["concept", "characters"])]
    assert ends == ["concept", "characters"]


def test_XC_08_a_stage_without_a_known_switch_is_said_to_be_off() -> None:
    with pytest.raises(UsageError, match="'concept': it is switched off") as caught:
        stage_called("concept", stages_of(BRIEF)[1:])
    assert caught.value.fix.startswith("Its stages are characters")
