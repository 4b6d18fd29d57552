"""What an OpenAI-compatible server sends: whole replies, server-sent events, and their faults."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request.

    Attributes:
        kind: `status`, `cut`, `no_finish`, `html`, `broken_json`, `empty`, `no_choices`, `drip`,
            `stall`, `drop`, `error_event`, `filtered`, `length`, `repeat` or `ok`.
        status: The HTTP status of `status`.
        headers: Additional response headers.
        body: The body of `status` (or the event of `error_event`).
        seconds: The pause of `drip` (before each piece) and `stall` (before the first).
    """

    kind: str = "status"
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | str | None = None
    seconds: float = 0.05

    @classmethod
    def parse(cls, word: str) -> Self:
        """`429` is a status, everything else a kind."""
        return cls(status=int(word)) if word.isdigit() else cls(kind=word)


@dataclass(frozen=True)
class Manner:
    """How all replies of a server look.

    Attributes:
        usage: Whether they say how many tokens they took.
        reasoning: Thoughts to give apart from each reply.
        tool_call: A function's name to call where the request offers tools.
        cost: The price in US dollars that each usage names, as OpenRouter does.
    """

    usage: bool = True
    reasoning: str | None = None
    tool_call: str | None = None
    cost: float | None = None


def whole_reply(text: str, body: Mapping[str, Any], fault: Fault, manner: Manner) -> dict[str, Any]:
    """A `chat.completion`."""
    if fault.kind == "no_choices":
        return _envelope(body, "chat.completion", [])
    message: dict[str, Any] = {"role": "assistant", "content": text}
    finish = _finish(fault)
    if manner.reasoning is not None:
        message["reasoning_content"] = manner.reasoning
    if manner.tool_call is not None and body.get("tools"):
        message |= {"content": None, "tool_calls": [_tool_call(manner.tool_call)]}
        finish = "tool_calls"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    reply = _envelope(body, "chat.completion", [choice])
    return reply | ({"usage": _usage(body, message, manner)} if manner.usage else {})


def events(text: str, body: Mapping[str, Any], fault: Fault, manner: Manner) -> Iterator[str]:
    """The server-sent events of a streamed reply."""
    if fault.kind == "broken_json":
        yield 'data: {"id": "x", "choi\n\n'
        return
    for number, delta in enumerate(_deltas(text, body, fault, manner)):
        if fault.kind == "drip" or (fault.kind == "stall" and number == 0):
            time.sleep(fault.seconds)  # noqa: TID251 - a slow server is the point
        yield _event(body, delta, None)
        if fault.kind in ("cut", "error_event") and number == 2:
            break
    if fault.kind == "error_event":
        yield f"data: {json.dumps(fault.body)}\n\n"
    elif fault.kind != "cut":
        yield from _closing_events(text, body, fault, manner)


def _closing_events(
    text: str, body: Mapping[str, Any], fault: Fault, manner: Manner
) -> Iterator[str]:
    if fault.kind != "no_finish":
        called = manner.tool_call is not None and body.get("tools")
        yield _event(body, {}, "tool_calls" if called else _finish(fault))
        if manner.usage and (body.get("stream_options") or {}).get("include_usage"):
            last = _envelope(body, "chat.completion.chunk", [])
            yield f"data: {json.dumps(last | {'usage': _usage(body, {'content': text}, manner)})}\n\n"
    yield "data: [DONE]\n\n"


def _deltas(
    text: str, body: Mapping[str, Any], fault: Fault, manner: Manner
) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    if fault.kind == "repeat":
        yield from ({"content": "again "} for _ in range(120))
    if manner.reasoning is not None:
        yield {"reasoning_content": manner.reasoning}
    if manner.tool_call is not None and body.get("tools"):
        yield {"tool_calls": [_tool_call(manner.tool_call) | {"index": 0}]}
        return
    for piece in re.findall(r"\S+\s*|\s+", text):
        yield {"content": piece}


def _event(body: Mapping[str, Any], delta: Mapping[str, Any], finish: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps(_envelope(body, 'chat.completion.chunk', [choice]))}\n\n"


def _envelope(body: Mapping[str, Any], kind: str, choices: list[Any]) -> dict[str, Any]:
    model = body.get("model", "")
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model, "choices": choices}


def _finish(fault: Fault) -> str | None:
    finishes = {"filtered": "content_filter", "length": "length", "no_finish": None}
    return finishes.get(fault.kind, "stop")


def _usage(body: Mapping[str, Any], message: Mapping[str, Any], manner: Manner) -> dict[str, Any]:
    asked = sum(len(content_of(turn).split()) for turn in body.get("messages", []))
    written = len(str(message.get("content") or "").split())
    price = {} if manner.cost is None else {"cost": manner.cost}
    return price | {
        "prompt_tokens": asked,
        "completion_tokens": written,
        "total_tokens": asked + written,
        "prompt_tokens_details": {"cached_tokens": 1},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }


def _tool_call(name: str) -> dict[str, Any]:
    function = {"name": name, "arguments": '{"query": "lamps"}'}
    return {"id": "call_1", "type": "function", "function": function}


def content_of(message: Mapping[str, Any]) -> str:
    """The text of a message."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else json.dumps(content)
