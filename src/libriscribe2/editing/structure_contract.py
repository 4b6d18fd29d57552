"""What an edit of the order means for the contracts of chapters and for the threads of a plan.

Entries and threads are plain JSON with every key that the author gave them; what has another
shape than the plan's is left as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

Plain = Mapping[str, Any]

_LISTS: Final = ("beats", "plants", "payoffs")
_OF_THE_BEGINNING: Final = ("entry_state", "opening_move", "plants", "question_answered")
_OF_THE_END: Final = ("exit_state", "ending_move", "payoffs", "question_raised")


def joined_contract(first: Plain, second: Plain) -> dict[str, Any]:
    """The contract of two chapters that become one, as far as it is not that of the first."""
    joined: dict[str, Any] = {}
    for name in _LISTS:
        one, other = first.get(name), second.get(name)
        if isinstance(one, list) and isinstance(other, list):
            joined[name] = [*one, *(item for item in other if item not in one)]
    for name in ("exit_state", "ending_move", "question_raised"):
        if name in second:
            joined[name] = second[name]
    heights, lengths = _numbers("tension", first, second), _numbers("target_words", first, second)
    if heights:
        joined["tension"] = max(heights)
    if lengths:
        joined["target_words"] = sum(lengths) if all(lengths) else 0
    return joined


def split_contract(entry: Plain) -> tuple[dict[str, Any], dict[str, Any]]:
    """The contracts of the two parts of a chapter: what is known of its beginning and of its end.

    A part does not say how it joins the other, and what has to happen belongs to one of them only
    an author can tell: both lack it.
    """
    unknown = {"beats", "target_words"}
    first = {key: _empty(entry[key]) for key in entry.keys() & {*_OF_THE_END, *unknown}}
    second = {key: _empty(entry[key]) for key in entry.keys() & {*_OF_THE_BEGINNING, *unknown}}
    return first, second


def renumbered_threads(threads: Any, sources: Sequence[Sequence[int]]) -> Any:
    """The threads of a plan under the new numbers of its chapters.

    Args:
        threads: The threads.
        sources: For each chapter of the new order the numbers that it had; none for a new one.

    Returns:
        The threads. One whose first chapter is gone begins with the next one that is left; one
        whose last chapter is gone is not paid off any more.
    """
    if not isinstance(threads, list):
        return threads
    places = [(old, new) for new, had in enumerate(sources, start=1) for old in had]
    return [_renumbered(one, places) if isinstance(one, dict) else one for one in threads]


def _renumbered(thread: dict[str, Any], places: Sequence[tuple[int, int]]) -> dict[str, Any]:
    moved = dict(thread)
    setup, payoff, due = (thread.get(name) for name in ("setup", "payoff", "due_by"))
    if isinstance(setup, int):
        later = sorted((old, new) for old, new in places if old >= setup)
        moved["setup"] = later[0][1] if later else max((new for _, new in places), default=1)
    if isinstance(payoff, int):
        moved["payoff"] = max((new for old, new in places if old == payoff), default=None)
    if isinstance(due, int):
        before = [(old, new) for old, new in places if old <= due]
        moved["due_by"] = max(before)[1] if before else None
    return moved


def _numbers(name: str, first: Plain, second: Plain) -> list[int]:
    """A number of both entries; none unless both have it."""
    found = [one[name] for one in (first, second) if isinstance(one.get(name), int)]
    return found if len(found) == 2 else []


def _empty(value: Any) -> Any:
    """What a field of a contract holds when nothing is said."""
    if isinstance(value, list):
        return []
    return "" if isinstance(value, str) else 0
