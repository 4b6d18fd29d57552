"""Replies put together from messages and deltas."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from libriscribe2.llm.backend import DEFAULT_SIZE_CAP, BackendError, Usage
from libriscribe2.llm.backends.responses import Reply, estimated_usage, size_cap, usage_of


def delta(content: str | None = None, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(content=content, **more)


def call(index: int | None, call_id: str | None, name: str | None, arguments: str | None) -> Any:
    function = SimpleNamespace(name=name, arguments=arguments)
    return SimpleNamespace(index=index, id=call_id, function=function)


@given(st.lists(st.none() | st.text(max_size=8), max_size=12))
def test_TR_04_the_pieces_are_the_reply(contents: list[str | None]) -> None:
    reply = Reply()
    pieces = [reply.add(delta(content)) for content in contents]
    assert "".join(pieces) == reply.text == "".join(text for text in contents if text)


def test_TR_03_thoughts_are_kept_apart() -> None:
    reply = Reply()
    reply.add(delta(None, reasoning_content="First "))
    reply.add(delta("Answer", reasoning_content="then"))
    assert (reply.text, reply.reasoning) == ("Answer", "First then")


def test_TR_03_no_thoughts_are_none() -> None:
    reply = Reply()
    reply.add(delta("Answer"))
    assert reply.reasoning is None


class Loose(BaseModel):
    """Keeps what it does not know, as LiteLLM's own objects do."""

    model_config = ConfigDict(extra="allow")

    reasoning_content: str | None = None


def test_TR_03_parts_are_read_where_litellm_keeps_them() -> None:
    reply, bare = Reply(), Loose.model_validate({"content": "no thoughts"})
    del bare.reasoning_content
    thought = Loose.model_validate({"reasoning_content": "why", "content": None})
    pieces = [reply.add(bare), reply.add(thought)]
    assert pieces == ["no thoughts", ""]
    assert reply.reasoning == "why"


@pytest.mark.parametrize(
    ("part", "started"),
    [
        (delta("x"), True),
        (delta(reasoning_content="x"), True),
        (delta(""), False),
        (delta(), False),
    ],
)
def test_a_reply_has_started_once_anything_came(part: Any, *, started: bool) -> None:
    reply = Reply()
    reply.add(part)
    assert reply.started is started


def test_tool_calls_are_joined_by_index() -> None:
    reply = Reply()
    reply.add(delta(tool_calls=[call(0, "a", "find", '{"q"'), call(1, "b", "read", "{}")]))
    reply.add(delta(tool_calls=[call(0, None, None, ': "x"}'), call(1, None, None, None)]))
    first, second = reply.tool_calls[0], reply.tool_calls[1]
    assert first == {
        "id": "a",
        "type": "function",
        "function": {"name": "find", "arguments": '{"q": "x"}'},
    }
    assert second["function"] == {"name": "read", "arguments": "{}"}


def test_tool_calls_of_a_whole_message_count_by_position() -> None:
    reply = Reply()
    reply.add(delta(tool_calls=[call(None, "a", "find", "{}"), call(None, "b", "read", "{}")]))
    assert [reply.tool_calls[at]["id"] for at in (0, 1)] == ["a", "b"]


def test_a_runaway_reply_is_stopped() -> None:
    reply = Reply(cap=10)
    reply.add(delta("12345678"))
    with pytest.raises(BackendError, match="longer than 10") as raised:
        reply.add(delta("9", reasoning_content="10 11"))
    assert raised.value.kind == "malformed"


def test_the_cap_follows_the_tokens_asked_for() -> None:
    assert size_cap(100) == 800
    assert size_cap(None) == DEFAULT_SIZE_CAP == 4_000_000


def test_reported_usage_is_known() -> None:
    reported = SimpleNamespace(
        prompt_tokens=10,
        completion_tokens=5,
        prompt_tokens_details=SimpleNamespace(cached_tokens=4),
        completion_tokens_details=SimpleNamespace(reasoning_tokens=None),
    )
    assert usage_of(reported) == Usage(10, 5, 4, 0, known=True)


@pytest.mark.parametrize("reported", [None, SimpleNamespace(prompt_tokens=0, completion_tokens=0)])
def test_no_usage_is_not_zero_usage(reported: Any) -> None:
    assert usage_of(reported) is None


def test_estimated_usage_says_that_it_is_one() -> None:
    reply = Reply()
    reply.add(delta("é" * 8, reasoning_content="think" * 4))
    messages = ({"role": "user", "content": "x" * 40}, {"role": "user", "content": None})
    assert estimated_usage(messages, reply) == Usage(10, 9, 0, 5, known=False)


def test_an_estimate_without_thoughts_counts_the_answer() -> None:
    reply = Reply()
    reply.add(delta("abcdefgh"))
    assert estimated_usage((), reply) == Usage(0, 2, known=False)
