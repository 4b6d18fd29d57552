import pytest

from libriscribe2.replies.contract import (
    DEFAULT_FEEDBACK,
    check_result,
    failure,
    has_text,
    payload,
    success,
)


def test_TR_15_success_and_failure_keep_the_contract() -> None:
    assert check_result(success([1])) == {"status": "success", "data": [1]}
    assert check_result(failure("Say more.")) == {"status": "error", "feedback": "Say more."}


def test_TR_15_sections_are_a_success() -> None:
    assert check_result({"status": "success", "sections": {"[A]": "a"}})["sections"] == {"[A]": "a"}


def test_TR_15_content_is_an_alias_of_data() -> None:
    assert check_result({"status": "success", "content": ""}) == {"status": "success", "data": ""}


@pytest.mark.parametrize("data", [[], {}, 0, False, "", None])
def test_TR_09_falsy_data_is_the_payload(data: object) -> None:
    assert (
        payload(check_result({"status": "success", "data": data, "sections": {"x": "y"}})) == data
    )


def test_TR_09_sections_are_the_payload_without_data() -> None:
    assert payload({"status": "success", "sections": {"[A]": "a"}}) == {"[A]": "a"}


@pytest.mark.parametrize(
    "result", [None, "text", [], {"status": "ok"}, {}, {"status": None}, {"status": "success"}]
)
def test_TR_16_anything_else_is_a_programming_error(result: object) -> None:
    with pytest.raises(TypeError, match="parser"):
        check_result(result)


@pytest.mark.parametrize("feedback", [None, "", "  ", 5])
def test_TR_18_missing_feedback_gets_a_default(feedback: object) -> None:
    result = check_result({"status": "error", "feedback": feedback})
    assert result["feedback"] == DEFAULT_FEEDBACK


@pytest.mark.parametrize(("reply", "expected"), [("a", True), (" \n", False), (None, False)])
def test_TR_19_blank_replies_have_no_text(reply: object, expected: bool) -> None:
    assert has_text(reply) is expected
