"""Failures read from exception chains, with hand-made exceptions of the libraries' shapes."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.failures import MESSAGE_LIMIT, classify

KEY = "sk-canary-0123456789"


class WrapperError(Exception):
    """Shaped like LiteLLM's classes: a made-up status, a made-up response, the real headers."""

    def __init__(
        self,
        text: str,
        status: int | None = 500,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(text)
        self.status_code = status
        self.response = httpx.Response(status if status is not None else 500)
        self.litellm_response_headers = headers
        self.body = body


WrapperError.__module__ = "litellm.exceptions"


class APIError(Exception):
    """Shaped like openai's error for an event in a stream: a body and no response."""

    def __init__(self, text: str, body: Any) -> None:
        super().__init__(text)
        self.body = body


def http_error(
    status: int, body: Any = None, headers: Mapping[str, str] | None = None
) -> httpx.HTTPStatusError:
    """The real HTTP failure that sits at the bottom of a chain."""
    request = httpx.Request("POST", "http://x")
    content = body if isinstance(body, str) else json.dumps(body)
    response = httpx.Response(status, text=content, headers=headers, request=request)
    return httpx.HTTPStatusError(f"{status} for url", request=request, response=response)


def wrapped(cause: BaseException, outer: BaseException | None = None) -> BaseException:
    """`outer` raised while `cause` was being handled, as LiteLLM does it."""
    shell = (
        outer
        if outer is not None
        else WrapperError("litellm.APIError: APIError: OpenAIException - no")
    )
    shell.__context__ = cause
    return shell


def openai_error(code: str, message: str = "no") -> dict[str, Any]:
    return {"error": {"message": message, "code": code, "type": "invalid_request_error"}}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, None, "auth"),
        (403, None, "auth"),
        (402, None, "quota"),
        (404, None, "not_found"),
        (408, None, "timeout"),
        (413, None, "context"),
        (429, None, "rate"),
        (400, None, "bad_request"),
        (409, None, "bad_request"),
        (422, None, "bad_request"),
        (500, None, "server"),
        (503, None, "server"),
        (529, {"type": "error", "error": {"type": "overloaded_error"}}, "server"),
        (500, openai_error("x", "maximum context length"), "server"),
        (429, openai_error("insufficient_quota"), "quota"),
        (429, openai_error("rate_limit_exceeded"), "rate"),
        (429, {"error": {"status": "RESOURCE_EXHAUSTED", "code": 429}}, "rate"),
        (429, openai_error("x", "Request too large: too many tokens per minute"), "rate"),
        (429, openai_error("x", "insufficient balance"), "quota"),
        (400, openai_error("context_length_exceeded"), "context"),
        (400, openai_error("x", "prompt is too long: 250000 tokens > 200000 maximum"), "context"),
        (400, {"error": {"message": "credit balance is too low", "type": "x"}}, "quota"),
        (400, {"error": {"message": "API key not valid. Pass a valid one."}}, "auth"),
        (400, openai_error("x", "z/y is not a valid model ID"), "not_found"),
        (404, {"error": "model 'x' not found, try pulling it first"}, "not_found"),
        (400, openai_error("unsupported_value", "temperature is not supported"), "bad_request"),
    ],
)
def test_the_answer_decides_and_not_the_wrapper(status: int, body: Any, kind: str) -> None:
    found = classify(wrapped(http_error(status, body)))
    assert (found.kind, found.status) == (kind, status)


@pytest.mark.parametrize(
    "body",
    [
        openai_error("content_policy_violation"),
        openai_error("content_filter"),
        {"error": {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
        {"error": {"message": "Output blocked by content filtering policy"}},
        {"error": {"message": "Your input was flagged for violence", "code": 403}},
    ],
)
def test_OV_40_content_policy_is_known_by_code_or_words(body: Any) -> None:
    assert classify(wrapped(http_error(400, body))).kind == "filtered"


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (httpx.ConnectError("refused"), "connection"),
        (httpx.ReadError("reset"), "connection"),
        (ConnectionResetError("reset"), "connection"),
        (httpx.ReadTimeout("slow"), "timeout"),
        (TimeoutError(), "timeout"),
        (json.JSONDecodeError("bad", "{", 1), "malformed"),
        (ImportError("No module named 'mcp'"), "bad_request"),
    ],
)
def test_OV_43_network_failures_are_not_what_the_wrapper_claims(
    cause: Exception, kind: str
) -> None:
    found = classify(wrapped(cause))
    assert (found.kind, found.status) == (kind, None)
    assert found.message


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        ("litellm.InternalServerError: Empty or invalid response from LLM", 500, "malformed"),
        ("litellm.ServiceUnavailableError: no", 503, "server"),
        ("litellm.BadRequestError: LLM Provider NOT provided. You passed x", 400, "not_found"),
        ("litellm.InternalServerError: The api_key client option must be set", 500, "auth"),
        ("litellm.InternalServerError: api_base is required for Azure AI Studio.", 500, "auth"),
        ("litellm.AuthenticationError: Missing Anthropic API Key", 401, "auth"),
        ("litellm.Timeout: no", 408, "timeout"),
        ("a bare exception", None, "malformed"),
    ],
)
def test_a_claim_is_believed_only_where_nothing_better_is_known(
    text: str, status: int | None, kind: str
) -> None:
    found = classify(WrapperError(text, status))
    assert (found.kind, found.status) == (kind, None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("litellm.APIError: APIError: OpenAIException - Error code: 400 - {}", "it gave no reason"),
        (
            "litellm.Timeout: Timeout Error: OpenAIException - Error code: 504 - {}",
            "it gave no reason",
        ),
        (
            "litellm.MidStreamFallbackError: The model is repeating the same chunk = again . "
            "Original exception: InternalServerError: litellm.InternalServerError: no",
            "The model is repeating the same chunk = again",
        ),
        ("litellm.InternalServerError: Empty reply", "Empty reply"),
    ],
)
def test_what_wrappers_add_is_left_out(text: str, told: str) -> None:
    assert classify(WrapperError(text)).message == told


def test_an_error_event_in_a_stream_is_read_by_its_code() -> None:
    body = {"message": "slow down", "code": "rate_limit_exceeded"}
    assert classify(wrapped(APIError("slow down", body)), started=True).kind == "rate"


def test_a_numeric_code_in_an_event_counts_as_the_status() -> None:
    body = {"message": "upstream", "code": 502}
    found = classify(wrapped(APIError("upstream", body)))
    assert found.kind == "server"


def test_a_lost_connection_after_the_first_piece_is_a_cut() -> None:
    lost = wrapped(httpx.ReadError("payload is not completed"))
    assert classify(lost).kind == "connection"
    assert classify(lost, started=True).kind == "cut"


def test_a_body_that_only_the_text_holds_is_found() -> None:
    text = (
        """litellm.RateLimitError: AnthropicException - b'{"error": {"message": "empty purse", """
    )
    text += """"type": "insufficient_quota"}}'"""
    found = classify(WrapperError(text, 429))
    assert (found.kind, found.message) == ("quota", "empty purse")


def test_text_that_only_looks_like_a_body_is_kept_as_text() -> None:
    found = classify(WrapperError('litellm.BadRequestError: see {"this', 400))
    assert (found.kind, found.message) == ("bad_request", 'see {"this')


@pytest.mark.parametrize("body", [[{"error": {"message": "in a list"}}], {"error": "in a list"}])
def test_unusual_bodies_give_their_message(body: Any) -> None:
    assert classify(wrapped(http_error(400, body))).message == "in a list"


@pytest.mark.parametrize("body", ["<html>", "[]", '"text"', "null"])
def test_bodies_without_an_error_fall_back_to_the_exceptions(body: str) -> None:
    assert classify(wrapped(http_error(404, body))).kind == "not_found"


def test_an_unread_stream_as_body_does_no_harm() -> None:
    error = http_error(429)
    error.response = httpx.Response(429, stream=httpx.ByteStream(b"x"), request=error.request)
    assert classify(wrapped(error)).kind == "rate"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "7"}, 7.0), ({"retry-after": "Wed, 04 Mar 2026 12:00:30 GMT"}, 30.0)],
)
def test_retry_after_is_read_from_the_response(headers: dict[str, str], seconds: float) -> None:
    now = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
    found = classify(wrapped(http_error(429, None, headers)), now=lambda: now)
    assert found.retry_after == seconds


def test_retry_after_is_read_from_litellms_headers_where_no_response_is_left() -> None:
    assert classify(WrapperError("slow", 429, {"Retry-After": "9"})).retry_after == 9.0


def test_messages_hold_no_secret_and_stay_short() -> None:
    said = f"Incorrect API key provided: {KEY}. Bearer abcdefgh1234 " + "x" * 500
    found = classify(wrapped(http_error(401, {"error": {"message": said}})), secrets=(KEY,))
    assert KEY not in found.message
    assert "abcdefgh1234" not in found.message
    assert len(found.message) <= MESSAGE_LIMIT
    assert KEY not in str(found)


def test_an_exception_without_words_still_gets_a_message() -> None:
    assert classify(WrapperError("")).message == "no message"


def test_the_wrappers_own_words_are_left_out() -> None:
    text = (
        "litellm.BadRequestError: AnthropicException - no. Handle with `litellm.BadRequestError`."
    )
    assert classify(WrapperError(text, 400)).message == "no"


@pytest.mark.parametrize("page", ["<!DOCTYPE html><p>no", "b'<html>no'"])
def test_a_page_is_told_as_one_and_not_quoted(page: str) -> None:
    found = classify(WrapperError(f"litellm.NotFoundError: OpenAIException - {page}", 404))
    assert (found.kind, found.message.partition(" page")[0]) == ("not_found", "an HTML")


def test_our_own_failures_pass_through() -> None:
    own = BackendError("timeout", "no piece")
    assert classify(own) is own


def test_bar_18_our_own_failure_is_found_below_the_librarys() -> None:
    own = BackendError("malformed", "the reply is longer than 10 bytes")
    assert classify(wrapped(own)) is own


def test_bar_18_a_traceback_in_the_words_is_left_out() -> None:
    text = "litellm.APIError: Invalid response object Traceback (most recent call last): File x"
    assert classify(WrapperError(text)).message == "Invalid response object"
    assert classify(WrapperError(text.partition("I")[0] + text[text.index("Tr") :])).message


def test_a_circular_chain_ends() -> None:
    first, second = WrapperError("one", 503), WrapperError("two", 503)
    first.__context__, second.__context__ = second, first
    assert classify(first).kind == "server"


def test_a_cause_outranks_a_context() -> None:
    error = WrapperError("no")
    error.__context__ = httpx.ConnectError("unrelated")
    error.__cause__ = http_error(429)
    assert classify(error).kind == "rate"


@pytest.mark.parametrize(
    ("error", "unsent"),
    [
        (httpx.ConnectError("refused"), True),
        (httpx.ConnectTimeout("late"), True),
        (ConnectionRefusedError("refused"), True),
        (httpx.ReadError("reset"), False),
        (httpx.ReadTimeout("late"), False),
        (ConnectionResetError("reset"), False),
    ],
)
def test_bar_23_only_a_request_that_never_left_was_surely_not_paid(
    error: Exception, *, unsent: bool
) -> None:
    assert classify(error).unsent is unsent
    assert not classify(error, started=True).unsent
