import inspect
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.parsing.tool_calls import (
    LLMToolCallResponse,
    ToolCall,
    parse_llm_response,
    parse_native_tool_calls,
)
from libriscribe2.replies.call_source import Found, ReadCall, Source, ToolFormat
from libriscribe2.replies.notations import FORMATS


def _calls(response: LLMToolCallResponse) -> list[dict[str, Any]]:
    return [call.model_dump() for call in response.tool_calls or ()]


def test_RP_02_canonical_form_round_trips_by_alias() -> None:
    seed = {"toolCalls": [{"name": "f", "arguments": {"a": 1}}], "needsMoreWork": False}
    response = LLMToolCallResponse.model_validate(seed)
    assert response.tool_calls == [ToolCall(name="f", arguments={"a": 1})]
    assert response.model_dump(by_alias=True, exclude_none=True) == seed
    assert response == LLMToolCallResponse(tool_calls=response.tool_calls, needs_more_work=False)


def test_RP_01_signature() -> None:
    parameters = list(inspect.signature(parse_llm_response).parameters)
    assert parameters[:3] == ["raw_content", "allowed_tools", "schemas"]


def test_RP_16_plain_text_has_no_calls_and_says_nothing_of_more_work() -> None:
    response = parse_llm_response("The answer to your question is 42.")
    assert response.content == "The answer to your question is 42."
    assert response.tool_calls is None
    assert response.needs_more_work is None
    assert response.issues == ()


@pytest.mark.parametrize("raw", ["", "  \n", " Just words. ", "a ] } > b"])
def test_RP_16_text_without_any_mark_is_itself(raw: str) -> None:
    response = parse_llm_response(raw)
    assert response == parse_llm_response(raw, formats=[*FORMATS])
    assert (response.content, response.tool_calls) == (raw.strip(), None)


def test_RP_31_unknown_tool_is_reported_not_called() -> None:
    raw = '<tool_call>\n{"name": "rm", "arguments": {}}\n</tool_call>'
    response = parse_llm_response(raw, allowed_tools=["search", "read"])
    assert response.tool_calls is None
    assert response.issues == ("There is no tool `rm`. The tools are: read, search.",)
    nothing = parse_llm_response(raw, allowed_tools=[])
    assert nothing.issues == ("There is no tool `rm`. The tools are: none.",)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ('<tool_call>\n{"name": "f", "argum', "cut off"),
        ('{"toolCalls": [{"name": "test"', "cut off"),
        ('<tool_call>{"name": "f", "arguments": {"a": 2 * x}}</tool_call>', "expression"),
        ('<invoke name="f"><parameter name="a">1</parameter> and</invoke>', "do not match"),
        ('<invoke name="f">{"a": 2 * x}</invoke>', "not a JSON object"),
        ('<function=f>{"a": 1', "cut off"),
        ("<tool_call>f(a=x)</tool_call>", "literal keyword arguments"),
        ("<tool_call>f(a=1", "cut off"),
        ("[f(a=1+1)]", "keyword arguments"),
        ("[f(a=1", "cut off"),
        ('[TOOL_CALLS]f{"a": ', "cut off"),
        ('[TOOL_CALLS]f{"a": 2 * 3}', "damaged arguments"),
        ("<|channel|>commentary to=f<|message|>not json<|call|>", "not a JSON object"),
        ("<|channel|>commentary to=f<|message|>not json", "not a JSON object"),
        ('<|channel|>commentary to=f<|message|>{"a": 2 * 3}<|call|>', "damaged arguments"),
        ('<|channel|>commentary to=f<|message|>{"a": ', "cut off"),
        ('Action: f\nAction Input: {"a": ', "cut off"),
        ('Action: f\nAction Input: {"a": 2 * 3}', "not a JSON object"),
        ("<|tool_call_begin|>f<|tool_call_argument_begin|>{", "cut off"),
        ("<|tool_call_begin|>f<|tool_call_argument_begin|>{b}<|tool_call_end|>", "damaged"),
        ("<|tool_call_begin|>function<｜tool▁sep｜><", "cut off"),
        ("<|tool_call_begin|>f", "cut off"),
        ('<tool_use><name>f</name><arguments>{"a": 1}', "cut off"),
        ("<tool_use><name>f</name><arguments>{b c}</arguments></tool_use>", "not a JSON object"),
        ("<tool_call>f<arg_key>a</arg_key><arg_value>1", "cut off"),
        ("<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value>", "cut off"),
        ("<start_function_call>call:f{a:<escape>b", "cut off"),
        ("<start_function_call>call:f{a:b}<end_function_call>", "damaged arguments"),
        ('{"name": "f", "arguments": {"a": "\\ud83d"}}', "cannot be used"),
        ("<invoke name='f'><parameter name='a'>" + "[" * 70 + "]" * 70 + "</parameter></invoke>",
         "cannot be used"),
    ],
)  # fmt: skip
def test_RP_29_what_is_not_called_is_told(raw: str, told: str) -> None:
    response = parse_llm_response(raw)
    assert response.tool_calls is None
    assert response.content == raw.strip()
    assert any(told in issue for issue in response.issues), response.issues


def test_RP_29_dropped_items_of_an_envelope_are_counted() -> None:
    response = parse_llm_response('{"toolCalls": [{"arguments": {}}, 5]}')
    assert response.tool_calls is None
    assert response.issues == (
        "2 tool call(s) without a valid `name` and an object `arguments` were dropped.",
    )


@pytest.mark.parametrize(
    "raw",
    [
        "<|channel|>odd",
        "<|tool_call_begin|> is a token" + " that" * 60,
        "<|tool_call_begin|>{}<|tool_call_end|>",
        "<start_function_call> without a call",
        "<invoke name='a b'></invoke>",
        "<tool_call>f<arg_key>no value",
        "Action: f and nothing else",
        "[TOOL_CALLS] as a word",
        "[f(x for x in y)] is code",
        "```tool_code\nx = 1\n```",
        "```tool_code\nf(**5)\n```",
        "```tool_code\nf(a=b'bytes')\n```",
        "```tool_code\nf(a=-'x')\n```",
        "```tool_code\nf(a={1: 2})\n```",
        "```tool_code\nf()()\n```",
        "```tool_code\nf(a=1\n```",
        "```tool_code\nf(a=1); del x\n```",
        "```tool_code\nprint(1)\n```",
        "```tool_code\nf(1, 2)\n```",
        "```tool_code\n" + "f" * 200 + "()\n```",
        "~~~",
        "~~~ two ~~~ words",
        "```tool_code\n_ = (lambda: 1)\n```",
        "a stray ~ and `open tick",
        "the <think> tag, in a sentence",
        "<example>{\"name\": \"f\", \"arguments\": {}}</example>",
        "in a sentence an <example> never closed",
        '{"content": [1, "name"]}',
        '{"content": [{"type": "text", "text": "the name"}]}',
        '{"name": "f", "arguments": "just text"}',
        "```a`b\nname",
        '{"needsMoreWork": "perhaps"}',
        '{"name": "f", "arguments": {"properties": 1, "type": "object"}, "inputSchema": {}}',
    ],
)  # fmt: skip
def test_RP_26_what_only_looks_like_a_call_is_text(raw: str) -> None:
    response = parse_llm_response(raw)
    assert response.tool_calls is None
    assert response.content == raw


def test_code_with_a_dictionary_splat_is_read() -> None:
    response = parse_llm_response('```tool_code\nf({"a": 1})\ng(**{"b": 2}, c=(1, 2))\n```')
    assert _calls(response) == [
        {"name": "f", "arguments": {"a": 1}},
        {"name": "g", "arguments": {"b": 2, "c": [1, 2]}},
    ]


def test_end_token_in_a_delimited_text_ends_nothing() -> None:
    raw = "<start_function_call>call:f{a:<escape><end_function_call><escape>}<end_function_call>"
    assert _calls(parse_llm_response(raw)) == [
        {"name": "f", "arguments": {"a": "<end_function_call>"}}
    ]


def test_RP_34_code_that_warns_or_is_too_long_is_harmless() -> None:
    assert _calls(parse_llm_response('[f(a="\\d")]'))[0]["arguments"] == {"a": "\\d"}
    assert parse_llm_response("[f(a='" + "x" * 200_000 + "')]").tool_calls is None
    assert parse_llm_response("[f(a=" + "[" * 300 + "]" * 300 + ")]").tool_calls is None


def test_a_member_named_type_may_hold_anything() -> None:
    response = parse_llm_response('{"name": "f", "arguments": {}, "type": {"a": 1}}')
    assert _calls(response) == [{"name": "f", "arguments": {}}]


def test_RP_15_native_calls_have_json_text_for_arguments() -> None:
    native = [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "2", "type": "function", "function": {"name": "g", "arguments": ""}},
        {"id": "3", "type": "function", "function": {"name": "h", "arguments": '{"a": '}},
    ]
    response = parse_native_tool_calls(None, native)
    assert _calls(response) == [
        {"name": "f", "arguments": {"a": 1}},
        {"name": "g", "arguments": {}},
    ]
    assert response.needs_more_work is True
    assert response.content == ""
    assert response.issues == (
        "1 tool call(s) without a valid `name` and an object `arguments` were dropped.",
    )


def test_RP_15_native_message_without_calls_is_its_text() -> None:
    response = parse_native_tool_calls("Done.", [])
    assert (response.content, response.tool_calls, response.issues) == ("Done.", None, ())
    assert response.needs_more_work is None


def _read_toy(source: Source, _start: int, body: int) -> Found:
    end = source.text.index(";", body)
    return Found(end + 1, (ReadCall(source.text[body:end], {}),))


def test_RP_36_a_format_is_one_function_in_the_list() -> None:
    toy = ToolFormat("toy", "@@call ", _read_toy, begins="@@")
    response = parse_llm_response("Now.\n@@call dance;\n\nPlease.", formats=[toy, *FORMATS])
    assert _calls(response) == [{"name": "dance", "arguments": {}}]
    assert response.content == "Now.\n\nPlease."
    assert parse_llm_response("Now @@call dance; please").tool_calls is None


def test_RP_36_format_names_are_distinct() -> None:
    assert len({item.name for item in FORMATS}) == len(FORMATS)


@pytest.mark.parametrize("unit", ["<parameter name=p>", "<think>"])
def test_RP_33_looking_ahead_has_a_limit(unit: str) -> None:
    raw = f"<invoke name='f'><parameter name='a'>{unit * 45_000}</parameter></invoke>"
    assert parse_llm_response(raw if unit != "<think>" else unit * 45_000).tool_calls is None


def test_RP_33_damaged_values_have_a_limit() -> None:
    raw = '<tool_call>\n{"name": "f", "arguments": {"a": 1,}}\n</tool_call>\n' * 400
    assert 0 < len(parse_llm_response(raw).tool_calls or ()) < 400


def test_RP_33_longer_replies_are_text() -> None:
    raw = '{"name": "f", "arguments": {}}'
    response = parse_llm_response(raw, max_chars=10)
    assert (response.content, response.tool_calls) == (raw, None)
    assert response.issues == ("The reply has more than 10 characters.",)


def test_RP_33_absurdly_many_marks_end_the_reading() -> None:
    response = parse_llm_response("`" * 2 + " `a" * 70_000)
    assert response.issues == ("The reply has too many marks; its end was not read.",)


@pytest.mark.parametrize(
    "unit",
    [
        '<invoke name="a">',
        '<invoke name="a"><parameter name="b">x</invoke>',
        '<invoke name=a><parameter name=b><parameter name=c>x</parameter></invoke>',
        '{"a":', '\n\n{"', "{name:", '{"name":"a","arguments":{},}', "[", "```\n", "<think>\n",
        '<tool_call>\n{"name":1,}</tool_call>', "<|tool_call_begin|>", "\n[f(a=", "<tool_call>f(",
    ],
)  # fmt: skip
def test_RP_33_hostile_text_is_read_in_linear_time(unit: str) -> None:
    start = time.process_time()
    parse_llm_response(unit * (250_000 // len(unit)))
    assert time.process_time() - start < 3.0


NAMES = st.sampled_from(["search", "read_file", "save-scene", "a1", "ns.tool"])
KEYS = st.sampled_from(["query", "text", "n", "other_key"])
TEXTS = st.text(alphabet="ab \"'{}[]<>/\\\n`é日,:*").map(lambda text: f"x{text}x")
VALUES = st.one_of(TEXTS, st.integers(-9, 9), st.booleans(), st.none(), st.lists(TEXTS, max_size=2))
ARGUMENTS = st.dictionaries(KEYS, VALUES, max_size=3)
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=3)
Calls = list[tuple[str, dict[str, Any]]]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _objects(calls: Calls) -> list[dict[str, Any]]:
    return [{"name": name, "arguments": arguments} for name, arguments in calls]


def _tagged(calls: Calls, call: str, parameter: str) -> str:
    return "\n".join(
        f"<{call.format(name)}>\n"
        + "".join(
            f"<{parameter.format(key)}>\n{_text(value)}\n</{parameter.split('=')[0].split()[0]}>\n"
            for key, value in arguments.items()
        )
        + f"</{call.split('=')[0].split()[0]}>"
        for name, arguments in calls
    )


def _python(calls: Calls) -> str:
    parts = [
        f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
        for name, arguments in calls
    ]
    return f"[{', '.join(parts)}]"


WRITERS = {
    "envelope": lambda calls: json.dumps({"toolCalls": _objects(calls), "needsMoreWork": True}),
    "fenced": lambda calls: f"```json\n{json.dumps(_objects(calls), indent=1)}\n```",
    "function_calls": lambda calls: (
        f"<function_calls>{json.dumps(_objects(calls))}</function_calls>"
    ),
    "hermes": lambda calls: "\n".join(
        f"<tool_call>\n{json.dumps(item, ensure_ascii=False)}\n</tool_call>"
        for item in _objects(calls)
    ),
    "invoke": lambda calls: _tagged(calls, 'invoke name="{}"', 'parameter name="{}"'),
    "qwen": lambda calls: _tagged(calls, "function={}", "parameter={}"),
    "tokens": lambda calls: "".join(
        f"<|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>"
        f"{json.dumps(arguments)}<|tool_call_end|>"
        for name, arguments in calls
    ),
    "mistral": lambda calls: "".join(
        f"[TOOL_CALLS]{name}[ARGS]{json.dumps(arguments)}" for name, arguments in calls
    ),
    "harmony": lambda calls: "".join(
        f"<|start|>assistant<|channel|>commentary to=functions.{name} json<|message|>"
        f"{json.dumps(arguments)}<|call|>"
        for name, arguments in calls
    ),
    "native": lambda calls: json.dumps(
        {
            "tool_calls": [
                {"function": {"name": name, "arguments": json.dumps(arguments)}}
                for name, arguments in calls
            ]
        }
    ),
}


@pytest.mark.parametrize("writer", WRITERS)
@settings(max_examples=40, deadline=None)
@given(calls=CALLS)
def test_RP_01_calls_come_back_as_written(writer: str, calls: Calls) -> None:
    schemas = {}
    if writer in {"invoke", "qwen"}:
        kinds = {str: "string", int: "integer", bool: "boolean", list: "array", type(None): "null"}
        calls = [(f"{name}{index}", arguments) for index, (name, arguments) in enumerate(calls)]
        schemas = {
            name: {"properties": {k: {"type": kinds[type(v)]} for k, v in arguments.items()}}
            for name, arguments in calls
        }
    response = parse_llm_response(WRITERS[writer](calls), schemas=schemas)
    assert _calls(response) == _objects(calls)


@settings(max_examples=40, deadline=None)
@given(calls=CALLS)
def test_RP_01_python_calls_come_back_as_written(calls: Calls) -> None:
    plain = [(name, arguments) for name, arguments in calls if name != "save-scene"]
    expected = _objects(plain) if plain else []
    assert _calls(parse_llm_response(_python(plain))) == expected


MARKS = st.sampled_from([
    "<invoke name='a'>", "<parameter name='b'>", "</parameter>", "</invoke>", "<tool_call>",
    "</tool_call>", '{"name": "f", "arguments": {}}', "{", "}", "[", "]", '"', "'", "```json\n",
    "```", "\n", "\n\n", "<think>", "</think>", "<|tool_call_begin|>", "<|tool_call_end|>",
    "[TOOL_CALLS]", "<|python_tag|>", "f(a=1)", "[f(a=1)]", "Action: f\nAction Input: ",
    "<|channel|>", "<|message|>", "<|call|>", "to=f", "<function=f>", "<arg_key>", "</arg_key>",
    "<arg_value>", "</arg_value>", "call:f", "<start_function_call>", "<escape>", "\\", "\ud800",
    '{"toolCalls": [', "é", "for example: ", "\x00", "``",
])  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(st.one_of(MARKS, st.text(max_size=5)), max_size=14).map("".join))
def test_RP_34_never_raises_and_is_always_serialisable(raw: str) -> None:
    response = parse_llm_response(raw)
    assert response.content is not None or response.tool_calls or response.issues is not None
    for call in response.tool_calls or ():
        json.dumps(call.arguments, ensure_ascii=False).encode("utf-8")
