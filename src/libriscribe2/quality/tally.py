"""Counting what a text holds, from one version to the next by what differs."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from itertools import chain
from typing import Generic, TypeVar

PartT = TypeVar("PartT", bound=Hashable)
ThingT = TypeVar("ThingT", bound=Hashable)


class Tally(Generic[PartT, ThingT]):
    """Counts of the things that the parts of a text hold, such as words of paragraphs.

    Args:
        kinds: For each kind of thing, what a part holds of it; the same part always the same.

    Attributes:
        counts: How often each thing of a kind stands, in the order of the kinds; none 0 times.
    """

    def __init__(self, *kinds: Callable[[PartT], Iterable[ThingT]]) -> None:
        self._kinds = kinds
        self._parts = Counter[PartT]()
        self.counts = tuple(Counter[ThingT]() for _ in kinds)

    def has_any(self, parts: Iterable[PartT]) -> bool:
        """Whether some of these parts are counted."""
        return not self._parts.keys().isdisjoint(parts)

    def move_to(self, parts: Iterable[PartT]) -> None:
        """Count another version: work is done only for parts that came and that went."""
        now, then = Counter(parts), self._parts
        changed = {part for part, _ in now.items() ^ then.items()}
        came = [part for part in changed for _ in range(now[part] - then[part])]
        went = [part for part in changed for _ in range(then[part] - now[part])]
        for kind, count in zip(self._kinds, self.counts, strict=True):
            count.update(chain.from_iterable(map(kind, came)))
            for thing in chain.from_iterable(map(kind, went)):
                count[thing] -= 1
                if not count[thing]:
                    del count[thing]
        self._parts = now
