"""Plain members, elements and brackets in damaged JSON, and what zero-width characters cost."""

import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.repair import repair_json
from libriscribe2.replies.strict_json import same_json, string_leaves

TEXTS = st.text(alphabet="ab é灯'\"\n,:{}[]1.", max_size=12)
VALUES = st.recursive(
    st.one_of(
        TEXTS,
        st.integers(-(10**20), 10**20),
        st.floats(allow_nan=False, allow_infinity=False),
        st.booleans(),
        st.none(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(TEXTS, max_size=4),
        st.dictionaries(st.text(alphabet="abc_é", min_size=1, max_size=8), inner, max_size=4),
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "c_d"]), VALUES, min_size=1, max_size=3))
def test_OV_30_the_repr_of_a_value_is_that_value_or_refused(value: dict[str, Any]) -> None:
    outcome = repair_json(repr(value))
    if outcome.trouble is None:
        assert same_json(outcome.value, value)
    # An apostrophe that only an escape tells from the end of its string may stay in doubt.
    assert outcome.trouble is None or any("'" in text for _, text in string_leaves(value))


@pytest.mark.parametrize(
    ("reply", "value", "names"),
    [
        ("{'a': 'It\\'s \"late\"\\nhere', 'b': \"it's\", 'c': 1}",
         {"a": 'It\'s "late"\nhere', "b": "it's", "c": 1},
         ["single_quotes", "foreign_escape", "single_quotes", "single_quotes", "single_quotes"]),
        ('{a: "one \\"two\\"\\n\\u00e9", \'b\': ["x\\\\", \'y\'], c: 2}',
         {"a": 'one "two"\né', "b": ["x\\", "y"], "c": 2},
         ["unquoted_key", "single_quotes", "single_quotes", "unquoted_key"]),
        ("{'tags': ['a', \"it's\", ''], 'more': [['x'], ['y', 1, -2.5, None, True]], 'n': 1}",
         {"tags": ["a", "it's", ""], "more": [["x"], ["y", 1, -2.5, None, True]], "n": 1},
         ["single_quotes"] * 6 + ["python_literal", "python_literal", "single_quotes"]),
        ("{'a': {}, 'b': [], 'c': [{'d': []}, {}, 'e'], 'f': 1}",
         {"a": {}, "b": [], "c": [{"d": []}, {}, "e"], "f": 1},
         ["single_quotes"] * 6),
        ('{"a": [1, 2.5, -3], b: ["x", "y",], "c": {"d": 1,},}',
         {"a": [1, 2.5, -3], "b": ["x", "y"], "c": {"d": 1}},
         ["unquoted_key", "trailing_comma", "trailing_comma", "trailing_comma"]),
        ("{a: [,], b: {,}, c: 1}", {"a": [], "b": {}, "c": 1},
         ["unquoted_key", "extra_comma", "unquoted_key", "extra_comma", "unquoted_key"]),
        ("{a: {b: 1} c: 2}", {"a": {"b": 1}, "c": 2},
         ["unquoted_key", "unquoted_key", "missing_comma", "unquoted_key"]),
    ],
)  # fmt: skip
def test_OV_30_runs_name_what_they_mend(reply: str, value: object, names: list[str]) -> None:
    outcome = repair_json(reply)
    assert outcome.trouble is None
    assert same_json(outcome.value, value)
    assert [one.name for one in outcome.repairs] == names
    assert [one.position for one in outcome.repairs] == sorted(
        one.position for one in outcome.repairs
    )


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("{'a': 'the \\alpha of \\nu', 'b': 1}", "ambiguous"),
        ("{'a': ['x', 'the \\alpha of \\nu'], 'b': 1}", "ambiguous"),
        ("{'a': 1, 'b': {'c': 'x', 'c': 'y'}, 'd': 2}", "conflicting_keys"),
        ("{'a': [" + "[" * 300 + "'x'" + "]" * 300 + "], 'b': 1}", "too_deep"),
        ("{'a': {{name}}, 'b': 1}", "template"),
        ("{'a': ['x', ..., 'y'], 'b': 1}", "ellipsis"),
    ],
)
def test_OV_31_what_no_run_may_decide_is_refused(reply: str, kind: str) -> None:
    outcome = repair_json(reply)
    assert outcome.value is None
    assert outcome.trouble is not None
    assert outcome.trouble.kind == kind


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("{'a': ['x'}, 'b': 1}", {"a": ["x"], "b": 1}),
        ("{'a': [{'b': 'x'], 'c': 1}", {"a": [{"b": "x"}], "c": 1}),
        ("[{'a': 'x', 'b': 'y', {'a': 'z'}]", [{"a": "x", "b": "y"}, {"a": "z"}]),
    ],
)
def test_OV_30_a_wrong_bracket_ends_a_run(reply: str, value: object) -> None:
    assert repair_json(reply).value == value


def test_sound_parts_inside_damage_are_read_whatever_they_begin_with() -> None:
    parts = ['[nul, "x"]', "[True]", '["x", True]', '[{"a": 1, b: 2}]', '{"a": 1, "b": ["x",]}']
    read = repair_json("{x: [" + ", ".join(parts) + ', ["y", 1e3], {"c": [true, null]}]}')
    assert read.value == {
        "x": [["nul", "x"], [True], ["x", True], [{"a": 1, "b": 2}], {"a": 1, "b": ["x"]},
              ["y", 1000.0], {"c": [True, None]}]
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["{\u200b", "[\u200b", '"\u200b', "a\u200b,"])
def test_OV_47_zero_width_characters_all_over_cost_little_memory(unit: str) -> None:
    text = unit * 100_000
    tracemalloc.start()
    try:
        extract_with_report(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 25 * len(text)  # Python 3.14 goes deeper before it gives up


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@example("[: :]")
@given(st.text(alphabet="{}[],: a\u200b\ufeff", max_size=40))
def test_zero_width_characters_go_wherever_the_text_is_cut(part: str) -> None:
    padding = '"x"\u200b, ' * 10_000
    # "[a]" alone would be a placeholder.
    reply = '{\u200b"a": [' + padding + '"x ' + part + '"\u200b], "b": 1}'
    value = extract_with_report(reply).value
    assert value["a"][:-1] == ["x"] * 10_000
