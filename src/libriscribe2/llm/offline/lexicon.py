"""Word lists of `phrases/lexicon.txt`."""

from functools import cache

from libriscribe2.llm.offline.phrases import banks


@cache
def words(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(" ".join(banks("lexicon")[name]).split())


@cache
def endings(name: str) -> tuple[str, ...]:
    """The endings of a list, for `str.endswith`."""
    return tuple(sorted(words(name)))
