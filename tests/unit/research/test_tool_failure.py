"""Failures of tools in HTTP's terms, and the way that each of them goes."""

import json

import httpx
import pytest
from pydantic import BaseModel, ValidationError

from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.research.recovery import failure_of, route_of, soft_failure
from libriscribe2.research.tool_error import ToolError

SEMANTIC = '{"error": {"code": "LOCATION_NOT_FOUND", "message": "no such place"}}'
URL = httpx.Request("GET", "https://x.example/")


class Two(BaseModel):
    number: int


def invalid() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        Two.model_validate({"number": "two"})
    return caught.value


@pytest.mark.parametrize("status", [401, 403, 405, 402, 410, 413, 415, 418, 304])
def test_pb_38_refused_access_and_what_no_change_mends_fails_at_once(status: int) -> None:
    assert route_of(status) == "fail"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 504])
def test_pb_39_transient_statuses_are_for_resilience(status: int) -> None:
    assert route_of(status, SEMANTIC) == "retry"


@pytest.mark.parametrize("status", [400, 404, 409, 422])
def test_pb_40_wrong_requests_are_for_the_analyzer(status: int) -> None:
    assert route_of(status) == "analyze"


@pytest.mark.parametrize(
    ("body", "route"),
    [
        ("", "retry"),
        ("Service Unavailable", "retry"),
        ("<html><h1>503</h1></html>", "retry"),
        ("[1]", "retry"),
        ('{"error": "try later"}', "retry"),
        ('{"error": {"code": "SERVICE_UNAVAILABLE", "message": "later"}}', "retry"),
        ('{"code": "X", "category": "service_error"}', "retry"),
        (SEMANTIC, "analyze"),
        ('{"code": "INVALID_DATE", "message": "no such day"}', "analyze"),
    ],
)
def test_pb_41_503_goes_by_its_body(body: str, route: str) -> None:
    assert route_of(503, body) == route


@pytest.mark.parametrize("status", [0, 501, 520, 599])
def test_pb_42_other_5xx_and_lost_connections_are_for_resilience(status: int) -> None:
    assert route_of(status) == "retry"


@pytest.mark.parametrize(
    ("error", "status", "route"),
    [
        (ValueError("x"), 422, "analyze"),
        (KeyError("x"), 404, "analyze"),
        (FileNotFoundError("x"), 404, "analyze"),
        (PermissionError("x"), 403, "fail"),
        (TimeoutError(), 408, "retry"),
        (ConnectionRefusedError("x"), 0, "retry"),
        (httpx.ReadTimeout("x"), 408, "retry"),
        (httpx.ConnectError("x"), 0, "retry"),
        (httpx.HTTPStatusError("x", request=URL, response=httpx.Response(404)), 404, "analyze"),
        (httpx.HTTPStatusError("x", request=URL, response=httpx.Response(405)), 405, "fail"),
        (ZeroDivisionError("x"), 500, "fail"),
        (MaxRetriesExceededError(3, "bad", "reply"), 500, "fail"),
        (ToolError(409, "ambiguous", "two"), 409, "analyze"),
        (ToolError(503, "http_status", "down"), 503, "retry"),
        (ToolError(503, "x", "down", {"body": SEMANTIC}), 503, "analyze"),
    ],
)
def test_pb_71_exceptions_become_statuses(error: Exception, status: int, route: str) -> None:
    failure = failure_of(error)
    assert (failure.status, failure.route) == (status, route)
    assert failure.message


def test_pb_71_a_validation_error_names_the_field() -> None:
    failure = failure_of(invalid())
    assert failure.status == 422
    assert "number: Input should be a valid integer" in failure.message


def test_pb_58_the_wait_that_a_server_asks_for_is_kept() -> None:
    told = httpx.Response(429, headers={"Retry-After": "7"})
    assert failure_of(httpx.HTTPStatusError("x", request=URL, response=told)).retry_after == 7.0
    error = ToolError(429, "rate", "slow down", {"retry_after_seconds": 3})
    assert failure_of(error).retry_after == 3.0


def test_pb_51_a_result_without_success_is_a_failure() -> None:
    told = {"success": False, "error": {"code": "INVALID_CURRENCY", "message": "the same"}}
    failure = soft_failure(told)
    assert failure is not None
    assert (failure.route, failure.code, failure.message) == (
        "analyze",
        "INVALID_CURRENCY",
        "the same",
    )
    assert json.loads(failure.body) == told
    assert soft_failure({"success": False}) is not None


@pytest.mark.parametrize("result", [{"success": True}, {"success": 0}, {}, [], "x", None])
def test_pb_51_other_results_are_results(result: object) -> None:
    assert soft_failure(result) is None


def test_pb_71_an_answer_that_the_tool_has_not_read_fails_by_its_status() -> None:
    unread = httpx.Response(429, stream=httpx.ByteStream(b"slow down"))
    failure = failure_of(httpx.HTTPStatusError("x\ny", request=URL, response=unread))
    assert (failure.status, failure.route, failure.body) == (429, "retry", "")
    assert failure.summary == "HTTP 429: x y"
