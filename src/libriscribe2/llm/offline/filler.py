"""Filling a JSON Schema: every value fits its schema and says something where it can."""

from collections.abc import Mapping
from typing import Any

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.numbers import number_within
from libriscribe2.llm.offline.spot import Spot
from libriscribe2.llm.offline.strings import text_within
from libriscribe2.llm.offline.values import Values

Schema = Mapping[str, Any]

_DEEP = 8
"""Below this depth only what is required is filled, so that recursive schemas end."""

_BOTTOM = 60
_FREE_ITEMS = 3
_FREE_KEYS = 2


class Filler:
    """Makes a value for a schema.

    Args:
        schema: The whole schema, whose `$defs` references point into.
        values: Finds texts by field.
        dice: Decides what nothing else decides.
    """

    def __init__(self, schema: Schema, values: Values, dice: Dice) -> None:
        self._root = schema
        self._values = values
        self._dice = dice
        self._chapters: int | None = None

    def fill(self) -> Any:
        """A value for the whole schema."""
        chapters = self._root.get("properties", {}).get("chapters")
        if isinstance(chapters, dict) and _type(chapters) == "array":
            self._chapters = self._count(chapters, 1)
        return self._value(self._root, Spot(chapters=self._chapters or 0), 0)

    def _value(self, schema: Any, spot: Spot, depth: int) -> Any:
        plain = self._resolved(schema)
        if "const" in plain:
            return plain["const"]
        if "enum" in plain:
            return self._choice(plain["enum"], spot)
        kind = _type(plain)
        if kind == "object":
            return self._object(plain, spot.inside(), depth)
        if kind == "array":
            return self._array(plain, spot, depth)
        return self._scalar(kind, plain, spot)

    def _scalar(self, kind: str, schema: Schema, spot: Spot) -> Any:
        if kind == "boolean":
            known = self._values.flag(spot)
            return self._dice.chance(2) if known is None else known
        if kind in {"integer", "number"}:
            number = self._values.number(spot)
            return number_within(schema, spot, self._dice) if number is None else number
        if kind == "null":
            return None
        return text_within(schema, self._values.text(spot), spot.item)

    def _choice(self, options: list[Any], spot: Spot) -> Any:
        """One of the options: what the field would say anyway if it is among them."""
        said = self._values.text(spot) if all(isinstance(o, str) for o in options) else None
        if said in options:
            return said
        return options[(self._dice.below(len(options)) + spot.item) % len(options)]

    def _object(self, schema: Schema, spot: Spot, depth: int) -> dict[str, Any]:
        required = schema.get("required", [])
        deep = depth >= _DEEP
        found: dict[str, Any] = {}
        for name, part in schema.get("properties", {}).items():
            if part is not False and (name in required or not deep) and depth < _BOTTOM:
                found[name] = self._value(part, spot.property(name), depth + 1)
        open_part = schema.get("additionalProperties", True)
        wanted = {name for name in required if name not in found}
        free = _FREE_KEYS if isinstance(open_part, dict) and open_part and not deep else 0
        least = max(free, int(schema.get("minProperties", 0))) - len(found) - len(wanted)
        wanted_names = [*sorted(wanted), *self._free_keys(schema, spot, least, found)]
        for index, name in enumerate(wanted_names):
            part = open_part if isinstance(open_part, dict) else {"type": "string"}
            found[name] = self._value(part, spot.property(name).element(index, 1), depth + 1)
        return found

    def _free_keys(
        self, schema: Schema, spot: Spot, count: int, taken: Mapping[str, Any]
    ) -> list[str]:
        names = schema.get("propertyNames", {}).get("enum") or self._values.keys(spot)
        names = [*names, *(f"entry_{index}" for index in range(1, count + 1))]
        return [name for name in names if name not in taken][: max(0, count)]

    def _array(self, schema: Schema, spot: Spot, depth: int) -> list[Any]:
        prefix = [
            self._value(part, spot.element(index, len(schema["prefixItems"])), depth + 1)
            for index, part in enumerate(schema.get("prefixItems", ()))
        ]
        items = schema.get("items", {"type": "string"})
        count = 0 if items is False else self._wanted(schema, spot, depth)
        preferred = self._preferred(schema, items, spot)
        if preferred is not None and not prefix:
            return preferred
        found = [*prefix]
        for index in range(len(prefix), max(count, len(prefix))):
            value = self._value(items, spot.element(index, count), depth + 1)
            if schema.get("uniqueItems") or _names_things(items):
                value = self._new(value, items, spot.element(index, count), found)
            found.append(value)
        return found

    def _wanted(self, schema: Schema, spot: Spot, depth: int) -> int:
        """How many items: as many as the book suggests, where the schema leaves it open."""
        if spot.key == "chapters" and depth == 1 and self._chapters is not None:
            return self._chapters
        known = None if schema.keys() & {"minItems", "maxItems"} else self._values.count(spot)
        return self._count(schema, depth) if known is None else known

    def _count(self, schema: Schema, depth: int) -> int:
        """How many items: the middle of the range, or one to either side where there is room."""
        low, high = int(schema.get("minItems", 0)), schema.get("maxItems")
        if depth >= _DEEP:
            return low
        if high is None:
            count = max(low, _FREE_ITEMS)
        elif "minItems" not in schema:
            count = min(int(high), _FREE_ITEMS)
        else:
            count = (low + high) // 2 + (self._dice.below(3) - 1 if high - low > 3 else 0)
        options = self._resolved(schema.get("items", {})).get("enum")
        return min(count, len(options)) if options and schema.get("uniqueItems") else count

    def _preferred(self, schema: Schema, items: Any, spot: Spot) -> list[str] | None:
        """The list that the book itself suggests, if the schema allows it."""
        found = self._values.listed(spot)
        part = self._resolved(items)
        if found is None or "const" in part or _type(part) != "string":
            return None
        options = part.get("enum", found)
        found = [name for name in found if name in options and text_within(part, name) == name]
        fits = len(found) >= schema.get("minItems", 0) and (found or schema.get("minItems", 0) == 0)
        if not fits:
            return None
        return found[: schema.get("maxItems", len(found))]

    def _new(self, value: Any, items: Any, spot: Spot, found: list[Any]) -> Any:
        """A value that the list does not hold yet, as far as its schema has one."""
        part = self._resolved(items)
        if value not in found or value is None or "const" in part:
            return value
        if "enum" in part:
            return next((option for option in part["enum"] if option not in found), value)
        for step in range(1, 200):
            again = self._again(value, part, spot, step)
            if again not in found:
                return again
        return value

    def _again(self, value: Any, part: Schema, spot: Spot, step: int) -> Any:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int | float):
            return number_within(part, spot, self._dice, step)
        if isinstance(value, str):
            return text_within(part, f"{step + 1} {value}", step)
        return self._value(part, spot.element(spot.index + step, spot.total), _DEEP // 2)

    def _resolved(self, schema: Any) -> Schema:
        """A schema without references, with one branch of its choices taken."""
        if not isinstance(schema, dict):
            return {"type": "string"}
        plain = dict(schema)
        for _ in range(20):
            if "$ref" in plain:
                target = self._target(plain.pop("$ref"))
                plain = {**target, **plain}
            elif "allOf" in plain:
                for part in plain.pop("allOf"):
                    plain = _merged(plain, self._resolved(part))
            elif "anyOf" in plain or "oneOf" in plain:
                options = plain.pop("anyOf", None) or plain.pop("oneOf")
                plain = _merged(plain, self._resolved(_likeliest(options)))
            else:
                return plain
        return plain

    def _target(self, reference: str) -> Schema:
        """What a `#/...` reference points to; an empty schema where it points outside."""
        part: Any = self._root
        for name in reference.removeprefix("#").strip("/").split("/"):
            key = name.replace("~1", "/").replace("~0", "~")
            part = part.get(key, {}) if isinstance(part, dict) and key else part
        return part if isinstance(part, dict) else {}


def _type(schema: Schema) -> str:
    """The type to make: the first that is not null; guessed where none is named."""
    kind = schema.get("type")
    if isinstance(kind, list):
        return str(next((name for name in kind if name != "null"), "null"))
    if isinstance(kind, str):
        return kind
    if {"properties", "required", "additionalProperties"} & schema.keys():
        return "object"
    return "array" if {"items", "prefixItems", "minItems"} & schema.keys() else "string"


def _likeliest(options: list[Any]) -> Any:
    """The first option that is not null."""
    said = (o for o in options if not isinstance(o, dict) or o.get("type") != "null")
    return next(said, options[0])


def _merged(one: Schema, other: Schema) -> dict[str, Any]:
    """Two schemas that both have to hold."""
    both = {**one, **other}
    for key, combine in (("minItems", max), ("minLength", max), ("minimum", max)):
        if key in one and key in other:
            both[key] = combine(one[key], other[key])
    for key in ("maxItems", "maxLength", "maximum"):
        if key in one and key in other:
            both[key] = min(one[key], other[key])
    both["properties"] = {**one.get("properties", {}), **other.get("properties", {})}
    both["required"] = [*one.get("required", []), *other.get("required", [])]
    return {key: value for key, value in both.items() if value not in ({}, [])}


def _names_things(items: Any) -> bool:
    """Whether items are plain texts, which should differ even where nothing says so."""
    return isinstance(items, dict) and items.get("type") == "string"
