"""The tools of this process as the executor calls them."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from libriscribe2.models.tooling import Capability, PlanStep
from libriscribe2.toolchain.tool import Tool, ToolContext, describe
from libriscribe2.toolchain.tool_error import ToolError


class ToolBox(Protocol):
    """Whoever carries out calls of tools."""

    async def call(self, step: PlanStep, parameters: dict[str, Any]) -> Any:
        """The result of a step's tool, as plain JSON.

        Raises:
            Exception: Whatever the tool raises; `tool_failure` gives it a status.
        """
        ...


class InProcessTools:
    """Tools that are functions.

    Args:
        tools: The tools.
        context: Makes what a step's tool works with.
    """

    def __init__(
        self, tools: Iterable[Tool[Any]], context: Callable[[PlanStep], ToolContext]
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._context = context

    async def call(self, step: PlanStep, parameters: dict[str, Any]) -> Any:
        """The tool's result; its arguments are validated first.

        Raises:
            pydantic.ValidationError: The parameters are not the tool's.
            ToolError: The tool refuses the call, or there is no such tool.
        """
        tool = self._tools.get(step.tool)
        if tool is None:
            raise ToolError(405, "no_such_tool", f"There is no tool {step.tool!r}.")
        arguments = tool.arguments.model_validate(parameters)
        return await tool.run(self._context(step), arguments)


def capabilities_of(tools: Iterable[Tool[Any]]) -> tuple[Capability, ...]:
    """The tools as planners and resolvers see them."""
    return tuple(Capability.of(describe(tool)) for tool in tools)
