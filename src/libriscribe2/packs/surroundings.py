"""The text on both sides of a scene; where it may not be seen, what the plan says of it."""

import re
from typing import Final

from libriscribe2.models.story import OutlineChapter
from libriscribe2.packs.blocks import block, frame, lines_block, text_block
from libriscribe2.packs.part import Rendered
from libriscribe2.packs.state import PackState
from libriscribe2.prose import shorten, tail

SCENE_BREAK: Final = "\n\n* * *\n\n"

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
_TITLE: Final = re.compile(r"\A\s*#[^\n]*\n+")


def before_part(state: PackState, budget: int) -> Rendered:
    """The end of the text before: of this chapter, else of the chapter before."""
    text = text_before(state)
    room = budget - frame("text_before")
    shown = tail(text, room) if room > 0 else ""
    beside = state.order.before(state.number)
    chapters = (beside,) if beside is not None and shown and not state.written else ()
    return Rendered(block("text_before", shown), cut=shown != text, chapters=chapters)


def text_before(state: PackState) -> str:
    """All text that the next scene goes on from; "" where there is none, or none may be seen."""
    if state.written:
        return SCENE_BREAK.join(state.written)
    beside = state.order.before(state.number)
    return _TITLE.sub("", state.texts.get(beside, "")).strip() if beside is not None else ""


def after_part(scene: int, state: PackState, budget: int) -> Rendered:
    """The beginning of the next chapter, for the last scene, where it is written already."""
    beside = state.order.after(state.number)
    if beside is None or beside not in state.texts or scene < len(state.scenes) - 1:
        return Rendered()
    text = _TITLE.sub("", state.texts[beside]).strip()
    made = text_block("text_after", text, budget, remark=AFTER_REMARK)
    return Rendered(made.text, made.cut, chapters=(beside,) if made.text else ())


def unseen_part(scene: int, state: PackState, budget: int) -> Rendered:
    """For the first scene: how the chapter before ends by its plan, where its text is unknown."""
    if scene or state.number == 1 or state.order.before(state.number) is not None:
        return Rendered()
    chapter = state.outline.chapters[state.number - 2]
    lines = _as_planned(state.number - 1, chapter)
    if state.chapter.entry_state:
        lines.append(f"This chapter begins so: {shorten(state.chapter.entry_state, LINE_BUDGET)}")
    remark = LATER_REMARK if state.number - 1 in state.order.last else UNSEEN_REMARK
    return lines_block("as_planned", lines, budget, remark=remark)


def next_part(scene: int, state: PackState, budget: int) -> Rendered:
    """What the next scene is, in one line; after the last one, what the next chapter is."""
    last = scene == len(state.scenes) - 1
    if not last:
        return text_block("next", state.scenes[scene + 1].summary, budget)
    if state.number == state.chapters:
        return Rendered()
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
