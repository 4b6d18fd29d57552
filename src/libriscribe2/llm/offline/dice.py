"""Repeatable chance: the same seed gives the same throws on every machine and Python version."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1


class Dice:
    """A small generator of numbers, seeded by text.

    `random.Random` would do for the numbers, but how its `shuffle` and `choice` use them has
    changed between Python versions. This is SplitMix64 (Steele, Lea and Flood, 2014), whose whole
    definition fits below.

    Args:
        seed: What the throws depend on; the parts are told apart.
    """

    def __init__(self, *seed: str | int) -> None:
        text = "\x1f".join(str(part) for part in seed)
        self._state = int.from_bytes(sha256(text.encode("utf-8")).digest()[:8], "big")

    def _next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1; `count` is at least 1."""
        return (self._next() * count) >> 64

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, one_in: int) -> bool:
        """True once in `one_in` throws."""
        return self.below(one_in) == 0

    def pick(self, items: Sequence[T]) -> T:
        """One of the items; there must be one."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in another order (Fisher and Yates)."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed
