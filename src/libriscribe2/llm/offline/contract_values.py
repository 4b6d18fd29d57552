"""What the fields of a plan's contract say in the reply to one request."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from libriscribe2.llm.offline.contract import (
    DAY_PARTS,
    chapter_role,
    day,
    ending_move,
    opening_move,
    shared_out,
    standing,
    tension,
    thread_count,
    thread_id,
    thread_span,
    threads_at,
)
from libriscribe2.llm.offline.material import Material, text_of
from libriscribe2.llm.offline.plot import PER_CHAPTER, Event, chapter_events
from libriscribe2.llm.offline.spot import Spot
from libriscribe2.llm.offline.story import Story, located

Said = Callable[[str, int, Event], str]
"""An entry of a bank of phrases, by its name and a running number."""

CHAPTER_BANKS: Final = {
    "purpose": "purpose",
    "question_raised": "question_raised",
    "question_answered": "question_answered",
}
SCENE_BANKS: Final = {"turn": "turn", "transition_out": "transition_out"}
FACT_MODES: Final = ("explanation", "example", "steps", "comparison")

_WHOLE: Final = re.compile(r"\bbook of (\d+) chapters")
_NOTE: Final = re.compile(r"\bn-[0-9a-f]{12}(?![0-9a-f])")


class ContractValues:
    """Finds what a plan's contract says in each of its fields.

    Args:
        story: The book.
        material: The prompt.
        before: How many chapters the prompt tells to be planned already.
        said: Finds phrases.
    """

    def __init__(self, story: Story, material: Material, before: int, said: Said) -> None:
        self._story = story
        self._material = material
        self._before = before
        self._said = said
        self._whole = _WHOLE.search(material.instruction)

    def place(self, spot: Spot) -> tuple[int, int]:
        """The index of a chapter in the book, and how many chapters that has."""
        told = int(self._whole[1]) if self._whole is not None else 0
        reply = spot.total if spot.kind == "chapter" else spot.chapters
        return spot.index + self._before, max(reply + self._before, told)

    def of_thread(self, spot: Spot, event: Event) -> str:
        """A text field of a thread."""
        thing = self._story.things[spot.index % len(self._story.things)]
        if spot.key == "id":
            return thread_id(self._story, spot.index)
        return self._said("thread", spot.index, replace(event, thing=thing))

    def of_chapter(self, spot: Spot, event: Event) -> str | None:
        """A text field of a chapter's contract; None where it is no such field."""
        index, of = self.place(spot)
        if spot.key in CHAPTER_BANKS:
            return self._said(CHAPTER_BANKS[spot.key], index, event)
        if spot.key == "opening_move":
            return opening_move(self._story, index)
        if spot.key == "ending_move":
            return ending_move(self._story, index)
        if spot.key == "role":
            return chapter_role(self._story, index, of)
        if spot.key in {"entry_state", "exit_state", "story_time", "pov"}:
            return self._told(spot.key, index, of, event)
        return None

    def of_scene(self, spot: Spot, event: Event) -> str | None:
        """A text field of a scene's contract; None where it is no such field."""
        fiction = self._story.fiction
        if spot.key in SCENE_BANKS:
            return self._said(SCENE_BANKS[spot.key], spot.index, event)
        if spot.key == "transition_in":
            return self._said("transition_in", spot.index, event) if spot.index else ""
        if spot.key in {"entry_state", "exit_state"}:
            return f"{event.lead.name} is {located(event.place)}." if fiction else ""
        if spot.key == "time":
            return self._time(spot) if fiction else ""
        if spot.key == "mode":
            spoken = "dialogue" if event.episode.talks else "action"
            return spoken if fiction else FACT_MODES[spot.index % len(FACT_MODES)]
        return None

    def listed(self, spot: Spot, event: Callable[[], Event]) -> list[str] | None:
        """A list of a contract; None where it is no such list."""
        if spot.kind == "chapter" and spot.key in {"plants", "payoffs", "beats"}:
            return self._of_chapter_list(spot)
        if spot.kind == "scene" and spot.key == "reveals":
            fiction = self._story.fiction
            return [event().plan(self._story)["outcome"]] if fiction else self._claims(spot)
        if spot.kind == "scene" and spot.key == "withholds":
            return [self._said("withheld", spot.index, event())] if self._story.fiction else []
        return None

    def number(self, spot: Spot) -> int | None:
        """A number of a contract; None where it is no such number."""
        index, of = self.place(spot)
        if spot.kind == "thread":
            setup, payoff = thread_span(spot.index, of)
            return {"setup": setup, "payoff": payoff, "due_by": of}.get(spot.key)
        if spot.key == "tension":
            return tension(index, of)
        return 0 if spot.key == "target_words" else None

    def flag(self, spot: Spot) -> bool | None:
        """A switch of a contract: the first two threads have to be paid off."""
        return spot.index < 2 if spot.kind == "thread" and spot.key == "must" else None

    def count(self, spot: Spot) -> int | None:
        """How many items a list of a contract has; None where the schema decides."""
        if spot.key != "threads" or spot.kind != "book" or self._before:
            return 0 if spot.key == "threads" and self._before else None
        return thread_count(self._story, self.place(spot)[1])

    def _told(self, key: str, index: int, of: int, event: Event) -> str:
        if not self._story.fiction:
            return self._said("takeaway", index, event) if key == "exit_state" else ""
        if key == "story_time":
            return f"day {day(self._story, index)}"
        if key == "pov":
            return event.lead.name
        return standing(self._story, index - (key == "entry_state"), of)

    def _time(self, spot: Spot) -> str:
        part = DAY_PARTS[spot.index * len(DAY_PARTS) // max(spot.total, len(DAY_PARTS))]
        chapter = text_of(self._material.chapter, "story_time")
        return chapter if "," in chapter else ", ".join(filter(None, (chapter, part)))

    def _of_chapter_list(self, spot: Spot) -> list[str]:
        index, of = self.place(spot)
        if spot.key == "beats":
            events = chapter_events(self._story, index + 1, of, PER_CHAPTER)
            return [event.plan(self._story)["summary"] for event in events]
        if self._story.fiction:
            return threads_at(self._story, index + 1, of, payoff=spot.key == "payoffs")
        if spot.key == "payoffs":
            return []
        found = (_NOTE.search(line) for line in self._material.notes)
        ids = list(dict.fromkeys(one.group() for one in found if one is not None))
        terms = [text_of(term, "name") for term in self._material.terms] if index == 0 else []
        return [*terms, *shared_out(ids, index, of)]

    def _claims(self, spot: Spot) -> list[str]:
        """What the chapter has a home for, shared out among its sections; terms come first."""
        listed = self._material.chapter.get("plants")
        plants = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        notes = [found.group() for one in plants if (found := _NOTE.search(one)) is not None]
        terms = [one for one in plants if _NOTE.search(one) is None]
        return [*(terms if spot.index == 0 else []), *shared_out(notes, spot.index, spot.total)]
