"""Passages around what two versions of a chapter have differently."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from libriscribe2.quality.judging.windows import SHORTEST, WINDOW, prose_of

MOST_PASSAGES: Final = 2
"""Most passages of a chapter that are compared; those with the largest changes are taken."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Paragraphs of both versions that belong together, from and up to; and how much changed."""

    ours: tuple[int, int]
    theirs: tuple[int, int]
    weight: int


def changed_passages(ours: str, theirs: str) -> list[tuple[str, str]]:
    """Passages of both versions that differ, in the order of the text.

    Each is taken with the paragraphs around it, which are the same on both sides. What is too
    short to be judged even so is left out.

    Args:
        ours: The one version.
        theirs: The other.
    """
    parts = prose_of(ours).split("\n\n"), prose_of(theirs).split("\n\n")
    stretches = [_widened(one, parts) for one in _changes(parts)]
    joined = _joined(stretches, parts)
    told = [one for one in joined if min(map(len, _texts(one, parts))) >= SHORTEST]
    chosen = sorted(told, key=lambda one: -one.weight)[:MOST_PASSAGES]
    return [_texts(one, parts) for one in sorted(chosen, key=lambda one: one.ours)]


def _changes(parts: tuple[list[str], list[str]]) -> list[_Stretch]:
    """The paragraphs that are not in both versions."""
    ours, theirs = parts
    found = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    return [
        _Stretch((a, b), (c, d), len("".join(ours[a:b])) + len("".join(theirs[c:d])))
        for kind, a, b, c, d in found
        if kind != "equal"
    ]


def _widened(one: _Stretch, parts: tuple[list[str], list[str]]) -> _Stretch:
    """A change with a paragraph on each side, and more where it is too short to be judged."""
    wide = _with_one_more(one, parts)
    while min(map(len, _texts(wide, parts))) < SHORTEST:
        wider = _with_one_more(wide, parts)
        if wider == wide:
            break
        wide = wider
    return wide


def _with_one_more(one: _Stretch, parts: tuple[list[str], list[str]]) -> _Stretch:
    """A stretch with the paragraph before and the paragraph after it, as far as there are any.

    Both versions have what lies before and after a change alike, or it is a change, too.
    """
    before = min(one.ours[0], one.theirs[0], 1)
    after = min(len(parts[0]) - one.ours[1], len(parts[1]) - one.theirs[1], 1)
    ours = (one.ours[0] - before, one.ours[1] + after)
    return _Stretch(ours, (one.theirs[0] - before, one.theirs[1] + after), one.weight)


def _joined(stretches: list[_Stretch], parts: tuple[list[str], list[str]]) -> list[_Stretch]:
    """Stretches that touch as one, as long as it is no longer than a passage may be."""
    found: list[_Stretch] = []
    for one in stretches:
        both = _union(found[-1], one) if found else one
        touches = bool(found) and one.ours[0] <= found[-1].ours[1]
        if touches and max(map(len, _texts(both, parts))) <= WINDOW:
            found[-1] = both
        else:
            found.append(one)
    return found


def _union(one: _Stretch, other: _Stretch) -> _Stretch:
    ours = (min(one.ours[0], other.ours[0]), max(one.ours[1], other.ours[1]))
    theirs = (min(one.theirs[0], other.theirs[0]), max(one.theirs[1], other.theirs[1]))
    return _Stretch(ours, theirs, one.weight + other.weight)


def _texts(one: _Stretch, parts: tuple[list[str], list[str]]) -> tuple[str, str]:
    """The passages of both versions."""
    return "\n\n".join(parts[0][slice(*one.ours)]), "\n\n".join(parts[1][slice(*one.theirs)])
