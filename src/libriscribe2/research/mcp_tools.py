"""Tools of MCP servers as tools of the catalog."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, TextIO

from jsonschema import Draft202012Validator, SchemaError
from pydantic import BaseModel, ConfigDict, JsonValue, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import override

from libriscribe2.research.catalog import AnyTool, all_tools
from libriscribe2.research.tool import Tool, ToolContext
from libriscribe2.research.tool_error import ToolError

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult
    from mcp.types import Tool as Offered


class McpArguments(BaseModel):
    """Whatever the server's schema takes."""

    model_config = ConfigDict(extra="allow", frozen=True)

    schema_of_server: ClassVar[Mapping[str, Any]] = {"type": "object"}

    @model_validator(mode="before")
    @classmethod
    def _by_schema(cls, value: Any) -> Any:
        fault = next(Draft202012Validator(cls.schema_of_server).iter_errors(value), None)
        if fault is not None:
            place = ".".join(str(part) for part in fault.absolute_path)
            told = f"{place}: {fault.message}" if place else fault.message
            raise PydanticCustomError("schema", "{told}", {"told": told[:500]})
        return value

    @override
    @classmethod
    def model_json_schema(cls, *arguments: Any, **named: Any) -> dict[str, Any]:
        """The server's own schema."""
        del arguments, named
        return deepcopy(dict(cls.schema_of_server))


def arguments_by(name: str, schema: Mapping[str, Any]) -> type[McpArguments]:
    """The arguments that a schema describes.

    Args:
        name: What the class is called.
        schema: The server's JSON Schema.

    Raises:
        ValueError: It is no schema of an object, or leads to another document, which would have
            to be fetched from an address of the server's choice.
    """
    if schema.get("type") != "object":
        raise ValueError("its schema is not one of an object")
    if _leads_elsewhere(schema):
        raise ValueError("its schema refers to another document")
    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, RecursionError) as error:
        raise ValueError("its schema is not valid") from error
    return type(name, (McpArguments,), {"schema_of_server": dict(schema), "__module__": __name__})


def _leads_elsewhere(schema: Any) -> bool:
    """Whether a part of a schema is to be found outside of it."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, Mapping):
            for key, value in node.items():
                is_link = key in {"$ref", "$dynamicRef"} and isinstance(value, str)
                if (is_link and not value.startswith("#")) or (
                    key == "$id" and isinstance(value, str)
                ):
                    return True
                stack.append(value)
        elif isinstance(node, list):
            stack.extend(node)
    return False


_LONGEST_NAME: Final = 64
_LONGEST_DESCRIPTION: Final = 2_000
_LONGEST_RESULT: Final = 200_000
_MOST_TOOLS: Final = 200
_STRANGE: Final = re.compile(r"[^a-z0-9]+")
_TOO_SLOW: Final = -32001
"""The SDK's code of a request that was not answered in time."""


@dataclass(frozen=True, slots=True)
class McpServer:
    """How a server is reached.

    Attributes:
        name: What the names of its tools begin with.
        command: The program to start; "" where `url` is given.
        args: Its arguments.
        url: Address of a server that runs already.
        env: Names of the variables that the program gets besides the usual ones.
        start_seconds: Longest wait for its list of tools.
        call_seconds: Longest wait for one answer.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    url: str = ""
    env: tuple[str, ...] = ()
    start_seconds: float = 20.0
    call_seconds: float = 60.0


@dataclass(slots=True)
class McpTools:
    """What the servers of a run contribute.

    Attributes:
        tools: The tools with the places that they come from, as `available_tools` takes them.
        failures: One line for every server or tool that cannot be used.
    """

    tools: list[tuple[str, AnyTool]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@asynccontextmanager
async def mcp_tools(servers: Sequence[McpServer]) -> AsyncIterator[McpTools]:
    """The tools of some servers, which live as long as the block.

    Args:
        servers: The servers; without any the SDK is not even imported.
    """
    found = McpTools()
    async with AsyncExitStack() as stack:
        for server in servers:
            try:
                client = await _started(server, stack)
                offered = await _listed(server, client)
            except ToolError as error:
                found.failures.append(error.message)
            else:
                _take(found, server, client, offered)
        yield found


async def _started(server: McpServer, stack: AsyncExitStack) -> "Client":
    """The connection to a server, which the stack ends.

    Raises:
        ToolError: It does not start or does not answer; the message is one line.
    """
    try:
        # Slow to import, and an optional extra.
        from mcp import Client, MCPError, StdioServerParameters  # noqa: PLC0415
        from mcp.client.stdio import stdio_client  # noqa: PLC0415
    except ImportError as error:
        why = "the package `mcp` is missing (`pip install libriscribe2[mcp]`)"
        raise _unusable(server, why) from error
    try:
        if server.url:
            client = Client(server.url)
        else:
            silence = stack.enter_context(_silence())
            environment = {name: os.environ[name] for name in server.env if name in os.environ}
            start = StdioServerParameters(
                command=server.command, args=list(server.args), env=environment
            )
            client = Client(stdio_client(start, silence))
        async with asyncio.timeout(server.start_seconds):
            connected = await client.__aenter__()
    except TimeoutError as error:
        raise _unusable(server, f"no answer within {server.start_seconds:g} seconds") from error
    except (MCPError, OSError, ValueError, ExceptionGroup) as error:
        raise _unusable(server, _reason(error)) from error
    stack.push_async_callback(_end, client)
    return connected


@contextmanager
def _silence() -> Iterator[TextIO]:
    """Where a server's stderr goes: it must not reach the user's terminal as it is."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        yield nowhere


async def _end(client: "Client") -> None:
    """Take leave of a server; how it takes that is of no matter."""
    with suppress(OSError, ExceptionGroup):
        await client.__aexit__(None, None, None)


async def _listed(server: McpServer, client: "Client") -> "list[Offered]":
    """The tools that a server offers.

    Raises:
        ToolError: It does not answer.
    """
    from mcp import MCPError  # noqa: PLC0415 - see above

    tools: list[Offered] = []
    cursor: str | None = None
    try:
        async with asyncio.timeout(server.start_seconds):
            while len(tools) < _MOST_TOOLS:
                page = await client.list_tools(cursor=cursor)
                tools += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    break
    except TimeoutError as error:
        raise _unusable(server, f"no answer within {server.start_seconds:g} seconds") from error
    except (MCPError, OSError, ValueError) as error:
        raise _unusable(server, _reason(error)) from error
    return tools[:_MOST_TOOLS]


def _take(found: McpTools, server: McpServer, client: "Client", offered: "list[Offered]") -> None:
    """Take a server's tools, each whose name is free and whose schema can be used."""
    taken = {tool.name for tool in all_tools()} | {tool.name for _, tool in found.tools}
    for one in offered:
        name = f"{server.name}_{_STRANGE.sub('_', one.name.casefold()).strip('_')}"[:_LONGEST_NAME]
        told = f"The tool {one.name[:80]!r} of the MCP server {server.name!r} cannot be used"
        if name in taken:
            found.failures.append(f"{told}: the name {name} is taken.")
            continue
        try:
            arguments = arguments_by(name, one.input_schema)
        except ValueError as error:
            found.failures.append(f"{told}: {error}.")
            continue
        taken.add(name)
        tool = _tool(server, client, one, name, arguments)
        found.tools.append((f"MCP server {server.name!r}", tool))


def _tool(
    server: McpServer,
    client: "Client",
    offered: "Offered",
    name: str,
    arguments: type[McpArguments],
) -> Tool[McpArguments]:
    async def run(context: ToolContext, given: McpArguments) -> JsonValue:
        del context
        return await _call(server, client, offered.name, given.model_dump(mode="json"))

    described = (offered.description or offered.title or offered.name).strip()
    return Tool(name, described[:_LONGEST_DESCRIPTION] or name, arguments, run)


async def _call(
    server: McpServer, client: "Client", name: str, arguments: dict[str, Any]
) -> JsonValue:
    """What a tool of a server returns.

    Raises:
        ToolError: 422 where the tool says that the call failed, 502 where the server is gone, 504
            where it takes too long, 413 where it says too much.
    """
    from mcp import MCPError  # noqa: PLC0415 - see above

    try:
        result = await client.call_tool(name, arguments, read_timeout_seconds=server.call_seconds)
    except MCPError as error:
        status = 504 if error.code == _TOO_SLOW else 502
        raise _failed(status, server, name, _reason(error)) from error
    except (OSError, ValueError, RuntimeError) as error:
        raise _failed(502, server, name, _reason(error)) from error
    text = "\n".join(_texts(result))
    if result.is_error:
        raise _failed(422, server, name, " ".join(text.split())[:500] or "it gives no reason")
    value: JsonValue = result.structured_content
    if value is None:
        value = {"text": text}
    if len(json.dumps(value)) > _LONGEST_RESULT:
        raise _failed(413, server, name, "its result is too long")
    return value


def _texts(result: "CallToolResult") -> Iterator[str]:
    """The texts of a result; pictures and sounds are left out."""
    for block in result.content:
        if block.type == "text":
            yield block.text


def _failed(status: int, server: McpServer, tool: str, reason: str) -> ToolError:
    return ToolError(
        status,
        "mcp_call_failed",
        f"The tool {tool!r} of the MCP server {server.name!r} failed: {reason}.",
        {"server": server.name, "tool": tool, "reason": reason},
    )


def _unusable(server: McpServer, reason: str) -> ToolError:
    return ToolError(
        502,
        "mcp_server_unusable",
        f"The MCP server {server.name!r} cannot be used: {reason}.",
        {"server": server.name},
    )


def _reason(error: BaseException) -> str:
    """The first thing that went wrong, on one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    told = " ".join(str(getattr(error, "message", "") or error).split())
    return (told or type(error).__name__)[:300].rstrip(".")
