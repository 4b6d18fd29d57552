"""What a closing bracket means that does not match the innermost open one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.utils.repair.patterns import COMMA, KEY, skip_space

_OBJECT_ENDS: Final = "}｝"
_BRACKETS: Final = "}]｝］"


@dataclass(frozen=True, slots=True)
class Closing:
    """How to take one closing bracket.

    Attributes:
        pops: How many containers it ends.
        repair: The repair's name, or "" when the bracket is right.
        doubtful: Whether another explanation is as good.
    """

    pops: int
    repair: str = ""
    doubtful: bool = False


def plan_closing(text: str, position: int, stack: Sequence[bool], order: Sequence[str]) -> Closing:
    """Explain the closing bracket at `position`.

    Args:
        text: The text.
        position: Index of the bracket.
        stack: For each open container, outermost first, whether it is an object.
        order: The explanations, the preferred first, where several are as good.
    """
    is_object = text[position] in _OBJECT_ENDS
    options: dict[str, int] = {}
    if stack[-1] == is_object:
        if len(stack) > 1 or not _goes_on(text, position + 1, is_object=is_object):
            return Closing(1)
        return Closing(0, "extra_closer")
    if is_object in stack:
        depth = len(stack) - 1 - max(i for i, kind in enumerate(stack) if kind == is_object)
        options["missing_closer"] = depth + 1
    options["wrong_closer"] = 1
    options["extra_closer"] = 0
    scores = {
        name: _score(text, position + 1, stack[: len(stack) - pops])
        for name, pops in options.items()
    }
    best = max(scores.values())
    winners = [name for name in order if scores.get(name) == best]
    return Closing(options[winners[0]], winners[0], len(winners) > 1)


def _goes_on(text: str, position: int, *, is_object: bool) -> bool:
    """Whether members follow although the outermost object just ended."""
    comma = COMMA.match(text, position)
    return is_object and comma is not None and KEY.match(text, comma.end()) is not None


def _score(text: str, position: int, stack: Sequence[bool]) -> int:
    """How well the text goes on when these containers remain open: 2 well, 0 badly."""
    open_kinds = list(stack)
    while True:
        position = skip_space(text, position)
        char = text[position : position + 1]
        if not char or char not in _BRACKETS:
            break
        if not open_kinds or open_kinds.pop() != (char in _OBJECT_ENDS):
            return 0
        position += 1
    comma = COMMA.match(text, position)
    if comma is None:
        return 0 if open_kinds else 2
    if not open_kinds:
        return 0
    return 2 if open_kinds[-1] == (KEY.match(text, comma.end()) is not None) else 0
