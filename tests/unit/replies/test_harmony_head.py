"""The head of a harmony message: long text that is none is passed over in linear time."""

import time

from libriscribe2.parsing.tool_calls import parse_llm_response

# Linear work takes milliseconds; the number of ways to split the text takes half a minute.
FAR_TOO_LONG = 5


def test_OV_47_text_after_a_start_token_is_no_exponential_work() -> None:
    reply = "<|start|>assistant to " + "x" * 400 + "|" + "y" * 400
    started = time.perf_counter()
    response = parse_llm_response(reply)
    assert time.perf_counter() - started < FAR_TOO_LONG
    assert response.tool_calls is None


def test_TC_harmony_heads_of_every_length_are_read() -> None:
    for padding in (0, 1, 150, 199, 200, 201, 400):
        reply = (
            f"<|start|>assistant{' ' * padding}<|channel|>commentary to=functions.find "
            '<|constrain|>json<|message|>{"q": "tide"}<|call|>'
        )
        calls = parse_llm_response(reply).tool_calls or []
        assert [call.name for call in calls] == ["find"], padding
