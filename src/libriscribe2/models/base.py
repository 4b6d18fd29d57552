"""The base of all shapes, the JSON Schema that a request shows to the model, and kinds of knowledge.

A kind of knowledge is one module beside this one, such as `style`: the shape of its file, how a
prompt shows it, and a `Knowledge` at its end, which `context.knowledge_parts` finds. From that
follow where it is read, when a chapter waits for it, what makes a chapter stale, and the blocks of
the prompts that write and revise scenes. What a new kind needs besides:

1. the agent that makes the file (`writes` is `Knowledge.file`, `shape` is `Knowledge.shape`);
2. its hole, `$name`, in the prompts that write scenes (`chapters*.md`);
3. where its numbers are to be told, a line in the report.

"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.config import JsonDict
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


def closed(words: Any, otherwise: str) -> BeforeValidator:
    """Reads a word of a `Literal`, however it is spelt; any other one is read as `otherwise`."""
    return BeforeValidator(lambda said: listed(said, get_args(words), otherwise))


def usable(shape: "type[Shape]") -> BeforeValidator:
    """Reads those entries of a list that can be read: a bad one costs only itself."""

    def kept(said: Any) -> Any:
        return [one for one in said if fits(one, shape)] if isinstance(said, list) else said

    return BeforeValidator(kept)


def many(description: str, most: int = 0) -> Any:
    """The field of a list that may be empty, and perhaps has a longest length in the schema."""
    extra: JsonDict = {"maxItems": most} if most else {}
    return Field(default_factory=list, description=description, json_schema_extra=extra)


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
    # A field says what it wants; a class's docstring is for developers.
    own = {
        name: {key: value for key, value in one.items() if key != "description"}
        for name, one in {"": raw, **raw.get("$defs", {})}.items()
    }
    return json.dumps(_inline(own[""], own))


def _inline(node: Any, definitions: Mapping[str, Any]) -> Any:
    """`node` with references replaced, titles dropped and objects closed."""
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        beside = {key: value for key, value in node.items() if key == "description"}
        return _inline(definitions[node["$ref"].rsplit("/", 1)[1]], definitions) | beside
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


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One kind of knowledge that scenes may be written from.

    Attributes:
        name: What the prompts call it: the name of the hole and of the block.
        file: The file that holds it; with a `*` for the chapter's number, one per chapter.
        shape: The shape of the file.
        show: What a prompt shows of it within a budget (`prose.weigh`); "" for nothing. It is
            given the value of the file; of a kind with a file per chapter, the values of the
            chapters that may be seen, by number.
        budget: Most that the prompt of a scene shows of it.
        revision_budget: Most that requests about a finished chapter show of it; 0 for nothing.
    """

    name: str
    file: str
    shape: type[BaseModel]
    show: Callable[[Any, int], str]
    budget: int
    revision_budget: int = 0

    @property
    def per_chapter(self) -> bool:
        """Whether each chapter has a file of its own."""
        return "*" in self.file

    def file_of(self, chapter: int) -> str:
        """The file of a chapter."""
        return self.file.replace("*", f"{chapter:02d}")
