"""Replies that are nothing but a call, in spellings without marks."""

import json
from typing import Any

import pytest

from libriscribe2.replies import calls, read

TOOLS = {
    "read_file": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
    "web_search": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "num_results": {"type": "integer"}},
        "required": ["query", "num_results"],
    },
    "functions.meet": {"type": "object", "properties": {"where": {"type": "string"}}},
}
READ = ("read_file", {"path": "kapittel/3.md"})
SEARCH = ("web_search", {"query": "βάρκα 1821", "num_results": 2})
OPEN_BOUNDS = {
    "query": {"type": "string"},
    "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "n": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10},
}


@pytest.mark.parametrize(
    ("reply", "call"),
    [
        ("read\\_file(path='kapittel/3.md')", READ),
        ("[read\\_file(path='kapittel/3.md')]", READ),
        ('read_file\n{"path": "kapittel/3.md"}', READ),
        ('>>>read_file\n{"path": "kapittel/3.md"}', READ),
        ('assistantcommentary to=functions.read_file json{"path": "kapittel/3.md"}', READ),
        ("Tanke: jeg må lese.\nAction: read_file\nAction Input: kapittel/3.md", READ),
        ("Action: read_file[kapittel/3.md]\nObservation:", READ),
        ("```yaml\nname: read_file\narguments:\n  path: kapittel/3.md\n```", READ),
        ("tool: web_search\narguments:\n  query: βάρκα 1821\n  num_results: 2", SEARCH),
        ("｛“name”：“read_file”，“arguments”：｛“path”：“kapittel/3.md”｝｝", READ),
        ('[functions.meet(where="kai")]', ("functions.meet", {"where": "kai"})),
    ],
)
def test_RP_01_a_call_alone_is_read_in_every_spelling(
    reply: str, call: tuple[str, dict[str, object]]
) -> None:
    found = calls(reply, TOOLS).tool_calls or []
    assert [(one.name, one.arguments) for one in found] == [call]


@pytest.mark.parametrize(
    "reply",
    [
        "Action: web_search\nAction Input: βάρκα",
        "Action: read_file\nAction Input: <sti>",
        'read_file\n{"path": "kapittel/3.md"}\nDet er formatet.',
        "Skal jeg?\nname: read_file\narguments:\n  path: kapittel/3.md",
        '<sitat>\nHan skrev: <tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>\n</sitat>',
        '<s>{"name": "read_file", "arguments": {"path": "a"}}</s>',
        "> name: read_file\n> arguments:\n>   path: a",
        "read_file er et verktøy.",
        "name: read_file\npath: a\narguments:",
    ],
)
def test_RP_34_what_is_not_alone_or_not_whole_is_no_call(reply: str) -> None:
    assert not calls(reply, TOOLS).tool_calls


@pytest.mark.parametrize("reply", ['~~{"path": "a"}~~', '<del>{"path": "a"}</del>'])
def test_OV_29_what_is_struck_through_is_no_value(reply: str) -> None:
    assert not read(reply, TOOLS["read_file"]).ok
    assert read(
        f"~~~\n{reply.strip('~')}\n~~~" if "~" in reply else '{"path": "a"}', TOOLS["read_file"]
    ).ok


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ('hunt(query="x", n=50)', "`n` is not between 1 and 10"),
        ('hunt(query="x", n=0)', "`n` is not between 1 and 10"),
        (
            '<tool_call>{"name": "hunt", "arguments": {"query": "x", "n": 50}}</tool_call>',
            "not between",
        ),
        ('hunt {"query": "x", "n": "many"}', "`n` has another type"),
        ("hunt(n=5)", "`query` is missing"),
    ],
)
def test_RP_34_a_call_that_does_not_fit_is_named_in_every_spelling(reply: str, fault: str) -> None:
    count = {"type": "integer", "minimum": 1, "maximum": 10}
    properties = {"query": {"type": "string"}, "n": count}
    found = calls(reply, {"hunt": {"properties": properties, "required": ["query"]}})
    assert found.tool_calls is None
    assert len(found.issues) == 1
    assert fault in found.issues[0]


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ('hunt(query="x", share=0)', "`share` is not more than 0"),
        ('hunt(query="x", share=-1)', "`share` is not more than 0"),
        ('hunt(query="x", share=1)', "`share` is not less than 1"),
        ('hunt {"query": "x", "share": 1.5}', "`share` is not less than 1"),
        ('hunt {"query": "x", "share": "1"}', "`share` is not less than 1"),
        (
            '<tool_call>{"name": "hunt", "arguments": {"query": "x", "share": 0.0}}</tool_call>',
            "`share` is not more than 0",
        ),
        ('hunt(query="x", n=0)', "`n` is not between 1 and inf"),
        ('hunt(query="x", n=10)', "`n` is not less than 10"),
    ],
)
def test_RP_34_a_number_at_or_beyond_an_exclusive_bound_is_named(reply: str, fault: str) -> None:
    found = calls(reply, {"hunt": {"properties": OPEN_BOUNDS, "required": ["query"]}})
    assert found.tool_calls is None
    assert len(found.issues) == 1
    assert fault in found.issues[0]


@pytest.mark.parametrize("given", [{"share": 0.001}, {"share": 0.999}, {"n": 1}, {"n": 9}])
def test_a_number_within_exclusive_bounds_runs(given: dict[str, float]) -> None:
    reply = f"hunt {json.dumps({'query': 'x', **given})}"
    found = calls(reply, {"hunt": {"properties": OPEN_BOUNDS, "required": ["query"]}})
    assert [one.arguments for one in found.tool_calls or ()] == [{"query": "x", **given}]
    assert found.issues == ()


@pytest.mark.parametrize("bound", [True, False, None, "1"])
def test_an_exclusive_bound_that_is_no_number_bounds_nothing(bound: Any) -> None:
    n = {"type": "integer", "exclusiveMinimum": bound, "exclusiveMaximum": bound}
    found = calls('hunt {"n": 1}', {"hunt": {"properties": {"n": n}, "required": ["n"]}})
    assert [one.arguments for one in found.tool_calls or ()] == [{"n": 1}]


@pytest.mark.parametrize("tools", [[{"function": {"name": "hunt"}}], {"hunt": "a tool"}])
def test_tools_in_another_form_are_refused_with_the_form(tools: Any) -> None:
    with pytest.raises(TypeError, match="JSON Schema of its parameters"):
        calls("hunt(n=5)", tools)


@pytest.mark.parametrize("shape", [list[str], dict, "object"])
def test_a_shape_that_is_neither_a_model_nor_a_schema_is_refused(shape: Any) -> None:
    with pytest.raises(TypeError, match="pydantic model or a JSON Schema"):
        read('["a"]', shape)


def test_RP_34_an_object_with_a_name_is_not_called_a_tool_that_there_is_not() -> None:
    assert calls('{"name": "Ana", "age": 3,}', TOOLS).issues == ()
