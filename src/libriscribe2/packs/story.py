"""What happened before a scene: the last chapters in full, those before in a line each."""

from collections.abc import Sequence
from itertools import chain
from typing import Final

from libriscribe2.models.canon import StoryTime, ToldEvent
from libriscribe2.models.story import ScenePlan
from libriscribe2.packs.blocks import block, frame, lines_within
from libriscribe2.packs.part import Rendered
from libriscribe2.packs.state import PackState
from libriscribe2.prose import shorten, weigh

REMEMBERED: Final = 3
"""How many chapters back the summaries are shown in full."""

RECENT_SHARE: Final = 0.6
"""Share of the budget that the last chapters may take."""

SHORTEST_LINE: Final = 160
LABEL: Final = 30
"""What a line takes besides what it tells."""

AHEAD_REMARK: Final = "What later chapters hold, as planned. Prepare it and tell nothing of it."
WRITTEN_REMARK: Final = (
    "What the later chapters say. Lead up to it, and announce nothing that none of them holds."
)
EVENT_LINE: Final = 140
MOST_EVENTS: Final = 8


def story_part(state: PackState, budget: int) -> Rendered:
    """The chapters before: the last few in full, and of the others as many lines as fit.

    Of those others the latest come first, and then the beginning of the book.
    """
    room = budget - frame("story_so_far")
    recent = range(state.number - 1, max(0, state.number - 1 - REMEMBERED), -1)
    before = [*range(state.number - 1 - REMEMBERED, 0, -1)]
    half = (len(before) + 1) // 2
    earlier = [*before[:half], *reversed(before[half:])]
    each = int(max(0, room) * RECENT_SHARE) // REMEMBERED
    lines = [_line(state, number, each) for number in recent]
    left = room - sum(weigh(line) + 1 for line in lines)
    share = _share(left, len(earlier))
    kept = lines_within(chain(lines, (_line(state, number, share) for number in earlier)), room)
    shown = sorted(zip((*recent, *earlier), kept, strict=False))
    return Rendered(
        block("story_so_far", "\n".join(line for _, line in shown)),
        cut=len(kept) < len(recent) + len(earlier),
        chapters=tuple(number for number, _ in shown if number in state.summaries),
    )


def ahead_part(state: PackState, budget: int) -> Rendered:
    """What later chapters hold, a line each: room that the past does not need yet.

    Those that are written already are told by what they say, the others by their plans.
    """
    later = range(state.number + 1, state.chapters + 1)
    remark = WRITTEN_REMARK if any(n in state.summaries for n in later) else AHEAD_REMARK
    room = budget - frame("ahead", remark=remark)
    each = _share(room, len(later))
    kept = lines_within((_ahead(state, number, each) for number in later), room)
    return Rendered(
        block("ahead", "\n".join(kept), remark=remark),
        cut=len(kept) < len(later),
        chapters=tuple(n for n, _ in zip(later, kept, strict=False) if n in state.summaries),
    )


def timeline_part(plan: ScenePlan, state: PackState, budget: int) -> Rendered:
    """What happened when, the latest last, and when the scene is."""
    told = [
        (number, event)
        for number in sorted(n for n in state.events if n < state.number)
        for event in state.events[number]
    ]
    around = _planned_times(plan, state)
    room = budget - frame("timeline") - sum(weigh(line) + 1 for line in around)
    latest = (_told(number, event) for number, event in reversed(told[-MOST_EVENTS:]))
    kept = lines_within(latest, room)[::-1]
    if room < 0 or not (kept or around):
        return Rendered(cut=bool(told or around))
    shown = told[len(told) - len(kept) :]
    return Rendered(
        block("timeline", "\n".join([*kept, *around])),
        cut=len(kept) < len(told),
        chapters=tuple(sorted({number for number, _ in shown})),
    )


def _share(room: int, lines: int) -> int:
    """What a line of so many may tell; where they are too many, the last ones have no room."""
    return max(SHORTEST_LINE, room // max(1, lines) - LABEL)


def _line(state: PackState, number: int, budget: int) -> str:
    """A chapter in one line: as it was written where that is known, else as it was planned."""
    if number in state.summaries:
        text = " ".join(state.summaries[number].split())
        return f"Chapter {number}: {shorten(text, budget)}"
    summary = state.outline.chapters[number - 1].summary
    return f"Chapter {number}, as planned: {shorten(summary, budget)}"


def _ahead(state: PackState, number: int, budget: int) -> str:
    """A later chapter in one line."""
    chapter = state.outline.chapters[number - 1]
    told = " ".join(state.summaries.get(number, chapter.summary).split())
    return f"Chapter {number}, {chapter.title}: {shorten(told, budget)}"


def _told(number: int, event: ToldEvent) -> str:
    """An event in one line."""
    return f"chapter {number}{_when(event.time)}: {shorten(event.what, EVENT_LINE)}"


def _planned_times(plan: ScenePlan, state: PackState) -> Sequence[str]:
    """When the plan puts the chapter before, this chapter and this scene."""
    before = state.outline.chapters[state.number - 2].story_time if state.number > 1 else ""
    told = {
        f"chapter {state.number - 1}, as planned": before,
        "this chapter": state.chapter.story_time,
        "this scene": plan.time,
    }
    return [f"{what}: {shorten(when, EVENT_LINE)}" for what, when in told.items() if when]


def _when(time: StoryTime) -> str:
    """A time of the story, such as `, day 3, evening`."""
    day = f", day {time.day}" if time.day is not None else ""
    return day + (f", {time.part}" if time.part else "")
