"""`mcp`: the books as tools of another program."""

import asyncio
import json
import sys
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.support.desk import Desk


async def _called(desk: Desk, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """What a server in the folder of the desk answers: its tools, then each call."""
    start = StdioServerParameters(
        command=sys.executable,
        args=["-m", "libriscribe2", "mcp"],
        env=desk.whole_environment({"LIBRISCRIBE2_MODELS__DEFAULT": "demo"}),
        cwd=str(desk.folder),
    )
    async with Client(stdio_client(start)) as client:
        found: list[Any] = [(await client.list_tools()).tools]
        found += [await client.call_tool(name, arguments) for name, arguments in calls]
        return found


@pytest.mark.slow
def test_books_are_tools_of_another_program(desk: Desk) -> None:
    desk.written()
    book = {"book": "book"}
    tools, *answers = asyncio.run(
        _called(
            desk,
            ("books", {}),
            ("status", book),
            ("text", {**book, "chapter": 1}),
            ("why", {**book, "scene": "ch2.s1"}),
            ("note", {**book, "part": "2", "wish": "--tenser"}),
            ("redo", {**book, "part": "2"}),
            ("redo", {**book, "part": "2", "confirmed": True}),
            ("redo", {**book, "part": "2", "confirmed": True, "max_cost": 1.0}),
            ("status", {"book": "nobody"}),
            ("status", {"book": "--debug"}),
            ("text", {**book, "chapter": 99}),
        )
    )
    told = {tool.name: tool.annotations.read_only_hint for tool in tools}
    reading = dict.fromkeys(("books", "status", "plan", "text", "why", "check", "report"), True)
    assert told == {**reading, "note": False, "redo": False}
    shelf, state, text, why, note, estimate, uncapped, redone, nobody, option, far = answers
    assert [one["book"] for one in json.loads(shelf.content[0].text)] == ["book"]
    assert json.loads(state.content[0].text)["chapters"] == 2
    assert text.content[0].text.startswith("# ")
    assert json.loads(why.content[0].text)["chapter"] == 2
    noted = {"file": "notes/ch02.md", "part": "2", "new": True, "written": True}
    assert json.loads(note.content[0].text) == noted
    assert desk.project().text("notes/ch02.md").strip() == "--tenser"
    assert json.loads(estimate.content[0].text)["total"]["calls"] > 0
    assert uncapped.is_error
    assert "max_cost is needed" in uncapped.content[0].text
    assert json.loads(redone.content[0].text)[-1]["event"] == "run.end"
    assert nobody.is_error
    assert '"fix": "Start one with' in nobody.content[0].text
    assert option.is_error
    there_is_none = "There is no chapter 99: the book has 2 chapters."
    assert json.loads(far.content[0].text.partition(": ")[2])["message"] == there_is_none


def test_the_skill_names_every_command(desk: Desk) -> None:
    desk.folder.mkdir(exist_ok=True)
    ran = desk.run("mcp", "--skill")
    assert ran.out.startswith("---\nname: libriscribe2\n")
    assert "| `resume` | Continue a book where it stopped. |" in ran.out
