"""Walks over JSON values with an explicit stack, so that depth is never a danger."""

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any, Final

_CONTAINERS: Final = (dict, list)


def map_strings(value: Any, change: Callable[[str, str], str]) -> Any:
    """A copy of a JSON value with every string value replaced by `change(field, text)`.

    `field` is the nearest key above the string, or "". Keys stay as they are.
    """
    root: list[Any] = [value]
    pending: list[tuple[Any, Any, str]] = [(root, 0, "")]
    while pending:
        parent, slot, field = pending.pop()
        node = parent[slot]
        if isinstance(node, str):
            parent[slot] = change(field, node)
        elif isinstance(node, dict):
            parent[slot] = copy = dict(node)
            pending.extend((copy, key, key) for key in copy)
        elif isinstance(node, list):
            parent[slot] = items = list(node)
            pending.extend((items, index, field) for index in range(len(items)))
    return root[0]


def string_leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Every string value with its field, in no promised order."""
    pending: list[tuple[str, Any]] = [("", [value])]
    while pending:
        field, node = pending.pop()
        members = node.items() if isinstance(node, dict) else zip(repeat(field), node)
        for name, item in members:
            if isinstance(item, str):
                yield name, item
            elif isinstance(item, _CONTAINERS):
                pending.append((name, item))
