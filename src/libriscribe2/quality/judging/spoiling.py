"""A sound passage spoiled in six ways, each of which anyone who can judge prose has to see."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from libriscribe2.quality.text import sentences

_CLICHES: Final = (
    "A shiver ran down her spine, and time seemed to stand still.",
    "Little did they know that nothing would ever be the same again.",
    "The silence was deafening, and the tension could be cut with a knife.",
    "It was a testament to the indomitable strength of the human spirit.",
)
_PADDING: Final = (
    "It was, in a manner of speaking, how it was, and there was no other way in which it could "
    "have been said to be.",
    "One thing came after another thing, as things do when one of them follows on the other.",
    "All of this was what it was, and what it was was this, as has been said already.",
)
_PADDED: Final = 0.4
_FEWEST: Final = 4


def spoilt(text: str, names: Iterable[str] = ()) -> dict[str, str]:
    """Spoiled versions of a passage by the kind of damage; what does not apply is left out.

    Args:
        text: The passage.
        names: Names of the people, of whom two that occur change places.
    """
    found = {kind: spoil(text) for kind, spoil in _OPERATORS.items()}
    found["swapped names"] = _swapped(text, names)
    return {kind: made for kind, made in found.items() if made and made != text}


def _shuffled(text: str) -> str:
    """Its paragraphs out of order: the even ones first, then the odd ones from the end."""
    parts = text.split("\n\n")
    return "\n\n".join([*parts[1::2], *parts[0::2][::-1]]) if len(parts) >= _FEWEST else ""


def _doubled(text: str) -> str:
    """Its first half told twice."""
    parts = text.split("\n\n")
    half = parts[: len(parts) // 2]
    return "\n\n".join([*half, *half]) if len(half) > 1 else ""


def _with_cliches(text: str) -> str:
    """A stock phrase at the end of every second paragraph."""
    parts = text.split("\n\n")
    parts[::2] = [
        f"{part} {_CLICHES[number % len(_CLICHES)]}" for number, part in enumerate(parts[::2])
    ]
    return "\n\n".join(parts)


def _cut_off(text: str) -> str:
    """Its last third gone, in the middle of a word."""
    end = len(text) * 2 // 3
    while end < len(text) and not (text[end - 1].isalpha() and text[end].isalpha()):
        end += 1
    return text[:end] if end < len(text) else ""


def _padded(text: str) -> str:
    """Two fifths more words that say nothing."""
    made: list[str] = []
    told = added = 0
    for number, sentence in enumerate(sentences(text)):
        made.append(sentence)
        told += len(sentence)
        if added < _PADDED * told:
            made.append(_PADDING[number % len(_PADDING)])
            added += len(made[-1])
    return " ".join(made)


def _swapped(text: str, names: Iterable[str]) -> str:
    """Two people's names exchanged in the second half of the passage."""
    first_names = dict.fromkeys(name.split()[0] for name in names if name.split())
    known = [name for name in first_names if re.search(rf"\b{re.escape(name)}\b", text)]
    if len(known) < 2:
        return ""
    one, other = known[:2]
    swap: Mapping[str, str] = {one: other, other: one}
    half = text.find(" ", len(text) // 2)
    pattern = re.compile(rf"\b(?:{re.escape(one)}|{re.escape(other)})\b")
    return text[:half] + pattern.sub(lambda found: swap[found[0]], text[half:])


_OPERATORS: Final[Mapping[str, Callable[[str], str]]] = {
    "shuffled paragraphs": _shuffled,
    "a half told twice": _doubled,
    "stock phrases": _with_cliches,
    "cut ending": _cut_off,
    "padding": _padded,
}
