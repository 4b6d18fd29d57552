"""The catalog: which tools there are.

A tool exists by being the `TOOL` of a module in `libriscribe2.research.tools`, or an entry point
of the group `libriscribe2.tools`.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module, metadata
from pkgutil import iter_modules
from typing import Any, Final

from libriscribe2.errors import LibriScribeError
from libriscribe2.research import tools
from libriscribe2.research.tool import Tool, ToolContext

ENTRY_POINTS: Final = "libriscribe2.tools"
"""Entry-point group under which another package offers tools."""

AnyTool = Tool[Any]


@cache  # 78 ms to look through modules and entry points
def all_tools() -> tuple[AnyTool, ...]:
    """Every tool there is, by name.

    Raises:
        LibriScribeError: Two tools have one name, or something offered is not a tool or cannot
            be loaded.
    """
    return catalog((*_shipped(), *_offered()))


def available_tools(
    context: ToolContext, more: Iterable[tuple[str, object]] = ()
) -> tuple[AnyTool, ...]:
    """The tools that a plan may use: those whose needs the context meets, by name.

    Args:
        context: What the tools would work with.
        more: Tools that only this run has, such as those of MCP servers, with their places.

    Raises:
        LibriScribeError: Two tools have one name, or something offered is not a tool.
    """
    found = catalog((*((tool.name, tool) for tool in all_tools()), *more))
    return tuple(tool for tool in found if tool.available(context))


def catalog(found: Iterable[tuple[str, object]]) -> tuple[AnyTool, ...]:
    """Tools sorted by name.

    Args:
        found: Every tool with the place that it comes from.

    Raises:
        LibriScribeError: Two tools have one name, or something is not a tool; the error names
            the places.
    """
    by_name: dict[str, tuple[str, AnyTool]] = {}
    for place, tool in found:
        if not isinstance(tool, Tool):
            raise LibriScribeError(
                f"{place} is {type(tool).__name__}, not a tool.",
                why="A module of tools needs a `TOOL`, and an entry point has to refer to one.",
            )
        if tool.name in by_name:
            raise LibriScribeError(
                f"{by_name[tool.name][0]} and {place} are both the tool {tool.name!r}.",
                why="A tool's name belongs to one tool: plans call it by that name.",
                fix="Remove one of the two packages, or rename its tool.",
            )
        by_name[tool.name] = (place, tool)
    return tuple(by_name[name][1] for name in sorted(by_name))


def _shipped() -> Iterator[tuple[str, object]]:
    """The `TOOL` of every module of the package."""
    for found in iter_modules(tools.__path__):
        module = import_module(f"{tools.__name__}.{found.name}")
        yield f"{module.__name__}.TOOL", getattr(module, "TOOL", None)


def _offered() -> Iterator[tuple[str, object]]:
    """What other packages' entry points lead to."""
    for point in metadata.entry_points(group=ENTRY_POINTS):
        try:
            offered = point.load()
        except (ImportError, AttributeError) as error:
            raise LibriScribeError(
                f"The tool {point.name!r} of another package cannot be loaded.",
                why=f"{point.value}: {error}",
                fix="Repair or remove that package.",
            ) from error
        yield f"{point.value} (entry point {point.name!r})", offered
