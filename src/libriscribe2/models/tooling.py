"""Shapes of tool chains: capabilities, plans, steps, results."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

StepId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}$")]
"""Name of a step: it stands in templates and in paths of calls."""

Layer = Literal[
    "literal", "template", "auto_wire", "micro_resolution", "semantic_fallback", "correction"
]
"""Who settled a value, in the order of precedence; a correction comes after a refused call."""


class _Record(BaseModel):
    """Base of what is kept: never changed once it is made."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class StepMetadata(_Record):
    """What a step gives its tool.

    Attributes:
        parameters: Values by name: literals, and templates such as `{{step-1.response.url}}`.
    """

    parameters: dict[str, JsonValue] = Field(default_factory=dict)


class PlanStep(_Record):
    """One call of a tool.

    Attributes:
        step_id: Its name in the plan.
        agent_name: The tool that is called.
        instruction: What the step is for, in the planner's words.
        depends_on: The steps whose results it needs.
        metadata: What the tool is given.
    """

    step_id: StepId
    agent_name: Annotated[str, Field(min_length=1)]
    instruction: str = ""
    depends_on: tuple[str, ...] = ()
    metadata: StepMetadata = StepMetadata()

    @property
    def tool(self) -> str:
        """The tool that is called."""
        return self.agent_name

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """What the plan says of the tool's parameters; not to be changed."""
        return self.metadata.parameters

    @model_validator(mode="before")
    @classmethod
    def _other_spellings(cls, value: Any) -> Any:
        """The step in the fields above, as models also spell it."""
        if not isinstance(value, dict):
            return value
        step = dict(value)
        metadata = _as_table(step.get("metadata"))
        given = metadata.get("parameters")
        for name in ("parameters", "arguments"):
            beside = step.pop(name, None)
            given = beside if given is None else given
        step["metadata"] = {"parameters": {} if given is None else given}
        tools = (metadata.get("capability"), *(step.get(n) for n in ("agent_name", "tool", "name")))
        step["agent_name"] = next((tool for tool in tools if tool), "")
        step["step_id"] = _as_id(step.get("step_id", step.get("id")))
        needs = step.get("depends_on") or ()
        listed = needs if isinstance(needs, list | tuple) else (needs,)
        step["depends_on"] = [_as_id(needed) for needed in listed]
        return step


def _as_table(metadata: Any) -> dict[str, Any]:
    """A step's metadata as plain JSON."""
    if isinstance(metadata, StepMetadata):
        return metadata.model_dump()
    return metadata if isinstance(metadata, dict) else {}


def _as_id(value: Any) -> Any:
    """A step's number as its name."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Plan(_Record):
    """Which tools are called, with what, in which order.

    Attributes:
        plan_id: Its name.
        original_request: What the user asked for, in the user's words.
        steps: The calls; a step may stand before one that it depends on.
    """

    plan_id: str = ""
    original_request: str = ""
    steps: tuple[PlanStep, ...]

    def sha(self) -> str:
        """The plan's identity: 16 hex digits of the SHA-256 of its JSON text."""
        text = json.dumps(self.model_dump(mode="json"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


class ErrorAnalysisResult(_Record):
    """What a model says of a refused tool call.

    Attributes:
        should_retry: Whether other parameters could succeed.
        reason: Why, or why not.
        suggested_changes: Parameters to change, by name; None for none.
        is_transient_error: Whether the same parameters could succeed later.
    """

    should_retry: bool
    reason: str = ""
    suggested_changes: dict[str, JsonValue] | None = None
    is_transient_error: bool = False

    @model_validator(mode="before")
    @classmethod
    def _suggestion_is_a_reason(cls, value: Any) -> Any:
        if isinstance(value, dict) and "reason" not in value and "suggestion" in value:
            return {**value, "reason": value["suggestion"]}
        return value


class Binding(_Record):
    """How one parameter got its value.

    Attributes:
        parameter: Its name.
        value: The value that the tool was given.
        layer: Who settled it.
        step: The step that the value came from; several, joined by a comma, where a model saw
            them all; "" for a literal.
    """

    parameter: str
    value: JsonValue
    layer: Layer
    step: str = ""


class Correction(_Record):
    """Parameters that were changed after a tool had refused a call.

    Attributes:
        changes: The new values by name.
        reason: Why, in the model's words.
        error: What the tool had said.
    """

    changes: dict[str, JsonValue]
    reason: str = ""
    error: str = ""


class StepResult(_Record):
    """What came of a step.

    Attributes:
        step_id: The step.
        tool: The tool that was to be called.
        status: `done`, `failed`, or `skipped` because a step that it needs did not succeed.
        response: What the tool returned.
        error: Why there is no response, or "".
        transient: Whether the very same call may succeed another time: a server was in trouble.
        parameters: What the tool was given at last.
        bindings: Where each parameter came from.
        corrections: What was changed between the calls.
        tool_calls: How often the tool was called.
        llm_calls: How many questions to a model the step took, those of its tool included.
        cost_usd: What these cost; None where a price is unknown.
        seconds: How long the step took.
    """

    step_id: str
    tool: str
    status: Literal["done", "failed", "skipped"]
    response: JsonValue = None
    error: str = ""
    transient: bool = False
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    bindings: tuple[Binding, ...] = ()
    corrections: tuple[Correction, ...] = ()
    tool_calls: int = 0
    llm_calls: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0

    @property
    def success(self) -> bool:
        """Whether the tool returned a result."""
        return self.status == "done"


class RunRecord(_Record):
    """A plan and what has come of it so far.

    Attributes:
        plan: The plan, as it was before the first step.
        results: The finished steps, by their ids.
        metrics: Counters of the run (`research/chain_model.py`).
    """

    plan: Plan
    results: dict[str, StepResult] = Field(default_factory=dict)
    metrics: dict[str, float] = Field(default_factory=dict)

    @property
    def success(self) -> bool:
        """Whether every step succeeded."""
        found = (self.results.get(step.step_id) for step in self.plan.steps)
        return all(result is not None and result.success for result in found)


_MAX_DEPTH: Final = 12


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a capability.

    Attributes:
        name: Its name.
        type: JSON Schema's name of its type, or a synonym; `any` where several are allowed.
        required: Whether a call without it is refused.
        description: What it means, for a model.
        default: What a call without it means.
        enum: The only values it may have; empty for no such limit.
        schema: Its JSON Schema, without references.
    """

    name: str
    type: str = "string"
    required: bool = False
    description: str = ""
    default: Any = None
    enum: tuple[Any, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict)

    def as_schema(self) -> dict[str, Any]:
        """Its JSON Schema, made of the other fields where it came with none."""
        if self.schema:
            return dict(self.schema)
        named = {"type": self.type} if self.type != "any" else {}
        said = {"description": self.description} if self.description else {}
        return {**named, **said, **({"enum": list(self.enum)} if self.enum else {})}


@dataclass(frozen=True, slots=True)
class Capability:
    """One tool as plans and resolvers see it.

    Attributes:
        name: Its name.
        description: What it does and returns.
        parameters: What it can be given.
        one_of: Groups of parameters of which a call needs at least one (`anyOf` in its schema).
        together: Groups of parameters that describe one thing (`dependentRequired`): where a step
            gives one of them, it has to give the others.
    """

    name: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()
    together: tuple[tuple[str, ...], ...] = ()

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        return next((one for one in self.parameters if one.name == name), None)

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the parameters that a call needs."""
        return tuple(one.name for one in self.parameters if one.required)

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> "Capability":
        """The capability of a catalog entry: `name`, `description`, `parameters` (JSON Schema)."""
        schema = described["parameters"]
        definitions = schema.get("$defs", {})
        required = set(schema.get("required", ()))
        parameters = tuple(
            _parameter(name, _inline(node, definitions, _MAX_DEPTH), required=name in required)
            for name, node in schema.get("properties", {}).items()
        )
        return cls(
            described["name"],
            described.get("description", ""),
            parameters,
            one_of=_one_of(schema),
            together=_together(schema),
        )

    def lacking(self, given: Collection[str]) -> tuple[str, ...]:
        """What a call with these parameters still needs; of a group, all its names as one."""
        absent = [name for name in self.required if name not in given]
        groups = (one for one in self.one_of if not any(name in given for name in one))
        return (*absent, *(" or ".join(one) for one in groups))


def _one_of(schema: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The group of a schema whose branches each require one parameter."""
    required = [branch.get("required", ()) for branch in schema.get("anyOf", ())]
    single = [one[0] for one in required if len(one) == 1]
    return (tuple(single),) if single and len(single) == len(required) else ()


def _together(schema: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    groups = {
        tuple(sorted({name, *others}))
        for name, others in schema.get("dependentRequired", {}).items()
    }
    return tuple(sorted(groups))


def _parameter(name: str, node: Mapping[str, Any], *, required: bool) -> Parameter:
    core = _core(node)
    return Parameter(
        name=name,
        type=str(core.get("type", "any")),
        required=required,
        description=str(node.get("description", "")),
        default=node.get("default"),
        enum=tuple(core.get("enum", (core["const"],) if "const" in core else ())),
        schema={key: value for key, value in node.items() if key != "default"},
    )


def _core(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The one kind of value that a schema allows beside null; nothing where there are several."""
    branches = node.get("anyOf") or node.get("oneOf") or node.get("allOf")
    if isinstance(branches, list):
        real = [branch for branch in branches if branch.get("type") != "null"]
        return _core(real[0]) if len(real) == 1 else {}
    kinds = node.get("type")
    if isinstance(kinds, list):
        named = [kind for kind in kinds if kind != "null"]
        return {**node, "type": named[0]} if len(named) == 1 else {}
    return node


def _inline(node: Any, definitions: Mapping[str, Any], depth: int) -> Any:
    """A schema with its references replaced; below `depth` anything is allowed."""
    if isinstance(node, list):
        return [_inline(item, definitions, depth) for item in node]
    if not isinstance(node, Mapping):
        return node
    if "$ref" not in node:
        return {key: _inline(value, definitions, depth) for key, value in node.items()}
    if depth <= 0:
        return {}
    meant = definitions.get(str(node["$ref"]).rsplit("/", 1)[-1], {})
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _inline({**meant, **beside}, definitions, depth - 1)
