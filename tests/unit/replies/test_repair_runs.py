"""Runs of sound members in damaged JSON, and the bounds of the work on hostile text."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.normalise import without_tuples
from libriscribe2.replies.outcome import RepairOutcome
from libriscribe2.replies.repair import conserved, repair_json
from libriscribe2.replies.strict_json import same_json

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "pages": {"type": "integer"}},
    "required": ["title", "pages"],
}
SCALARS = st.one_of(
    st.text(alphabet="ab é\"\\\n,:{}[]'1.", max_size=12),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(alphabet="abc é_", min_size=1, max_size=8), inner, max_size=4),
    ),
    max_leaves=20,
)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _with_commas(value: Any, indent: int) -> str:
    """JSON with a comma before every closing bracket of a container that is not empty."""
    margin, inner = "\n" + " " * indent, "\n" + " " * (indent + 2)
    if isinstance(value, dict) and value:
        members = [f"{_text(k)}: {_with_commas(v, indent + 2)}," for k, v in value.items()]
        return "{" + inner + inner.join(members) + margin + "}"
    if isinstance(value, list) and value:
        return (
            "["
            + inner
            + inner.join(f"{_with_commas(v, indent + 2)}," for v in value)
            + margin
            + "]"
        )
    return _text(value)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "c d"]), VALUES, min_size=1, max_size=3))
def test_OV_30_trailing_commas_everywhere_change_no_value(value: Any) -> None:
    outcome = repair_json(_with_commas(value, 0))
    assert outcome.trouble is None
    assert same_json(outcome.value, value)


def test_OV_30_every_liberty_in_a_run_is_named() -> None:
    text = '{"a": "x", "b": -1, "c": 2.5, "d": true, "e": null, "f": ["y", "z",], "g": 1,}'
    outcome = repair_json(text)
    assert outcome.value == {
        "a": "x", "b": -1, "c": 2.5, "d": True, "e": None, "f": ["y", "z"], "g": 1
    }  # fmt: skip
    assert [(one.name, text[one.position]) for one in outcome.repairs] == [
        ("trailing_comma", ","),
        ("trailing_comma", ","),
    ]


def test_OV_31_a_doubled_key_in_a_run_is_refused() -> None:
    outcome = repair_json('{"a": 1, "b": 2, "a": 3,}')
    assert outcome.trouble is not None
    assert (outcome.trouble.kind, outcome.trouble.detail) == ("conflicting_keys", "a")
    assert repair_json('{"a": 1, "b": 2, "a": 1,}').value == {"a": 1, "b": 2}


def test_OV_30_a_key_behind_a_run_of_elements_closes_the_list() -> None:
    outcome = repair_json('{"tags": ["a", "b", "c", "title": "Fog"}')
    assert outcome.value == {"tags": ["a", "b", "c"], "title": "Fog"}


def test_OV_30_sound_parts_are_read_at_once_as_long_as_most_are_sound() -> None:
    people = [{"name": f"N{n}", "tags": [["x"], ["y"]]} for n in range(300)]
    text = json.dumps(people)
    assert repair_json(text[:-1] + ",]").value == people
    assert repair_json(text.replace("]]}", "]],}")).value == people


def test_MS_15_nothing_that_fell_out_of_a_value_passes() -> None:
    text = '{"a": "b" lost}'
    read = RepairOutcome({"a": "b"}, len(text), ())
    kept = conserved('{"a": "b"}', 0, RepairOutcome({"a": "b"}, 10, ()), [(2, 3), (7, 8)])
    assert kept.value == {"a": "b"}
    refused = conserved(text, 0, read, [(2, 3), (7, 8)])
    assert refused.value is None
    assert refused.trouble is not None
    assert (refused.trouble.kind, refused.trouble.position) == ("ambiguous", 8)


def test_OV_31_two_readings_that_change_as_much_are_ambiguous() -> None:
    text = '{"a": {"b": ["x"}, "c": ["y", "z"]]}'
    report = extract_with_report(text)
    assert report.refusal is not None
    assert report.value is None


@pytest.mark.slow
def test_OV_47_a_very_long_text_with_a_doubt_is_not_read_again() -> None:
    outcome = repair_json("[" + '{"name": "Ada"}, ' * 20_000 + '{"a": [1, 2}, {"b": 1},]')
    assert outcome.value is None
    assert outcome.trouble is not None
    assert (outcome.trouble.kind, outcome.trouble.position) == ("ambiguous", 0)


def test_a_bare_word_behind_a_literal_is_text() -> None:
    report = extract_with_report('{"a": true story, "b": 1}')
    assert report.value == {"a": "true story", "b": 1}


def test_a_schema_says_whether_a_forgotten_bracket_was_all() -> None:
    whole = extract_with_report('```json\n{"title": "Fog", "pages": 3\n```', SCHEMA)
    assert whole.value == {"title": "Fog", "pages": 3}
    assert whole.ok
    part = extract_with_report('```json\n{"title": "Fog"\n```', SCHEMA)
    assert not part.ok


def test_a_string_that_only_looks_like_the_answer_is_no_answer() -> None:
    reply = json.dumps({"draft": "{not json", "answer": '{"title": "Fog", "pages": 3}'})
    assert extract_with_report(reply, SCHEMA).value == {"title": "Fog", "pages": 3}


def test_a_character_data_section_is_looked_into() -> None:
    report = extract_with_report('<reply><![CDATA[{"title": "Fog"}]]></reply>')
    assert report.value == {"title": "Fog"}


@pytest.mark.parametrize("comment", ["/* {1} */", "<!-- [2] -->"])
def test_values_in_comments_are_no_answers(comment: str) -> None:
    text = f"{comment} {comment} {comment} " + '{"title": "Fog"}'
    assert extract_with_report(text.replace("{1}", '{"a": 1}')).value == {"title": "Fog"}
    opening = comment[:4].rstrip()
    assert extract_with_report(f'{opening} {opening} {{"title": "Fog"}}').value == {"title": "Fog"}


@pytest.mark.parametrize(
    ("unit", "kind"),
    [
        ('{"a": "', "ambiguous"),
        ('{"a": "b" "c" ', "ambiguous"),
        ('{"a":"“x', "ambiguous"),
        ('{"a":[1,2},', "ambiguous"),
    ],
)
def test_OV_47_text_of_nothing_but_damage_is_given_up(unit: str, kind: str) -> None:
    report = extract_with_report('{"x": ' + unit * 15_000)
    assert report.refusal is not None
    assert report.refusal.kind in {kind, "cut_off"}
    assert report.value is None


def test_MS_15_a_chapter_full_of_bare_quotes_is_no_hostile_text() -> None:
    chapter = 'She said "not yet" and he said "when" and the tide came in again. ' * 3_000
    report = extract_with_report('{"title": "Fog", "text": "' + chapter + 'The end."}')
    assert report.value == {"title": "Fog", "text": chapter + "The end."}


def test_tuples_become_lists_and_hostile_brackets_none() -> None:
    assert without_tuples("{'a': ('x', (1)), 'b': (2,)}") == "{'a': ['x', 1], 'b': [2,]}"
    assert without_tuples('{"a": 1}') == ""
    assert without_tuples("[('x', 1)" + "(" * 300) == ""
    assert without_tuples("[" + "('x', 1)," * 20_000) == ""
