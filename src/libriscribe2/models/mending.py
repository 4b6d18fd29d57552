"""Mending an outline: what a model is shown of it, and what it may change."""

from collections.abc import Iterable
from typing import Final

from pydantic import Field

from libriscribe2.models.base import Shape, TextList
from libriscribe2.models.canon import Thread
from libriscribe2.models.excerpts import to_json
from libriscribe2.models.moves import Ending, Opening, Tension
from libriscribe2.models.story import OutlineChapter, OutlineFile
from libriscribe2.prose import shorten

MOST_CHAPTERS: Final = 24
"""Most chapters of an outline that are shown at once."""

_AROUND: Final = 2
_SUMMARY_BUDGET: Final = 400
_STATE_BUDGET: Final = 120


class MendedChapter(Shape):
    """A chapter of an outline as it should be; what is empty stays as it is."""

    number: int = Field(ge=1, description="The chapter's number")
    summary: str = Field("", description="Only where it has to change")
    entry_state: str = ""
    exit_state: str = ""
    tension: Tension = None
    plants: TextList = Field(default_factory=list, description="All ids that belong there")
    payoffs: TextList = Field(default_factory=list, description="All ids that belong there")
    opening_move: Opening = ""
    ending_move: Ending = ""
    story_time: str = ""


class MendedOutline(Shape):
    """What changes in an outline."""

    threads: list[Thread] = Field(
        default_factory=list, description="All threads as they should be; none if they stay"
    )
    chapters: list[MendedChapter] = Field(
        default_factory=list, description="Only the chapters that change"
    )

    def applied_to(self, outline: OutlineFile) -> OutlineFile:
        """The outline with what changes; a chapter that it does not have is left out."""
        chapters = list(outline.chapters)
        for one in self.chapters:
            if one.number <= len(chapters):
                chapters[one.number - 1] = _mended(chapters[one.number - 1], one)
        threads = self.threads or outline.threads
        return outline.model_copy(update={"chapters": chapters, "threads": threads})


def outline_lines(outline: OutlineFile, around: Iterable[int]) -> str:
    """The chapters of an outline that matter for some of them, one line of JSON each.

    Args:
        outline: The outline.
        around: Numbers of chapters; 0 stands for the whole book. The chapters beside them are
            shown too, at most `MOST_CHAPTERS` in all.
    """
    wanted = sorted(set(around))
    whole = len(outline.chapters) <= MOST_CHAPTERS or 0 in wanted
    near = {number + step for number in wanted for step in range(-_AROUND, _AROUND + 1)}
    numbers = [n for n in range(1, len(outline.chapters) + 1) if whole or n in near]
    return "\n".join(_line(outline.chapters[n - 1], n) for n in numbers[:MOST_CHAPTERS])


def _line(chapter: OutlineChapter, number: int) -> str:
    """What the rules over a plan look at in a chapter."""
    return to_json(
        {
            "number": number,
            "title": shorten(chapter.title, _STATE_BUDGET),
            "summary": shorten(chapter.summary, _SUMMARY_BUDGET),
            "entry_state": shorten(chapter.entry_state, _STATE_BUDGET),
            "exit_state": shorten(chapter.exit_state, _STATE_BUDGET),
            "tension": chapter.tension,
            "plants": [shorten(one, _STATE_BUDGET) for one in chapter.plants[:8]],
            "payoffs": [shorten(one, _STATE_BUDGET) for one in chapter.payoffs[:8]],
            "opening_move": chapter.opening_move,
            "ending_move": chapter.ending_move,
            "story_time": shorten(chapter.story_time, _STATE_BUDGET),
        }
    )


def _mended(chapter: OutlineChapter, mend: MendedChapter) -> OutlineChapter:
    """A chapter with what changes; lists are taken as they are."""
    said = mend.model_dump(exclude={"number"})
    told = {name: value for name, value in said.items() if value not in ("", None)}
    if not mend.summary.strip():
        told.pop("summary", None)
    return chapter.model_copy(update=told)
