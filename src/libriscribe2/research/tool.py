"""A tool: what it declares, what it is given, and how a step calls it."""

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import override

from libriscribe2.models.notes import LONGEST_QUOTE
from libriscribe2.models.tooling import Capability, PlanStep
from libriscribe2.project.artifacts import Book
from libriscribe2.project.research_files import ResearchFolder
from libriscribe2.research.tool_error import ToolError
from libriscribe2.research.web.engines import Web

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""Names that every provider's function calling takes."""


class Arguments(BaseModel):
    """Base of a tool's arguments: an argument that the tool does not have is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


ArgumentsT = TypeVar("ArgumentsT", bound=BaseModel)


AnswerT = TypeVar("AnswerT", bound=BaseModel)


class Ask(Protocol):
    """A structured question to a model, through the client that journals and pays for it."""

    async def __call__(self, model: type[AnswerT], prompt: str, **values: str) -> AnswerT:
        """The model's answer.

        Args:
            model: The shape of the answer.
            prompt: The name of a prompt of `libriscribe2.prompts`.
            values: What goes into its holes.

        Raises:
            LibriScribeError: No usable answer came.
        """
        ...


Need = Literal["research", "ask", "web", "search", "plan"]
"""What a tool may need of its context: the research folder, a model, the web, a search engine, a
book that is planned."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool works with; whoever runs a plan makes one context per step.

    Attributes:
        book: The artifacts of the book.
        research: The author's sources and the texts that were saved from them and the web.
        ask: Asks a model; its requests belong to the step.
        web: The guarded way to the network, with the addresses that this run may fetch.
        today: The date that a record of a retrieval gets, `2026-03-31`; given by the caller, so
            that a run that is resumed tells the same.
        step: The id of the plan's step that calls the tool.
        is_planned: Whether people, places and text of the book may be there: not while the
            research is made from which it is planned.
        longest_quote: Most words of the quote of a note.
    """

    book: Book
    research: ResearchFolder | None = None
    ask: Ask | None = None
    web: Web | None = None
    today: str = ""
    step: str = ""
    is_planned: bool = True
    longest_quote: int = LONGEST_QUOTE

    def has(self, need: Need) -> bool:
        """Whether a tool that needs this can run."""
        if need == "plan":
            return self.is_planned
        if need == "search":
            return self.web is not None and self.web.engine is not None
        return {"research": self.research, "ask": self.ask, "web": self.web}[need] is not None


@dataclass(frozen=True, slots=True)
class Tool(Generic[ArgumentsT]):
    """Something that a plan can have done.

    Attributes:
        name: Lower-case letters, digits and underscores, at most 64.
        description: What it does and returns, for the model that chooses it.
        arguments: The shape of its arguments.
        run: Does it and returns plain JSON; raises `ToolError` where the call itself is wrong.
        needs: What its context has to have; without it the tool is in no plan's catalog.
    """

    name: str
    description: str
    arguments: type[ArgumentsT]
    run: Callable[[ToolContext, ArgumentsT], Awaitable[JsonValue]]
    needs: tuple[Need, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} cannot be the name of a tool")
        if not self.description.strip():
            raise ValueError(f"the tool {self.name} has no description")

    def available(self, context: ToolContext) -> bool:
        """Whether the context has what the tool needs."""
        return all(context.has(need) for need in self.needs)


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
