"""Scenes of a story: past tense, from one person's point of view."""

from collections.abc import Iterator

from libriscribe2.llm.offline.dialogue import exchange
from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import joined
from libriscribe2.llm.offline.episodes import recognise
from libriscribe2.llm.offline.given import person_named, scene_subjects
from libriscribe2.llm.offline.grammar import Grammar, Slot
from libriscribe2.llm.offline.material import Material, number_of, place_in_book, text_of
from libriscribe2.llm.offline.people import Person
from libriscribe2.llm.offline.phrases import Banks, banks
from libriscribe2.llm.offline.plot import (
    NOTHING,
    Event,
    as_clause,
    chapter_events,
    episode_file,
    event_found,
    scene_people,
    setting_slots,
)
from libriscribe2.llm.offline.story import Story, in_prose, located
from libriscribe2.llm.offline.subjects import as_phrase, main_subject, premise_subjects
from libriscribe2.llm.offline.telling import clipped, told
from libriscribe2.llm.offline.weaving import FIRSTS, Weaver, in_turn, main_person, story_banks

_BEATS = (
    ("shape", "shape", "shape"),
    ("talk",),
    ("detail", "detail", "shape"),
    ("thought", "thought", "thought_end"),
    ("shape_b", "shape", "shape_b"),
    ("talk",),
    ("search", "search_end", "shape"),
    ("memory", "memory_end"),
    ("shape", "shape_b", "shape"),
    ("thought", "thought_end"),
    ("talk",),
    ("detail", "shape", "shape"),
    ("search", "shape", "search_end"),
    ("memory", "memory", "memory_end"),
)


class Focus:
    """Whom a paragraph is about: decides between name and pronoun.

    Args:
        lead: The point of view.
        other: The other person, or None.
    """

    def __init__(self, lead: Person, other: Person | None) -> None:
        self._lead = lead
        self._other = other
        self._clear = False

    def paragraph(self) -> None:
        """A new paragraph names its people again."""
        self._clear = False

    def subject(self) -> str:
        """The point of view: by pronoun while nobody else can be meant."""
        if self._clear:
            return self._lead.pronouns["he"]
        return self.lead()

    def lead(self) -> str:
        """The point of view by name."""
        self._clear = True
        return self._lead.short

    def other(self) -> str:
        """The other person by name."""
        other = self._other if self._other is not None else self._lead
        self._clear = self._clear and other.female != self._lead.female
        return other.short


class SceneWriter:
    """Writes one scene; a `draft.Writer`.

    Args:
        story: The book.
        material: The prompt: chapter, scene, people, place.
        dice: What this reply depends on.
    """

    shares = (0.45, 0.3)

    def __init__(self, story: Story, material: Material, dice: Dice) -> None:
        self._material = material
        self._dice = dice
        self._event = _event(story, material)
        lead, people = self._event.lead, _people(story, material)
        self._others = [person for person in people if person != lead]
        other = self._event.other if self._event.other in people else next(iter(self._others), None)
        self._speakers = {"A": lead, "B": other} if other is not None else {}
        self._focus = Focus(lead, other)
        self._chapter = number_of(material.chapter, "number", 1)
        self._scene = number_of(material.scene, "number", 1)
        self._hero = main_person(story, material)
        about = story_banks(is_hero=lead == self._hero, hero=self._hero)
        turn = place_in_book(material)
        subjects = in_turn(scene_subjects(story, material), premise_subjects(story.premise))
        self._weaver = Weaver(subjects, material.words or 0, turn + dice.below(FIRSTS), self._about)
        self._grammar = Grammar(
            _without_other({**banks("fiction", "talk", "motifs", "subjects"), **about}, other),
            self._slots(story, lead, other),
            seed=story.seed,
            turn=turn,
        )
        self._given = self._told_by_hand()

    def head(self) -> list[str]:
        """Who comes where, who is there, and what for."""
        lead = self._event.lead
        opening = self._grammar.say("opening").replace(lead.short, lead.name, 1)
        found = [opening]
        if self._others:
            found.append(self._grammar.say("others_present"))
        found.extend(self._plan("goal", "purpose", as_infinitive(self._material)))
        title = text_of(self._material.chapter, "title")
        if title and self._scene == 1:
            found.append(self._grammar.say("echo"))
        return found

    def body(self) -> Iterator[str]:
        """What happens, and between it what the book is about."""
        return self._weaver.woven(self._blocks())

    def _blocks(self) -> Iterator[str]:
        """The episode's own lines and the obstacle first, then whatever a scene is made of."""
        episode = self._event.episode
        lines = [line for line in episode.lines if self._usable(line)]
        talks = [talk for talk in episode.talks if self._speakers]
        for line in self._given:
            self._focus.paragraph()
            yield self._grammar.finish(line)
            yield self._paragraph("thought", "shape")
        yield self._paragraph("detail", "shape", "shape")
        yield from (self._told(line) for line in lines[:1])
        yield from self._plan("conflict", "obstacle", self._clause("conflict", episode.conflict))
        yield from (self._talk(talk) for talk in talks)
        yield self._paragraph("thought", "shape", "thought_end")
        yield from (self._told(line) for line in lines[1:])
        turn = self._dice.below(len(_BEATS))
        while True:
            yield self._beat(_BEATS[turn % len(_BEATS)])
            turn += 1

    def tail(self) -> list[str]:
        """How it came out, and the last line."""
        self._focus.paragraph()
        outcome = self._clause("outcome", self._event.episode.outcome)
        return [*self._plan("outcome", "turn", outcome), self._grammar.say("closing")]

    def filler(self) -> str:
        """A sentence of narration that names its subject."""
        self._focus.paragraph()
        bank = self._dice.pick(("shape", "shape", "shape", "thought", "detail"))
        return self._grammar.say(bank)

    def _beat(self, beat: tuple[str, ...]) -> str:
        if beat == ("talk",):
            if self._speakers:
                return self._talk(self._grammar.draw("talk"))
            beat = ("thought", "shape", "thought_end")
        return self._paragraph(*beat)

    def _paragraph(self, *wanted: str) -> str:
        self._focus.paragraph()
        found = (bank if self._grammar.has(bank) else "shape" for bank in wanted)
        return " ".join(self._grammar.say(bank) for bank in found)

    def _told(self, line: str) -> str:
        """A line of the episode, with something that goes on around it."""
        self._focus.paragraph()
        return f"{self._grammar.finish(line)} {self._grammar.say('shape')}"

    def _about(self, bank: str) -> str:
        """A paragraph about what the book is about."""
        return self._paragraph(bank, "shape")

    def _told_by_hand(self) -> list[str]:
        """What the scene's plan says in words that are not ours."""
        if self._event.episode is not NOTHING:
            return []
        said = text_of(self._material.scene, "summary")
        return told(said, lambda: self._grammar.draw("given_quoted"), past=True)

    def _talk(self, template: str) -> str:
        return exchange(template, self._grammar, self._speakers, self._dice)

    def _usable(self, line: str) -> bool:
        return bool(self._speakers) or not _mentions_other(line)

    def _plan(self, key: str, bank: str, clause: str | None) -> list[str]:
        """A sentence about a field of the scene's plan; none where the field is empty."""
        text = text_of(self._material.scene, key)
        if not text:
            return []
        if clause is None:
            bank, clause = f"{bank}_quoted", clipped(text.rstrip(" ."))
        self._focus.paragraph()
        return [self._grammar.finish(self._grammar.draw(bank).replace(f"{{{key}}}", clause))]

    def _clause(self, key: str, template: str) -> str | None:
        return as_clause(key, template, text_of(self._material.scene, key))

    def _slots(self, story: Story, lead: Person, other: Person | None) -> dict[str, Slot]:
        """What the slots stand for in this scene."""
        grammar_dice = Dice(story.seed, self._chapter, self._scene)
        props = grammar_dice.shuffled(banks("motifs")["prop"])[:2]
        period = "day" if grammar_dice.chance(2) else "night"
        theirs = other.pronouns if other is not None else lead.pronouns
        place = self._event.place
        return {
            **setting_slots(story),
            **lead.pronouns,
            **{f"b{key}": value for key, value in theirs.items()},
            "A": self._focus.lead,
            "S": self._focus.subject,
            "B": self._focus.other,
            "others": joined([person.name for person in self._others]),
            "place": in_prose(place),
            "in_place": located(place),
            "thing": self._event.thing,
            "thing2": self._event.thing2,
            "prop": lambda: f"the {props[0] if not self._dice.chance(3) else props[1]}",
            "prop_plain": props[0],
            "prop_plain_a": f"a {props[0]}",
            "B_or_someone": other.short if other is not None else "somebody",
            "at_time": grammar_dice.pick(banks("fiction")[f"at_time_{period}"]),
            "light": lambda: self._grammar.expand(f"{{light_{period}}}"),
            "chapter": text_of(self._material.chapter, "title"),
            "subject": lambda: self._weaver.current,
            "hero": self._hero.short if self._hero is not None else "",
        }


def as_infinitive(material: Material) -> str | None:
    """The scene's goal as `to do something`, or None where it is put in another way."""
    goal = text_of(material.scene, "goal").rstrip(" .")
    return f"to {goal[3:]}" if goal.lower().startswith("to ") else None


def _event(story: Story, material: Material) -> Event:
    """What happens: as the plan says where it can be recognised, else as the chapter has it."""
    number = number_of(material.chapter, "number", 1)
    scene = number_of(material.scene, "number", 1)
    summary = text_of(material.scene, "summary")
    found = recognise(episode_file(story), summary)
    of = number_of(material.chapter, "of", 3)
    event = event_found(story, found[0]) if found else chapter_events(story, number, of, scene)[-1]
    people = _people(story, material)
    lead = event.lead if event.lead in people else people[0]
    if summary and not found:
        lead = person_named(people, summary) or people[0]
    place = text_of(material.scene, "place") or event.place
    if found or not summary:
        return Event(event.episode, lead, event.other, place, event.thing, event.thing2)
    other = next((one for one in people if one != lead), event.other)
    about = main_subject(summary)
    thing = event.thing if about is None else as_phrase(about)
    return Event(NOTHING, lead, other, place, thing, event.thing2)


def _people(story: Story, material: Material) -> tuple[Person, ...]:
    names = material.scene.get("characters")
    listed = [n for n in names if isinstance(n, str)] if isinstance(names, list) else []
    people = scene_people(story, listed, text_of(material.scene, "summary"))
    return people if listed else people[:3]


def _mentions_other(template: str) -> bool:
    return any(slot in template for slot in ("{B}", "{bhe}", "{bhim}", "{bhis}", "{did_b}"))


def _without_other(known: Banks, other: Person | None) -> Banks:
    """The banks of a scene; of a scene with one person, what needs no other."""
    if other is not None:
        return known
    return {
        name: tuple(line for line in lines if not _mentions_other(line))
        for name, lines in known.items()
    }
