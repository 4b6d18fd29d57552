"""What a tool is: a name, a description, the shape of its arguments and a function."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import override

from libriscribe2.project.artifacts import Book

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""Names that every provider's function calling takes."""


class Arguments(BaseModel):
    """Base of a tool's arguments: an argument that the tool does not have is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


ArgumentsT = TypeVar("ArgumentsT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool works with.

    Attributes:
        book: The artifacts of the book.
    """

    book: Book


@dataclass(frozen=True, slots=True)
class Tool(Generic[ArgumentsT]):
    """Something that a plan can have done.

    Attributes:
        name: Lower-case letters, digits and underscores, at most 64.
        description: What it does and returns, for the model that chooses it.
        arguments: The shape of its arguments.
        run: Does it and returns plain JSON; raises `ToolError` where the call itself is wrong.
    """

    name: str
    description: str
    arguments: type[ArgumentsT]
    run: Callable[[ToolContext, ArgumentsT], Awaitable[JsonValue]]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} cannot be the name of a tool")
        if not self.description.strip():
            raise ValueError(f"the tool {self.name} has no description")


def describe(tool: Tool[Any]) -> dict[str, Any]:
    """A tool as a catalog shows it: `name`, `description`, and `parameters` as a JSON Schema."""
    schema = tool.arguments.model_json_schema(schema_generator=_WithoutTitles)
    # Pydantic titles the model itself after its class, and describes it by the class's docstring;
    # both would tell a reader about our code, not about the tool.
    kept = {key: value for key, value in schema.items() if key not in ("title", "description")}
    kept.setdefault("properties", {})
    kept.setdefault("required", [])
    return {"name": tool.name, "description": tool.description, "parameters": kept}


class _WithoutTitles(GenerateJsonSchema):
    """Leaves out the titles that only repeat the names of the fields."""

    @override
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False
