"""Sections of a book of facts: explanation, examples, steps and definitions."""

import re
from collections.abc import Iterator
from dataclasses import replace

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.episodes import fits, recognise
from libriscribe2.llm.offline.given import scene_subjects
from libriscribe2.llm.offline.grammar import Grammar, Slot
from libriscribe2.llm.offline.material import Material, number_of, place_in_book, text_of
from libriscribe2.llm.offline.people import Person
from libriscribe2.llm.offline.phrases import banks
from libriscribe2.llm.offline.plot import (
    NOTHING,
    Event,
    as_clause,
    chapter_events,
    episode_file,
    event_found,
    plural_topic,
    scene_people,
    setting_slots,
)
from libriscribe2.llm.offline.scene import as_infinitive
from libriscribe2.llm.offline.story import Story
from libriscribe2.llm.offline.subjects import premise_subjects
from libriscribe2.llm.offline.telling import clipped, told
from libriscribe2.llm.offline.weaving import Weaver, fact_banks

_BEATS = (
    ("example", "example_more", "example_more", "example_end"),
    ("contrast", "shape", "shape"),
    ("steps", "shape"),
    ("shape", "shape", "shape", "caution"),
    ("question", "shape", "shape"),
    ("definition", "shape", "shape"),
    ("example", "example_more", "shape", "example_end"),
    ("shape", "shape", "question"),
    ("caution", "shape", "shape"),
    ("contrast", "shape", "steps"),
)


_FACT = re.compile(r'(?P<mark>\[@n-[0-9a-f]{12}\]) (?P<claim>.+) \(quote: "')
_MOST_FACTS = 2


class EssayWriter:
    """Writes one section; a `draft.Writer`.

    Args:
        story: The book.
        material: The prompt: chapter, section, people.
        dice: What this reply depends on.
    """

    shares = (0.45, 0.3)

    def __init__(self, story: Story, material: Material, dice: Dice) -> None:
        self._material = material
        self._dice = dice
        self._event = _lesson(story, material)
        self._people = _examples(story, material)
        self._turn = place_in_book(material) * 3
        self._meaning = ""
        self._section = number_of(material.scene, "number", 1)
        topic = story.premise.topic
        about = [one for one in premise_subjects(story.premise) if one.text not in topic]
        subjects = (
            *scene_subjects(story, material),
            *(one for one in about if one.kind != "role"),
        )
        self._weaver = Weaver(subjects, material.words or 0, self._turn, self._about)
        self._grammar = Grammar(
            {**banks("essay", "subjects"), **fact_banks()},
            self._slots(story),
            seed=story.seed,
            turn=place_in_book(material),
            plural=plural_topic(story),
        )

    def head(self) -> list[str]:
        """A way in, the purpose, and on a chapter's first page its title."""
        found = [self._grammar.say("opening")]
        found.extend(self._plan("goal", "purpose", as_infinitive(self._material)))
        found[1:1] = _facts(self._material)
        if text_of(self._material.chapter, "title") and self._section == 1:
            found.append(self._grammar.say("echo"))
        return found

    def body(self) -> Iterator[str]:
        """What the section says, and between it what the book is about."""
        return self._weaver.woven(self._blocks())

    def _blocks(self) -> Iterator[str]:
        """What the section is about first, then whatever explains and illustrates."""
        lesson = self._event.episode
        named = _listed(self._material)
        for line in self._told_by_hand():
            yield self._grammar.finish(line)
            yield self._paragraph("shape", "shape")
        for line in lesson.lines[:1]:
            yield f"{self._grammar.finish(line)} {self._paragraph('shape', 'shape')}"
        yield from (self._example(person) for person in self._people if person.name in named)
        conflict = self._clause("conflict", lesson.conflict)
        for said in self._plan("conflict", "obstacle", conflict):
            yield f"{said} {self._paragraph('shape')}"
        for line in lesson.lines[1:]:
            yield f"{self._grammar.finish(line)} {self._paragraph('shape')}"
        turn = self._dice.below(len(_BEATS))
        while True:
            yield self._beat(_BEATS[turn % len(_BEATS)])
            turn += 1

    def tail(self) -> list[str]:
        """What the section comes to, and a last line."""
        outcome = self._clause("outcome", self._event.episode.outcome)
        return [*self._plan("outcome", "turn", outcome), self._grammar.say("closing")]

    def filler(self) -> str:
        """A sentence that could stand in any paragraph."""
        bank = self._dice.pick(("shape", "shape", "shape", "shape", "caution"))
        return self._grammar.say(bank)

    def _clause(self, key: str, template: str) -> str | None:
        return as_clause(key, template, text_of(self._material.scene, key))

    def _told_by_hand(self) -> list[str]:
        """What the section's plan says in words that are not ours."""
        said = text_of(self._material.scene, "summary")
        again = any(fits(one, said) for one in banks("subjects")["given_more_facts"])
        if self._event.episode is not NOTHING or again:
            return []
        return told(said, lambda: self._grammar.draw("given_quoted_facts"), past=False)

    def _beat(self, beat: tuple[str, ...]) -> str:
        if beat[0] == "example":
            self._turn += 1
            return self._paragraph(*beat).replace(self._person.short, self._person.name, 1)
        return self._paragraph(*beat)

    def _example(self, person: Person) -> str:
        """An example about one of the people whom the plan names."""
        self._turn = self._people.index(person)
        told = self._paragraph("example", "example_more", "example_end")
        return told.replace(person.short, person.name, 1)

    def _about(self, bank: str) -> str:
        return self._paragraph(bank, "shape")

    @property
    def _person(self) -> Person:
        return self._people[self._turn % len(self._people)]

    def _term(self) -> str:
        """A term of the trade; `meaning` explains the last one that was named."""
        term, _, self._meaning = self._grammar.draw("pair").partition(" = ")
        return term

    def _paragraph(self, *wanted: str) -> str:
        return " ".join(self._grammar.say(bank) for bank in wanted)

    def _plan(self, key: str, bank: str, clause: str | None) -> list[str]:
        """A sentence about a field of the section's plan; none where the field is empty."""
        text = text_of(self._material.scene, key)
        if not text:
            return []
        if clause is None:
            bank, clause = f"{bank}_quoted", clipped(text.rstrip(" ."))
        return [self._grammar.finish(self._grammar.draw(bank).replace(f"{{{key}}}", clause))]

    def _slots(self, story: Story) -> dict[str, Slot]:
        def pronoun(key: str) -> Slot:
            return lambda: self._person.pronouns[key]

        return {
            **{key: pronoun(key) for key in ("he", "him", "his", "himself")},
            **setting_slots(story),
            "P": lambda: self._person.short,
            "thing": self._event.thing,
            "term": self._term,
            "meaning": lambda: self._meaning,
            "chapter": text_of(self._material.chapter, "title"),
            "subject": lambda: self._weaver.current,
        }


def _lesson(story: Story, material: Material) -> Event:
    """What the section is about: as its plan says, else as the chapter has it."""
    summary = text_of(material.scene, "summary")
    found = recognise(episode_file(story), summary)
    if found:
        return event_found(story, found[0])
    number = number_of(material.chapter, "number", 1)
    section = number_of(material.scene, "number", 1)
    event = chapter_events(story, number, number_of(material.chapter, "of", 3), section)[-1]
    return replace(event, episode=NOTHING) if summary else event


def _facts(material: Material) -> list[str]:
    """A note or two that the text before does not have, as sentences with their marks."""
    found = [fact for line in material.notes if (fact := _FACT.match(line))]
    new = [fact for fact in found if fact["mark"] not in material.text_before]
    return [f"{fact['claim'].rstrip('. ')} {fact['mark']}." for fact in new[:_MOST_FACTS]]


def _listed(material: Material) -> list[str]:
    names = material.scene.get("characters")
    return [n for n in names if isinstance(n, str)] if isinstance(names, list) else []


def _examples(story: Story, material: Material) -> tuple[Person, ...]:
    """The people of the section's plan first, then enough others for its examples."""
    first = scene_people(story, _listed(material)) if _listed(material) else ()
    return (*first, *(person for person in story.people(8) if person not in first))
