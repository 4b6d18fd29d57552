"""Where two values begin to differ: the first place, and what stands there on either side."""

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from typing_extensions import override

_SHOWN: Final = 120
"""Most characters of a side that are shown."""

_BEFORE: Final = 30
"""Characters that are shown before the first that differs, where a text is cut."""


class _Missing:
    """Stands for what one side does not have."""

    @override
    def __repr__(self) -> str:
        return "nothing"


_MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two values differ.

    Attributes:
        path: The place, such as `clean.scenes[2].summary`.
        then: What stood there, shortened around the difference.
        now: What stands there.
    """

    path: str
    then: str
    now: str


def first_difference(path: str, then: Any, now: Any) -> Difference:
    """Where `now` first differs from `then`; objects are compared key by key, lists in order.

    Args:
        path: What the values are called.
        then: The value as it was.
        now: Another value as it is.
    """
    for name, one, other in _parts(then, now):
        if _differs(one, other):
            return first_difference(f"{path}{name}", one, other)
    if isinstance(then, str) and isinstance(now, str):
        start = _shared(then, now)
        return Difference(path, _around(then, start), _around(now, start))
    return Difference(path, _around(then, 0), _around(now, 0))


def _parts(then: Any, now: Any) -> list[tuple[str, Any, Any]]:
    """The parts of two objects or two lists; nothing else has any."""
    if isinstance(then, dict) and isinstance(now, dict):
        keys = dict.fromkeys([*then, *now])
        return [(f".{key}", then.get(key, _MISSING), now.get(key, _MISSING)) for key in keys]
    if isinstance(then, list) and isinstance(now, list):
        pairs = enumerate(zip_longest(then, now, fillvalue=_MISSING))
        return [(f"[{number}]", one, other) for number, (one, other) in pairs]
    return []


def _differs(one: Any, other: Any) -> bool:
    """Whether they are not alike as JSON: for Python `True`, `1` and `1.0` are equal."""
    parts = _parts(one, other)
    if parts:
        return any(_differs(first, second) for _, first, second in parts)
    return type(one) is not type(other) or bool(one != other)


def _shared(then: str, now: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(then, now, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(then), len(now)))


def _around(value: Any, start: int) -> str:
    """A value as it is written, or the part of a long text where it begins to differ."""
    if isinstance(value, str) and len(value) > _SHOWN and start > _BEFORE:
        begin = start - _BEFORE
        return f"...{_cut(repr(value[begin : begin + 2 * _SHOWN]))}"
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
