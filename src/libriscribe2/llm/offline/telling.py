"""Telling the sentences of an author's plan in a text, never many of their words in a row."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from libriscribe2.llm.offline.english import count_words, sentences, shorten
from libriscribe2.llm.offline.grammar import without_slots
from libriscribe2.llm.offline.premise import is_english
from libriscribe2.llm.offline.tense import in_the_past

MOST_WORDS: Final = 12
"""So many words of a plan may stand in a row; from 14 on a reader would know it again."""

_LONGEST_WORD: Final = 40
_JOINT: Final = re.compile(
    r"(?<=[,;:])\s+|\s+(?=(?:and|but|because|while|when|until|who|which|that|before|after|so)\b)"
    r"|\s+[–—]\s+"
)
_LEADS_ON: Final = re.compile(
    r"(?i)^(?:and|but|so|because|while|when|until|who|which|that|before|after)\s+"
)
_LONGEST: Final = 1_200
"""So many characters of a sentence are told; prompts show no more of a plan's field."""

_WITHOUT_BLANKS: Final = 12
_FEWEST: Final = 3


def told(text: str, quote: Callable[[], str], *, past: bool) -> list[str]:
    """The sentences of a plan as templates of sentences for a text.

    Args:
        text: The plan's sentences.
        quote: Finds a template that quotes its `{part}`.
        past: Whether the text tells in the past; sentences that cannot be told so are quoted.
    """
    found: list[str] = []
    for sentence in sentences(text):
        bare = without_slots(sentence.rstrip(" ."))
        said = in_the_past(bare) if past else bare if is_english(bare) else None
        parts = [*_parts(said or bare)]
        if said is not None and len(parts) == 1:
            found.append(said if said.endswith(("!", "?")) else f"{said}.")
        else:
            found += [quote().replace("{part}", part) for part in parts]
    return found


def clipped(text: str) -> str:
    """A text where it is short enough to be quoted whole, else its first part."""
    return next(_parts(text), text)


def _parts(text: str) -> Iterator[str]:
    """A sentence in parts of a bounded length, cut at joints near the middle where it has any."""
    pending = [shorten(" ".join(text.split()), _LONGEST)]
    while pending:
        part = pending.pop()
        if " " not in part:
            yield _cut(part)
        elif count_words(part) <= MOST_WORDS:
            yield _LEADS_ON.sub("", part).strip(" ,;:") or part
        else:
            pending += reversed(_halves(part))


def _halves(text: str) -> tuple[str, str]:
    """A long sentence cut in two at the joint nearest to its middle, else after some words."""
    joints = [
        (abs(count_words(text[: found.start()]) * 2 - count_words(text)), found)
        for found in _JOINT.finditer(text)
        if min(count_words(text[: found.start()]), count_words(text[found.end() :])) >= _FEWEST
    ]
    if joints:
        _, found = min(joints, key=lambda one: one[0])
        return text[: found.start()], text[found.end() :]
    words = text.split()
    half = max(MOST_WORDS - 2, 1)
    return f"{' '.join(words[:half])} …", f"… {' '.join(words[half:])}"


def _cut(text: str) -> str:
    """A text without blanks, or its beginning."""
    return text if len(text) <= _LONGEST_WORD else f"{text[:_WITHOUT_BLANKS]}…"
