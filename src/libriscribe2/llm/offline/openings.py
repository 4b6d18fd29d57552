"""The opening of a chapter, taken up again once the chapter before it is there."""

from collections.abc import Iterable
from typing import Final

from libriscribe2.llm.offline.draft import Writer
from libriscribe2.llm.offline.english import sentences

_TRIES: Final = 4
"""How many first sentences are looked at for one that nobody has said yet."""


def reopened(writer: Writer, opening: str, known: Iterable[str]) -> str:
    """An opening with another first sentence; as it was where there is no other one.

    Args:
        writer: Finds the sentence.
        opening: The opening.
        known: Text around it, none of whose sentences comes again.
    """
    first = next(iter(sentences(opening)), "")
    if not first or not opening.startswith(first) or "[" in first:
        return opening
    said = {sentence for text in (opening, *known) for sentence in sentences(text)}
    heads = (writer.head()[0] for _ in range(_TRIES))
    found = next((one for one in heads if said.isdisjoint(sentences(one))), first)
    return found + opening[len(first) :]
