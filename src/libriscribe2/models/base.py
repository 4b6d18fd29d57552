"""The base of all shapes, and the JSON Schema that a structured request shows to the model."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from libriscribe2.replies.schema_fit import Limits, as_json_schema


def _stripped(text: str) -> str:
    """Text without white space around it."""
    stripped = text.strip()
    if not stripped:
        raise PydanticCustomError("blank", "Field cannot be empty or whitespace only")
    return stripped


Identifier = Field(json_schema_extra={"identifier": True})
"""Marks a text as a title, a name, an id or another short label: emphasis around it is no part of it."""

Label = Annotated[str, Identifier]
"""An identifier that may be blank."""

Prose = Annotated[str, Field(json_schema_extra={"identifier": False})]
"""Text whose emphasis belongs to it, but around a name that is all of it; may be blank."""

Text = Annotated[Prose, Field(min_length=1), AfterValidator(_stripped)]
"""Prose that says something: stripped, and refused when nothing is left."""

Name = Annotated[Text, Identifier]
"""An identifier that says something."""


def _as_list(value: Any) -> Any:
    """A comma-separated string as a list; None as an empty one; blanks and repeats dropped."""
    if value is None:
        return []
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list) or not all(isinstance(item, str | None) for item in value):
        return value
    stripped = (item.strip() for item in value if item is not None)
    return list(dict.fromkeys(item for item in stripped if item))


TextList = Annotated[list[Prose], BeforeValidator(_as_list)]
"""A list of short texts; also reads `"a, b"`, drops blanks and repeats."""

Names = Annotated[list[Label], BeforeValidator(_as_list)]
"""A list of identifiers; reads what `TextList` reads."""


def listed(said: Any, words: tuple[str, ...], otherwise: str) -> str:
    """A word of a closed list, however it is spelt; `otherwise` where it is none of them."""
    word = said.casefold().strip().replace("_", " ") if isinstance(said, str) else ""
    return word if word in words else otherwise


class Shape(BaseModel):
    """Base of what a model answers; keys that nobody asked for are left out."""

    model_config = ConfigDict(extra="ignore")


def fits(entry: Any, shape: type[Shape]) -> bool:
    """Whether an entry of a list can be read as a shape."""
    try:
        shape.model_validate(entry)
    except ValidationError:
        return False
    return True


def request_schema(model: type[BaseModel], limits: Limits | None = None) -> dict[str, Any]:
    """The schema of `model` as providers want it: no references, every property required.

    Args:
        model: What the reply is validated as. It may be more lenient than the request.
        limits: Counts and choices of this one request.

    Returns:
        A JSON Schema object that stands on its own.

    Raises:
        KeyError: `limits` names a property that the model does not have.
    """
    schema: dict[str, Any] = json.loads(_plain_schema(model))
    for path, keywords in (limits or {}).items():
        _at(schema, path).update(keywords)
    return schema


def _plain_schema(model: type[BaseModel]) -> str:
    """The schema of `model` without limits, as JSON: reading that is the quickest copy."""
    raw = as_json_schema(model)  # which whoever reads the reply works out as well, once
    return json.dumps(_inline(raw, raw.get("$defs", {})))


def _inline(node: Any, definitions: Mapping[str, Any]) -> Any:
    """`node` with references replaced, titles dropped and objects closed."""
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inline(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    plain = {
        key: _inline(value, definitions)
        for key, value in node.items()
        if key not in ("$defs", "default", "identifier")
        and not (key == "title" and isinstance(value, str))
    }
    if "properties" in plain:
        names = {name: _inline(value, definitions) for name, value in node["properties"].items()}
        plain |= {"properties": names, "required": list(names), "additionalProperties": False}
    return plain


def _at(schema: dict[str, Any], path: str) -> dict[str, Any]:
    """The part of `schema` that describes the property at `path`."""
    part = schema
    for name in path.split("."):
        part = part.get("items", part)["properties"][name]
    return part
