"""Texts of structured replies by the field in which they stand."""

from collections.abc import Callable, Mapping
from functools import cached_property

from libriscribe2.llm.offline.contract_values import ContractValues
from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.field_banks import BANK_OF, PERSON_BANK_OF, PHRASES, THING_BANK_OF
from libriscribe2.llm.offline.field_slots import field_slots
from libriscribe2.llm.offline.given import given_events
from libriscribe2.llm.offline.grammar import Grammar
from libriscribe2.llm.offline.material import Material, number_of, text_of
from libriscribe2.llm.offline.people import Person
from libriscribe2.llm.offline.phrases import banks
from libriscribe2.llm.offline.plot import (
    STRANGER,
    Event,
    chapter_events,
    planned_events,
    plural_topic,
)
from libriscribe2.llm.offline.spot import Spot
from libriscribe2.llm.offline.story import Story
from libriscribe2.llm.offline.summaries import book_description, chapter_summary
from libriscribe2.llm.offline.titles import as_title, chapter_title


class Values:
    """Finds what to say in each field of a structured reply.

    Args:
        story: The book.
        material: The prompt.
        dice: What this reply depends on.
    """

    def __init__(self, story: Story, material: Material, dice: Dice) -> None:
        self._story = story
        self._material = material
        self._dice = dice
        self._bank_files = banks("fiction", "essay", "motifs", "notes", "fields")
        self._orders: dict[str, list[str]] = {}
        self._by_kind: Mapping[str, Callable[[Spot], str]] = {
            "character": self._of_person,
            "place": self._of_thing,
            "term": self._of_thing,
            "chapter": self._of_chapter,
            "thread": self._of_thread,
            "scene": self._of_scene,
            "book": self._of_book,
        }
        self._planned: dict[tuple[str, int, int, int], list[Event]] = {}

    def text(self, spot: Spot) -> str:
        """What a text at this spot says; may be empty where nothing fits better."""
        return self._by_kind[spot.kind](spot)

    def listed(self, spot: Spot) -> list[str] | None:
        """The texts of a list where the book decides how many there are, else None."""
        if spot.kind == "scene" and spot.key in {"characters", "people", "cast"}:
            return self._present(spot)
        if spot.key in {"primary_keywords", "keywords"}:
            return self._subjects()
        return self._contract.listed(spot, lambda: self._scene_event(spot))

    def number(self, spot: Spot) -> int | None:
        """A number that the book decides; None where the schema and chance do."""
        return self._contract.number(spot)

    def flag(self, spot: Spot) -> bool | None:
        """A switch that the book decides; None where chance does."""
        return self._contract.flag(spot)

    def count(self, spot: Spot) -> int | None:
        """How many items the book wants in a list; None where the schema and chance decide."""
        return self._contract.count(spot)

    def keys(self, spot: Spot) -> list[str]:
        """Names for the keys of an open object: people, except the one it is about."""
        people = self._story.people(6)
        return [person.name for person in people if person is not self._person(spot)]

    @cached_property
    def _numbers(self) -> tuple[int, int]:
        """How many chapters an outline block lists, and how many chapters there are."""
        listed = sum(line[:1].isdigit() for line in self._material.outline.splitlines())
        return listed, number_of(self._material.chapter, "of", 0)

    @cached_property
    def _contract(self) -> ContractValues:
        """What the fields of a plan's contract say."""
        return ContractValues(self._story, self._material, self._numbers[0], self._said)

    def _of_book(self, spot: Spot) -> str:
        if spot.key in {"description", "synopsis"}:
            return book_description(self._story, self._material, self._grammar(self._lead_event()))
        if spot.key == "summary":
            return self._said("book_summary", 0, self._lead_event())
        known = text_of(self._material.book, spot.key)
        if spot.key == "title" and not known and not self._material.outline:
            known = text_of(self._material.concept, "title")
        if known and spot.key in {"title", "genre", "category", "language", "tone", "audience"}:
            return known
        if spot.key in {"alternatives", "titles"}:
            spot = Spot(spot.key, item=spot.item + 1)
        said = self._said(BANK_OF.get(spot.key, "generic"), spot.item, self._lead_event())
        return as_title(said) if BANK_OF.get(spot.key) == "book_title" else said

    def _of_person(self, spot: Spot) -> str:
        person = self._person(spot)
        if spot.key in {"name", "full_name", "fullname"}:
            return person.name
        if spot.key in {"pronouns", "gender"}:
            return f"{person.pronouns['he']}/{person.pronouns['him']}"
        if spot.key == "role":
            return self._role(spot)
        bank = PERSON_BANK_OF.get(spot.key, "generic")
        return self._said(bank, spot.index, self._event_of(person, spot.index))

    def _role(self, spot: Spot) -> str:
        if not self._story.fiction:
            return self._said("role", spot.index, self._lead_event())
        if spot.index == 0:
            hero = self._story.premise.hero
            return f"protagonist, the {hero}" if hero else "protagonist"
        return self._said("role_more", spot.index - 1, self._lead_event())

    def _of_thing(self, spot: Spot) -> str:
        if spot.kind == "place" and spot.key == "name" and self._story.fiction:
            return self._story.places[spot.index % len(self._story.places)]
        bank = THING_BANK_OF.get((spot.kind, spot.key), "generic")
        in_order = bank.startswith(("term", "place"))
        return self._said(bank, spot.index, self._lead_event(), in_order=in_order)

    def _of_chapter(self, spot: Spot) -> str:
        index, of = self._contract.place(spot)
        if spot.key in {"title", "name"}:
            return chapter_title(
                self._story, index, of, self._grammar(self._chapter_event(index, of))
            )
        if spot.key in {"summary", "description", "synopsis"}:
            return chapter_summary(self._story, index, of, self._material.words)
        event = self._chapter_event(index, of)
        told = self._contract.of_chapter(spot, event)
        return self._said("generic", index, event) if told is None else told

    def _of_thread(self, spot: Spot) -> str:
        return self._contract.of_thread(spot, self._lead_event())

    def _chapter_event(self, index: int, of: int) -> Event:
        return chapter_events(self._story, index + 1, of, 1)[0]

    def _of_scene(self, spot: Spot) -> str:
        event = self._scene_event(spot)
        plan = event.plan(self._story)
        if spot.key in plan:
            return plan[spot.key]
        if spot.key in {"place", "setting", "location"}:
            asked = self._story.fiction or self._material.places
            return event.place if asked else ""
        if spot.key in {"title", "name"}:
            return as_title(event.episode.title)
        if spot.key in {"pov", "viewpoint", "point_of_view"}:
            return event.lead.name
        told = self._contract.of_scene(spot, event)
        return self._said("generic", spot.index, event) if told is None else told

    def _scene_event(self, spot: Spot) -> Event:
        """What happens in the scene: as the chapter's summary tells it."""
        chapter = self._material.chapter
        number = number_of(chapter, "number", (spot.chapter or 0) + 1)
        of = number_of(chapter, "of", spot.chapters or 3)
        summary = text_of(chapter, "summary")
        asked = (summary, number, of, spot.total)
        if asked not in self._planned:  # every field of every scene asks for it
            given = given_events(self._story, chapter, number, of, spot.total)
            self._planned[asked] = given or planned_events(self._story, *asked)
        events = self._planned[asked]
        return events[min(spot.index, len(events) - 1)]

    def _present(self, spot: Spot) -> list[str]:
        """Who is in a scene: its two people and now and then a third."""
        if not self._story.fiction and not self._material.characters:
            return []
        event = self._scene_event(spot)
        present = [event.lead, event.other]
        dice = Dice(self._story.seed, "present", event.episode.summary)
        if dice.chance(3):
            present.append(dice.pick(self._story.cast))
        names = [person.name for person in present if person != STRANGER]
        return list(dict.fromkeys(names))

    def _subjects(self) -> list[str]:
        """The nouns of the premise as keywords."""
        premise = self._story.premise
        if not self._story.fiction:
            return [premise.topic]
        found = [premise.hero, *premise.settings, *self._story.things[:3]]
        bare = (noun.removeprefix("the ") for noun in found if noun)
        return list(dict.fromkeys(bare))

    def _person(self, spot: Spot) -> Person:
        index = spot.index if spot.kind == "character" else 0
        return self._story.people(index + 1)[index]

    def _lead_event(self) -> Event:
        return self._event_of(self._story.cast[0], 0)

    def _event_of(self, person: Person, index: int) -> Event:
        """Someone together with another person of the book, for templates about both."""
        story = self._story
        base = chapter_events(story, 1, 3, 1)[0]
        others = [other for other in story.people(index + 2) if other is not person]
        other = others[(index + (1 if index else 0)) % len(others)]
        place = story.places[0]
        thing, thing2 = story.things[0], story.things[1]
        return Event(base.episode, person, other, place, thing, thing2)

    def _said(self, bank: str, index: int, event: Event, *, in_order: bool = False) -> str:
        """An entry of a bank, a different one for each index while they last."""
        name = bank if self._story.fiction or f"{bank}_facts" not in self._bank_files else ""
        name = name or f"{bank}_facts"
        if name not in self._orders:
            lines = self._bank_files[name]
            self._orders[name] = list(lines) if in_order else self._dice.shuffled(lines)
        order = self._orders[name]
        text = self._grammar(event).finish(order[index % len(order)])
        return (
            text if text[-1] in ".?!" else text[:1].lower() + text[1:] if bank in PHRASES else text
        )

    def _grammar(self, event: Event) -> Grammar:
        return Grammar(
            self._bank_files,
            field_slots(self._story, event),
            seed=self._story.seed,
            turn=self._dice.below(50),
            plural=plural_topic(self._story),
        )
