"""Values brought to the types that a schema asks for, where only one reading exists.

A comma-separated string becomes a list, a numeric string a number, a key in another spelling the
schema's key. Nothing is invented: what has no exact reading stays as it is and fails validation.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from libriscribe2.utils.schema_fit import (
    accepts_type,
    alternatives,
    branch_for,
    properties_of,
    resolve,
    types_of,
)

_INTEGER: Final = re.compile(r"[+-]?\d{1,400}")
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?")
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+")
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
        parts = lines if len(lines) > 1 else value.split(",")
        bare = (_BULLET.sub("", part).strip().strip(",").strip() for part in parts)
        return [part for part in bare if part]

    def _item(self, value: Any, node: Mapping[str, Any]) -> Any:
        """The item of a one-item list where one object is wanted, or the object as a list."""
        if isinstance(value, list) and len(value) == 1 and "object" in types_of(node):
            return value[0]
        wrapped = isinstance(value, dict) and "array" in types_of(node)
        return [value] if wrapped and branch_for(node.get("items"), value, self._root) else None

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
