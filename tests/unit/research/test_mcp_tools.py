"""Tools of MCP servers, from a real one over its standard streams."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from tests.support.written_book import WrittenBook

from libriscribe2.research.catalog import available_tools
from libriscribe2.research.mcp_tools import McpServer, McpTools, arguments_by, mcp_tools
from libriscribe2.research.tool import ToolContext, describe
from libriscribe2.research.tool_error import ToolError

ROOT = Path(__file__).resolve().parents[3]
OBJECT = {"type": "object"}


SERVE = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
    "from tests.support.mcp_server import main; main()"
)
CRASH = "import sys; sys.exit('\\x1b[31mcrashed')"
SAY_NOTHING = "import sys; sys.stdin.read()"


def server(name: str = "measures", code: str = SERVE, **fields: Any) -> McpServer:
    return McpServer(name, command=sys.executable, args=("-c", code), **fields)


async def use(found: McpTools, context: ToolContext) -> None:
    """Call the tools of the server that works."""
    tools = {tool.name: tool for tool in available_tools(context, found.tools)}

    async def call(name: str, /, **given: Any) -> Any:
        tool = tools[f"measures_{name}"]
        return await tool.run(context, tool.arguments.model_validate(given))

    shown = describe(tools["measures_measure"])
    assert shown["parameters"]["properties"]["word"]["type"] == "string"
    assert shown["parameters"]["required"] == ["word"]
    assert await call("measure", word="abc", times=2) == {"length": 6}
    assert await call("greet", name="Mara") == {"text": "Good day, Mara."}
    seen = await call("read_variable", name="A_VARIABLE_FOR_A_TEST")
    hidden = await call("read_variable", name="ANOTHER_FOR_A_TEST")
    assert (seen, hidden) == ({"text": "seen"}, {"text": ""})
    with pytest.raises(ToolError) as caught:
        await call("measure", word="")
    assert (caught.value.status, caught.value.code) == (422, "mcp_call_failed")
    with pytest.raises(ValidationError, match="required"):
        await call("measure")


@pytest.mark.slow
def test_servers_contribute_tools_and_what_cannot_be_used_costs_only_itself(
    written: WrittenBook, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("A_VARIABLE_FOR_A_TEST", "seen")
    monkeypatch.setenv("ANOTHER_FOR_A_TEST", "hidden")
    servers = [
        McpServer("gone", command="no-such-program-anywhere"),
        server("broken", CRASH),
        server("deaf", SAY_NOTHING, start_seconds=0.3),
        server(env=("A_VARIABLE_FOR_A_TEST", "NOT_SET")),
    ]

    async def main() -> McpTools:
        async with mcp_tools(servers) as found:
            await use(found, ToolContext(written.book))
        return found

    found = asyncio.run(main())
    names = sorted(tool.name for _, tool in found.tools)
    assert names == ["measures_greet", "measures_measure", "measures_read_variable"]
    for name, line in zip(("gone", "broken", "deaf"), found.failures[:3], strict=True):
        assert line.startswith(f"The MCP server {name!r} cannot be used: ")
    assert "no answer within 0.3 seconds" in found.failures[2]
    assert "the name measures_greet is taken" in found.failures[3]
    assert len(found.failures) == 4
    assert not any("\n" in line for line in found.failures)
    assert capfd.readouterr().err == ""


def test_without_a_server_nothing_happens() -> None:
    async def main() -> None:
        async with mcp_tools([]) as found:
            assert (found.tools, found.failures) == ([], [])

    asyncio.run(main())


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string"}, "not one of an object"),
        ({**OBJECT, "properties": {"a": {"$ref": "http://127.0.0.1/x"}}}, "another document"),
        ({**OBJECT, "$id": "http://127.0.0.1/x"}, "another document"),
        ({**OBJECT, "properties": {"a": {"type": "strange"}}}, "not valid"),
    ],
)
def test_a_schema_that_cannot_be_trusted_is_refused(schema: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        arguments_by("x", schema)


def test_arguments_are_held_to_the_schema_of_the_server() -> None:
    schema = {
        "type": "object",
        "properties": {"$ref": {"type": "integer"}, "b": {"$ref": "#/$defs/B"}},
        "$defs": {"B": {"type": "array", "items": {"type": "integer"}}},
    }
    shape = arguments_by("x", schema)
    assert shape.model_json_schema()["properties"] == schema["properties"]
    assert shape.model_validate({"$ref": 1, "b": [1]}).model_dump() == {"$ref": 1, "b": [1]}
    with pytest.raises(ValidationError, match=r"b\.0: 'x' is not of type"):
        shape.model_validate({"b": ["x"]})
