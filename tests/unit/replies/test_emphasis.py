"""Emphasis in string values: the seeds' table, their guarantees, and what only looks like emphasis."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.replies.formatting import strip_emphasis, strip_value_emphasis
from libriscribe2.utils.json_utils import JSONProcessor

CLEANED = [
    ("**Paris**", "Paris"),
    ("*weather-tool*", "weather-tool"),
    ("Get **current** weather", "Get current weather"),
    ("Tool: *geocoding*", "Tool: geocoding"),
    ("Get weather for **Paris**", "Get weather for Paris"),
    ("She said *no*, and *meant* it", "She said no, and meant it"),
    ("*The End*.", "The End."),
    ("**bold *and* italic**", "bold and italic"),
    ("***both***", "both"),
    ("(*aside*) and “*quote*”", "(aside) and “quote”"),
    ("*" + "a" * 99 + "*", "a" * 99),
    ("**{x}** stays", "{x} stays"),
]
KEPT = [
    "Value: 123",
    "path/*/glob",
    "path/*/file",
    "5 * 3",
    "2 * 3 * 4",
    "5*3*2",
    "x**2 + y**2",
    "2**3**4",
    "a*b and c*d",
    "price*qty*rate",
    "src/*/test/*/x.py",
    "**/*.md",
    "src/**/*.py and docs/**/*.md",
    "*.txt and *.md",
    "*.txt,*.md",
    "SELECT * FROM t; SELECT * FROM u",
    "cron: */5 * * * *",
    "footnote* and another*",
    "rated 4* or 5* hotels",
    "M*A*S*H",
    "* item one\n* item two",
    "**a\nb**",
    "*a{b}c*",
    '*a"b*',
    "*a\tb*",
    "*" + "a" * 100 + "*",
    "**",
    "****",
    "* * *",
    "`a *b* c` and ``*d*``",
    "`a *b",
    "`a\n` *b",
    "__init__ and _x_",
    "f(*args, **kwargs)",
    "int *p, *q;",
    "\\*escaped\\*",
    "*unclosed",
    "",
]


@pytest.mark.parametrize(("before", "after"), CLEANED)
def test_MS_07_08_09_marks_go(before: str, after: str) -> None:
    assert strip_emphasis(before).value == after


@pytest.mark.parametrize("text", KEPT)
def test_MS_10_to_16_20_other_asterisks_stay(text: str) -> None:
    assert strip_emphasis(text).value == text


def test_MS_17_spans_are_counted() -> None:
    stripped = strip_emphasis("**a** *b* ***c***")
    assert (stripped.value, stripped.bold, stripped.italic) == ("a b c", 2, 2)


def test_a_span_that_crosses_another_is_not_closed() -> None:
    assert strip_emphasis("*a **b* c**").value == "a **b c**"


def test_MS_21_only_the_fields_that_ask_for_it() -> None:
    value = {"title": "*Storm*", "text": "the *Titanic*", "tags": ["**a**", 1, None], "*k*": "*v*"}
    stripped = strip_value_emphasis(value, {"title", "tags"})
    assert stripped.value == {
        "title": "Storm",
        "text": "the *Titanic*",
        "tags": ["a", 1, None],
        "*k*": "*v*",
    }
    assert (stripped.bold, stripped.italic) == (1, 1)
    assert value["title"] == "*Storm*"


def test_MS_21_a_predicate_chooses_too() -> None:
    assert JSONProcessor.strip_emphasis(["*a*"], lambda name: name == "") == ["a"]


@pytest.mark.parametrize(("before", "after"), CLEANED[:6])
def test_MS_05_json_text_is_stripped_value_by_value(before: str, after: str) -> None:
    text = json.dumps({"**key**": before, "n": [1, before]}, ensure_ascii=False)
    expected = json.dumps({"**key**": after, "n": [1, after]}, ensure_ascii=False)
    assert JSONProcessor.strip_markdown_from_json(text) == expected
    assert JSONProcessor.strip_markdown_from_json(json.dumps(before)) == json.dumps(after)


@pytest.mark.parametrize("text", ['{"a":"2**3","b":"4**5"}', "{}", "[]", '""', '{"a": 2**3,}'])
def test_MS_15_structure_and_damaged_json_stay(text: str) -> None:
    assert JSONProcessor.strip_markdown_from_json(text) == text


def test_text_that_is_no_json_counts_as_one_value() -> None:
    assert JSONProcessor.strip_markdown_from_json("for **Paris**") == "for Paris"


@given(st.text(alphabet="a *_`\n/\\.é", max_size=60))
@settings(max_examples=200)
def test_stripping_twice_changes_nothing_more_than_asterisks(text: str) -> None:
    stripped = strip_emphasis(text).value
    assert stripped.replace("*", "") == text.replace("*", "")
    assert len(stripped) <= len(text)


@pytest.mark.parametrize("piece", ["*a ", "*a* ", "`*a` ", "** ", "***a"])
def test_OV_47_linear_on_hostile_text(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    started = time.process_time()
    strip_emphasis(text)
    assert time.process_time() - started < 2
