"""Laws of the cleanup pipeline, held on generated replies, and its speed on hostile ones."""

import json
import re
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.strict_json import string_leaves
from libriscribe2.utils.json_utils import JSONProcessor

TEXTS = st.text(alphabet="aZ é\"'\\{}[]:,`*<>/#\n0.…“”-", max_size=25)
KEYS = st.text(alphabet="abcXYZ_é", min_size=1, max_size=8)
SCALARS = (
    TEXTS
    | st.integers()
    | st.booleans()
    | st.none()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)
PROSE = st.sampled_from(["Here it is:", "Sure! I've read {it} all.", 'The "plan", as [asked]:'])


def is_content(value: Any) -> bool:
    """Whether no value of a generated object looks like a placeholder."""
    return extract_with_report(json.dumps(value)).ok


@given(OBJECTS, PROSE, PROSE, st.sampled_from([None, 2]), st.booleans())
@settings(max_examples=150, deadline=None)
@example(value={"a": [], "b": "\u2026"}, before="So:", after="Yes.", indent=None, ascii_only=False)
def test_OV_30_what_was_written_comes_back(
    value: dict[str, Any], before: str, after: str, indent: int | None, ascii_only: bool
) -> None:
    if not is_content(value):
        return
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    for reply in (
        text,
        f"```json\n{text}\n```",
        f"{before}\n\n{text}\n\n{after}",
        f"{before}\n\n```json\n{text}\n```\n\n{after}",
    ):
        report = extract_with_report(reply)
        assert report.value == value, reply
        assert report.ok


@given(OBJECTS)
@settings(max_examples=100, deadline=None)
def test_cleaning_is_idempotent(value: dict[str, Any]) -> None:
    once = JSONProcessor.clean_llm_response(f"So:\n```json\n{json.dumps(value)}\n```")
    assert JSONProcessor.clean_llm_response(once) == once
    stripped = JSONProcessor.strip_markdown_from_json(json.dumps(value))
    assert JSONProcessor.strip_markdown_from_json(stripped) == stripped


@given(OBJECTS)
@settings(max_examples=100, deadline=None)
def test_MS_15_stripping_keeps_shape_and_keys(value: dict[str, Any]) -> None:
    stripped = json.loads(JSONProcessor.strip_markdown_from_json(json.dumps(value)))
    bare = re.compile(r"\*")
    assert bare.sub("", json.dumps(stripped)) == bare.sub("", json.dumps(value))


@given(st.text(alphabet="{}[]\"':,\\`*/#ab01. \n<>&“”-+", max_size=60))
@settings(max_examples=400, deadline=None)
def test_RP_34_no_text_raises(reply: str) -> None:
    report = extract_with_report(reply)
    assert report.ok is (report.refusal is None)
    JSONProcessor.detect_markdown_artifacts(reply)
    JSONProcessor.clean_llm_response(reply)


@given(OBJECTS, st.integers(0, 400), st.sampled_from(["", ",", '"', "}", "'", "\n", "...", "*"]))
@settings(max_examples=300, deadline=None)
def test_nothing_comes_back_that_is_not_in_the_text(
    value: dict[str, Any], place: int, damage: str
) -> None:
    text = json.dumps(value, ensure_ascii=False)
    place %= len(text)
    reply = text[:place] + damage + text[place + 1 :]
    letters = {char for char in reply if char.isalnum()}
    for _, leaf in string_leaves(extract_with_report(reply).value):
        assert {char for char in leaf if char.isalnum()} <= letters | {"\n"}


@given(OBJECTS, st.integers(1, 400))
@settings(max_examples=200, deadline=None)
def test_OV_31_a_cut_reply_is_never_taken_for_whole(value: dict[str, Any], place: int) -> None:
    text = json.dumps(value)
    cut = text[: place % len(text)]
    report = extract_with_report(cut)
    assert not report.ok or report.value == value


HOSTILE = [
    "{",
    "[",
    '"',
    "```",
    "```json\n",
    '{"a":',
    '[{"a":',
    '{"',
    "{}",
    "[1]",
    '{"a":1}',
    "\\",
    '{"a": "x "y" z", ',
    "<think>",
    "</think>",
    "{'a': 'it's",
    "> {\n",
    "/*",
    "{,",
    '"a": "b,\n',
    '\n\n"a": ',
    "&quot;{",
    "“x",
    "}]",
    "word ",
    "{a:",
    '\\"{',
    '{"a":[1,2},',
]


def seconds_for(text: str) -> float:
    started = time.process_time()
    extract_with_report(text)
    JSONProcessor.detect_markdown_artifacts(text)
    return time.process_time() - started


# Linear work takes a second or two; work that grows with the square takes half a minute and more.
# The figures themselves are measured by bench/, never here: the machine may be busy.
FAR_TOO_LONG = 20


@pytest.mark.parametrize("piece", HOSTILE)
def test_OV_47_hostile_text_is_no_quadratic_work(piece: str) -> None:
    assert seconds_for('{"x": ' + piece * (150_000 // len(piece))) < FAR_TOO_LONG


def test_OV_47_a_large_clean_reply_takes_the_fast_path() -> None:
    value = {"chapters": [{"n": n, "text": "word " * 200} for n in range(4_000)]}
    text = json.dumps(value)
    assert len(text) > 4_000_000
    report = extract_with_report(f"```json\n{text}\n```")
    assert report.value == value
    assert report.method == "markdown_block_extraction"
    assert report.repairs == ()


DAMAGED_PIECES = st.sampled_from(
    ['{"', '"', "}", ":", "e", '":', "{", "[", "]", ",", " ", "*", "\n"]
)


@given(st.lists(DAMAGED_PIECES, max_size=14).map("".join))
@settings(max_examples=300, deadline=None)
@example('{"{"e""}":')
def test_MS_15_cleaning_damaged_text_twice_changes_nothing(text: str) -> None:
    once = JSONProcessor.clean_llm_response(text)
    assert JSONProcessor.clean_llm_response(once) == once


@pytest.mark.parametrize("placeholder", ["...", "<text>", "…", "${title}", "%(title)s"])
def test_OV_31_one_placeholder_in_a_long_reply_is_refused(placeholder: str) -> None:
    chapters = [{"n": n, "text": f"Word {n}: " + "word " * 20} for n in range(200)]
    assert extract_with_report(json.dumps(chapters)).ok
    chapters[100]["text"] = placeholder
    report = extract_with_report(json.dumps(chapters, ensure_ascii=False))
    assert report.refusal is not None


@pytest.mark.parametrize("filler", ["word", "word: word"])
def test_OV_31_one_doubled_key_in_a_long_reply_is_refused(filler: str) -> None:
    people = [{"name": f"N{n}", "role": filler, "age": n} for n in range(600)]
    text = json.dumps(people)
    assert extract_with_report(text).ok
    doubled = text.replace('"age": 500', '"age": 500, "role": "other"')
    report = extract_with_report(doubled)
    assert report.refusal is not None
    assert report.refusal.kind == "conflicting_keys"
