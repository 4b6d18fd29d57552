"""JSONProcessor by the names of the original project: extraction, cleaning, detection, validation."""

import json
import logging
from typing import Any

import pytest
from pydantic import BaseModel

from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.strict_json import strict_parse
from libriscribe2.utils.json_utils import JSONProcessor


class Concept(BaseModel):
    title: str
    logline: str


class Book(BaseModel):
    concept: Concept


FENCED = '```json\n{"title": "A", "logline": "B"}\n```'


def test_OV_02_returns_the_object() -> None:
    assert JSONProcessor.extract_json_from_llm_response(FENCED) == {"title": "A", "logline": "B"}


@pytest.mark.parametrize("reply", [None, "", "   ", "sorry", "[1, 2]", '{"a": "cut'])
def test_OV_29_no_object_is_none_and_logged(
    reply: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert JSONProcessor.extract_json_from_llm_response(reply) is None
    assert "No JSON object in the reply" in caplog.text


def test_a_lossy_value_is_never_returned_as_the_object() -> None:
    reply = '{"title": "A", "tags": ["x"]'
    report = extract_with_report(reply)
    assert (report.value, report.lossy, report.ok) == ({"title": "A", "tags": ["x"]}, True, False)
    assert report.refusal is not None
    assert JSONProcessor.extract_json_from_llm_response(reply) is None


def test_a_list_that_fits_no_object_schema_is_none(caplog: pytest.LogCaptureFixture) -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    with caplog.at_level(logging.ERROR):
        assert JSONProcessor.extract_json_from_llm_response("[1, 2]", schema) is None
    assert "the value is not an object" in caplog.text


def test_OV_49_a_list_is_read_as_an_object_is() -> None:
    reply = '```json\n[{"a": 1}, {"a": 2}]\n```'
    assert JSONProcessor.extract_json_from_response(reply) == [{"a": 1}, {"a": 2}]


def test_OV_06_old_name_warns_of_markdown(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert JSONProcessor.extract_json_from_response(FENCED) is not None
    assert "JSON_EXTRACTION_WARNING: markdown_code_blocks" in caplog.text


def test_OV_06_a_clean_reply_warns_of_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert JSONProcessor.extract_json_from_response('{"a": 1}') == {"a": 1}
        assert JSONProcessor.extract_json_from_response(None) is None
    assert "JSON_EXTRACTION_WARNING" not in caplog.text


def test_OV_07_safe_loads_reports_position_and_a_short_preview(
    caplog: pytest.LogCaptureFixture,
) -> None:
    text = '{"a": 1,}' + "x" * 500
    with caplog.at_level(logging.ERROR):
        assert JSONProcessor.safe_json_loads(text) is None
    assert "position 8" in caplog.text
    assert "x" * 191 in caplog.text
    assert "x" * 192 not in caplog.text
    assert JSONProcessor.safe_json_loads('{"a": [1]}') == {"a": [1]}


def test_OV_07_too_deep_text_is_reported_not_raised() -> None:
    assert JSONProcessor.safe_json_loads("[" * 100_000) is None


def test_OV_03_valid_data() -> None:
    data = {"concept": {"title": "A", "logline": "B"}}
    assert JSONProcessor.validate_json_with_pydantic(data, Book) == (True, [])
    model, errors = JSONProcessor.validated_model(data, Book)
    assert model == Book(concept=Concept(title="A", logline="B"))
    assert errors == []


def test_OV_33_errors_name_the_field_path() -> None:
    ok, errors = JSONProcessor.validate_json_with_pydantic({"concept": {"logline": "B"}}, Book)
    assert (ok, errors) == (False, ["concept.title: Field required"])
    ok, errors = JSONProcessor.validate_json_with_pydantic([], Book)
    assert not ok
    assert errors[0].startswith("Input should be a valid dictionary")


@pytest.mark.parametrize(
    ("reply", "cleaned"),
    [
        ('Here\'s your plan:\n```json\n{"a": 1}\n```\nBye', '{"a": 1}'),
        ('I\'ll create a plan for you.\n{"a": {"b": 1}}\nLet me know!', '{"a": {"b": 1}}'),
        ('{"city": "**Paris**", "**k**": 1}', '{"city": "Paris", "**k**": 1}'),
        ("no braces at all", "no braces at all"),
        ("open { only", "open { only"),
        ('Use {placeholders}.\n{"a": 1}', '{"a": 1}'),
        ('{"a": 1} then {"b": 2}', '{"a": 1}'),
        ('```json\n{"a": 1,}\n```', '{"a": 1,}'),
        ('[1, 2]\n```json\n{"a": 1}\n```', '{"a": 1}'),
        ("", ""),
    ],
)
def test_MS_02_to_06_clean_llm_response(reply: str, cleaned: str) -> None:
    assert JSONProcessor.clean_llm_response(reply) == cleaned


def test_MS_02_fences_inside_strings_are_data() -> None:
    text = json.dumps({"steps": [{"instruction": "write a ```json {} ``` block"}]})
    assert JSONProcessor.clean_llm_response(text) == text
    assert JSONProcessor.extract_json_from_llm_response(text) == json.loads(text)


def test_MS_17_a_change_is_logged_by_both_spellings(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        JSONProcessor.clean_llm_response('{"a": "**b** and *c*"}')
        JSONProcessor.strip_markdown_from_json('{"a": "**b** and *c*"}')
    assert "cleanLLMResponse/clean_llm_response: stripped 1 bold, 1 italic" in caplog.text
    assert "stripMarkdown/strip_markdown_from_json: stripped 1 bold, 1 italic" in caplog.text


def test_MS_17_no_change_no_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        JSONProcessor.clean_llm_response('{"a": "2 * 3 * 4"}')
        JSONProcessor.strip_markdown_from_json('{"a": 1}')
    assert "stripped" not in caplog.text


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ('{"key": "value"}', 0, 16),
        ('{"outer": {"inner": "value"}}', 0, 29),
        ('{"text": "has { and } in it"}', 0, 29),
        ('{"text": "has \\"quotes\\""}', 0, 26),
        ('{"arr": [1, 2, 3]}', 0, 18),
        ('text{"key": "value"}more', 4, 20),
        ('{"a": 1', 0, -1),
        ('{"a": "open', 0, -1),
        ("text", 0, -1),
        ("", 0, -1),
    ],
)
def test_MS_04_find_json_end(text: str, start: int, end: int) -> None:
    assert JSONProcessor.find_json_end_string_safe(text, start) == end


@pytest.mark.parametrize(
    ("reply", "labels"),
    [
        ('{"a": 1}', []),
        ('{"a": "use ```json``` and <think>"}', []),
        ('```json\n{"a": 1}\n```', ["markdown_code_blocks"]),
        ("~~~\n[1]\n~~~", ["markdown_code_blocks"]),
        ('Here: {"a": 1}', ["surrounding_text"]),
        ('{"a": "caf\\u00e9"}', ["unicode_escapes"]),
        ('{"a": "nul \\u0000"}', []),
        ('{"a": "**b**"}', ["markdown_emphasis"]),
        ('{"a": "2 * 3"}', []),
        ('\ufeff{"a": 1}', ["byte_order_mark"]),
        ('\u200b{"a": 1}', ["zero_width_characters"]),
        ('<think>x</think>{"a": 1}', ["reasoning_block"]),
        ('```json\n{"a": 1,}\n```', ["markdown_code_blocks"]),
        ("", []),
        ("only prose", ["surrounding_text"]),
    ],
)
def test_OV_05_artifacts(reply: str, labels: list[str]) -> None:
    assert JSONProcessor.detect_markdown_artifacts(reply) == labels


@pytest.mark.parametrize(
    ("reply", "method"),
    [
        ('{"a": 1}', "direct_parse"),
        (' {"a": 1}\n', "direct_parse"),
        ('```json\n{"a": 1}\n```', "markdown_block_extraction"),
        ('So:\n```\n{"a": 1}\n```', "markdown_block_extraction"),
        ('So: {"a": 1}.', "object_extraction"),
        ('<json>{"a": 1}</json>', "tagged_block_extraction"),
        ('"{\\"a\\": 1}"', "decoded_string"),
        ('{"a": 1,}', "json_repair"),
        ("none", "failed"),
    ],
)
def test_OV_20_the_method_names_the_step(reply: str, method: str) -> None:
    assert extract_with_report(reply).method == method


def test_OV_50_flatten_and_normalise() -> None:
    data: dict[str, Any] = {"t": "x", "author": {"name": "A", "n": 2}, "pages": 3, "ok": ["é"]}
    assert JSONProcessor.flatten_nested_dict(data) == {
        "t": "x",
        "author": "name: A n: 2",
        "pages": "3",
        "ok": '["é"]',
    }
    assert JSONProcessor.normalize_dict_keys({"Title": 1, "B": 2}) == {"title": 1, "b": 2}


def test_OV_50_readers_of_one_field() -> None:
    assert JSONProcessor.extract_list_from_json({"k": [1]}, "k") == [1]
    assert JSONProcessor.extract_list_from_json({"k": "a, b,, c"}, "k") == ["a", "b", "c"]
    assert JSONProcessor.extract_list_from_json({}, "k") == []
    assert JSONProcessor.extract_list_from_json([], "k", ["d"]) == ["d"]
    assert JSONProcessor.extract_string_from_json({"k": " x "}, "k") == "x"
    assert JSONProcessor.extract_string_from_json({"k": 0}, "k") == "0"
    assert JSONProcessor.extract_string_from_json({"k": None}, "k", "d") == "d"
    assert JSONProcessor.extract_string_from_json("no", "k") == ""
    assert JSONProcessor.extract_int_from_json({"k": 3}, "k") == 3
    assert JSONProcessor.extract_int_from_json({"k": "300"}, "k") == 300
    assert JSONProcessor.extract_int_from_json({"k": "x"}, "k", 7) == 7
    assert JSONProcessor.extract_int_from_json({"k": True}, "k") == 0
    assert JSONProcessor.extract_int_from_json({"k": 1.5}, "k") == 0


def test_OV_50_required_fields_and_cleaning() -> None:
    data: dict[str, Any] = {"a": "", "b": "x", "c": None, "d": 0, "e": False, "f": [], "g": "  "}
    assert JSONProcessor.validate_required_fields(data, "abcdefgh") == ["a", "c", "f", "g", "h"]
    cleaned = JSONProcessor.clean_json_data({"a": "", "b": " x ", "c": None, "d": 0, "e": " "})
    assert cleaned == {"b": "x", "d": 0}


def test_OV_50_merge() -> None:
    first = {"a": 1}
    assert JSONProcessor.merge_json_objects(first, {"a": 2, "b": 3}) == {"a": 2, "b": 3}
    assert first == {"a": 1}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"a": 1, }',
            "Expecting property name enclosed in double quotes: line 1 column 10 (char 9)",
        ),
        ("[1,\n]", "Expecting value: line 2 column 1 (char 4)"),
    ],
)
def test_OV_07_every_python_names_a_trailing_comma_in_the_same_words(text: str, told: str) -> None:
    assert strict_parse(text).message == told


def test_OV_07_every_python_reads_as_deep() -> None:
    assert strict_parse("[" * 900 + "]" * 900).end == 1800
    assert strict_parse("[" * 901 + "]" * 901).kind == "too_deep"
