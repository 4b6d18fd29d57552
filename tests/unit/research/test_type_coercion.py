"""Values in a parameter's type, without loss or not at all."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.models.tooling import Parameter
from libriscribe2.research.wiring import UNFIT, canonical_type, coerce, coerce_value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (("number", "float", "float64", "double", "Number"), "number"),
        (("integer", "int", "int64"), "integer"),
        (("string", "str"), "string"),
        (("boolean", "bool"), "boolean"),
        (("array", "list"), "array"),
        (("object", "map", "dict"), "object"),
        (("", "uuid", "any"), "any"),
    ],
)
def test_pb_06_type_names_have_synonyms_and_unknown_ones_let_pass(
    names: tuple[str, ...], wanted: str
) -> None:
    assert {canonical_type(name) for name in names} == {wanted}


@pytest.mark.parametrize("value", ["x", 1, 1.5, None, [1], {"a": 1}])
def test_pb_06_a_value_of_unknown_type_passes_through(value: Any) -> None:
    assert coerce_value(value, "mystery") == value


@pytest.mark.parametrize(
    ("value", "kind", "wanted"),
    [
        ("48.85", "number", 48.85),
        (48, "number", 48.0),
        ("42", "integer", 42),
        (True, "boolean", True),
        ("true", "boolean", True),
        ("1", "boolean", True),
        ("false", "boolean", False),
        (0, "boolean", False),
        ("35.6897", "number", 35.6897),
        ("139.6917", "number", 139.6917),
        ("-12.5", "number", -12.5),
        ("3.14159", "number", 3.14159),
        ("-100", "integer", -100),
        ("9999999999", "integer", 9999999999),
        (42.0, "integer", 42),
        (5, "string", "5"),
    ],
)
def test_pb_05_pb_07_the_vectors_hold_with_their_types(value: Any, kind: str, wanted: Any) -> None:
    changed = coerce_value(value, kind)
    assert changed == wanted
    assert type(changed) is type(wanted)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("not-a-number", "float"),
        ("12.5", "integer"),
        (42.7, "integer"),
        ("yes", "boolean"),
        (2, "boolean"),
        ("", "number"),
        ("NaN", "number"),
        ("1e999", "number"),
        ("1e-400", "number"),
        ("1,000", "number"),
        ("\u0664\u0662", "integer"),
        (True, "integer"),
        (False, "number"),
        ({"a": 1}, "number"),
        ({"a": 1}, "string"),
        ([1], "object"),
        ("a,b", "array"),
    ],
)
def test_pb_08_what_has_no_exact_reading_is_refused_and_never_becomes_zero(
    value: Any, kind: str
) -> None:
    assert coerce_value(value, kind) is UNFIT


def test_pb_08_a_whole_number_beyond_floats_keeps_its_digits() -> None:
    assert coerce_value("9007199254740993", "number") == 2**53 + 1
    assert coerce_value(2**60 + 1, "number") == 2**60 + 1


def test_pb_22_a_value_outside_the_enum_and_null_are_refused() -> None:
    unit = Parameter("unit", "string", enum=("metric", "imperial"))
    assert coerce("metric", unit) == "metric"
    assert coerce("Kelvin", unit) is UNFIT
    assert coerce(None, unit) is UNFIT


def test_the_items_of_a_list_take_its_type_or_the_list_is_refused() -> None:
    years = Parameter("years", "array", schema={"type": "array", "items": {"type": "integer"}})
    assert coerce(["1912", 1914], years) == [1912, 1914]
    assert coerce(["1912", "N/A"], years) is UNFIT


@given(JSON, st.sampled_from(["number", "integer", "boolean", "string", "array", "object"]))
def test_pb_08_coercion_is_idempotent_and_of_the_wanted_type(value: Any, kind: str) -> None:
    changed = coerce_value(value, kind)
    if changed is UNFIT:
        return
    kinds = {"integer": int, "boolean": bool, "string": str, "array": list, "object": dict}
    assert isinstance(changed, kinds.get(kind, (int, float)))
    again = coerce_value(changed, kind)
    assert again == changed or changed != changed
