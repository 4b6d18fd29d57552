"""The output-validation design's names and examples, by the item that they prove."""

import inspect
import logging
from pathlib import Path

import pytest

import libriscribe2.utils.json_utils as module
from libriscribe2.utils.json_utils import JSONProcessor


def test_ov_01_the_processor_is_where_the_design_puts_it() -> None:
    assert Path(module.__file__).parts[-3:] == ("libriscribe2", "utils", "json_utils.py")
    assert inspect.isclass(module.JSONProcessor)


def test_ov_04_cleaning_gives_the_json_text_of_a_reply() -> None:
    reply = 'Here:\n```json\n{"city": "**Paris**"}\n```\nDone.'
    assert JSONProcessor.clean_llm_response(reply) == '{"city": "Paris"}'
    assert JSONProcessor.clean_llm_response("no JSON") == "no JSON"


@pytest.mark.parametrize(
    "reply", ['```json\n{"a": 1}\n```', '```\n{"a": 1}\n```', '{"a": "**b**"}', '# Title\n{"a": 1}']
)
def test_ov_25_marks_of_markdown_are_detected(reply: str) -> None:
    assert JSONProcessor.detect_markdown_artifacts(reply)
    assert JSONProcessor.detect_markdown_artifacts('{"a": "b"}') == []


def test_ov_27_json_without_a_fence_is_extracted() -> None:
    assert JSONProcessor.extract_json_from_llm_response('{"a": 1}') == {"a": 1}
    assert JSONProcessor.extract_json_from_llm_response('Sure: {"a": 1}. Bye') == {"a": 1}


def test_ov_32_other_ways_are_tried_and_a_reply_without_json_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert JSONProcessor.extract_json_from_llm_response("{'a': 1,}") == {"a": 1}
    with caplog.at_level(logging.ERROR):
        assert JSONProcessor.extract_json_from_llm_response("nothing") is None
    assert "No JSON object in the reply" in caplog.text
