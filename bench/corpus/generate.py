"""Fresh cases for a seed: as many as asked, spread evenly over the classes."""

import random
from collections.abc import Iterator, Sequence

from bench.corpus.case import Case, CaseClass, Rng
from bench.corpus.catalogue import all_classes


def rng_for(seed: int, name: str) -> Rng:
    """The chance of one class; adding a class leaves the cases of the others as they are."""
    return random.Random(f"{seed}/{name}")  # noqa: S311 - reproducible, not secret


def of_class(kind: CaseClass, seed: int, count: int) -> Iterator[Case]:
    """`count` cases of one class; two with the same text are tolerated where texts are few."""
    rng = rng_for(seed, kind.name)
    for index in range(1, count + 1):
        yield Case(kind, index, kind.make(rng))


def cases(seed: int, total: int, only: str = "") -> list[Case]:
    """About `total` cases, the same number of every class.

    Args:
        seed: Different seeds draw different cases.
        total: Wanted number over all chosen classes; every class gets at least one.
        only: Part of the names of the classes to draw; empty for all.
    """
    kinds: Sequence[CaseClass] = [kind for kind in all_classes() if only in kind.name]
    each = max(1, -(-total // len(kinds))) if kinds else 0
    return [case for kind in kinds for case in of_class(kind, seed, each)]
