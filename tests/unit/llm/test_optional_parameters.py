"""Optional parameters: what a request starts with and what a refusal takes away."""

from typing import Any

import pytest

from libriscribe2.llm.backend import BackendError, Request, schema_text
from libriscribe2.llm.backends.litellm import (
    ONE_RULE,
    CapabilityFallbacks,
    LiteLLMBackend,
    is_closed,
)

SCHEMA = {"type": "object", "title": "Book concept!", "properties": {"title": {"type": "string"}}}
CLOSED = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}


def request(schema: dict[str, Any] | None = None, temperature: float | None = None) -> Request:
    turn = {"role": "user", "content": "x"}
    return Request("step", "m", (turn,), schema=schema, temperature=temperature)


def refusal(message: str, kind: str = "bad_request") -> BackendError:
    return BackendError(kind, message, status=400)


def test_MS_19_a_schema_is_sent_where_the_provider_knows_formats() -> None:
    sent = CapabilityFallbacks().parameters(request(SCHEMA), formats=True)
    wanted = {"name": "Book_concept_", "schema": SCHEMA, "strict": False}
    assert sent == {"response_format": {"type": "json_schema", "json_schema": wanted}}


@pytest.mark.parametrize(
    ("schema", "formats"), [(SCHEMA, False), (None, True), ({"type": "array"}, True)]
)
def test_MS_19_otherwise_the_schema_stands_in_the_prompt_only(
    schema: dict[str, Any] | None, *, formats: bool
) -> None:
    assert CapabilityFallbacks().parameters(request(schema), formats=formats) == {}


def test_a_temperature_of_zero_is_a_temperature() -> None:
    assert CapabilityFallbacks().parameters(request(temperature=0.0), formats=True) == {
        "temperature": 0.0
    }


def test_streams_ask_for_their_usage() -> None:
    sent = CapabilityFallbacks().parameters(request(), formats=True, streamed=True)
    assert sent == {"stream_options": {"include_usage": True}}


def test_MS_19_the_ladder_goes_from_schema_to_object_to_nothing() -> None:
    capabilities = CapabilityFallbacks()
    steps = []
    for _ in range(3):
        sent = capabilities.parameters(request(SCHEMA), formats=True)
        given_up = capabilities.give_up("m", sent, refusal("'response_format' is not supported"))
        steps.append((sent.get("response_format", {}).get("type"), given_up))
    assert steps == [("json_schema", True), ("json_object", True), (None, False)]


def test_a_concession_holds_for_its_model_only() -> None:
    capabilities = CapabilityFallbacks()
    sent = capabilities.parameters(request(temperature=0.5), formats=False)
    assert capabilities.give_up("other", sent, refusal("Unsupported value: 'temperature'"))
    assert capabilities.parameters(request(temperature=0.5), formats=False) == sent


@pytest.mark.parametrize("parameter", ["temperature", "stream_options"])
def test_a_blamed_parameter_is_given_up(parameter: str) -> None:
    capabilities = CapabilityFallbacks()
    sent = capabilities.parameters(request(temperature=0.5), formats=False, streamed=True)
    assert capabilities.give_up("m", sent, refusal(f"Unknown parameter: '{parameter}'"))
    after = capabilities.parameters(request(temperature=0.5), formats=False, streamed=True)
    assert set(sent) - set(after) == {parameter}


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"temperature": 1.0}, refusal("messages must not be empty")),
        ({}, refusal("temperature is not supported")),
        ({"temperature": 1.0}, refusal("temperature", kind="server")),
    ],
)
def test_nothing_is_given_up_without_blame(sent: dict[str, Any], error: BackendError) -> None:
    assert not CapabilityFallbacks().give_up("m", sent, error)


@pytest.mark.parametrize(
    ("schema", "closed"),
    [
        (CLOSED, True),
        (CLOSED | {"additionalProperties": True}, False),
        (CLOSED | {"required": []}, False),
        (CLOSED | {"properties": {"title": SCHEMA}}, False),
        ({"type": "array", "items": SCHEMA}, False),
        ({"anyOf": [CLOSED, {"type": "null"}]}, True),
        ({"anyOf": [CLOSED, SCHEMA]}, False),
    ],
)
def test_strict_mode_is_asked_for_closed_schemas_only(
    schema: dict[str, Any], *, closed: bool
) -> None:
    assert is_closed(schema) is closed


@pytest.mark.parametrize("apart", [False, True])
def test_within_a_chapter_a_schema_is_sent_apart_on_request_and_nothing_else_is_lost(
    apart: bool,
) -> None:
    schema = {"title": "Answer", "type": "object", "properties": {"a": {"type": "string"}}}
    rules = "CRITICAL FORMAT RULES (all):\n- You are an API.\n- No bold.\n\nThe book: Tides."
    asked = (
        {"role": "system", "content": f"You write.\n\n{rules}"},
        {"role": "user", "content": f"The text.{schema_text(schema)}"},
    )
    request = Request("canon/ch01", "openai/gpt-5.4-mini", asked, schema=schema, in_text=True)
    sent, _ = LiteLLMBackend(None, "none", always_apart=apart).wording(request)
    said = [one["content"] for one in sent["messages"]]
    assert ("response_format" in sent) is apart
    if apart:
        assert said == [f"You write.\n\n{ONE_RULE}\n\nThe book: Tides.", "The text."]
    else:
        assert said == [one["content"] for one in asked]
