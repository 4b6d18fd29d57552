"""The backend that answers from a recording: by step, attempt and part."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from libriscribe2.commands.recordings import as_bytes
from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.llm.backends.recorded import (
    RecordedAuthor,
    RecordedReply,
    Recording,
    read_recording,
    shape_of,
)
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.fallbacks import CONTINUE

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}}
HEAD = {"format": "libriscribe2 recording", "version": 1}
CALL = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def recording(*steps: dict[str, Any]) -> Recording:
    told = [{"shape": "text", "reply": [""], **one} for one in steps]
    return Recording.model_validate(
        {**HEAD, "model": "openai/x", "brief": {"premise": "A"}, "steps": told}
    )


def asked(step: str = "a", **fields: Any) -> Request:
    return Request(step, "recorded", ({"role": "user", "content": "Write."},), **fields)


def answer(told: Recording, request: Request, *, in_turn: bool = False) -> Completion:
    return asyncio.run(RecordedAuthor(told, in_turn=in_turn).complete(request))


@pytest.mark.parametrize("in_turn", [False, True])
def test_a_cut_text_is_continued_by_its_parts(*, in_turn: bool) -> None:
    parts = ("<think>How?</think>One ", "two ", "three.")
    told = recording(
        *(
            {
                "step": "a",
                "part": n,
                "reply": [text],
                "finish_reason": "length" if n < 3 else "stop",
            }
            for n, text in enumerate(parts, start=1)
        )
    )
    author = RecordedAuthor(told, in_turn=in_turn)
    client = LLMClient("", "", "recorded", backend=author)
    options = CallOptions(step="a", prose=True)
    reply = asyncio.run(client.with_options(options).ask("Write."))
    assert reply.completion.reply.endswith("One two three.")
    assert [now.part for _, now in author.played] == [1, 2, 3]


def test_a_part_is_found_by_what_came_before_it_and_not_by_when_it_is_asked() -> None:
    told = recording(
        {"step": "a", "part": 1, "reply": ["One "]}, {"step": "a", "part": 2, "reply": ["two."]}
    )
    turns = (*asked().messages, {"role": "assistant", "content": "One "})
    request = Request("a", "recorded", (*turns, {"role": "user", "content": CONTINUE}))
    assert answer(told, request).reply == "two."


def test_an_attempt_has_its_own_reply() -> None:
    told = recording(
        {"step": "a", "reply": ["first"]}, {"step": "a", "attempt": 2, "reply": ["second"]}
    )
    assert answer(told, asked(attempt=2)).reply == "second"
    with pytest.raises(BackendError, match=r"no reply to a, attempt 3 \(shape text\)"):
        answer(told, asked(attempt=3))
    with pytest.raises(BackendError, match="no reply to a asked again"):
        answer(told, asked(generation=1))


def test_native_tool_calls_thoughts_and_tokens_are_kept() -> None:
    given = Completion("", "Hm.\nWell.", "tool_calls", tool_calls=(CALL,), model="x", cost_usd=1.0)
    request = asked(tools=({"type": "function", "function": {"name": "look"}},))
    told = recording().model_copy(update={"steps": [RecordedReply.of(request, 1, given, "y")]})
    back = answer(told, request)
    assert (back.reasoning, back.finish_reason, back.tool_calls) == (
        "Hm.\nWell.",
        "tool_calls",
        (CALL,),
    )
    assert (back.cost_usd, back.model, back.usage.known) == (0.0, "y", False)


def test_a_shape_is_its_schema_without_the_wording() -> None:
    worded = {
        **SCHEMA,
        "description": "A book.",
        "properties": {"title": {"type": "string", "description": "?"}},
    }
    named = {"type": "object", "properties": {"description": {"type": "string"}}}
    assert shape_of(asked(schema=SCHEMA)) == shape_of(asked(schema=worded)) != "text"
    assert shape_of(asked(schema=named)) != shape_of(
        asked(schema={"type": "object", "properties": {}})
    )
    assert shape_of(asked()) == "text"
    told = recording({"step": "a", "shape": shape_of(asked(schema=SCHEMA))})
    with pytest.raises(BackendError, match="is asked for today"):
        answer(told, asked(schema=named))
    assert answer(told, asked(schema=named), in_turn=True).reply == ""


def test_half_a_surrogate_pair_survives(tmp_path: Path) -> None:
    told = recording({"step": "a", "reply": ["half \ud83d a pair"]})
    told = told.model_copy(update={"files": {"samples/x.docx": b"\x00\xff"}})
    (tmp_path / "x.json").write_bytes(as_bytes(told))
    back = read_recording(f"recorded:{tmp_path / 'x.json'}")
    assert back == told
    assert as_bytes(back) == as_bytes(told)
