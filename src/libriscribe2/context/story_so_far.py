"""What happens before and after a scene, and the text on both sides of it."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from libriscribe2.context.earlier_text import PASSAGE_BUDGET
from libriscribe2.context.notes import going_back
from libriscribe2.context.people_and_facts import told_of
from libriscribe2.context.prompt_context import PromptContext
from libriscribe2.context.prompt_parts import Rendered, block, frame, lines_block, text_block
from libriscribe2.models.story import OutlineChapter, ScenePlan
from libriscribe2.models.story_bible import StatedEvent, StoryTime
from libriscribe2.prompts.loader import LEVEL
from libriscribe2.prose import divided, lines_within, shorten, tail, weigh

REMEMBERED: Final = 3
"""How many chapters back a summary is never shortened before all others are."""

WHOLE: Final = 9
"""How many chapters back the summaries are whole where there is room."""

DISTANT: Final = 1_100
"""Most that the chapters before those take, so that prompts do not grow with the book."""

RECENT_SHARE: Final = 0.6
"""Share of the room that is the last chapters' at least."""

LEAST_DISTANT: Final = 600
"""What they take at least, however short a scene is."""

SHORTEST_LINE: Final = 160
LABEL: Final = 30
"""What a line takes besides what it tells."""

_WHOLE: Final = 10**9

AHEAD_REMARK: Final = "What later chapters hold, as planned. Prepare it and tell nothing of it."
WRITTEN_REMARK: Final = (
    "What the later chapters say. Lead up to it, and announce nothing that none of them holds."
)
EVENT_LINE: Final = 300
MOST_EVENTS: Final = 6


def story_part(state: PromptContext, budget: int, share: float = 1.0) -> Rendered:
    """The chapters before: the last ones whole where they fit, of the others as many as fit.

    Of those others the latest come first, and then the beginning of the book.

    Args:
        state: What is known.
        budget: Most that all lines take.
        share: How much of `DISTANT` those others take, and of `WHOLE` there are.
    """
    room = max(0, budget - frame("story_so_far"))
    near = state.number - 1 - max(REMEMBERED, round(WHOLE * share))
    last = range(state.number - 1, max(0, near), -1)
    recent = [n for n in last if n in state.summaries or n >= state.number - REMEMBERED]
    before = [n for n in range(state.number - 1, 0, -1) if n not in recent]
    half = (len(before) + 1) // 2
    earlier = [*before[:half], *reversed(before[half:])]
    whole = {number: _line(state, number, _WHOLE) for number in (*recent, *earlier)}
    distant = min(
        max(LEAST_DISTANT, round(DISTANT * share)),
        sum(weigh(whole[number]) + 1 for number in earlier),
    )
    lines = _lines(state, recent, max(room - distant, round(room * RECENT_SHARE)))
    kept = lines_within(lines, room)
    left = min(room - sum(weigh(line) + 1 for line in kept), distant)
    length = _share(left, len(earlier))
    kept += lines_within((_line(state, number, length) for number in earlier), left)
    shown = sorted(zip((*recent, *earlier), kept, strict=False))
    return Rendered(
        block("story_so_far", "\n".join(line for _, line in shown)),
        cut=[line for _, line in shown] != [whole[number] for number in sorted(whole)],
        chapters=tuple(number for number, _ in shown if number in state.summaries),
    )


def _lines(state: PromptContext, numbers: Sequence[int], room: int) -> list[str]:
    """Chapters in a line each: whole where all fit, else the last ones as long as they may be."""
    lines = [_line(state, number, _WHOLE) for number in numbers]
    if sum(weigh(line) + 1 for line in lines) <= room:
        return lines
    for at, number in enumerate(numbers):
        others = len(numbers) - at - 1
        most = room - others * SHORTEST_LINE if at < REMEMBERED else room // (others + 1)
        lines[at] = _line(state, number, max(SHORTEST_LINE, most - LABEL))
        room -= weigh(lines[at]) + 1
    return lines


def ahead_part(state: PromptContext, budget: int) -> Rendered:
    """What later chapters hold, a line each: room that the past does not need yet.

    Those that are written already are told by what they say, the others by their plans; that of
    the next one stands in `next`.
    """
    after = range(state.number + 1, state.chapters + 1)
    later = [n for n in after if n > state.number + 1 or n in state.summaries]
    remark = WRITTEN_REMARK if any(n in state.summaries for n in later) else AHEAD_REMARK
    room = budget - frame("ahead", remark=remark)
    each = _share(room, len(later))
    kept = lines_within((_ahead(state, number, each) for number in later), room)
    return Rendered(
        block("ahead", "\n".join(kept), remark=remark),
        cut=kept != [_ahead(state, number, _WHOLE) for number in later],
        chapters=tuple(n for n, _ in zip(later, kept, strict=False) if n in state.summaries),
    )


def timeline_part(state: PromptContext, budget: int) -> Rendered:
    """What happened when, the latest last, and when the chapter is."""
    told = [
        (number, event)
        for number in sorted(n for n in state.events if n < state.number)
        for event in state.events[number]
    ]
    around = _planned_times(state)
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


def _line(state: PromptContext, number: int, budget: int) -> str:
    """A chapter in one line: as it was written where that is known, else as it was planned."""
    if number in state.summaries:
        text = " ".join(state.summaries[number].split())
        return f"Chapter {number}: {shorten(text, budget)}"
    summary = state.outline.chapters[number - 1].summary
    return f"Chapter {number}, as planned: {shorten(summary, budget)}"


def _ahead(state: PromptContext, number: int, budget: int) -> str:
    """A later chapter in one line."""
    chapter = state.outline.chapters[number - 1]
    told = " ".join(state.summaries.get(number, chapter.summary).split())
    return f"Chapter {number}, {chapter.title}: {shorten(told, budget)}"


def _told(number: int, event: StatedEvent) -> str:
    """An event in one line."""
    return f"chapter {number}{_when(event.time)}: {shorten(event.what, EVENT_LINE)}"


def _planned_times(state: PromptContext) -> Sequence[str]:
    """When the plan puts the chapter before and this chapter."""
    before = state.outline.chapters[state.number - 2].story_time if state.number > 1 else ""
    told = {
        f"chapter {state.number - 1}, as planned": before,
        "this chapter": state.chapter.story_time,
    }
    return [f"{what}: {shorten(when, EVENT_LINE)}" for what, when in told.items() if when]


def _when(time: StoryTime) -> str:
    """A time of the story, such as `, day 3, evening`."""
    day = f", day {time.day}" if time.day is not None else ""
    return day + (f", {time.part}" if time.part else "")


SCENE_BREAK: Final = "\n\n* * *\n\n"

_BETWEEN: Final = re.compile(rf"{re.escape(SCENE_BREAK)}|\n\n(?=## )")

LINE_BUDGET: Final = 300
AFTER_REMARK: Final = (
    "The next chapter is written and begins with this. Lead up to it and repeat nothing of it."
)
LATER_REMARK: Final = (
    "The chapter before is written when all others are there, so its text is not here. Begin "
    "where its plan ends, and retell nothing of it."
)
UNSEEN_REMARK: Final = (
    "The chapter before is being written at the same time, so its text is not here. Begin where "
    "its plan ends, and retell nothing of it."
)
JOINT: Final = 1_200
"""So much of the chapter before every request of a chapter is shown where there is no more room."""

AFTER_CUT: Final = 0.6
"""Where the text is too long, so much of its room is filled again: it grows before the next cut."""


def joined_scenes(scenes: Iterable[str]) -> str:
    """Scenes as one text; a section that has a heading needs no other sign before it."""
    text = ""
    for one in scenes:
        gap = "\n\n" if one.startswith("## ") else SCENE_BREAK
        text = f"{text}{gap}{one}" if text else one
    return text


def scenes_of(text: str) -> list[str]:
    """The scenes of a text, or its sections with their headings."""
    return _BETWEEN.split(text)


def last_scene(state: PromptContext) -> str:
    """The last scene of the chapter before, where it may be seen."""
    return scenes_of(_chapter_before(state))[-1]


def text_part(state: PromptContext, written: Sequence[str], room: int, before: str) -> Rendered:
    """The end of the chapter before, and the chapter so far: only ever appended to.

    Where not all of it fits, the oldest scenes are told by their plans.

    Args:
        state: What is known.
        written: The scenes so far.
        room: What both may take.
        before: What is shown of the chapter before.
    """
    beside = state.order.before(state.number)
    first = block("text_before", tail(before, max(0, room - frame("text_before"))))
    left = room - weigh(first) - frame("text")
    start = 0
    for end in range(1, len(written) + 1):
        if sum(map(_size, written[start:end])) > left:
            while start < end - 1 and sum(map(_size, written[start:end])) > left * AFTER_CUT:
                start += 1
    lines = [
        f"Scene {at}, as planned: {shorten(one.summary, LINE_BUDGET)}"
        for at, one in enumerate(state.scenes[:start], start=1)
    ]
    kept = [tail(one, max(1, left)) for one in written[start:]]
    told = joined_scenes(f"{one}{LEVEL}" for one in kept)
    text = f"{first}{LEVEL}{block('scenes_before', chr(10).join(lines))}{block('text', told)}"
    return Rendered(
        text.removeprefix(LEVEL),
        cut=bool(start) or before != last_scene(state) or kept != [*written[start:]],
        chapters=(beside,) if beside is not None and first else (),
    )


def _size(text: str) -> int:
    return weigh(text) + len(SCENE_BREAK)


def text_before(state: PromptContext, written: Sequence[str]) -> str:
    """All text that the next scene goes on from; "" where there is none, or none may be seen."""
    return joined_scenes(written) or _chapter_before(state)


def _chapter_before(state: PromptContext) -> str:
    """The text of the chapter before, where it may be seen, without its title."""
    beside = state.order.before(state.number)
    return divided(state.texts.get(beside, ""))[1].strip() if beside is not None else ""


def after_part(scene: int, state: PromptContext, budget: int) -> Rendered:
    """The beginning of the next chapter, for the last scene, where it is written already."""
    beside = state.order.after(state.number)
    if beside is None or beside not in state.texts or scene < len(state.scenes) - 1:
        return Rendered()
    text = divided(state.texts[beside])[1].strip()
    made = text_block("text_after", text, budget, remark=AFTER_REMARK)
    return Rendered(made.text, made.cut, chapters=(beside,) if made.text else ())


def unseen_part(scene: int, state: PromptContext, budget: int) -> Rendered:
    """For the first scene: how the chapter before ends by its plan, where its text is unknown."""
    if scene or state.number == 1 or state.order.before(state.number) is not None:
        return Rendered()
    chapter = state.outline.chapters[state.number - 2]
    lines = _as_planned(state.number - 1, chapter)
    if state.chapter.entry_state:
        lines.append(f"This chapter begins so: {shorten(state.chapter.entry_state, LINE_BUDGET)}")
    remark = LATER_REMARK if state.number - 1 in state.order.last else UNSEEN_REMARK
    return lines_block("as_planned", lines, budget, remark=remark)


END: Final = "Nothing: the book ends here."


def next_part(scene: int, state: PromptContext, budget: int) -> Rendered:
    """What the next scene is, in one line; after the last one, the next chapter, or the end."""
    last = scene == len(state.scenes) - 1
    if not last:
        return text_block("next", state.scenes[scene + 1].summary, budget)
    if state.number == state.chapters:
        return text_block("next", END, budget)
    chapter = state.outline.chapters[state.number]
    return text_block("next", f"The next chapter, {chapter.title}: {chapter.summary}", budget)


def _as_planned(number: int, chapter: OutlineChapter) -> list[str]:
    """How a chapter ends by its plan."""
    ends = chapter.exit_state or chapter.summary
    lines = [f"Chapter {number} ends so: {shorten(ends, LINE_BUDGET)}"]
    if chapter.ending_move:
        lines.append(f"Its last moment is: {chapter.ending_move}")
    if chapter.question_raised:
        lines.append(f"It leaves open: {shorten(chapter.question_raised, LINE_BUDGET)}")
    return lines


MOST_PASSAGES: Final = 1
MOST_OF_FACTS: Final = 4
"""So many are shown of a book that has no record of what it states."""
PASSAGES_REMARK: Final = (
    "From earlier chapters, word for word: for what was said and seen, not for its style."
)


def passages_part(plan: ScenePlan, state: PromptContext, budget: int) -> Rendered:
    """The passages that fit the scene's plan best, in the order of the text.

    Those come first that cite what the chapter goes back to.
    """
    found, before = state.earlier.passages, last_scene(state)
    most = MOST_PASSAGES if state.brief.has_story_bible else MOST_OF_FACTS
    fit = state.earlier.index.best(f"{told_of(plan)} {state.chapter.title}", len(found))
    back = {f"@{one}" for one in going_back(state.outline, state.number)}
    fit.sort(key=lambda place: not any(one in found[place][1] for one in back))
    chosen = [place for place in fit if found[place][1] not in before][:most]
    room = budget - frame("passages", remark=PASSAGES_REMARK)
    kept: list[int] = []
    for place in chosen:
        room -= weigh(_shown(*found[place])) + 2
        if room < 0:
            break
        kept.append(place)
    told = "\n\n".join(_shown(*found[place]) for place in sorted(kept))
    chapters = tuple(sorted({found[place][0] for place in kept}))
    return Rendered(
        block("passages", told, remark=PASSAGES_REMARK),
        cut=len(kept) < len(chosen),
        chapters=chapters,
    )


def _shown(number: int, passage: str) -> str:
    """A passage with where it stands."""
    return f"Chapter {number}: {shorten(passage, PASSAGE_BUDGET)}"


_OPENS: Final = {
    "fiction": "where and when it is",
    "non-fiction": "which question it answers",
}
_OPENS_BOOK: Final = {
    "fiction": "It opens the book: the reader knows nobody yet and nothing came before. Begin inside "
    "the situation, and let who, where and when come out of it.",
    "non-fiction": "It opens the book: the reader knows nothing of it yet. Begin with a case or with "
    "the question itself, not with the book.",
}
_ENDS_BOOK: Final = {
    "fiction": "It ends the book: it brings the ending that is planned, leads to nothing else, and "
    "stops on something that can be seen or heard.",
    "non-fiction": "It ends the book: it leaves the reader with what they can do or judge now, and "
    "lists nothing once more.",
}


def joints(state: PromptContext, scene: int) -> str:
    """How a scene begins and ends, by its place in the book alone."""
    noun, kind = (
        ("scene", "fiction") if state.brief.kind == "fiction" else ("section", "non-fiction")
    )
    first, last = scene == 0, scene == len(state.scenes) - 1
    begins = "It goes on from the text before without repeating any of it"
    if first and state.number == 1:
        begins = _OPENS_BOOK[kind].removesuffix(".")
    elif first:
        begins = f"It opens a chapter, {begins[3:]}, and soon lets the reader know {_OPENS[kind]}"
    if last and state.number == state.chapters:
        return f"{begins}. {_ENDS_BOOK[kind]}"
    if last:
        return f"{begins}. It ends the chapter as `chapter` says, and leads on without summing up."
    return f"{begins}. It stops where the next {noun} can begin."
