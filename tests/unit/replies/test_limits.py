"""Counts and choices of one request, checked on what came back."""

from typing import Any

import pytest

from libriscribe2.models.story import ChapterScenes
from libriscribe2.replies.contract import failure, success
from libriscribe2.replies.parsers import within_limits


def scenes(*casts: list[str]) -> ChapterScenes:
    plans = [{"summary": "s", "characters": cast} for cast in casts]
    return ChapterScenes.model_validate({"scenes": plans})


def read(data: Any, limits: dict[str, dict[str, Any]]) -> Any:
    return within_limits(lambda _reply: success(data), limits)("reply")


@pytest.mark.parametrize(("low", "high"), [(2, 2), (1, 2), (2, 9)])
def test_a_value_inside_the_limits_passes(low: int, high: int) -> None:
    data = scenes([], [])
    assert read(data, {"scenes": {"minItems": low, "maxItems": high}})["data"] is data


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"minItems": 3}, "scenes: 2 items; wanted at least 3"),
        ({"maxItems": 1}, "scenes: 2 items; wanted at most 1"),
    ],
)
def test_a_wrong_count_is_told_to_the_model(limits: dict[str, Any], told: str) -> None:
    result = read(scenes([], []), {"scenes": limits})
    assert result["status"] == "error"
    assert told in result["feedback"]
    assert result["feedback"].endswith("Please send the whole JSON object again.")


def test_limits_reach_into_the_items_of_a_list() -> None:
    cast = {"scenes.characters": {"items": {"enum": ["Ada", "Bo"]}}}
    assert read(scenes(["Ada"], ["Bo"]), cast)["status"] == "success"
    told = read(scenes(["Ada"], ["Elara"]), cast)["feedback"]
    assert "scenes.1.characters.0: 'Elara' is not one of ['Ada', 'Bo']" in told


def test_other_keywords_are_told_in_the_validators_words() -> None:
    told = read(scenes([]), {"scenes.summary": {"maxLength": 0}})["feedback"]
    assert "scenes.0.summary: 's'" in told


def test_the_parsers_own_refusal_and_plain_data_pass_through() -> None:
    refuse = within_limits(lambda _reply: failure("no"), {"scenes": {"minItems": 9}})
    assert refuse("reply") == {"status": "error", "feedback": "no"}
    assert read("text", {"scenes": {"minItems": 9}}) == {"status": "success", "data": "text"}


def test_at_most_ten_faults_are_told() -> None:
    result = read(scenes(*[["X"]] * 12), {"scenes.characters": {"items": {"enum": ["Ada"]}}})
    assert result["feedback"].count("is not one of") == 10
