import inspect
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.parsing.sections import multi_section_parser

WORDS = st.lists(st.sampled_from(["salt", "Sea.", "two\nlines", "[x]", "- a", "§"]), min_size=1)


def test_MP_01_signature() -> None:
    parameters = inspect.signature(multi_section_parser).parameters
    assert [(name, parameters[name].default) for name in list(parameters)[1:4]] == [
        ("section_headers", None),
        ("regex_mode", False),
        ("match_mode", "ALL"),
    ]


def test_MP_19_unknown_match_mode_is_an_error() -> None:
    with pytest.raises(ValueError, match="SOME"):
        multi_section_parser("x", ["[A]"], match_mode="SOME")


def test_MP_09_invalid_pattern_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a valid pattern"):
        multi_section_parser("x", ["["], regex_mode=True)


def test_MP_01_blank_header_is_an_error() -> None:
    with pytest.raises(ValueError, match="blank"):
        multi_section_parser("x", ["[A]", " "])


def test_MP_01_one_header_may_be_a_string() -> None:
    assert multi_section_parser("[A]\ntext", "[A]")["sections"] == {"[A]": "text"}


@pytest.mark.parametrize("reply", [None, 5, b"[A]\ntext"])
def test_MP_20_a_reply_that_is_no_text_is_an_error_status(reply: object) -> None:
    assert multi_section_parser(cast("str", reply), ["[A]"])["status"] == "error"


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4), st.booleans())
def test_MP_03_sections_come_back_as_written(contents: list[list[str]], crlf: bool) -> None:
    bodies = [" ".join(words).strip() for words in contents]
    headers = [f"[Part {number}]" for number in range(len(bodies))]
    text = "\n\n".join(f"{header}\n{body}" for header, body in zip(headers, bodies, strict=True))
    reply = text.replace("\n", "\r\n") if crlf else text
    result = multi_section_parser(f"Here:\n{reply}\n", headers)
    assert result["sections"] == dict(zip(headers, bodies, strict=True))
    assert list(result["sections"]) == headers


@settings(max_examples=60, deadline=None)
@given(WORDS)
def test_MP_15_text_between_the_last_two_dividers_comes_back(words: list[str]) -> None:
    body = "\n".join(words)
    result = multi_section_parser(f"intro\n======\n{body}\n=====\nfooter ===== here")
    assert result == {"status": "success", "data": body.strip()}


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="[]AB=#*: \nab"), st.booleans(), st.sampled_from(["ALL", "ANY"]))
def test_MP_20_never_raises_on_a_text(reply: str, allow_empty: bool, mode: str) -> None:
    result = multi_section_parser(reply, ["[A]", "[B]"], match_mode=mode, allow_empty=allow_empty)
    assert result["status"] in {"success", "error"}
    for body in result.get("sections", {}).values():
        assert body.replace("\r", "") in reply.replace("\r", "")


@pytest.mark.parametrize("regex_mode", [False, True])
def test_MP_20_headers_without_end_are_refused(regex_mode: bool) -> None:
    header = r"\[Plan\]" if regex_mode else "[Plan]"
    result = multi_section_parser("[Plan]\n" * 20_000, [header], regex_mode)
    assert result["status"] == "error"
    assert "without end" in result["feedback"]


def test_MP_20_a_line_as_long_as_a_chapter_may_begin_with_a_header() -> None:
    chapter = "“Not yet,” she said. " * 20_000
    result = multi_section_parser(f"[Plan]: {chapter}\n[Notes]\nnone", ["[Plan]", "[Notes]"])
    assert result["sections"] == {"[Plan]": chapter.strip(), "[Notes]": "none"}
