"""References to results in the parameters of a plan."""

import json
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.research.templates import Filled, TemplateFiller, references_in

DATA = {
    "step-1": {
        "status": "success",
        "latitude": 35.6897,
        "data": {"country": "France", "id": 123, "nothing": None, "tags": ["a", "b"]},
        "results": [{"url": "https://a.example/"}, {"url": "https://b.example/"}],
    }
}


def fill(value: Any, data: dict[str, Any] | None = None) -> Filled:
    known = data if data is not None else DATA
    return TemplateFiller(known, {*known, "step-2"}).fill(value)


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        ("{{step-1.response.status}}", "success"),
        ("{{step-1.response.data.country}}", "France"),
        ("{{step-1.response.data.id}}", 123),
        ("{{ step-1.response.data.id }}", 123),
        ("{{step-1.response.latitude}}", 35.6897),
        ("{{step-1.response.data.tags}}", ["a", "b"]),
        ("{{step-1.response}}", DATA["step-1"]),
    ],
)
def test_pb_30_pb_31_a_reference_is_the_value_with_its_type(template: str, wanted: Any) -> None:
    filled = fill(template)
    assert (filled.value, filled.steps, filled.unresolved) == (wanted, ["step-1"], [])
    assert filled.is_reference


def test_pb_30_ids_with_dots_and_ids_that_begin_alike_are_told_apart() -> None:
    data: dict[str, Any] = {"s": {"v": 1}, "s.1": {"v": 2}, "s-1": {"v": 3}}
    values = [fill(f"{{{{{step}.response.v}}}}", data).value for step in data]
    assert values == [1, 2, 3]


def test_pb_32_references_in_a_text_are_put_in_as_text() -> None:
    assert fill("Country is {{step-1.response.data.country}}").value == "Country is France"
    both = fill("{{step-1.response.data.id}}/{{step-1.response.data.tags}}")
    assert both.value == '123/["a","b"]'


def test_pb_32_what_was_put_in_is_not_read_again() -> None:
    data = {"s": {"a": "{{s.response.b}}", "b": "never"}}
    filled = fill("say {{s.response.a}}", data)
    assert filled.value == "say {{s.response.b}}"
    assert filled.unresolved == []


@pytest.mark.parametrize(
    "slip",
    ["{{step-1.data.country}}", "{{STEP-1.response.data.country}}", "{{Step-1.Data.Country}}"],
)
def test_pb_33_slips_are_taken_for_what_was_meant_and_told(
    slip: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        assert fill(slip).value == "France"
    assert "read as meant" in caplog.text


@pytest.mark.parametrize(
    "template",
    [
        "{{step-1.response.data.nonexistent}}",
        "{{step-1.response.data.nothing}}",
        "{{step-9.response.status}}",
        "{{step-2.response.status}}",
        "{{step-1.response.results[7].url}}",
        "{{step-1.response.status.deeper}}",
    ],
)
def test_pb_34_a_reference_that_leads_nowhere_stays_and_is_told(template: str) -> None:
    filled = fill(template)
    assert filled.value == template
    assert [one.text for one in filled.unresolved] == [template]


def test_pb_34_braces_that_name_no_step_are_text() -> None:
    text = "a Jinja page: {{ user.name }} and {% if x %}"
    filled = fill(text)
    assert (filled.value, filled.is_literal) == (text, True)


def test_pb_35_references_at_any_depth_are_replaced() -> None:
    value = {"a": ["{{step-1.response.data.id}}", {"b": "in {{step-1.response.data.country}}"}]}
    assert fill(value).value == {"a": [123, {"b": "in France"}]}
    assert value["a"][0] == "{{step-1.response.data.id}}"


@pytest.mark.parametrize(
    "path", ["results.0.url", "results[0].url", "results[0]['url']", 'results[0]["url"]']
)
def test_pb_36_lists_are_indexed(path: str) -> None:
    assert fill(f"{{{{step-1.response.{path}}}}}").value == "https://a.example/"


def test_pb_37_every_reference_names_its_step() -> None:
    value = {"x": ["{{step-1.response.a}} {{STEP-2.b}}"], "y": "{{nobody.response.c}}"}
    found = {(one.step, one.known) for one in references_in(value, ["step-1", "step-2"])}
    assert found == {("step-1", True), ("step-2", True), ("nobody", False)}


def test_an_own_key_response_of_a_result_can_be_meant() -> None:
    data = {"s": {"response": {"a": 1}}}
    assert fill("{{s.response.a}}", data).value == 1
    assert fill("{{s.response.response.a}}", data).value == 1


@given(st.text(max_size=60), st.dictionaries(st.text(max_size=4), st.text(max_size=30)))
def test_pb_34_any_text_is_filled_without_an_error(text: str, data: dict[str, str]) -> None:
    filled = fill("x {{s.response." + text + "}} " + text, {"s": data})
    assert isinstance(filled.value, str)
    json.dumps(filled.value)
