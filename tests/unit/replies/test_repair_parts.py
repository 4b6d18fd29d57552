"""Parts of the repair parser that replies reach only together with other damage."""

from time import process_time

import pytest

from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.outcome import RepairOutcome
from libriscribe2.replies.repair import conserved, plan_closing, repair_json
from libriscribe2.replies.repair.cursor import Policy
from libriscribe2.replies.repair.patterns import string_token, unescape


@pytest.mark.parametrize(
    ("text", "contents", "lost"),
    [
        ('{"a": "b"}', [(2, 3), (7, 8)], None),
        ('{"a": x "b"}', [(2, 3), (9, 10)], 3),
        ('{"a": "b" y}', [(2, 3), (7, 8)], 8),
        ('{"a": /* c */ "b", // d\n}', [(2, 3), (15, 16)], None),
        ('{"a": "b"}', [(7, 8), (2, 3)], 0),
    ],
)
def test_conservation_finds_the_first_lost_word(
    text: str, contents: list[tuple[int, int]], lost: int | None
) -> None:
    trouble = conserved(text, 0, RepairOutcome({}, len(text), ()), contents).trouble
    assert (trouble and trouble.position) == lost


@pytest.mark.parametrize(
    ("text", "stack", "pops", "repair"),
    [
        ("}", [True], 1, ""),
        ("}, more", [True], 1, ""),
        ('}, "b": 1}', [True], 0, "extra_closer"),
        ("]}", [True, False], 1, ""),
        ("}", [True, False], 2, "missing_closer"),
        ("]", [True], 1, "wrong_closer"),
        ('], "b": 1}', [True], 0, "extra_closer"),
        ("}" * 300, [False], 1, "wrong_closer"),
    ],
)
def test_closing_brackets_are_explained(
    text: str, stack: list[bool], pops: int, repair: str
) -> None:
    closing = plan_closing(text, 0, stack, Policy().closing)
    assert (closing.pops, closing.repair) == (pops, repair)


@pytest.mark.parametrize(
    ("raw", "text", "repair"),
    [
        ("plain", "plain", ""),
        ("\\n\\u00e9", "\né", ""),
        ('bare " and \\n', 'bare " and \n', ""),
        ("\\x41", "A", "foreign_escape"),
        ("\\U00110000", "\\U00110000", "invalid_escape"),
        ("\\", "\\", "invalid_escape"),
        ("..\\new\\file \\q", "..\\new\\file \\q", "backslash_path"),
        ("\\\\server\\share \\q", "\\\\server\\share \\q", "backslash_path"),
    ],
)
def test_escapes(raw: str, text: str, repair: str) -> None:
    found = unescape(raw)
    assert (found.text, found.repair) == (text, repair)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["C:\\q ", "C:\\q\\n ", "\\\\q\\q "])
def test_OV_47_paths_in_a_long_string_cost_linear_time(unit: str) -> None:
    start = process_time()
    report = extract_with_report('{"log": "' + unit * 20_000 + '",}')
    assert report.value["log"].startswith(unit)
    assert process_time() - start < 4


@pytest.mark.parametrize(
    ("reply", "value", "names"),
    [
        ("{title: 'Fog', 'pages': 3, \"done\": True, note: null, tags: ['a', \"b\"]}",
         {"title": "Fog", "pages": 3, "done": True, "note": None, "tags": ["a", "b"]},
         ["unquoted_key", "single_quotes", "single_quotes", "python_literal", "unquoted_key",
          "unquoted_key", "single_quotes"]),
        ("{'cast': {'Mara': [1, -2.5,],},}", {"cast": {"Mara": [1, -2.5]}},
         ["single_quotes", "single_quotes", "trailing_comma", "trailing_comma", "trailing_comma"]),
        ("{a: {b: 'x', c: 1}, 'd': \"it's\"}", {"a": {"b": "x", "c": 1}, "d": "it's"},
         ["unquoted_key", "unquoted_key", "single_quotes", "unquoted_key", "single_quotes"]),
        ('{a: "x", \'b\': "y", "c": 1}', {"a": "x", "b": "y", "c": 1},
         ["unquoted_key", "single_quotes"]),
        ("{'a': 1, 'b': 2, 'a': 1, 'c': 'x'}", {"a": 1, "b": 2, "c": "x"},
         ["single_quotes"] * 5),
    ],
)  # fmt: skip
def test_OV_30_what_is_damaged_all_over_is_named_place_by_place(
    reply: str, value: object, names: list[str]
) -> None:
    outcome = repair_json(reply)
    assert outcome.trouble is None
    assert outcome.value == value
    assert [one.name for one in outcome.repairs] == names
    starts = {
        "unquoted_key": str.isalpha,
        "single_quotes": "'".__eq__,
        "trailing_comma": ",".__eq__,
    }
    for one in outcome.repairs:
        assert starts.get(one.name, "TFN".__contains__)(reply[one.position])


def test_OV_31_a_key_in_single_quotes_that_stands_twice_is_refused() -> None:
    outcome = repair_json("{'a': 1, 'b': 2, 'a': 3, 'c': 4}")
    assert outcome.trouble is not None
    assert (outcome.trouble.kind, outcome.trouble.detail) == ("conflicting_keys", "a")


@pytest.mark.parametrize("reply", ['["a", "b": 1]', '{"x": ["a", {"c": 1}: 2]}', '{"x": ["b": 1]}'])
def test_OV_31_a_colon_in_a_list_without_an_item_before_is_a_guess(reply: str) -> None:
    outcome = repair_json(reply)
    assert outcome.value is None or outcome.trouble is not None
    assert outcome.trouble is not None
    assert outcome.trouble.kind == "ambiguous"


def test_a_lost_quote_leaves_the_brackets_on_the_next_lines_out() -> None:
    text = '"Foo {x}\n  }\n ],'
    token = string_token(text, 0, len(text), lost=True)
    assert (token.text, token.end) == ("Foo {x}", 8)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ('{"a": """never closed', "cut_off"),
        ('{"a": """closed""" and "x": 1', "cut_off"),
        ('{"a": "say "x\n}\n', "ambiguous"),
        ('{"a": "x" "y" z "w", "b": "v"', "cut_off"),
        ('{"key\nover": 1}', "syntax"),
    ],
)
def test_strings_without_a_certain_end(reply: str, kind: str) -> None:
    outcome = repair_json(reply)
    assert outcome.value is None
    assert outcome.trouble is not None
    assert outcome.trouble.kind in {kind, "ambiguous"}


def test_quote_marks_must_be_on_every_line_of_the_block() -> None:
    report = extract_with_report('> {"a": "x"\nb: 1,\n> "c": 2}')
    assert not report.ok


def test_a_known_key_ends_a_string_that_lost_its_quote() -> None:
    many = ", ".join(f'{{"k{n}": "x, "v{n}": 1}}, {{"v{n}": 2}}' for n in range(60))
    report = extract_with_report(f"[{many}]")
    assert not report.lossy
