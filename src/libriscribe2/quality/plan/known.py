"""Matching what a plan says with the names of the book."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import regex
from rapidfuzz.distance import OSA

from libriscribe2.quality.text import plain

SHORTEST = 5
"""Shorter names have too many neighbours to be told from them."""


def is_known(name: str, names: Iterable[str]) -> bool:
    """Whether a name is one of the book's, or a whole part of one, or holds one."""
    own = words_of(name)
    return bool(own) and any(
        own <= known or known <= own for one in names if (known := words_of(one))
    )


def nearest(name: str, names: Sequence[str]) -> str | None:
    """The one name of the book that a name misspells by one letter; None where it is not so."""
    folded = _folded(name)
    near = [
        one
        for one in names
        if len(folded) >= SHORTEST and OSA.distance(folded, _folded(one), score_cutoff=1) == 1
    ]
    return near[0] if len(near) == 1 else None


@lru_cache(maxsize=4096)
def words_of(name: str) -> frozenset[str]:
    """The words of a name that tell it from others."""
    found = regex.findall(r"[\p{L}\p{N}]+", plain(name).casefold())
    return frozenset(found) - {"the", "a", "an", "of"}


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    return " ".join(regex.findall(r"[\p{L}\p{N}]+", plain(name).casefold()))
