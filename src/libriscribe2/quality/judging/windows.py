"""Passages of one length: a judge that sees a longer text beside a shorter one prefers it."""

import re
from typing import Final, Literal

from libriscribe2.prose import without_notes

WINDOW: Final = 4_000
"""Most characters of a passage."""

SHORTEST: Final = 400
"""A passage with fewer characters shows nothing that could be judged."""

Where = Literal["beginning", "end"]

_HEADING: Final = re.compile(r"\A\s*#[^\n]*\n+")


def equal_windows(ours: str, theirs: str, where: Where = "beginning") -> tuple[str, str] | None:
    """The beginnings (or the ends) of two texts, cut at paragraphs to much the same length.

    Returns:
        Both passages, or None where one of them is too short to be judged.
    """
    ours, theirs = prose_of(ours), prose_of(theirs)
    size = min(WINDOW, len(ours), len(theirs))
    if size < SHORTEST:
        return None
    found = _cut(ours, size, where), _cut(theirs, size, where)
    size = min(map(len, found))
    return _cut(found[0], size, where), _cut(found[1], size, where)


def sound_passages(text: str, most: int) -> list[str]:
    """The first passages of a text, whole paragraphs each; one that is too short is left out."""
    found = [""]
    for paragraph in prose_of(text).split("\n\n"):
        longer = f"{found[-1]}\n\n{paragraph}".strip()
        if len(longer) > WINDOW and found[-1]:
            found.append(paragraph)
        else:
            found[-1] = longer
    return [one for one in found if len(one) >= SHORTEST][:most]


def prose_of(text: str) -> str:
    """A chapter without its heading and without remarks to oneself."""
    return _HEADING.sub("", without_notes(text)).strip()


def _cut(text: str, size: int, where: Where) -> str:
    """At most `size` characters, whole paragraphs unless one is longer than half of them."""
    if len(text) <= size:
        return text
    if where == "end":
        start = text.find("\n\n", len(text) - size)
        near = 0 <= start < len(text) - size // 2
        return text[start:].strip() if near else text[len(text) - size :].strip()
    end = text.rfind("\n\n", 0, size)
    return text[: end if end > size // 2 else size].strip()
