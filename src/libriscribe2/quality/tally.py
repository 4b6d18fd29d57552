"""Counting what a text holds, from one version to the next by what differs."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

PartT = TypeVar("PartT", bound=Hashable)
ThingT = TypeVar("ThingT", bound=Hashable)


def alike(one: Sequence[Any], other: Sequence[Any]) -> int:
    """With how many like items two sequences of one type begin."""
    return _longest(min(len(one), len(other)), lambda low, high: one[low:high] == other[low:high])


def alike_at_end(one: Sequence[Any], other: Sequence[Any], most: int) -> int:
    """With how many like items two sequences of one type end, `most` at most."""
    ours, theirs = len(one), len(other)
    return _longest(
        most,
        lambda low, high: one[ours - high : ours - low] == other[theirs - high : theirs - low],
    )


def _longest(most: int, is_alike: Callable[[int, int], bool]) -> int:
    """The greatest number up to which all is alike, found by halves.

    Args:
        most: No number above is looked at.
        is_alike: Whether what stands between two numbers is alike.
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_alike(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


class Tally(Generic[PartT, ThingT]):
    """Counts of the things that the parts of a text hold, such as words of paragraphs.

    Args:
        kinds: For each kind of thing, what a part holds of it; the same part always the same.

    Attributes:
        counts: How often each thing of a kind stands, in the order of the kinds; none 0 times.
    """

    def __init__(self, *kinds: Callable[[PartT], Iterable[ThingT]]) -> None:
        self._kinds = kinds
        self._parts: tuple[PartT, ...] = ()
        self.counts = tuple(Counter[ThingT]() for _ in kinds)

    def has_any(self, parts: Iterable[PartT]) -> bool:
        """Whether some of these parts are counted."""
        return not frozenset(self._parts).isdisjoint(parts)

    def move_to(self, parts: Iterable[PartT]) -> tuple[Sequence[PartT], Sequence[PartT]]:
        """Count another version: work is done only for parts that came and that went.

        Returns:
            The parts that came and those that went.
        """
        now, then = tuple(parts), self._parts
        start = alike(now, then)
        end = alike_at_end(now, then, min(len(now), len(then)) - start)
        here, there = Counter(now[start : len(now) - end]), Counter(then[start : len(then) - end])
        came, went = tuple((here - there).elements()), tuple((there - here).elements())
        for kind, count in zip(self._kinds, self.counts, strict=True):
            count.update(chain.from_iterable(map(kind, came)))
            for thing in chain.from_iterable(map(kind, went)):
                count[thing] -= 1
                if not count[thing]:
                    del count[thing]
        self._parts = now
        return came, went
