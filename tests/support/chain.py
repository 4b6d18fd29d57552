"""A chain of tools without a network: tools that are functions, and a model that is a script."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from libriscribe2.llm.backend import Completion, Line, Request, ScriptedBackend
from libriscribe2.llm.client import LLMClient
from libriscribe2.models.tooling import Capability, Parameter, Plan, PlanStep, RunRecord
from libriscribe2.research.chain_model import ChainModel
from libriscribe2.research.research_chain import Orchestrator
from libriscribe2.research.run_store import RunStore
from libriscribe2.research.templates import OrchestratorConfig

Behaviour = Callable[[dict[str, Any]], Awaitable[Any]] | Iterable[Any] | Mapping[str, Any]
"""What a tool does: a function of its parameters, a script of results and errors, or one result."""


def needs(**parameters: str) -> tuple[Parameter, ...]:
    """Parameters by name and type; a type with `?` may be left out."""
    return tuple(
        Parameter(name, kind.removesuffix("?"), not kind.endswith("?"), f"the {name}")
        for name, kind in parameters.items()
    )


def capability(name: str, **parameters: str) -> Capability:
    """A tool with the parameters of `needs`."""
    return Capability(name, f"Does {name}.", needs(**parameters))


def step(step_id: str, tool: str, *after: str, **parameters: Any) -> PlanStep:
    """A step that depends on the steps `after`."""
    return PlanStep.model_validate(
        {
            "step_id": step_id,
            "agent_name": tool,
            "instruction": f"do {tool}",
            "depends_on": list(after),
            "metadata": {"parameters": parameters},
        }
    )


def plan(*steps: PlanStep, request: str = "the request") -> Plan:
    return Plan(plan_id="p", original_request=request, steps=steps)


def plan_text(*steps: PlanStep, plan_id: str = "p") -> str:
    """A plan as a model writes it."""
    return json.dumps({"plan_id": plan_id, "steps": [one.model_dump() for one in steps]})


def provides(**parameters: Any) -> Completion:
    """A model's native call of `provide_parameters`."""
    function = {"name": "provide_parameters", "arguments": json.dumps(parameters)}
    call = {"id": "c1", "type": "function", "function": function}
    return Completion("", tool_calls=(call,), finish_reason="tool_calls")


def judges(*, should_retry: bool, reason: str = "because", **changes: Any) -> str:
    """A model's judgement of a refused call."""
    told = {"should_retry": should_retry, "reason": reason, "suggested_changes": changes or None}
    return json.dumps(told)


def text_of(request: Request) -> str:
    """All words of a request."""
    return "\n\n".join(str(message["content"]) for message in request.messages)


class FakeTools:
    """Tools that do what they are told, and keep what they were given.

    Attributes:
        calls: Tool and parameters of each call, oldest first.
    """

    def __init__(self, **behaviours: Behaviour) -> None:
        self._behaviours = {
            name: iter(told) if isinstance(told, list) else told
            for name, told in behaviours.items()
        }
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def given(self, tool: str) -> list[dict[str, Any]]:
        """The parameters of each call of a tool."""
        return [parameters for name, parameters in self.calls if name == tool]

    async def call(self, one: PlanStep, parameters: dict[str, Any]) -> Any:
        self.calls.append((one.tool, dict(parameters)))
        told = self._behaviours[one.tool]
        if callable(told):
            return await told(parameters)
        result = told if isinstance(told, Mapping) else next(told)  # type: ignore[call-overload]
        if isinstance(result, Exception):
            raise result
        return result


class Waits:
    """A sleep that takes no time and remembers how long it was to last."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Chain:
    """An orchestrator over fakes.

    Args:
        capabilities: The tools' shapes.
        tools: What they do.
        *script: The model's replies, in order.
        store: Keeps the run.
        config: Switches and bounds.
    """

    def __init__(
        self,
        capabilities: Iterable[Capability],
        tools: FakeTools,
        *script: Line,
        store: RunStore | None = None,
        config: OrchestratorConfig | None = None,
    ) -> None:
        self.backend = ScriptedBackend(script)
        self.anew: list[str] = []
        self.model = model_of(self.backend)
        self.model.anew = self.anew.append
        self.waits = Waits()
        self.tools = tools
        self.store = store if store is not None else RunStore()
        self.orchestrator = Orchestrator(
            tuple(capabilities),
            tools,
            self.model,
            self.store,
            self.waits,
            config or OrchestratorConfig(),
        )

    async def execute(self, *steps: PlanStep, request: str = "the request") -> RunRecord:
        """Run a plan of these steps."""
        return await self.orchestrator.executor().execute(plan(*steps, request=request))

    @property
    def asked(self) -> int:
        """How many requests the model got."""
        return len(self.backend.calls)


def model_of(backend: ScriptedBackend) -> ChainModel:
    """A chain's model that plays a script."""
    return ChainModel(LLMClient("", "", "test-model", backend=backend))


def scripted(*script: Line) -> tuple[ChainModel, ScriptedBackend]:
    """A chain's model and the script that it plays."""
    backend = ScriptedBackend(script)
    return model_of(backend), backend
