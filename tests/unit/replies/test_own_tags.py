"""Calls in tags that bear the tool's own name: what hostile values cost, and what they may be."""

from typing import Any

import pytest

from libriscribe2.parsing.tool_calls import parse_llm_response

TEXT: dict[str, Any] = {"type": "string"}
SCHEMAS: dict[str, Any] = {"note": {"type": "object", "properties": {"text": TEXT}}}


def test_RP_33_a_value_full_of_its_own_tags_is_given_up() -> None:
    reply = "<note><text>" + "<text>" * 50_000 + "</text></note>"
    response = parse_llm_response(reply, {"note"}, SCHEMAS)
    assert response.tool_calls is None
    assert response.content == reply
    assert response.issues


@pytest.mark.parametrize("known", [None, set(), {"other"}])
def test_RP_31_tags_are_calls_only_of_tools_that_exist(known: set[str] | None) -> None:
    reply = "<note><text>a</text></note>"
    assert parse_llm_response(reply, known, SCHEMAS).tool_calls is None
