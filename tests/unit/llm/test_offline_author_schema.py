"""Structured replies of the offline author: every value fits its schema."""

import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from libriscribe2.llm.backend import Request
from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.filler import Filler
from libriscribe2.llm.offline.material import read_material
from libriscribe2.llm.offline.pattern import text_matching
from libriscribe2.llm.offline.story import read_story
from libriscribe2.llm.offline.values import Values
from libriscribe2.llm.offline.wrapping import as_json
from libriscribe2.utils.json_utils import JSONProcessor

Schema = dict[str, Any]

NAMES = st.sampled_from(
    ["title", "name", "age", "summary", "characters", "places", "scenes", "score", "x", "keywords"]
)
PATTERNS = st.sampled_from(
    [
        r"^[A-Z]{3}-\d{2,4}$",
        r"^(ab|c)+$",
        r"\d+",
        r"^[^a]x?$",
        r"^a.c\.$",
        r"^(?:no|yes)$",
        r"\w\s\W",
    ]
)


def filled(schema: Schema, text: str = "<premise>A fox on Mars</premise>") -> Any:
    message = {"role": "user", "content": text}
    material = read_material(Request("s", "offline", (message,), schema=schema))
    values = Values(read_story(material), material, Dice("test"))
    return Filler(schema, values, Dice("test", "filler")).fill()


def check(schema: Schema, value: Any) -> None:
    jsonschema.Draft202012Validator(schema).validate(value)


@st.composite
def numbers(draw: st.DrawFn) -> Schema:
    kind = draw(st.sampled_from(["integer", "number"]))
    low = draw(st.integers(-50, 50))
    schema: Schema = {"type": kind}
    schema[draw(st.sampled_from(["minimum", "exclusiveMinimum"]))] = low
    if draw(st.booleans()):
        schema[draw(st.sampled_from(["maximum", "exclusiveMaximum"]))] = low + draw(
            st.integers(2, 60)
        )
    elif draw(st.booleans()):
        schema["multipleOf"] = draw(st.integers(1, 7))
    return schema


@st.composite
def strings(draw: st.DrawFn) -> Schema:
    choice = draw(st.integers(0, 3))
    if choice == 0:
        return {"type": "string", "pattern": draw(PATTERNS)}
    if choice == 1:
        options = st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True)
        return {"type": "string", "enum": draw(options)}
    low = draw(st.integers(0, 200))
    schema: Schema = {"type": "string", "minLength": low}
    if choice == 2:
        schema["maxLength"] = low + draw(st.integers(0, 40))
    return schema


def wider(parts: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    def as_object(properties: dict[str, Schema], least: int) -> Schema:
        required = sorted(properties)[:least]
        return {"type": "object", "properties": properties, "required": required}

    def as_list(items: Schema, low: int, more: int, unique: bool) -> Schema:
        unique = unique and items.get("type") == "string" and "pattern" not in items
        unique = unique and "enum" not in items and items.get("maxLength", 99) > 9
        bounds = {"minItems": low, "maxItems": low + more, "uniqueItems": unique}
        return {"type": "array", "items": items, **bounds}

    return st.one_of(
        st.builds(as_object, st.dictionaries(NAMES, parts, max_size=4), st.integers(0, 4)),
        st.builds(as_list, parts, st.integers(0, 5), st.integers(0, 6), st.booleans()),
        st.builds(lambda part: {"anyOf": [{"type": "null"}, part]}, parts),
        st.builds(lambda part: {"allOf": [part, {"title": "Thing"}]}, parts),
        st.builds(lambda part: {"type": "object", "additionalProperties": part}, parts),
    )


LEAVES = st.one_of(
    numbers(), strings(), st.just({"type": "boolean"}), st.just({"const": {"a": [1]}})
)
CODES = {"type": "array", "items": {"type": "string", "pattern": r"^[A-Z]{3}-\d{2,4}$"}}
SCHEMAS = st.recursive(LEAVES, wider, max_leaves=8)


@given(SCHEMAS)
@example({"type": "object", "properties": {"keywords": CODES}, "required": ["keywords"]})
@settings(max_examples=150, deadline=None)
def test_any_value_fits_its_schema(schema: Schema) -> None:
    check(schema, filled(schema))


@given(st.integers(0, 400), st.sampled_from(["A fox on Mars", "How to dive", "Zoë Å is lost."]))
@settings(max_examples=60, deadline=None)
def test_wrapped_json_is_read_without_loss(seed: int, premise: str) -> None:
    text = {"type": "string"}
    person = {"type": "object", "properties": {"name": text, "age": {"type": "integer"}}}
    people = {"type": "array", "items": person}
    schema: Schema = {"type": "object", "properties": {"title": text, "characters": people}}
    value = filled(schema, f"<premise>{premise}</premise>")
    report = JSONProcessor.extract_with_report(as_json(value, Dice(seed)))
    assert report.value == value
    assert not report.lossy


def test_about_one_reply_in_four_is_wrapped_and_in_every_form() -> None:
    value = {"title": "A", "list": [1, 2]}
    replies = [as_json(value, Dice("wrap", n)) for n in range(400)]
    bare = [reply for reply in replies if re.fullmatch(r"\{.*[^,\s]\s*\}", reply, re.DOTALL)]
    wrapped = [reply for reply in replies if reply not in bare]
    assert 60 <= len(wrapped) <= 140
    for form in ("```json\n", "```\n", "<think>", ",\n}", "JSON"):
        assert any(form in reply for reply in wrapped)
    for reply in replies:
        report = JSONProcessor.extract_with_report(reply)
        assert report.value == value
        assert all(repair.lossless for repair in report.repairs)


@pytest.mark.parametrize("value", ["text", 3, True, None, [], {}])
def test_no_comma_trails_where_it_would_stand_alone(value: Any) -> None:
    for seed in range(60):
        assert not re.search(r"[\[{],|^,|\w,\Z", as_json(value, Dice(seed)))


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer", "minimum": 4}}},
        {"type": ["null", "string"], "maxLength": 4},
        {"type": "null"},
        {"oneOf": [{"type": "null"}]},
        {"type": "object", "required": ["b"]},
        {"type": "object", "minProperties": 3},
        {"type": "object", "propertyNames": {"enum": ["u", "v"]}, "minProperties": 2},
        {"type": "object", "properties": {"a": False, "b": True}},
        {"type": "array", "prefixItems": [{"const": 1}, {"type": "boolean"}], "items": False},
        {"type": "array", "maxItems": 2},
        {"type": "array", "uniqueItems": True, "items": {"enum": [1, 2]}, "minItems": 2},
        {"type": "array", "uniqueItems": True, "items": {"type": "integer"}, "minItems": 9},
        {"type": "array", "uniqueItems": True, "items": {"type": "boolean"}, "maxItems": 2},
        {"type": "array", "uniqueItems": True, "minItems": 6},
        {
            "type": "array",
            "uniqueItems": True,
            "minItems": 2,
            "items": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
        {"items": {"type": "string", "pattern": "^b+$"}, "minItems": 4, "uniqueItems": True},
        {"type": "string", "pattern": "^a+$", "minLength": 5},
        {"type": "number", "minimum": 0.25, "maximum": 0.5},
        {"type": "number", "multipleOf": 0.5, "minimum": 3},
        {"type": "integer", "maximum": -5},
        {"allOf": [{"minLength": 3, "maxLength": 9}, {"minLength": 5, "maxLength": 7}]},
        {"properties": {"n": {"type": "integer"}}},
        {"minLength": 400},
        {"$ref": "elsewhere.json#/x"},
    ],
)
def test_special_schemas(schema: Schema) -> None:
    value = filled(schema)
    if "elsewhere" not in str(schema):
        check(schema, value)


@pytest.mark.parametrize("name", ["date", "date-time", "email", "uri", "uuid", "time", "ipv4"])
def test_formats_are_kept(name: str) -> None:
    schema = {"type": "string", "format": name}
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(schema, format_checker=checker).validate(filled(schema))


def test_recursive_schemas_end() -> None:
    node: Schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "next": {"$ref": "#"},
            "all": {"$ref": "#/$defs/l"},
        },
        "required": ["name"],
        "$defs": {"l": {"type": "array", "items": {"$ref": "#"}}},
    }
    check(node, filled(node))
    endless: Schema = {"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]}
    assert isinstance(filled(endless), dict)


def test_a_list_without_enough_different_values_repeats_one() -> None:
    same = {"type": "array", "uniqueItems": True, "items": {"pattern": "^x$"}, "minItems": 3}
    assert filled(same) == ["x", "x", "x"]
    flags = {"type": "array", "uniqueItems": True, "items": {"type": "boolean"}, "maxItems": 2}
    assert sorted(filled(flags)) == [False, True]
    pairs = {"type": "object", "properties": {f"p{n}": flags for n in range(12)}}
    assert all(sorted(pair) == [False, True] for pair in filled(pairs).values())
    nothing = {"type": "array", "uniqueItems": True, "items": {"type": "null"}}
    assert filled(nothing) == [None, None, None]
    assert filled({"$ref": "#"})
    alike = {"type": "array", "uniqueItems": True, "items": {"const": 1}, "minItems": 3}
    assert filled(alike) == [1, 1, 1]
    lists = {"type": "array", "items": {"type": "array", "items": {"type": "null"}}}
    assert filled({**lists, "uniqueItems": True}) == [[None] * 3] * 3


def test_an_option_that_says_what_the_field_would_say_is_taken() -> None:
    schema = {"type": "object", "properties": {"genre": {"enum": ["Noir", "Western"]}}}
    assert filled(schema, "<book>\ngenre: Western\n</book>") == {"genre": "Western"}


def test_a_section_of_facts_without_a_cast_has_nobody_in_it() -> None:
    cast = {"type": "array", "items": {"type": "string"}}
    scene = {"type": "object", "properties": {"characters": cast, "place": {"type": "string"}}}
    schema = {"type": "object", "properties": {"scenes": {"type": "array", "items": scene}}}
    value = filled(schema, "<book>\nkind: non-fiction\n</book><premise>Bees</premise>")
    assert value["scenes"] == [{"characters": [], "place": ""}] * 3


def test_ages_keep_to_their_bounds() -> None:
    low = {"type": "object", "properties": {"age": {"type": "number", "maximum": 5}}}
    assert 0 <= filled(low)["age"] <= 5
    one = {"type": "number", "minimum": 90, "maximum": 90}
    assert filled({"type": "object", "properties": {"age": one}}) == {"age": 90}


def test_counts_stay_in_their_range_and_meet_exact_ones() -> None:
    exact = {"type": "array", "items": {"type": "string"}, "minItems": 7, "maxItems": 7}
    assert len(filled(exact)) == 7
    loose = {"type": "array", "items": {"type": "string"}, "minItems": 10, "maxItems": 20}
    assert 14 <= len(filled(loose)) <= 16
    assert len(filled({"type": "array"})) == 3
    assert len(filled({"type": "array", "minItems": 5})) == 5


def test_fields_mean_what_their_names_say() -> None:
    text = {"type": "string"}
    person = {"name": text, "age": {"type": "integer"}, "pronouns": text, "ties": text}
    schema: Schema = {
        "type": "object",
        "properties": {
            "chapters": {
                "type": "array",
                "minItems": 3,
                "maxItems": 3,
                "items": {
                    "type": "object",
                    "properties": {
                        "number": {"type": "integer"},
                        "title": text,
                        "hook": text,
                        "scenes": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {"title": text, "pov": text, "mood": text},
                            },
                        },
                    },
                },
            },
            "protagonist": {"type": "object", "properties": person},
            "relationships": {"type": "object", "additionalProperties": text},
            "score": {"type": "integer", "minimum": 1, "maximum": 10},
            "word_count": {"type": "integer"},
            "genre": text,
            "themes": {"type": "array", "items": text},
        },
    }
    value = filled(schema, "<book>\ngenre: Western\n</book><premise>A fox on Mars</premise>")
    assert [chapter["number"] for chapter in value["chapters"]] == [1, 2, 3]
    assert value["genre"] == "Western"
    assert value["score"] in range(6, 9)
    assert value["word_count"] == 1000
    assert value["protagonist"]["age"] in range(22, 68)
    assert value["protagonist"]["pronouns"] in {"she/her", "he/him"}
    assert len(value["relationships"]) == 2
    assert len(set(value["themes"])) == 3
    hero = value["protagonist"]["name"]
    povs = {s["pov"] for c in value["chapters"] for s in c["scenes"]}
    assert hero in povs


def test_enumerated_casts_are_kept_to() -> None:
    names = {"type": "string", "enum": ["Bo", "Cy"]}
    schema: Schema = {
        "type": "object",
        "properties": {
            "scenes": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "characters": {"type": "array", "items": names, "minItems": 1},
                        "place": {"enum": ["Yard", "Barn"]},
                    },
                },
            }
        },
    }
    for scene in filled(schema)["scenes"]:
        assert scene["characters"]
        check(schema, {"scenes": [scene]})


@pytest.mark.parametrize(
    "pattern",
    [
        r"^[A-Z]{2}\d*$",
        r"^[^aA0]$",
        r"^\t?[\d]{2,}?x+$",
        r"a|b",
        r"^(x(y|z)){2}$",
        r"^\.\\$",
        r"^\bw\b$",
    ],
)
def test_patterns_are_matched(pattern: str) -> None:
    found = text_matching(pattern)
    assert found is not None
    assert re.search(pattern, found)


@pytest.mark.parametrize("pattern", [r"(?=x)y", r"[", r"a{2", r"^(?P<n>a)(?P=n)$", "\\"])
def test_patterns_beyond_the_generator_are_told(pattern: str) -> None:
    found = text_matching(pattern)
    assert found is None or re.search(pattern, found)


def test_a_pattern_that_cannot_be_made_leaves_the_text() -> None:
    assert filled({"type": "string", "pattern": r"(?=zq)zq$"})
    assert filled({"type": "string", "pattern": "["})


def test_json_replies_keep_letters_readable() -> None:
    message = {"role": "user", "content": "<premise>Zoë Ångström, a pilot, is lost.</premise>"}
    schema = {
        "type": "object",
        "properties": {
            "characters": {
                "type": "array",
                "items": {"type": "object", "properties": {"name": {"type": "string"}}},
            }
        },
    }
    value = filled(schema, message["content"])
    assert value["characters"][0]["name"] == "Zoë Ångström"
    assert "Zoë" in as_json(value, Dice(1))
    assert json.loads(json.dumps(value)) == value
