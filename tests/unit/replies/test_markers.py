import json
from typing import cast

import pytest

from libriscribe2.parsing.sections import make_marker_parser, parser_template

TOO_SHORT = "Extracted content is too short. Please provide more detailed information."


@pytest.mark.parametrize("reply", ["", " \n", cast("str", None)])
def test_TR_23_empty_reply_is_refused(reply: str) -> None:
    assert make_marker_parser()(reply) == {
        "status": "error",
        "feedback": "Empty response. Please provide output.",
    }


def test_TR_23_missing_marker_is_named() -> None:
    result = make_marker_parser(["[研究计划]", "[Budget]"])("[研究计划] is here and long enough")
    assert result["status"] == "error"
    assert "Missing required section: [Budget]." in result["feedback"]


def test_TR_23_short_content_is_refused() -> None:
    parse = make_marker_parser(["[Plan]"])
    assert parse("[Plan] 123456789") == {"status": "error", "feedback": TOO_SHORT}
    assert parse("[Plan] 1234567890")["status"] == "success"


def test_TR_21_single_marker_returns_what_follows_it() -> None:
    result = make_marker_parser(["[研究计划]"])("Sure.\n[研究计划]\nRead, then write.\n")
    assert result == {"status": "success", "data": "Read, then write."}


def test_TR_23_several_markers_return_the_whole_reply() -> None:
    reply = "[A] one\n[B] two and more"
    assert make_marker_parser(["[A]", "[B]"])(f"\n{reply}\n")["data"] == reply


def test_TR_24_template_steps() -> None:
    assert parser_template("") == {"status": "error", "feedback": "Empty response"}
    assert parser_template("x", required_markers=["[A]"]) == {
        "status": "error",
        "feedback": "Missing [A]. Please include it.",
    }
    assert parser_template("[A] x", required_markers=["[A]"])["data"] == "[A] x"
    assert parser_template(" text ") == {"status": "success", "data": "text"}
    assert parser_template("7", extract_data=int, validate_data=lambda n: n > 9) == {
        "status": "error",
        "feedback": "Invalid data. Please ensure all fields are present.",
    }


def test_TR_17_extraction_error_becomes_feedback() -> None:
    result = parser_template("{", extract_data=json.loads)
    assert result["status"] == "error"
    assert result["feedback"].startswith("Parse error: ")
    assert result["feedback"].endswith("Please check format.")
