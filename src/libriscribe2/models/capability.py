"""What a tool takes, as planners and resolvers see it.

A *capability* is one callable tool (parameter-binding design, seed 000).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

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
    """One tool as plans and resolvers see it."""

    name: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()

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
        return cls(described["name"], described.get("description", ""), parameters)


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
