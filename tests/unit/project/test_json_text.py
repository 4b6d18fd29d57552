"""JSON as the program writes it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libriscribe2.project.texts import listed_json, readable_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.text(), st.dictionaries(st.text(), JSON))
def test_a_listed_record_is_json_of_what_it_was_given(name: str, fields: dict[str, Any]) -> None:
    assert json.loads(listed_json(name, fields)) == {name: fields}


def test_a_listed_record_has_a_field_on_a_line() -> None:
    text = listed_json("info", {"reply": "a\nb", "usage": {"tokens": [1, 2]}})
    assert text.splitlines() == [
        "{",
        '    "info": {',
        '        "reply": "a\\nb",',
        '        "usage": {"tokens": [1, 2]}',
        "    }",
        "}",
    ]


@given(JSON)
@example({"cost": 1e-05, "small": [0.00001, (1e22, 1)]})
@example({"half": "\ud800", "empty": [], "none": {}})
@example([10**40, -(10**40), True, None])
def test_a_readable_text_is_what_the_encoder_of_python_writes(value: Any) -> None:
    assert readable_json(value) == json.dumps(value, indent=4, ensure_ascii=False) + "\n"


def test_a_readable_text_may_be_nested_as_deep_as_the_encoder_of_python_allows() -> None:
    deep: Any = 1
    for _ in range(700):
        deep = [deep]
    assert json.loads(readable_json({"x": deep})) == {"x": deep}


@pytest.mark.parametrize("value", [b"x", {1, 2}, Path("x"), {"a": [object()]}, {Path("x"): 1}])
def test_what_is_not_plain_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        readable_json(value)
