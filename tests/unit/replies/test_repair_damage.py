"""Damaged JSON that has one reading: it comes back whole, and every change is named."""

from typing import Any

import pytest

from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.repair import repair_json

# reply, value, a repair that must be named
REPAIRED: list[tuple[str, Any, str]] = [
    ('{"a": 1,}', {"a": 1}, "trailing_comma"),
    ('{"a": [1, 2,],}', {"a": [1, 2]}, "trailing_comma"),
    ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}, "extra_comma"),
    ('{,"a": [,1]}', {"a": [1]}, "extra_comma"),
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, "missing_comma"),
    ('{"a": "x"\n "b": ["y" "z"]}', {"a": "x", "b": ["y", "z"]}, "missing_comma"),
    ('[{"a": 1}\n{"a": 2}]', [{"a": 1}, {"a": 2}], "missing_comma"),
    ('{"a": 1; "b": 2}', {"a": 1, "b": 2}, "wrong_comma"),
    ('{"a" "x", "b": 2}', {"a": "x", "b": 2}, "missing_colon"),
    ('{"a" = 1, "b" => 2}', {"a": 1, "b": 2}, "wrong_colon"),
    (
        "{'a': 'It\\'s', 'b': 'the dogs' bones'}",
        {"a": "It's", "b": "the dogs' bones"},
        "single_quotes",
    ),
    (
        "{'a': 'the '90s were kinder',\n 'b': 1}",
        {"a": "the '90s were kinder", "b": 1},
        "unescaped_inner_quotes",
    ),
    ('{a: 1, $b_c: "x"}', {"a": 1, "$b_c": "x"}, "unquoted_key"),
    ('{"a": The Last Train, "b": 1}', {"a": "The Last Train", "b": 1}, "unquoted_value"),
    ('{"a": Hello, World,\n"b": 1}', {"a": "Hello, World", "b": 1}, "unquoted_value"),
    ('{"a": ["x", y, "z"]}', {"a": ["x", "y", "z"]}, "unquoted_value"),
    ('{"a": 2024-01-15, "b": 1.5.2}', {"a": "2024-01-15", "b": "1.5.2"}, "unquoted_value"),
    ('{"a": Foo", "b": 1}', {"a": "Foo", "b": 1}, "missing_opening_quote"),
    ('{"title: "Foo", "b": 1}', {"title": "Foo", "b": 1}, "missing_quote"),
    ('{title": "Foo", "b": 1}', {"title": "Foo", "b": 1}, "missing_quote"),
    ('{"a": "Foo, "b": "Bar"}', {"a": "Foo", "b": "Bar"}, "missing_closing_quote"),
    ('{"a": "Foo,\n"b": "Bar"}', {"a": "Foo", "b": "Bar"}, "missing_closing_quote"),
    ('{"c": {"a": "Foo\n},\n"b": "Bar"}', {"c": {"a": "Foo"}, "b": "Bar"}, "missing_closing_quote"),
    ('{"c": ["a", "Foo\n],\n"b": "Bar"}', {"c": ["a", "Foo"], "b": "Bar"}, "missing_closing_quote"),
    (
        '[{"a": "x", "b": 1}, {"a": "y, "b": 2}]',
        [{"a": "x", "b": 1}, {"a": "y", "b": 2}],
        "missing_closing_quote",
    ),
    (
        '{"a": True, "b": None, "c": undefined, "d": nil}',
        {"a": True, "b": None, "c": None, "d": None},
        "python_literal",
    ),
    ('{"a": "x" + "y"}', {"a": "xy"}, "string_concatenation"),
    ('{"a": "x "\n  "y", "b": 1}', {"a": "x y", "b": 1}, "string_concatenation"),
    (
        '{"a": 1, // note\n"b": 2 /* that */, # this\n"c": 3 <!-- and -->}',
        {"a": 1, "b": 2, "c": 3},
        "comment",
    ),
    ('{"a": "line\nbreak\tand tab"}', {"a": "line\nbreak\tand tab"}, "raw_control_character"),
    ('{"a": "say \\\'no\\\'"}', {"a": "say 'no'"}, "foreign_escape"),
    ('{"a": "\\x41\\u{1F600}\\U0001F600", }', {"a": "A😀😀"}, "foreign_escape"),
    ('{"a": "one \\\ntwo"}', {"a": "one two"}, "line_continuation"),
    ('{"a": "50\\% off \\d"}', {"a": "50\\% off \\d"}, "invalid_escape"),
    ('{"a": "C:\\Users\\new\\table.md"}', {"a": "C:\\Users\\new\\table.md"}, "backslash_path"),
    ("{“a”: “say “hi””, „b“: 1}", {"a": "say “hi”", "b": 1}, "foreign_quotes"),
    ('{"a": "x”, "b”: 1}', {"a": "x", "b": 1}, "foreign_quotes"),
    ("{«a»: «x», 「b」: 「y」, ‹c›: ‘it’s’}", {"a": "x", "b": "y", "c": "it’s"}, "foreign_quotes"),
    ('{`a`: `say "x"`}', {"a": 'say "x"'}, "foreign_quotes"),
    ("｛＂a＂：［＂b＂，１］｝".replace("１", "1"), {"a": ["b", 1]}, "full_width_punctuation"),
    ('{"a": """say "hi"\nthere""""}', {"a": 'say "hi"\nthere"'}, "triple_quotes"),
    ("{'a': '''it's'''}", {"a": "it's"}, "triple_quotes"),
    ('{"a": \\"x\\", \\"b\\": 1}', {"a": "x", "b": 1}, "escaped_delimiters"),
    (
        '{"a": .5, "b": +1, "c": 0x1F, "d": 1_000, "e": 5., "f": -0x2, "g": -.5e1, "h": 1e2}',
        {"a": 0.5, "b": 1, "c": 31, "d": 1000, "e": 5.0, "f": -2, "g": -5.0, "h": 100.0},
        "number_format",
    ),
    ('{"a": [1, 2}', {"a": [1, 2]}, "missing_closer"),
    ('{"a": [{"n": 1, {"n": 2}]}', {"a": [{"n": 1}, {"n": 2}]}, "missing_closer"),
    ('{"t": ["a", "b", "u": "x"}', {"t": ["a", "b"], "u": "x"}, "missing_closer"),
    ('{"a": {"b": [1, 2}, "c": 3}}', {"a": {"b": [1, 2], "c": 3}}, "wrong_closer"),
    ('{"a": {"b": 1]}', {"a": {"b": 1}}, "wrong_closer"),
    ('{"a": {"b": 1}}, "c": 2}', {"a": {"b": 1}, "c": 2}, "extra_closer"),
    (
        '{"x": [{"a": [1]], "b": 2}, {"a": [3], "b": 4}]}',
        {"x": [{"a": [1], "b": 2}, {"a": [3], "b": 4}]},
        "extra_closer",
    ),
    ('{"a": ["x"]\n\nHope this helps!', {"a": ["x"]}, "missing_closer"),
    ('{"a": ["x"]\n\nNote: that was it.', {"a": ["x"]}, "missing_closer"),
    ('```json\n{"a": ["x"]\n```', {"a": ["x"]}, "missing_closer"),
    ('"a": 1, "b": {"c": 2}}', {"a": 1, "b": {"c": 2}}, "missing_opening_brace"),
    ('> {\n> "a": 1\n> }', {"a": 1}, "block_quote"),
    ("{&quot;a&quot;: &quot;x &amp; y&quot;}", {"a": "x & y"}, "html_entities"),
    ('{\\n \\"a\\": \\"say \\\\\\"x\\\\\\"\\"\\n}', {"a": 'say "x"'}, "escaped_quotes"),
    ('The text is "{\\"a\\": 1}" here', {"a": 1}, "escaped_quotes"),
    ("{'a': ('x', 'y'), 'b': ('z')}", {"a": ["x", "y"], "b": "z"}, "python_tuple"),
    ('{\u200b"a":\u200b "x"\u200b,\n\u200b"b": 2}', {"a": "x", "b": 2}, "zero_width_characters"),
]

INNER_QUOTES: list[tuple[str, Any]] = [
    ('{"a": "He said "hi", and left", "b": 2}', {"a": 'He said "hi", and left', "b": 2}),
    ('{"a": ""Run!" she cried.", "b": 2}', {"a": '"Run!" she cried.', "b": 2}),
    ('{"a": "She cried "Run!"", "b": 2}', {"a": 'She cried "Run!"', "b": 2}),
    ('{"a": ["I like "a", "b" and "c"", "x"]}', {"a": ['I like "a", "b" and "c"', "x"]}),
    (
        '{"a": "It reads "name": "Bob", "age": 5 and so on.", "b": 1}',
        {"a": 'It reads "name": "Bob", "age": 5 and so on.', "b": 1},
    ),
    ('{"a": "a 6" nail", "b": 1}', {"a": 'a 6" nail', "b": 1}),
    ('{"a": "他说"你好"然后走了", "b": 1}', {"a": '他说"你好"然后走了', "b": 1}),
    ('{"a": "say \\"no" and "yes"", "b": 1}', {"a": 'say "no" and "yes"', "b": 1}),
    ('{"a": "then "...and on" he went", "b": 1}', {"a": 'then "...and on" he went', "b": 1}),
    ('{"a": "use {"x"} here", "b": 1}', {"a": 'use {"x"} here', "b": 1}),
    ('{"a": "if (x == "y") { z("w") }"}', {"a": 'if (x == "y") { z("w") }'}),
    (
        '{"a": "„low“ and “high”, said "she"", "b": 1}',
        {"a": '„low“ and “high”, said "she"', "b": 1},
    ),
]


@pytest.mark.parametrize(("reply", "value", "repair"), REPAIRED)
def test_OV_31_one_reading_comes_back_whole(reply: str, value: Any, repair: str) -> None:
    report = extract_with_report(reply)
    assert report.value == value
    assert report.ok, report.refusal
    assert repair in {one.name for one in report.repairs}
    assert all(one.lossless for one in report.repairs)


@pytest.mark.parametrize(("reply", "value"), INNER_QUOTES)
def test_OV_31_inner_quotes_nobody_escaped(reply: str, value: Any) -> None:
    assert extract_with_report(reply).value == value


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (
            "{'a': 'say \"x\"', b: True, /* n */ 'c': [1 2,],}",
            {"a": 'say "x"', "b": True, "c": [1, 2]},
        ),
        (
            "```json\n{\n  // id\n  id: 0x10,\n  'tags': ['a', 'b',]\n  'n': None\n}\n```\nDone!",
            {"id": 16, "tags": ["a", "b"], "n": None},
        ),
        ("{“a”: “x”，“b”： [1，2，]}", {"a": "x", "b": [1, 2]}),
    ],
)
def test_OV_31_two_and_three_at_once(reply: str, value: Any) -> None:
    assert extract_with_report(reply).value == value


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": 12345678901234567890123,}', {"a": 12345678901234567890123}),
        ('{"a": "\\ud83d\\ude00",}', {"a": "😀"}),
        ('{"a": "\\ud83d\\ude00 \\q",}', {"a": "😀 \\q"}),
        ('{"a": "\\u00e9 \\" \\\\ \\/",}', {"a": 'é " \\ /'}),
        ('{"a": {"x": 1}, "b": {"x": 1},}', {"a": {"x": 1}, "b": {"x": 1}}),
        ('{"a": 1, "a": 1,}', {"a": 1}),
        ('{1: "x",}', None),
    ],
)
def test_OV_30_content_is_exact_under_damage(reply: str, value: Any) -> None:
    assert extract_with_report(reply).value == value


def test_repairs_carry_their_positions_in_order() -> None:
    report = extract_with_report('{a: 1, "b": 2,}')
    assert [(one.name, one.position) for one in report.repairs] == [
        ("unquoted_key", 1),
        ("trailing_comma", 13),
    ]


def test_the_schema_says_where_a_missing_bracket_was() -> None:
    text = {"type": "string"}
    concept = {"type": "object", "properties": {"t": text}, "required": ["t"]}
    items = {"type": "array", "items": concept}
    schema = {
        "type": "object",
        "properties": {"c": concept, "k": {"$ref": "#/$defs/K"}, "i": items},
        "required": ["c", "k"],
        "$defs": {"K": items},
    }
    reply = '{"c": {"t": "x", "k": [{"t": "y"}], "i": [{"t": "z"}]}'
    report = extract_with_report(reply, schema)
    assert report.value == {"c": {"t": "x"}, "k": [{"t": "y"}], "i": [{"t": "z"}]}
    assert report.ok
    without = extract_with_report(reply)
    assert without.lossy
    assert not without.ok


def test_a_bracket_missing_after_an_object_is_doubtful_without_a_schema() -> None:
    reply = '{"c": {"t": "x", "k": {"t": "y"}}\n\nDone.'
    report = extract_with_report(reply)
    assert (report.ok, report.lossy) == (False, True)
    assert report.refusal is not None
    assert report.refusal.kind == "cut_off"


def test_a_very_long_doubtful_text_is_refused_not_read_again() -> None:
    text = "[" + '{"a":[1,2},' * 30_000 + "]"
    outcome = repair_json(text)
    assert outcome.value is None


def test_repair_starts_where_it_is_told() -> None:
    outcome = repair_json("xx{a: 1} and more", 2)
    assert (outcome.value, outcome.end, outcome.trouble) == ({"a": 1}, 8, None)
