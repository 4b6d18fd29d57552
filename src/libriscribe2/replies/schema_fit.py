"""How well a JSON value fits the wanted schema: the measure that chooses among candidates.

This is no validator. It reads the part of JSON Schema that Pydantic emits (types, properties,
required, items, enum, const, $ref, anyOf/oneOf/allOf) and never raises on the rest.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias
from unicodedata import normalize

from pydantic import BaseModel

Schema: TypeAlias = type[BaseModel] | Mapping[str, Any]
Limits = Mapping[str, Mapping[str, Any]]
"""Keywords to add by property, such as `{"chapters": {"minItems": 12, "maxItems": 12}}`.

The property's name is dotted from the top; list items add no part of their own.
"""

_ALIKE: Final = str.maketrans("асеорхуіѕј", "aceopxyisj")
_MAX_NODES: Final = 20_000
_MAX_REFERENCES: Final = 20
_ANY: Final[Mapping[str, Any]] = {}
_SAME: Final = ("items", "anyOf", "oneOf", "allOf")
_TYPES: Final = (bool, int, float, str, dict, list, type(None))
_NAMES: Final = ("boolean", "integer", "number", "string", "object", "array", "null")
_JSON_TYPES: Final[Mapping[type, str]] = dict(zip(_TYPES, _NAMES, strict=True))


@dataclass(frozen=True, slots=True)
class Fit:
    """The measure of one value against one schema.

    Attributes:
        known: How many of the schema's own properties the value has at its root.
        missing: How many required properties are absent, at any depth.
        mistyped: How many places hold a value of another type.
    """

    known: int
    missing: int
    mistyped: int

    @property
    def full(self) -> bool:
        """Nothing is missing and nothing has the wrong type."""
        return not self.missing and not self.mistyped


# Pydantic takes 9 ms for the schema of an outline, and every reply asks.
@lru_cache(maxsize=256)
def _model_schema(model: type[BaseModel]) -> Mapping[str, Any]:
    return model.model_json_schema()


def as_json_schema(schema: Schema) -> Mapping[str, Any]:
    """The JSON Schema of a model, or the mapping itself.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(schema, Mapping):
        return schema
    given: Any = schema
    if not (isinstance(given, type) and issubclass(given, BaseModel)):
        raise TypeError(
            f"the shape must be a pydantic model or a JSON Schema as a mapping, not {schema!r}; "
            "`TypeAdapter(...).json_schema()` makes one of any other type"
        )
    return _model_schema(schema)


def resolve(node: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema node with local `$ref`s followed and `allOf` of one part opened."""
    for _ in range(_MAX_REFERENCES):
        if not isinstance(node, Mapping):
            return _ANY
        reference = node.get("$ref")
        parts = node.get("allOf")
        if isinstance(reference, str):
            node = _pointer(reference, root)
        elif isinstance(parts, list) and len(parts) == 1:
            node = parts[0]
        else:
            return node
    return _ANY


def _pointer(reference: str, root: Mapping[str, Any]) -> Any:
    node: Any = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if step and isinstance(node, Mapping) else node
    return node


def json_type(value: Any) -> str:
    """The JSON Schema name of a value's type; a whole number is an "integer"."""
    return _JSON_TYPES.get(type(value), "")


def types_of(node: Mapping[str, Any]) -> frozenset[str]:
    """The types that a schema node names itself; empty when it names none."""
    named = node.get("type")
    if isinstance(named, str):
        return frozenset({named})
    if isinstance(named, list):
        return frozenset(named)
    if "properties" in node:
        return frozenset({"object"})
    return frozenset({"array"}) if "items" in node else frozenset()


def types_at(node: Any, root: Mapping[str, Any]) -> frozenset[str]:
    """The types of a schema node that may be a reference."""
    return types_of(resolve(node, root))


def alternatives(node: Any, root: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The node itself, or the branches of its anyOf or oneOf, resolved."""
    node = resolve(node, root)
    branches = node.get("anyOf") or node.get("oneOf")
    if not isinstance(branches, list):
        return [node]
    return [resolve(branch, root) for branch in branches]


def accepts_type(node: Mapping[str, Any], value: Any) -> bool:
    """Whether a resolved schema node allows a value of this type, and lists it if it lists any."""
    allowed, kind = types_of(node), json_type(value)
    if allowed and kind not in allowed:
        return kind == "integer" and "number" in allowed
    if isinstance(value, dict | list):
        return True
    if "const" in node:
        return bool(node["const"] == value)
    listed = node.get("enum")
    return not isinstance(listed, list) or value in listed


def branch_for(node: Any, value: Any, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The resolved branch of a schema node that takes a value of this type, or None."""
    fitting = [branch for branch in alternatives(node, root) if accepts_type(branch, value)]
    if not isinstance(value, dict) or len(fitting) < 2:
        return fitting[0] if fitting else None
    return min(fitting, key=lambda branch: len(missing_keys(branch, value)))


def missing_keys(node: Mapping[str, Any], value: Mapping[str, Any]) -> list[str]:
    """The required properties that an object lacks."""
    required = node.get("required")
    return [name for name in required if name not in value] if isinstance(required, list) else []


def properties_of(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The named properties of an object schema."""
    properties = node.get("properties")
    return properties if isinstance(properties, Mapping) else _ANY


def plain_name(name: str) -> str:
    """A field's name without case, accents, a number before it and what is no letter or digit.

    Cyrillic letters count as the Latin ones that look the same.
    """
    return re.sub(r"^\d+[.)] |[\W_]+", "", normalize("NFKD", name)).casefold().translate(_ALIKE)


def schema_nodes(schema: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every node of a schema, with the name of the property that it, or its list, stands under."""
    pending: list[tuple[str, Any]] = [("", schema)]
    while pending:
        name, node = pending.pop()
        if isinstance(node, list):
            pending += [(name, part) for part in node]
        elif isinstance(node, Mapping):
            yield name, node
            pending += [(name if key in _SAME else key, part) for key, part in node.items()]


def required_names(schema: Mapping[str, Any]) -> Iterator[str]:
    """The names of all required properties, at any depth; "" for a list that is all of the value."""
    for _, node in schema_nodes(schema):
        required = node.get("required")
        yield from required if isinstance(required, list) else ()
    if "array" in types_at(schema, schema):
        yield ""


def sole_list(schema: Mapping[str, Any]) -> str:
    """The one property that an object needs, where it is a list; else ""."""
    node = resolve(schema, schema)
    properties = properties_of(node)
    needed = list(node.get("required") or properties)
    alone = len(needed) == 1 and "array" in types_at(properties.get(needed[0]), schema)
    return needed[0] if alone else ""


def integers_of(node: Mapping[str, Any], root: Mapping[str, Any]) -> list[str]:
    """The properties of an object that are integers and nothing else."""
    found = properties_of(node).items()
    return [name for name, prop in found if types_at(prop, root) == {"integer"}]


def identifier_marks(schema: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Each property that the schema marks as an identifier, or as none, by its name.

    The mark is the keyword `identifier`, at the property or at the items of its list.
    """
    for name, node in schema_nodes(schema):
        if isinstance(mark := node.get("identifier"), bool):
            yield name, mark


def fit(value: Any, schema: Mapping[str, Any]) -> Fit:
    """Measure a value against a JSON Schema, up to a bounded number of nodes."""
    missing = mistyped = 0
    pending: list[tuple[Any, Any]] = [(schema, value)]
    for _ in range(_MAX_NODES):
        if not pending:
            break
        node, item = pending.pop()
        branch = branch_for(node, item, schema)
        if branch is None:
            mistyped += 1
            continue
        if isinstance(item, dict):
            missing += len(missing_keys(branch, item))
            properties, extra = properties_of(branch), branch.get("additionalProperties")
            pending += [(properties.get(key, extra), one) for key, one in item.items()]
        elif isinstance(item, list) and "items" in branch:
            pending += [(branch["items"], one) for one in item]
    root = branch_for(schema, value, schema) if isinstance(value, dict) else None
    return Fit(sum(key in value for key in properties_of(root or _ANY)), missing, mistyped)


SCHEMA_WORDS: Final = frozenset(
    ("type", "$ref", "anyOf", "allOf", "oneOf", "enum", "const", "items", "title", "description")
)


def is_schema_echo(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value is itself a JSON Schema where the wanted schema asks for none."""
    if not isinstance(value, dict) or "properties" in properties_of(resolve(schema, schema)):
        return False
    declared, keywords = properties_of(value).values(), SCHEMA_WORDS - {"title", "description"}
    echoes = (isinstance(node, dict) and bool(keywords & node.keys()) for node in declared)
    return bool(declared) and all(echoes)
