"""How the reply of a dump was read, so that the same reply can be read again later."""

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import BaseModel

from libriscribe2.replies.contract import Parser, ParserResult, prose_parser
from libriscribe2.replies.parsers import pydantic_parser, within_limits
from libriscribe2.replies.schema_fit import Limits


@dataclass(frozen=True)
class ReplyReader:
    """A parser that knows how to be written down.

    Attributes:
        parse: The parser itself.
        said: What a dump keeps of it (`as_record`).
    """

    parse: Parser
    said: Mapping[str, Any] = field(compare=False)

    def __call__(self, raw_reply: str) -> ParserResult:
        """What the parser makes of a reply."""
        return self.parse(raw_reply)

    @classmethod
    def for_shape(
        cls, model: type[BaseModel], emphasis_fields: Collection[str], limits: Limits
    ) -> Self:
        """Reads a value of a model within limits (`pydantic_parser`, `within_limits`)."""
        parse = within_limits(pydantic_parser(model, emphasis_fields=emphasis_fields), limits)
        name = f"{model.__module__}:{model.__qualname__}"
        asked = {path: dict(keywords) for path, keywords in limits.items()}
        return cls(parse, {"shape": name, "emphasis": sorted(emphasis_fields), "limits": asked})

    @classmethod
    def for_prose(cls, min_words: int) -> Self:
        """Reads a text (`prose_parser`)."""
        return cls(prose_parser(min_words), {"min_words": min_words})

    @classmethod
    def from_record(cls, said: Mapping[str, Any]) -> Self | None:
        """The parser that a dump describes; None where its shape is not part of this program.

        Only shapes that are already loaded are looked up: a dump from elsewhere cannot have a
        module imported.

        Raises:
            TypeError: The record is not one of `said`.
            ValueError: As before.
        """
        if "min_words" in said:
            return cls.for_prose(int(said["min_words"]))
        model = _loaded_shape(str(said.get("shape", "")))
        if model is None:
            return None
        limits = dict(said.get("limits", {}))
        for keywords in limits.values():
            _check_keywords(keywords)
        return cls.for_shape(model, tuple(said.get("emphasis", ())), limits)


def plain_value(result: ParserResult) -> Any:
    """What a parser read, as plain JSON; None where it refused the reply."""
    if result["status"] != "success":
        return None
    data = result["data"] if "data" in result else result.get("sections")
    return data.model_dump(mode="json") if isinstance(data, BaseModel) else data


def _check_keywords(keywords: Any) -> None:
    """Refuse what is no JSON Schema, before a reply is held against it."""
    try:
        Draft202012Validator.check_schema(keywords)
    except SchemaError as error:
        raise ValueError(error.message) from error


def _loaded_shape(name: str) -> type[BaseModel] | None:
    """The shape that a dump names as `module:Class`.

    Modules of shapes have been moved and merged since dumps were first written: where the module
    has no such class, the shape of this program that bears the class's name is meant.
    """
    module, _, qualified = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in qualified.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type) and issubclass(found, BaseModel):
        return found
    own = f"{__name__.partition('.')[0]}."
    named = [one for one in _shapes(BaseModel) if one.__qualname__ == qualified]
    ours = [one for one in named if one.__module__.startswith(own)]
    return ours[0] if len(ours) == 1 and module.startswith(own) else None


def _shapes(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Every loaded subclass of a model, at any depth."""
    for one in base.__subclasses__():
        yield one
        yield from _shapes(one)
