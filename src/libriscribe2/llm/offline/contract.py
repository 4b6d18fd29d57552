"""The contract of chapters: threads, moves, tension and time, so that the plan keeps its rules."""

from collections.abc import Sequence
from typing import Any, Final

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.plot import PER_CHAPTER, chapter_events
from libriscribe2.llm.offline.story import Story, located
from libriscribe2.models.draft_order import ENDING_MOVES, HIGHEST_TENSION, OPENING_MOVES

DAY_PARTS: Final = ("morning", "noon", "afternoon", "evening")

_THREADS: Final = 3
_FEWEST_FOR_THREE: Final = 4
_FEWEST_FOR_FRAME: Final = 4


def thread_count(story: Story, of: int) -> int:
    """How many threads a book of so many chapters has; one of facts has none."""
    if not story.fiction or of < 2:
        return 0
    return _THREADS if of >= _FEWEST_FOR_THREE else _THREADS - 1


def thread_id(story: Story, index: int) -> str:
    """The id of a thread: the thing that it is about."""
    thing = story.things[index % len(story.things)]
    bare = thing.removeprefix("the ").replace("\u2019", "")
    return "-".join(bare.lower().split())


def thread_span(index: int, of: int) -> tuple[int, int]:
    """The chapters that set a thread up and pay it off.

    The first runs through the book, the second ends a chapter earlier, the third lies within.
    """
    if index == 0:
        return 1, of
    if index == 1:
        return 1, max(2, of - 1)
    setup = max(1, of // 3)
    return setup, max(setup + 1, 2 * of // 3)


def threads_at(story: Story, chapter: int, of: int, *, payoff: bool) -> list[str]:
    """The ids of the threads that a chapter, from 1, pays off or sets up."""
    return [
        thread_id(story, index)
        for index in range(thread_count(story, of))
        if thread_span(index, of)[payoff] == chapter
    ]


def chapter_role(story: Story, index: int, of: int) -> str:
    """Of a book of facts that is long enough the first chapter leads in and the last one out."""
    if story.fiction or of < _FEWEST_FOR_FRAME:
        return ""
    return {0: "introduction", of - 1: "conclusion"}.get(index, "")


def opening_move(story: Story, index: int) -> str:
    """How the chapter at an index begins: in turn, so that neighbours differ."""
    return _in_turn(OPENING_MOVES, story, "openings", index)


def ending_move(story: Story, index: int) -> str:
    """How the chapter at an index ends: in turn, so that neighbours differ."""
    return _in_turn(ENDING_MOVES, story, "endings", index)


def tension(index: int, of: int) -> int:
    """The tension of a chapter: it rises to the last but one and falls now and then."""
    height = 3 + (HIGHEST_TENSION - 4) * index // max(1, of - 2)
    fall = 2 if index % 3 == 2 else 0
    last = index == of - 1 and of > 1
    return 4 if last else max(1, min(HIGHEST_TENSION - 1, height) - fall)


def day(story: Story, index: int) -> int:
    """The day of the story on which the chapter at an index happens."""
    return 1 + 2 * index + Dice(story.seed, "day", index).below(2)


def standing(story: Story, index: int, of: int) -> str:
    """Where somebody is when the chapter at an index ends; -1 stands for the beginning."""
    event = chapter_events(story, max(1, index + 1), of, PER_CHAPTER)[-1 if index >= 0 else 0]
    return f"{event.lead.name} is {located(event.place)}."


def shared_out(items: Sequence[str], index: int, of: int) -> list[str]:
    """The items, in order, that belong to one of so many parts; each belongs to one."""
    return [item for number, item in enumerate(items) if number * of // len(items) == index]


def _in_turn(moves: Sequence[str], story: Story, use: str, index: int) -> str:
    order: list[Any] = Dice(story.seed, use).shuffled(moves)
    return str(order[index % len(order)])
