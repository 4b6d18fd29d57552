"""Values compared by how well they fit the wanted schema; templates are no answers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.replies.schema_fit import (
    Fit,
    accepts_type,
    alternatives,
    branch_for,
    fit,
    json_type,
    properties_of,
    resolve,
    types_of,
)
from libriscribe2.replies.strict_json import same_json, strict_parse, string_leaves

_ELLIPSES: Final = frozenset({"...", "…", "[...]", "[…]", "<...>", "(...)"})
_TYPE_NAMES: Final = frozenset(
    [
        "string",
        "str",
        "text",
        "number",
        "integer",
        "int",
        "float",
        "boolean",
        "bool",
        "array",
        "list",
        "object",
        "tbd",
        "todo",
        "placeholder",
        "value",
    ]
)
# Braces with a path, `{{step-1.response.url}}`, are a plan's reference to a result and content.
_HOLE: Final = re.compile(
    r"\{\{[^{}.\[]{0,80}\}\}|\$\{[^{}]{0,80}\}|%\([\w ]{1,40}\)s|__[A-Z_]{2,40}__"
)
_FRAMED: Final = re.compile(r"<(?P<angle>[^<>/]{1,80})>|\[(?P<square>[^\[\]]{1,80})\]")
_INSTRUCTION: Final = re.compile(
    r"(?:insert|your|enter|put|write|add|fill in)\b[\w' ,-]{1,60}\bhere\W*", re.IGNORECASE
)
_FRAMED_INSTRUCTION: Final = re.compile(
    r"(?:insert|your|enter|put|write|add|the|a|an|one|short|string|list)\b", re.IGNORECASE
)
_NO_WORD: Final = re.compile(r"[\s_-]+")
_MAX_PLACEHOLDER: Final = 120


def _words(text: str) -> str:
    return _NO_WORD.sub(" ", text).strip().lower()


def _is_plain(field: str, stripped: str) -> bool:
    """A weak sign: a type name, or the field's own name."""
    if stripped.lower() in _TYPE_NAMES:
        return True
    return bool(field) and _words(stripped) == _words(field)


def is_hole(field: str, stripped: str) -> bool:
    """Whether a stripped text is a strong sign: `...`, `<title>`; nobody writes this as content."""
    if stripped in _ELLIPSES or _HOLE.fullmatch(stripped) or _INSTRUCTION.fullmatch(stripped):
        return True
    framed = _FRAMED.fullmatch(stripped)
    if framed is None:
        return False
    inner = framed["angle"] or framed["square"]
    same = bool(field) and _words(inner) in (_words(field), _words(field).removesuffix("s"))
    return same or _FRAMED_INSTRUCTION.match(inner) is not None


def is_template(value: Any, schema: Mapping[str, Any] | None = None) -> bool:
    """Whether a value is the template of an answer and not an answer.

    One strong sign is enough; of the weak ones (type names, the field's own name, the schema's
    description of the field) half of all texts must be such.
    """
    weak = total = 0
    descriptions = _descriptions(schema) if schema else {}
    for field, text in string_leaves(value):
        total += 1
        if len(text) > _MAX_PLACEHOLDER:
            continue
        stripped = text.strip()
        if is_hole(field, stripped):
            return True
        weak += _is_plain(field, stripped) or descriptions.get(field) == stripped
    return total > 0 and weak * 2 >= total


def _descriptions(schema: Mapping[str, Any]) -> dict[str, str]:
    """The description of every property, over all objects that the schema defines."""
    nodes = [resolve(schema, schema), *dict(schema.get("$defs") or {}).values()]
    found: dict[str, str] = {}
    for node in nodes:
        for name, prop in properties_of(node).items():
            text = prop.get("description") if isinstance(prop, Mapping) else None
            if isinstance(text, str):
                found[name] = text.strip()
    return found


def is_schema_echo(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value is itself a JSON Schema where the wanted schema asks for none."""
    if not isinstance(value, dict) or "properties" in properties_of(resolve(schema, schema)):
        return False
    declared = value.get("properties")
    if not isinstance(declared, dict) or not declared:
        return False
    keywords = {"type", "$ref", "anyOf", "allOf", "oneOf", "enum", "const", "items"}
    return all(isinstance(node, dict) and keywords & node.keys() for node in declared.values())


_INTEGER: Final = re.compile(r"[+-]?\d{1,400}")
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?")
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+")
_COUNTED: Final = re.compile(r"(\D{0,30})(\d{1,4})")
# A part of a sentence is no keyword: it has many words, a stop, or half of a number.
_MAX_KEYWORD: Final = 80
_CLAUSE: Final = re.compile(r"[.!?;:。！？]|(?:\S+\s+){4}\S")


def _is_keyword(part: str) -> bool:
    return len(part) <= _MAX_KEYWORD and not _CLAUSE.search(part) and not part.isdigit()


_TRUTH: Final = {"true": True, "false": False}


class Coercion:
    """One walk over a value beside its schema.

    Attributes:
        applied: Names of what was changed: "csv_split", "number_from_string", "key_renamed" ...
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Prepare a walk.

        Args:
            schema: The JSON Schema of the whole value.
        """
        self.applied: list[str] = []
        self._root = schema

    def apply(self, value: Any) -> Any:
        """A copy of the value with every exact coercion made."""
        holder: list[Any] = [value]
        pending: list[tuple[Any, Any, Any]] = [(holder, 0, self._root)]
        while pending:
            parent, slot, node = pending.pop()
            item = self._fitted(parent[slot], node)
            inner = isinstance(item, dict | list)
            branch = branch_for(node, item, self._root) if inner else None
            if branch and isinstance(item, dict):
                item = self._renamed(item, properties_of(branch))
                properties = properties_of(branch)
                pending.extend((item, key, properties[key]) for key in item if key in properties)
            elif branch and isinstance(item, list) and "items" in branch:
                item = list(item)
                pending.extend((item, index, branch["items"]) for index in range(len(item)))
            parent[slot] = item
        return holder[0]

    def _fitted(self, value: Any, node: Any) -> Any:
        """The value in a type that the node accepts, if there is exactly one way."""
        branches = alternatives(resolve(node, self._root), self._root)
        if any(accepts_type(branch, value) for branch in branches):
            return value
        wanted = [branch for branch in branches if types_of(branch) != {"null"}]
        if len(wanted) != 1:
            return value
        for name, change in (
            ("csv_split", self._split),
            ("number_from_string", _number),
            ("boolean_from_string", _boolean),
            ("string_from_number", _string),
            ("value_of_enum", self._listed),
            ("decoded_string", self._decoded),
            ("indexed_items", self._indexed),
            ("one_item_list", self._item),
        ):
            changed = change(value, wanted[0])
            if changed is not None and accepts_type(wanted[0], changed):
                self.applied.append(name)
                return changed
        return value

    def _split(self, value: Any, node: Mapping[str, Any]) -> Any:
        """A list from a comma-separated string, or from one string per line."""
        if not isinstance(value, str) or "array" not in types_of(node):
            return None
        items = resolve(node.get("items"), self._root)
        if not any(accepts_type(branch, "") for branch in alternatives(items, self._root)):
            return None
        lines = value.strip().splitlines()
        parts = [part.strip() for part in (lines if len(lines) > 1 else value.split(","))]
        if len(lines) < 2 and any(not _is_keyword(part) for part in parts):
            return None
        if all(_BULLET.match(part) for part in parts if part):
            parts = [_BULLET.sub("", part) for part in parts]
        bare = (part.strip().strip(",").strip() for part in parts)
        return [part for part in bare if part]

    def _listed(self, value: Any, node: Mapping[str, Any]) -> Any:
        """The value of an enum that differs by case and white space only."""
        options = node.get("enum")
        if not isinstance(value, str) or not isinstance(options, list):
            return None
        folded = value.strip().casefold()
        same = [one for one in options if isinstance(one, str) and one.casefold() == folded]
        return same[0] if len(same) == 1 else None

    def _decoded(self, value: Any, _node: Mapping[str, Any]) -> Any:
        """The list or object that a string holds as JSON."""
        text = value.strip() if isinstance(value, str) else ""
        parsed = strict_parse(text) if text[:1] in ("{", "[") else None
        fits = parsed is not None and parsed.end == len(text)
        return parsed.value if parsed is not None and fits else None

    def _indexed(self, value: Any, node: Mapping[str, Any]) -> Any:
        """The values of an object whose keys count: "1", "2" or "scene1", "scene2"."""
        if not isinstance(value, dict) or not value or "array" not in types_of(node):
            return None
        keys = [_COUNTED.fullmatch(key) for key in value]
        counts = [int(key[2]) for key in keys if key]
        same = len(counts) == len(value) and len({key[1] for key in keys if key}) == 1
        if not same or counts[0] > 1 or counts != list(range(counts[0], counts[0] + len(counts))):
            return None
        return list(value.values())

    def _item(self, value: Any, node: Mapping[str, Any]) -> Any:
        """The item of a one-item list where one object is wanted, or the object as a list."""
        if isinstance(value, list) and len(value) == 1 and "object" in types_of(node):
            return value[0]
        if not isinstance(value, dict) or "array" not in types_of(node):
            return None
        branch = branch_for(node.get("items"), value, self._root)
        known = properties_of(branch) if branch else {}
        return [value] if branch and (not known or known.keys() & value.keys()) else None

    def _renamed(self, value: dict[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
        """The object under the schema's spelling of its keys ("Primary Keywords" and such)."""
        absent = {_plain(name): name for name in properties if name not in value}
        renamed: dict[str, Any] = {}
        for key, item in value.items():
            target = absent.pop(_plain(key), None) if key not in properties else None
            if target is not None:
                self.applied.append("key_renamed")
            renamed[key if target is None else target] = item
        return renamed


def _plain(key: str) -> str:
    return re.sub(r"[\W_]+", "", key).lower()


def _number(value: Any, node: Mapping[str, Any]) -> Any:
    wanted = types_of(node)
    if isinstance(value, float) and "integer" in wanted and value.is_integer():
        return int(value)
    if not isinstance(value, str) or not wanted & {"integer", "number"}:
        return None
    text = value.strip()
    if _INTEGER.fullmatch(text):
        return int(text)
    if "number" in wanted and _NUMBER.fullmatch(text):
        return float(text)
    return None


def _boolean(value: Any, node: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and "boolean" in types_of(node):
        return _TRUTH.get(value.strip().lower())
    return None


def _string(value: Any, node: Mapping[str, Any]) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and "string" in types_of(node):
        return str(value)
    return None


FULL: Final = 4
PARTIAL: Final = 3
BARE: Final = 2
STRANGE: Final = 1
_MAX_WRAPPER_DEPTH: Final = 3
_MAX_WRAPPED: Final = 20


@dataclass(frozen=True, slots=True)
class Judgement:
    """How well a value answers.

    Attributes:
        value: The value to hand out, unwrapped and coerced.
        level: FULL, PARTIAL, BARE (a value nobody can place), STRANGE (no wanted field), 0 (never).
        known: How many wanted fields it has.
        faults: How many required fields are missing or values mistyped.
        applied: Names of the coercions and unwrappings.
        trouble: A refusal kind when the value must not be used.
    """

    value: Any
    level: int
    known: int = 0
    faults: int = 0
    applied: tuple[str, ...] = ()
    trouble: str = ""

    @property
    def rank(self) -> tuple[int, int, int]:
        """The order among readings: greater is better."""
        # An object that had to be wrapped as a list of one ranks below a list.
        return self.level, self.known, -self.faults - ("one_item_list" in self.applied)


def judge(value: Any, schema: Mapping[str, Any] | None, *, strict: bool = False) -> Judgement:
    """Measure a value against the wanted schema, through wrappers where it hides in one.

    Args:
        value: A JSON value.
        schema: The wanted JSON Schema, or None when any object or list will do.
        strict: Take the value as it stands: no unwrapping, no coercion.
    """
    if schema is None:
        return _without_schema(value)
    here = _measure(value, schema, strict=strict)
    if strict or here.level >= PARTIAL:
        return here
    levels = [
        [_measure(item, schema, strict=False) for item in level]
        for level in _wrapped(value, schema)
    ]
    best = max((one for level in levels for one in level), key=lambda one: one.rank, default=here)
    if best.level < FULL:
        return here
    if any(_rivals(best, level) for level in levels):
        return Judgement(value, 0, trouble="several_items")
    return Judgement(
        best.value, FULL, best.known, best.faults, ("unwrapped", *best.applied), best.trouble
    )


def _without_schema(value: Any) -> Judgement:
    if not isinstance(value, dict | list):
        return Judgement(value, 0, trouble="no_json")
    if is_template(value):
        return Judgement(value, 0, trouble="placeholder")
    if isinstance(value, dict):
        return Judgement(value, FULL if value else BARE)
    structured = any(isinstance(item, dict | list | str) for item in value)
    return Judgement(value, PARTIAL if structured else BARE)


def _measure(value: Any, schema: Mapping[str, Any], *, strict: bool) -> Judgement:
    """Measure one value as it stands, without a look inside."""
    if is_schema_echo(value, schema):
        return Judgement(value, 0, trouble="schema_echo")
    if isinstance(value, list) and len(value) > 1 and "object" in _root_types(schema):
        return Judgement(value, 0, trouble="several_items")
    coercion = Coercion(schema)
    coerced = value if strict else coercion.apply(value)
    found = fit(coerced, schema)
    level = _level(coerced, schema, found)
    if level > STRANGE and is_template(coerced, schema):
        return Judgement(value, 0, trouble="placeholder")
    trouble = "wrong_shape" if level <= STRANGE else ""
    faults = found.missing + found.mistyped
    return Judgement(coerced, level, found.known, faults, tuple(coercion.applied), trouble)


def _root_types(schema: Mapping[str, Any]) -> frozenset[str]:
    return types_of(resolve(schema, schema))


def _level(value: Any, schema: Mapping[str, Any], found: Fit) -> int:
    wanted = _root_types(schema)
    if wanted and json_type(value) not in wanted:
        return STRANGE
    if isinstance(value, list) and not found.full:
        return PARTIAL if any(_familiar(item, schema) for item in value) else STRANGE
    nameless = not properties_of(resolve(schema, schema))
    placed = found.known > 0 or nameless or (not value and found.full)
    if not placed:
        return STRANGE
    return FULL if found.full else PARTIAL


def _familiar(item: Any, schema: Mapping[str, Any]) -> bool:
    """Whether an item of a wanted list has any of the fields that its items should have."""
    node = resolve(resolve(schema, schema).get("items"), schema)
    return not isinstance(item, dict) or bool(properties_of(node).keys() & item.keys())


def _rivals(best: Judgement, level: Sequence[Judgement]) -> bool:
    """Whether another object beside the best one answers as well: a draft and a final version."""
    if not isinstance(best.value, dict) or not any(one is best for one in level):
        return False
    equals = [one for one in level if one.rank == best.rank]
    return any(not same_json(one.value, best.value) for one in equals)


def _wrapped(value: Any, schema: Mapping[str, Any]) -> Iterator[list[Any]]:
    """The values inside a value that could be the answer, by depth.

    They stand as in {"result": {...}}, [{...}] and "{...}".
    """
    level = [value]
    for _ in range(_MAX_WRAPPER_DEPTH):
        level = [inner for outer in level for inner in _contents(outer)][:_MAX_WRAPPED]
        yield level
    if isinstance(value, dict) and "array" in _root_types(schema):
        yield [[value]]


def _contents(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        children = value if len(value) == 1 else []
    else:
        children = list(value.values()) if isinstance(value, dict) else []
    for child in children:
        if isinstance(child, dict | list):
            yield child
        elif isinstance(child, str) and child.lstrip()[:1] in ("{", "["):
            text = child.strip()
            parsed = strict_parse(text)
            if parsed.end == len(text):
                yield parsed.value
