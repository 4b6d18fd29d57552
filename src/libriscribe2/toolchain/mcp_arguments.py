"""The arguments of a tool of an MCP server, held to the server's own JSON Schema."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar

from jsonschema import Draft202012Validator, SchemaError
from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import override


class McpArguments(BaseModel):
    """Whatever the server's schema takes."""

    model_config = ConfigDict(extra="allow", frozen=True)

    schema_of_server: ClassVar[Mapping[str, Any]] = {"type": "object"}

    @model_validator(mode="before")
    @classmethod
    def _by_schema(cls, value: Any) -> Any:
        fault = next(Draft202012Validator(cls.schema_of_server).iter_errors(value), None)
        if fault is not None:
            place = ".".join(str(part) for part in fault.absolute_path)
            told = f"{place}: {fault.message}" if place else fault.message
            raise PydanticCustomError("schema", "{told}", {"told": told[:500]})
        return value

    @override
    @classmethod
    def model_json_schema(cls, *arguments: Any, **named: Any) -> dict[str, Any]:
        """The server's own schema."""
        del arguments, named
        return deepcopy(dict(cls.schema_of_server))


def arguments_by(name: str, schema: Mapping[str, Any]) -> type[McpArguments]:
    """The arguments that a schema describes.

    Args:
        name: What the class is called.
        schema: The server's JSON Schema.

    Raises:
        ValueError: It is no schema of an object, or leads to another document, which would have
            to be fetched from an address of the server's choice.
    """
    if schema.get("type") != "object":
        raise ValueError("its schema is not one of an object")
    if _leads_elsewhere(schema):
        raise ValueError("its schema refers to another document")
    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, RecursionError) as error:
        raise ValueError("its schema is not valid") from error
    return type(name, (McpArguments,), {"schema_of_server": dict(schema), "__module__": __name__})


def _leads_elsewhere(schema: Any) -> bool:
    """Whether a part of a schema is to be found outside of it."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, Mapping):
            for key, value in node.items():
                is_link = key in {"$ref", "$dynamicRef"} and isinstance(value, str)
                if (is_link and not value.startswith("#")) or (
                    key == "$id" and isinstance(value, str)
                ):
                    return True
                stack.append(value)
        elif isinstance(node, list):
            stack.extend(node)
    return False
