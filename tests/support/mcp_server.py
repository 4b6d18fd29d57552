"""A small MCP server over its standard streams: `python -m tests.support.mcp_server`."""

import os

from mcp.server.mcpserver import MCPServer


def measure(word: str, times: int = 1) -> dict[str, int]:
    """How long a word is.

    Args:
        word: The word.
        times: How often it is laid end to end.
    """
    if not word:
        raise ValueError("the word is empty")
    return {"length": len(word) * times}


def greet(name: str) -> str:
    """Greet somebody."""
    return f"Good day, {name}."


def variable(name: str) -> str:
    """What a variable of the environment holds."""
    return os.environ.get(name, "")


def main() -> None:
    """Serve until the client hangs up."""
    server = MCPServer("measures")
    server.tool()(measure)
    server.tool(structured_output=False)(greet)
    server.tool(name="Read-Variable", structured_output=False)(variable)
    server.tool(name="GREET", structured_output=False)(greet)
    server.run()


if __name__ == "__main__":
    main()
