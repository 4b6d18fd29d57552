"""Calls whose marks were lost, worn or made up on their way, and what only looks like one."""

from typing import Any

import pytest

from libriscribe2.replies import calls

TEXT = {"type": "string"}
TOOLS: dict[str, dict[str, Any]] = {
    "get_weather": {
        "type": "object",
        "properties": {"city": TEXT, "unit": {"enum": ["c", "f"]}},
        "required": ["city"],
    },
    "send_mail": {"type": "object", "properties": {"to": TEXT, "body": TEXT}, "required": ["to"]},
    "grep": {"type": "object", "properties": {"pattern": TEXT, "path": TEXT}, "required": []},
}
CALL = '{"name": "get_weather", "arguments": {"city": "Łódź"}}'
TAGGED = f"<tool_call>\n{CALL}\n</tool_call>"


@pytest.mark.parametrize(
    "reply",
    [
        'functions.get_weather:0{"city": "Łódź"}',
        'get_weather:3 {"city": "Łódź"}<|tool_call_end|><|tool_calls_section_end|>',
        'Je regarde.\n\nget_weather:0<|tool_call_argument_begin|>{"city": "Łódź"}<|tool_call_end|>',
        'to=functions.get_weather json {"city": "Łódź"}',
        'assistant to=functions.get_weather<|message|>{"city": "Łódź"}<|call|>',
        'Zjistím to.assistantcommentary to=functions.get_weather json{"city": "Łódź"}',
        '>>>get_weather\n{"city": "Łódź"}',
        '<|recipient|>get_weather\n<|content|>{"city": "Łódź"}<|stop|>',
        'get_weather>{"city": "Łódź"}</function>',
        '<function(get_weather){"city": "Łódź"}</function>',
        '<function=get_weather={"city": "Łódź"}</function>',
        '<function=get_weather,{"city": "Łódź"}</function>',
        '<function/get_weather>{"city": "Łódź"}</function>',
        '(function=get_weather>{"city": "Łódź"})',
        'get_weather[ARGS]{"city": "Łódź"}\n\nMoment bitte.',
        'get_weather[CALL_ID]abc123XYZ[ARGS]{"city": "Łódź"}',
        'function<|tool_sep|>get_weather\n```json\n{"city": "Łódź"}\n```<|tool_call_end|>',
        f"function call{CALL}",
        'Tool: get_weather\nInput: {"city": "Łódź"}',
        "function=get_weather>\n<parameter=city>\nŁódź\n</parameter>\n</function>\n</tool_call>",
        'invoke name="get_weather">\n<parameter name="city">Łódź</parameter>\n</invoke>',
        "get_weather\n<arg_key>city</arg_key>\n<arg_value>Łódź</arg_value>\n</tool_call>",
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Łódź</tool_call>",
        "<tool_call>\n<function=get_weather>\n<parameter=city\nŁódź\n</parameter>\n</function>",
        "<function=get_weather>\n<parameter=city>\nŁódź\n</parameter</function>",
        "<function=get_weather>\n<parameter=city>\nŁódź\n</parameter_function>",
        f"{TAGGED}\n<tool_response>\n[3]\n</tool_response>\nJe tam zima.\n{TAGGED}",
        f"{TAGGED}[TOOL_RESULTS][3][/TOOL_RESULTS]",
        '{"function": {"name": "get_weather"}, "parameters": {"city": "Łódź"}}',
        f"## Počasí\n\n{TAGGED}",
    ],
)
def test_RP_31_marks_that_were_lost_are_no_part_of_a_call(reply: str) -> None:
    answer = calls(reply, TOOLS)
    assert [(one.name, one.arguments) for one in answer.tool_calls or ()] == [
        ("get_weather", {"city": "Łódź"})
    ]


def test_RP_31_several_stripped_calls_stand_in_a_row() -> None:
    both = 'functions.get_weather:0{"city": "Brno"}functions.get_weather:1{"city": "Łódź"}'
    assert len(calls(both, TOOLS).tool_calls or ()) == 2


@pytest.mark.parametrize(
    "reply",
    [
        'Zavolej get_weather:0{"city": "Brno"} a čekej.',
        '`get_weather:0{"city": "Brno"}`',
        '"get_weather[ARGS]{"city": "Brno"}" steht im Log.',
        '> functions.get_weather:0{"city": "Brno"}',
        'get_weather:0{"city": "Brno"}\n\nSoll ich das ausführen?',
        '| a | get_weather:0{"city": "Brno"} |',
        '<log>\nto=functions.get_weather {"city": "Brno"}\n</log>',
        '- get_weather {"city": "Brno"}\n- grep {"path": "src"}',
        'get_weather: {"city": "string"}\ngrep: {"path": "string"}',
        'const a = {"city": "x"};\nget_weather = {"city": "x"}',
        'get_weather {"city": "Brno"} → {"temp": 3}',
        f"Formát je takový:\n{TAGGED}\n<tool_response>3</tool_response>",
        f"## get_weather\n\n**Ukázka**\n\n```json\n{CALL}\n```",
        f"| a |\n|---|\n| b |\n\n### 例\n\n```json\n{CALL}\n```",
        f"Dotaz\n-----\n\n```json\n{CALL}\n```\n\nOdpověď\n-------\n\n3",
        '{"name": "send_mail", "arguments": {"to": "{{ a.mail }}", "body": "{{ a.text }}"}}',
        '{"name": "get_weather", "arguments": {"city": "{{ $json.city }}"}}',
        '{"name": "get_weather", "arguments": {"city": "{{ states(\'a.b\') }}"}}',
        '{"name": "grep", "arguments": {"pattern": "SEARCH_PATTERN", "path": "src"}}',
    ],
)
def test_RP_34_what_is_shown_stays_shown_without_its_marks(reply: str) -> None:
    assert calls(reply, TOOLS).tool_calls is None


def test_RP_34_a_constant_beside_another_text_is_looked_for() -> None:
    reply = '{"name": "grep", "arguments": {"pattern": "MAX_RETRIES", "path": "src"}}'
    assert calls(reply, TOOLS).tool_calls is not None
