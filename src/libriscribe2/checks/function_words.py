"""Words that say nothing of what a passage is about, by language.

`function_words.txt` has a line for each language: from the most frequent words of `wordfreq` 3.1.1,
without nouns and full verbs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Final

_TOLD: Final = resources.files("libriscribe2.checks").joinpath("function_words.txt")
_BY_LANGUAGE: Final = tuple(
    frozenset(line.split()[1:]) for line in _TOLD.read_text("utf-8").splitlines()
)

STOPWORDS: Final = _BY_LANGUAGE[0]
"""English function words."""


def function_words(words: Iterable[str]) -> frozenset[str]:
    """The function words of the language of a text: of the list that covers most of it.

    Args:
        words: Its words in lower case; a text that no list covers gets the English ones.
    """
    count: Mapping[str, int] = Counter(words)
    return max(_BY_LANGUAGE, key=lambda own: sum(count.get(word, 0) for word in own))
