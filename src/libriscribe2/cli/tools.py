"""`libriscribe2 tools`: what a model may have done for it."""

from collections.abc import Mapping
from typing import Any

from libriscribe2.cli.frame import Frame, JsonOption, command
from libriscribe2.toolchain.catalog import all_tools
from libriscribe2.toolchain.tool import describe


@command
def tools(frame: Frame, as_json: JsonOption = False) -> None:
    """List the tools of the tool chains.

    What a tool needs decides which runs may use it: the book's research folder (research), a model
    to ask (ask), the web (web), a search engine (search). --json adds the JSON Schema of their
    parameters.
    """
    renderer = frame.renderer
    records = [{**describe(tool), "needs": list(tool.needs)} for tool in all_tools()]
    if as_json:
        renderer.data_json(records)
        return
    rows = [
        (
            record["name"],
            _signature(record["parameters"]),
            ", ".join(record["needs"]),
            record["description"],
        )
        for record in records
    ]
    renderer.table(("tool", "parameters", "needs", "description"), rows)


def _signature(schema: Mapping[str, Any]) -> str:
    """The names of the parameters, those that may be left out in brackets."""
    required = schema["required"]
    return ", ".join(name if name in required else f"[{name}]" for name in schema["properties"])
