"""What was removed from a text and what was added: the raw reply beside what was read of it."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rapidfuzz.distance import Levenshtein

MOST_CHARACTERS: Final = 60_000
"""Of the part that differs; beyond it lines are compared, because the time grows as the square."""

_MOST_TOKENS: Final = 60_000
_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")
_LINES: Final = re.compile(r"[^\n]*\n|[^\n]+")
_SHORTEST_COMMON: Final = 4

Kind = Literal["same", "gone", "new"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text.

    Attributes:
        kind: `same`: in both texts; `gone`: only in the first; `new`: only in the second.
        text: The text.
    """

    kind: Kind
    text: str


def character_diff(before: str, after: str) -> list[Piece]:
    """The two texts as one list of pieces, by characters (by lines where they are very long).

    Without the pieces that are `new` it is the first text, without those that are `gone` the
    second.
    """
    start, end = _common(before, after)
    middle = before[start : len(before) - end], after[start : len(after) - end]
    if max(map(len, middle)) > MOST_CHARACTERS:
        pieces = _pieces(*(_LINES.findall(text) for text in middle))
    else:
        pieces = _calm(_pieces(*middle))
    whole = [Piece("same", before[:start]), *pieces, Piece("same", before[len(before) - end :])]
    return _joined(whole)


def word_diff(before: str, after: str) -> list[Piece]:
    """The same by words."""
    first, second = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(first), len(second)) > _MOST_TOKENS:
        first, second = _LINES.findall(before), _LINES.findall(after)
    return _joined(_pieces(first, second))


def _pieces(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Piece]:
    found: list[Piece] = []
    for code in Levenshtein.opcodes(before, after):
        gone = _text(before[code.src_start : code.src_end])
        if code.tag == "equal":
            found.append(Piece("same", gone))
        else:
            new = _text(after[code.dest_start : code.dest_end])
            found += [Piece("gone", gone), Piece("new", new)]
    return found


def _calm(pieces: list[Piece]) -> list[Piece]:
    """The same with chance likenesses of a few letters between two changes made changes too."""
    calm: list[Piece] = []
    for number, piece in enumerate(pieces):
        inner = 0 < number < len(pieces) - 1
        short = len(piece.text) < _SHORTEST_COMMON and piece.text.isalnum()
        if piece.kind == "same" and inner and short:
            calm += [Piece("gone", piece.text), Piece("new", piece.text)]
        else:
            calm.append(piece)
    return calm


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours made one: within a change, what is gone stands before what is new."""
    joined: list[Piece] = []
    change: dict[Kind, str] = {"gone": "", "new": ""}

    def close() -> None:
        joined.extend(Piece(kind, text) for kind, text in change.items() if text)
        change.update({"gone": "", "new": ""})

    for piece in pieces:
        if not piece.text:
            continue
        if piece.kind != "same":
            change[piece.kind] += piece.text
            continue
        close()
        if joined and joined[-1].kind == "same":
            joined[-1] = Piece("same", joined[-1].text + piece.text)
        else:
            joined.append(piece)
    close()
    return joined


def _text(part: Sequence[Hashable]) -> str:
    return part if isinstance(part, str) else "".join(map(str, part))


def _common(before: str, after: str) -> tuple[int, int]:
    """How many characters both begin with, and how many both end with apart from those."""
    most = min(len(before), len(after))
    start = next((n for n in range(most) if before[n] != after[n]), most)
    rest = most - start
    end = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    return start, end
