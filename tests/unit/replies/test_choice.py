"""The choice among several values, wrappers, and the coercions that a schema asks for."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field

from libriscribe2.replies.choice import Coercion, judge
from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.schema_fit import fit, json_type, resolve
from libriscribe2.replies.strict_json import same_json, strict_parse


class Concept(BaseModel):
    title: str = Field(description="Book title")
    logline: str = Field(description="One sentence summary")


class Keywords(BaseModel):
    primary: list[str] = Field(default_factory=list)
    count: int | None = None


class Scene(BaseModel):
    number: int
    weight: float = 1.0
    done: bool = False
    tags: list[str] = Field(default_factory=list)
    note: str | None = None


class Book(BaseModel):
    concept: Concept
    scenes: list[Scene]


GOOD = {"title": "Storm", "logline": "Rain falls."}
TEXT = '{"title": "Storm", "logline": "Rain falls."}'
LIST = {"type": "array", "items": {"type": "object", "required": ["n"], "properties": {"n": {}}}}


@pytest.mark.parametrize(
    "reply",
    [
        f'{{"status": "ok"}}\n{TEXT}',
        f'{TEXT}\n\nUsed {{"tokens": 12}} tokens.',
        f'Format: {{"title": "...", "logline": "..."}}\nMine: {TEXT}',
        f'```json\n{{"title": "<title>", "logline": "<logline>"}}\n```\n```json\n{TEXT}\n```',
        f'```python\nx = {{"a": 1}}\n```\n{TEXT}',
        f'{{"title": 1 + 1}}\n{TEXT}',
        f'{{"title": "Storm", "logline": "Rain falls.",}} or {TEXT}',
        f'Par exemple {{"title": "A", "logline": "B"}}.\n\nHere: {TEXT}',
        f"[{TEXT}]",
        f'{{"result": {TEXT}}}',
        f'{{"name": "answer", "arguments": {TEXT}}}',
        f'{{"a": {{"b": [{TEXT}]}}}}',
        '{"response": "{\\"title\\": \\"Storm\\", \\"logline\\": \\"Rain falls.\\"}"}',
        '{"title": "Storm"} {"logline": "Rain falls."}',
        '{"Title": "Storm", "LogLine": "Rain falls."}',
        f'{{"properties": {TEXT}, "type": "object"}}',
    ],
)
def test_OV_28_the_value_that_fits_the_model(reply: str) -> None:
    report = extract_with_report(reply, Concept)
    assert report.value == GOOD
    assert report.ok


def test_OV_28_without_a_model_the_first_sound_object() -> None:
    assert extract_with_report('{bad} {"a": 1} {"b": 2}').value == {"a": 1}
    assert extract_with_report('[3, 4]\nand {"b": 2}').value == {"b": 2}


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ('{"error": {"message": "rate limit"}}', "wrong_shape"),
        ('["a", "b"]', "several_items"),
        ("{}", "wrong_shape"),
        ('{"title": "Book title", "logline": "One sentence summary"}', "placeholder"),
        (
            '{"type": "object", "properties": {"title": {"type": "string"}}}',
            "schema_echo",
        ),
        ('[{"title": "a", "logline": "b"}, {"title": "c", "logline": "d"}]', "several_items"),
    ],
)
def test_an_answer_to_another_question_is_refused(reply: str, kind: str) -> None:
    report = extract_with_report(reply, Concept)
    assert report.refusal is not None
    assert report.refusal.kind == kind


def test_a_partial_answer_is_handed_on_for_the_field_errors() -> None:
    report = extract_with_report('{"title": "Storm"}', Concept)
    assert report.ok
    assert report.value == {"title": "Storm"}


def test_strict_mode_takes_the_value_as_it_stands() -> None:
    assert extract_with_report(f'{{"result": {TEXT}}}', Concept, strict=True).value is None
    assert extract_with_report('{"primary": "a, b"}', Keywords, strict=True).value == {
        "primary": "a, b"
    }
    assert extract_with_report(f"{TEXT} {TEXT}", Concept, strict=True).value == GOOD


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"n": 1}\n{"n": 2}', [{"n": 1}, {"n": 2}]),
        ('{"n": 1}, {"n": 2}', [{"n": 1}, {"n": 2}]),
        ('1. {"n": 1}\n2. {"n": 2}', [{"n": 1}, {"n": 2}]),
        ('{"n": 1}', [{"n": 1}]),
        ('{"items": [{"n": 1}, {"n": 2}]}', [{"n": 1}, {"n": 2}]),
        ('[{"n": 1}, {"x": 2}]', [{"n": 1}, {"x": 2}]),
        ('{"n": 1}\n\nA long story comes between the two of them. {"n": 2}', None),
    ],
)
def test_OV_49_the_wanted_list(reply: str, value: list[Any] | None) -> None:
    assert extract_with_report(reply, LIST).value == value


def test_items_of_another_kind_are_no_wanted_list() -> None:
    assert extract_with_report('[{"x": 1}, {"y": 2}]', LIST).value is None


@pytest.mark.parametrize(
    ("value", "coerced", "name"),
    [
        ({"number": "3"}, {"number": 3}, "number_from_string"),
        ({"number": 3.0}, {"number": 3}, "number_from_string"),
        ({"weight": "2.5"}, {"weight": 2.5}, "number_from_string"),
        ({"weight": "2"}, {"weight": 2}, "number_from_string"),
        ({"done": "True"}, {"done": True}, "boolean_from_string"),
        ({"tags": "a, b,, c"}, {"tags": ["a", "b", "c"]}, "csv_split"),
        ({"tags": "- a\n2. b\n"}, {"tags": ["a", "b"]}, "csv_split"),
        ({"tags": ""}, {"tags": []}, "csv_split"),
        ({"note": 1984}, {"note": "1984"}, "string_from_number"),
        ({"Number": 1}, {"number": 1}, "key_renamed"),
    ],
)
def test_exact_coercions(value: Any, coerced: Any, name: str) -> None:
    coercion = Coercion(Scene.model_json_schema())
    assert coercion.apply(value) == coerced
    assert coercion.applied == [name]


@pytest.mark.parametrize(
    "value",
    [
        {"number": "three"},
        {"number": "2.5"},
        {"number": 2.5},
        {"number": True},
        {"weight": "1/2"},
        {"done": "yes"},
        {"done": 1},
        {"note": True},
        {"note": 1.5},
        {"note": ["a", "b"]},
        {"tags": 3},
        {"tags": {"a": 1}},
        {"unknown": "1"},
        [],
        "text",
    ],
)
def test_PB_08_a_failed_coercion_changes_nothing(value: Any) -> None:
    coercion = Coercion(Scene.model_json_schema())
    assert coercion.apply(value) == value
    assert coercion.applied == []


def test_coercion_walks_references_and_lists() -> None:
    value = {"concept": [GOOD], "scenes": {"number": "1", "tags": "a"}}
    coercion = Coercion(Book.model_json_schema())
    assert coercion.apply(value) == {"concept": GOOD, "scenes": [{"number": 1, "tags": ["a"]}]}
    assert "one_item_list" in coercion.applied


def test_a_number_list_is_not_split_from_text() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    assert Coercion(schema).apply("1, 2") == "1, 2"


def test_an_ambiguous_union_is_left_alone() -> None:
    schema = {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}
    assert Coercion(schema).apply("1") == "1"


@pytest.mark.parametrize(
    ("value", "schema", "full"),
    [
        ({"a": 1}, {"properties": {"a": {"type": "integer"}}}, True),
        ({"a": 1}, {"properties": {"a": {"type": "number"}}}, True),
        ({"a": True}, {"properties": {"a": {"type": "integer"}}}, False),
        ({"a": "x"}, {"properties": {"a": {"enum": ["x", "y"]}}}, True),
        ({"a": "z"}, {"properties": {"a": {"enum": ["x", "y"]}}}, False),
        ({"a": "z"}, {"properties": {"a": {"const": "x"}}}, False),
        ({"a": None}, {"properties": {"a": {"type": ["string", "null"]}}}, True),
        ([1, "x"], {"items": {"type": "integer"}}, False),
        ({"a": {"b": 1}}, {"additionalProperties": {"required": ["c"]}}, False),
        ({"a": 1}, {"allOf": [{"$ref": "#/$defs/X"}], "$defs": {"X": {"required": ["a"]}}}, True),
        ({"a": 1}, {"$ref": "#/$defs/none"}, True),
        ({"a": 1}, {"$ref": "#/$defs/no/such"}, True),
        ({"a": 1}, {"$defs": {"L": {"$ref": "#/$defs/L"}}, "$ref": "#/$defs/L"}, True),
        ({"k": "b", "y": 1}, {"oneOf": [{"required": ["x"]}, {"required": ["y"]}]}, True),
        ({"a": object}, {"properties": {"a": {"type": "string"}}}, False),
        ({"a": 1}, {"required": "a", "properties": []}, True),
    ],
)
def test_fit_reads_what_pydantic_emits(value: Any, schema: dict[str, Any], full: bool) -> None:
    assert fit(value, schema).full is full


def test_fit_is_bounded() -> None:
    assert fit([[1]] * 30_000, {"items": {"items": {"type": "integer"}}}).full


def test_resolve_of_no_schema_is_any() -> None:
    assert resolve(True, {}) == {}
    assert json_type(object()) == ""


def test_judging_without_a_schema() -> None:
    assert judge("text", None).trouble == "no_json"
    assert judge({}, None).level < judge({"a": 1}, None).level
    assert judge([1], None).level < judge(["a"], None).level < judge({"a": 1}, None).level


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, False),
        (1, True, False),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}, True),
        ({"a": 1}, {"b": 1}, False),
        ([1], [1, 2], False),
        ("a", "b", False),
    ],
)
def test_equality_of_json_values_knows_types(left: Any, right: Any, same: bool) -> None:
    assert same_json(left, right) is same


def large(*members: str) -> str:
    return "{" + ", ".join([*members, f'"pad": "{"x" * 20_000}"']) + "}"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (large('"a": 1'), ""),
        (large('"a": "10:30"'), ""),
        (large('"a": "say \\": no"'), ""),
        (large('"a" : 1', '"b": "1:2"'), ""),
        (large('"a": 1', '"a": 2'), "conflicting_keys"),
        (large('"a": 1', '"a": 1'), ""),
        (large('"a": 1', '"a" : 2', '"b": "x:y"'), "conflicting_keys"),
        (large('"a": NaN'), "not_a_number"),
        ("tru", "syntax"),
    ],
)
def test_large_texts_lose_no_key_silently(text: str, kind: str) -> None:
    parsed = strict_parse(text)
    assert parsed.kind == kind
    assert (parsed.end == len(text)) is (kind == "")


@pytest.mark.parametrize("value", ["{{step-1.response.url}}", "{{a.response.results[0].url}}"])
def test_XC_07_a_reference_to_a_result_is_content(value: str) -> None:
    schema = {"type": "object", "properties": {"steps": {"type": "array"}}, "required": ["steps"]}
    reply = json.dumps({"steps": [{"parameters": {"url": value}}]})
    assert extract_with_report(reply, schema, strict=True).ok
    assert not extract_with_report(reply.replace(value, "{{url}}"), schema).ok
