"""Values compared by how well they fit the wanted schema."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import Any, Final

from libriscribe2.replies.amounts import number_in
from libriscribe2.replies.contract import only_fence
from libriscribe2.replies.outcome import RepairOutcome
from libriscribe2.replies.remarks import TYPE_NAMES, is_template, miscounted, says_more, words_of
from libriscribe2.replies.repair import repair_json
from libriscribe2.replies.schema_fit import (
    SCHEMA_WORDS,
    Fit,
    accepts_type,
    alternatives,
    branch_for,
    fit,
    integers_of,
    is_schema_echo,
    json_type,
    missing_keys,
    plain_name,
    properties_of,
    resolve,
    sole_list,
    types_at,
    types_of,
)
from libriscribe2.replies.strict_json import same_json, strict_parse

# How an item says its place: "Chapter 1", "#2", "3.", "第4章".
_PLACE: Final = re.compile(
    r"[^\d\n]{0,20}?(\d{1,4})(?:[^\w\s]{0,2}|[\u3040-\u9fff\uac00-\ud7af]{1,2})"
)
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+")
_COUNTED: Final = re.compile(r"(\D{0,30})(\d{1,4})(\D{0,10})")
# A part of a sentence is no keyword: it has many words, a stop, or half of a number.
_MAX_KEYWORD: Final = 80
_SEPARATED: Final = re.compile(r"[,;，、；]|\d[.)]\s|[.!?。！？…]\s*\S|[•*]")
_CLAUSE: Final = re.compile(r"[.!?;:。！？]|(?:\S+\s+){4}\S|\d,\d")
_LIST_COMMA: Final = re.compile(r",(?!(?<=\d,)\d)")


def _is_keyword(part: str) -> bool:
    return len(part) <= _MAX_KEYWORD and not _CLAUSE.search(part) and not part.isdigit()


_AROUND: Final = re.compile(r"\A[^\w+#-]++|(?<![^\w+#-])[^\w+#-]++\Z")
_SEPARATOR: Final = re.compile(r"(?<=\w)[\W_]+(?=\w)")
_NEAR: Final = 0.8


class Coercion:
    """One walk over a value beside its schema.

    Attributes:
        applied: Names of what was changed: "csv_split", "number_from_string", "key_renamed" ...
        trouble: A refusal kind where the value contradicts itself, or "".
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Prepare a walk.

        Args:
            schema: The JSON Schema of the whole value.
        """
        self.applied: list[str] = []
        self.trouble = ""
        self._root = schema
        self._field = ""

    def apply(self, value: Any) -> Any:
        """A copy of the value with every exact coercion made."""
        holder: list[Any] = [value]
        pending: list[tuple[Any, Any, Any]] = [(holder, 0, self._root)]
        while pending:
            parent, slot, node = pending.pop()
            self._field = slot if isinstance(slot, str) else self._field
            item = self._fitted(parent[slot], node)
            inner = isinstance(item, dict | list)
            branch = branch_for(node, item, self._root) if inner else None
            if branch and isinstance(item, dict):
                properties = properties_of(branch)
                item = self._renamed(item, properties)
                item = self._without_nulls(item, branch)
                pending.extend((item, key, properties[key]) for key in item if key in properties)
            elif branch and isinstance(item, list) and "items" in branch:
                item = self._counted(item, branch["items"])
                pending.extend((item, index, branch["items"]) for index in range(len(item)))
            parent[slot] = item
        return holder[0]

    def _fitted(self, value: Any, node: Any) -> Any:
        """The value in a type that the node accepts, if there is exactly one way."""
        if value == "null" and branch_for(node, None, self._root) is not None:
            self.applied.append("null_dropped")
            return None
        branches = alternatives(node, self._root)
        wanted = [branch for branch in branches if types_of(branch) != {"null"}]
        if any(accepts_type(branch, value) for branch in branches):
            return value
        if len(wanted) != 1:
            return value
        number = partial(number_in, field=self._field)
        changes: tuple[tuple[str, Callable[[Any, Mapping[str, Any]], Any]], ...] = (
            ("csv_split", self._split),
            ("number_from_string", number),
            ("boolean_from_string", _boolean),
            ("string_from_number", _string),
            ("value_of_enum", self._listed),
            ("decoded_string", self._decoded),
            ("unwrapped", _only),
            ("indexed_items", self._indexed),
            ("one_item_list", self._item),
        )
        for name, change in changes:
            changed = change(value, wanted[0])
            if changed is not None and accepts_type(wanted[0], changed):
                self.applied.append(name)
                return changed
        return value

    def _split(self, value: Any, node: Mapping[str, Any]) -> Any:
        """A list from a comma-separated string, or from one string per line."""
        if not isinstance(value, str) or "array" not in types_of(node) or value[:1] == "[":
            return None
        if branch_for(node.get("items"), "", self._root) is None:
            return None
        lines = value.strip().splitlines()
        parts = [part.strip() for part in (lines if len(lines) > 1 else _LIST_COMMA.split(value))]
        if len(lines) < 2 and any(not _is_keyword(part) for part in parts):
            return None if _SEPARATED.search(value) else [value]
        if all(_BULLET.match(part) for part in parts if part):
            parts = [_BULLET.sub("", part) for part in parts]
        bare = [found for part in parts if (found := part.strip().strip(",").strip())]
        return None if value.strip() and not words_of(value) else bare

    def _listed(self, value: Any, node: Mapping[str, Any]) -> Any:
        """The value of an enum that differs by case, separators and marks around it only."""
        options = node.get("enum")
        if not isinstance(value, str) or not isinstance(options, list):
            return None
        same = [one for one in options if isinstance(one, str) and _folded(one) == _folded(value)]
        return same[0] if len(same) == 1 else None

    def _decoded(self, value: Any, _node: Mapping[str, Any]) -> Any:
        """The list or object that a string holds as JSON or in Python's spelling."""
        text = value.strip() if isinstance(value, str) else ""
        if text[:1] not in ("{", "["):
            return None
        outcome = _read_whole(text)
        allowed = {"single_quotes", "python_literal"}
        spelt = outcome is not None and {one.name for one in outcome.repairs} <= allowed
        return outcome.value if outcome is not None and spelt else None

    def _indexed(self, value: Any, node: Mapping[str, Any]) -> Any:
        """The values of an object whose keys count ("1", "2" or "scene1", "scene2") or name them.

        What the key says and each item lacks, its number or its name, goes into the item.
        """
        if not isinstance(value, dict) or not value or "array" not in types_of(node):
            return None
        keys = [_COUNTED.fullmatch(key) for key in value]
        counts = [int(key[2]) for key in keys if key]
        items = list(value.values())
        same = len(counts) == len(value) and len({key.group(1, 3) for key in keys if key}) == 1
        if not same:
            return self._with(items, list(value), node, "string")
        if counts[0] > 1 or counts != list(range(counts[0], counts[0] + len(counts))):
            return None
        numbered = self._with(items, counts, node, "integer")
        return None if self._contradicts(items, counts, node) else numbered or items

    def _with(
        self, items: list[Any], keys: Sequence[Any], node: Mapping[str, Any], kind: str
    ) -> list[Any] | None:
        """The items with their keys as the one member of this type that each of them lacks."""
        if not all(isinstance(item, dict) for item in items):
            return None
        branches = [branch_for(node.get("items"), item, self._root) or {} for item in items]
        lacking = [missing_keys(*pair) for pair in zip(branches, items, strict=True)]
        name = lacking[0][0] if len(lacking[0]) == 1 else ""
        kinds = types_at(properties_of(branches[0]).get(name), self._root)
        if kind not in kinds or any(names != [name] for names in lacking):
            return None
        return [{name: key, **item} for key, item in zip(keys, items, strict=True)]

    def _contradicts(self, items: list[Any], counts: list[int], node: Mapping[str, Any]) -> bool:
        """Whether the items count otherwise than their keys."""
        for name in integers_of(resolve(node.get("items"), self._root), self._root):
            own = [item.get(name) for item in items if isinstance(item, dict)]
            if own != counts and sorted(map(str, own)) == sorted(map(str, counts)):
                return True
        return False

    def _counted(self, items: list[Any], node: Any) -> list[Any]:
        """The items, where each says its place as a text: "Chapter 1", "#2", "3."."""
        items = list(items)
        for name in integers_of(resolve(node, self._root), self._root):
            said = [item.get(name) if isinstance(item, dict) else None for item in items]
            found = [_PLACE.fullmatch(one) if isinstance(one, str) else None for one in said]
            if items and [int(one[1]) for one in found if one] == list(range(1, len(items) + 1)):
                self.applied.append("number_from_string")
                items = [{**item, name: at} for at, item in enumerate(items, 1)]
        return items

    def _item(self, value: Any, node: Mapping[str, Any]) -> Any:
        """The item of a one-item list where no list is wanted, or an object as a list."""
        if isinstance(value, list) and len(value) == 1 and "array" not in types_of(node):
            return value[0]
        if not isinstance(value, dict) or "array" not in types_of(node):
            return None
        branch = branch_for(node.get("items"), value, self._root)
        known = properties_of(branch) if branch else {}
        return [value] if branch and (not known or known.keys() & value.keys()) else None

    def _renamed(self, value: dict[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
        """The object under the schema's spelling of its keys ("Primary Keywords" and such).

        A key that nearly is one that the object lacks is meant for it. Members that count
        ("theme1", "theme2") become the list that is named so, or the only one that is missing.
        """
        if all(key in properties for key in value):
            return value
        names = {plain_name(name): name for name in properties}
        spelt = {names.get(plain_name(key)) for key in value}
        missing = [plain for plain, name in names.items() if name not in spelt]
        renamed: dict[str, Any] = {}
        for key, item in value.items():
            target = key if key in properties else names.get(plain_name(key))
            listed = None
            if target is None and (counted := _COUNTED.fullmatch(key)):
                listed = self._list_of(counted[1], item, value, properties)
            elif target is None and (near := get_close_matches(plain_name(key), missing, 1, _NEAR)):
                target = None if names[near[0]] in renamed else names[near[0]]
            if target is not None and target != key and target in value:
                same = same_json(value[target], item)
                self.trouble = self.trouble if same else "conflicting_keys"
            elif target is not None and target != key:
                renamed[target] = item
                self.applied.append("key_renamed")
            elif listed is not None and listed not in value:
                renamed.setdefault(listed, {})[key] = item
                self.applied.append("key_renamed")
            else:
                renamed[key] = item
        return renamed

    def _list_of(
        self, name: str, item: Any, value: Mapping[str, Any], properties: Mapping[str, Any]
    ) -> str | None:
        """The list that a member of this name is an item of: "chapters" for "chapter_1"."""
        stem = plain_name(name)
        nodes = properties.items()
        lists = [name for name, node in nodes if "array" in types_at(node, self._root)]
        named = [name for name in lists if stem and plain_name(name).startswith(stem)]
        missing = [name for name in lists if name not in value and isinstance(item, dict)]
        found = named or missing
        return found[0] if len(found) == 1 else None

    def _without_nulls(self, value: dict[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
        """The object without nulls in members that it need not have and that take no null."""
        properties, required = properties_of(node), node.get("required") or ()
        empty = [
            key
            for key, item in value.items()
            if item is None
            and key not in required
            and branch_for(properties.get(key), None, self._root) is None
        ]
        self.applied += ["null_dropped"] * bool(empty)
        return {key: item for key, item in value.items() if key not in empty} if empty else value


def _only(value: Any, _node: Mapping[str, Any]) -> Any:
    """What an object holds that has no other member, but perhaps the name of its type."""
    if not isinstance(value, dict):
        return None
    typed = str(value.get("type")) in TYPE_NAMES
    inner = [one for key, one in value.items() if not (typed and key in SCHEMA_WORDS)]
    return inner[0] if len(inner) == 1 and not isinstance(inner[0], dict) else None


def _folded(text: str) -> str:
    """A word of a schema without case, separators inside and marks around it."""
    return _SEPARATOR.sub("", _AROUND.sub("", text)).casefold()


def _boolean(value: Any, node: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and "boolean" in types_of(node):
        return {"true": True, "false": False}.get(_folded(value))
    return None


def _string(value: Any, node: Mapping[str, Any]) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and "string" in types_of(node):
        return str(value)
    return None


FULL: Final = 4
PARTIAL: Final = 3
BARE: Final = 2
STRANGE: Final = 1
_MAX_WRAPPER_DEPTH: Final = 8
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
        detail: What exactly is wrong with it, or "".
    """

    value: Any
    level: int
    known: int = 0
    faults: int = 0
    applied: tuple[str, ...] = ()
    trouble: str = ""
    detail: str = ""

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
    if strict or here.level == FULL:
        return here
    levels = [
        [_measure(item, schema, strict=False) for item in level]
        for level in _wrapped(value, schema)
    ]
    best = max((one for level in levels for one in level), key=lambda one: one.rank, default=here)
    if here.level == PARTIAL and best.known <= here.known:
        return here
    if best.level < FULL:
        return _under_its_list(value, schema) or here
    beside = next(level for level in levels if best in level)
    equals = (one.value for one in beside if one.rank == best.rank and one.value != [])
    if not all(same_json(one, best.value) for one in equals):  # a draft and a final version
        return Judgement(value, 0, trouble="several_items")
    return replace(best, applied=("unwrapped", *best.applied))


def _under_its_list(value: Any, schema: Mapping[str, Any]) -> Judgement | None:
    """The value as the list, or an item of it, that is all that the wanted object needs."""
    name = sole_list(schema)
    if not name or (isinstance(value, dict) and name in value):
        return None
    listed = _measure({name: value}, schema, strict=False)
    wrapped = replace(listed, applied=("one_item_list", *listed.applied))
    return wrapped if listed.level == FULL else None


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
    if isinstance(value, list) and len(value) > 1 and "object" in types_at(schema, schema):
        return Judgement(value, 0, trouble="several_items")
    coercion = Coercion(schema)
    coerced = value if strict else coercion.apply(value)
    if coercion.trouble:
        return Judgement(value, 0, trouble=coercion.trouble)
    found = fit(coerced, schema)
    level = _level(coerced, schema, found)
    if level > STRANGE and is_template(coerced, schema):
        return Judgement(value, 0, trouble="placeholder")
    trouble, detail = miscounted(coerced, schema) if level > STRANGE else ("wrong_shape", "")
    if detail:
        return Judgement(value, 0, trouble=trouble, detail=detail)
    faults = found.missing + found.mistyped
    return Judgement(coerced, level, found.known, faults, tuple(coercion.applied), trouble)


def _level(value: Any, schema: Mapping[str, Any], found: Fit) -> int:
    node, wanted = resolve(schema, schema), types_at(schema, schema)
    if wanted and json_type(value) not in wanted:
        return STRANGE
    placed = found.known > 0 or not properties_of(node) or (not value and found.full)
    if isinstance(value, list) and not found.full:
        fields = properties_of(resolve(node.get("items"), schema)).keys()
        placed = any(not isinstance(item, dict) or fields & item.keys() for item in value)
    if not placed:
        return STRANGE
    return FULL if found.full else PARTIAL


def _wrapped(value: Any, schema: Mapping[str, Any]) -> Iterator[list[Any]]:
    """The values inside a value that could be the answer, by depth.

    They stand as in {"result": {...}}, [{...}] and "{...}".
    """
    level = [value]
    for _ in range(_MAX_WRAPPER_DEPTH):
        level = [inner for outer in level for inner in _contents(outer, schema)][:_MAX_WRAPPED]
        yield level


def _contents(value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    """What a list of one or a wrapper holds; what stands in a field of the answer is its part."""
    children = value if isinstance(value, list) and len(value) == 1 else []
    if isinstance(value, dict) and not says_more(value):
        known = properties_of(resolve(schema, schema))
        children = [
            one
            for key, one in value.items()
            if key not in known or not branch_for(known[key], one, schema)
        ]
    for child in children:
        if isinstance(child, dict | list):
            yield child
        elif isinstance(child, str):
            yield from _values_in(child)


def _values_in(text: str) -> Iterator[Any]:
    """The value that a text is as JSON, or that stands in its only fence with nothing said behind it."""
    _, inside, behind = only_fence(text) or ("", "", text)
    written = inside.strip()
    if words_of(behind) or written[:1] not in ("{", "["):
        return
    if (outcome := _read_whole(written)) is not None:
        yield outcome.value


def _read_whole(text: str) -> RepairOutcome | None:
    """The reading of a text that is one JSON value, repaired where it has to be; else None."""
    parsed = strict_parse(text)
    strict = RepairOutcome(parsed.value, parsed.end, ())
    outcome = repair_json(text) if parsed.end < 0 else strict
    return outcome if outcome.trouble is None and outcome.end == len(text) else None
