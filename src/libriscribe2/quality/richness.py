"""How rich a text's vocabulary is, and how well it compresses."""

import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

_MTLD_THRESHOLD: Final = 0.72
"""McCarthy and Jarvis 2010: the type-token ratio at which a factor ends."""


def mattr(tokens: Sequence[str], window: int = 500) -> float:
    """Moving-average type-token ratio (Covington and McFall 2010), 0 to 1; 0 for no text."""
    if len(tokens) <= window:
        return len(set(tokens)) / len(tokens) if tokens else 0.0
    inside = Counter(tokens[:window])
    total = len(inside)
    for index in range(window, len(tokens)):
        leaving = tokens[index - window]
        inside[leaving] -= 1
        if not inside[leaving]:
            del inside[leaving]
        inside[tokens[index]] += 1
        total += len(inside)
    return total / ((len(tokens) - window + 1) * window)


def mtld(tokens: Sequence[str]) -> float:
    """Measure of textual lexical diversity: the mean of both reading directions, in words."""
    return (_one_way(tokens) + _one_way(tokens[::-1])) / 2


def _one_way(tokens: Sequence[str]) -> float:
    """Words per factor in one direction; the whole length where no factor ends."""
    factors, types, taken, ratio = 0.0, set[str](), 0, 1.0
    for token in tokens:
        taken += 1
        types.add(token)
        ratio = len(types) / taken
        if ratio <= _MTLD_THRESHOLD:
            factors, types, taken, ratio = factors + 1, set(), 0, 1.0
    factors += (1 - ratio) / (1 - _MTLD_THRESHOLD)
    return len(tokens) / factors if factors else float(len(tokens))


def compressed_share(text: str) -> float:
    """The size that zlib leaves of a text, 0 to 1; lower is more repetitive."""
    data = text.encode("utf-8", errors="replace")
    return len(zlib.compress(data, 9)) / len(data) if data else 1.0
