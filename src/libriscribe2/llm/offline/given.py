"""What an author has written into the plan of a chapter by hand, spread over its scenes.

A chapter's summary and beats that the offline author wrote are episodes, which it recognises; any
other sentence is the author's, and what happens in the chapter's scenes is made from it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import plain, shorten
from libriscribe2.llm.offline.episodes import Episode, fits, recognise
from libriscribe2.llm.offline.grammar import Grammar, without_slots
from libriscribe2.llm.offline.material import Material, text_of
from libriscribe2.llm.offline.people import Person, people_named, short_name
from libriscribe2.llm.offline.phrases import banks
from libriscribe2.llm.offline.plot import (
    STRANGER,
    Event,
    chapter_events,
    episode_file,
    event_found,
    plural_topic,
)
from libriscribe2.llm.offline.premise import is_english, names_in
from libriscribe2.llm.offline.story import Story
from libriscribe2.llm.offline.subjects import Subject, as_phrase, given_subjects, main_subject

Item = str | Event
"""A sentence of the author's plan, or an event that the offline author planned."""

_END: Final = re.compile(r"(?<=[.!?])[\"”]?\s+|(?<=[。！？])")
_CUT: Final = 60
"""A beat that is cut in a prompt is known again by so many characters at its start."""

_COVERED: Final = 0.6
"""A summary's sentence is left out where the beats have so much of its words."""

_FIELDS: Final = ("goal", "conflict", "outcome")
_MOST_PEOPLE: Final = 3
_TITLE: Final = 60


def given_items(story: Story, chapter: Mapping[str, Any]) -> list[Item]:
    """What a chapter's plan tells, in order; nothing where none of it is the author's own."""
    return _summary_and_items(story, chapter)[1]


def _summary_and_items(story: Story, chapter: Mapping[str, Any]) -> tuple[list[Item], list[Item]]:
    """What a chapter's summary tells, and what its plan as a whole does (`given_items`)."""
    summary = text_of(chapter, "summary")
    listed = chapter.get("beats")
    beats = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    told = [*_items(story, summary)]
    own = [item for beat in beats if beat[:_CUT] not in summary for item in _items(story, beat)]
    if not any(isinstance(item, str) for item in own):
        return told, told if any(isinstance(item, str) for item in told) else []
    said = _weighty(" ".join(beats))
    before = [one for one in told if isinstance(one, str) and _share(one, said) < _COVERED]
    known = {item.episode for item in own if isinstance(item, Event)}
    after = [one for one in told if isinstance(one, Event) and one.episode not in known]
    return told, [*before, *own, *after]


def given_texts(story: Story, chapter: Mapping[str, Any]) -> list[str]:
    """The sentences of a chapter's plan that are the author's own, those of the summary first."""
    summary, items = _summary_and_items(story, chapter)
    told = [*summary, *items] if items else []
    return list(dict.fromkeys(item for item in told if isinstance(item, str)))


def given_people(story: Story, chapter: Mapping[str, Any], texts: Sequence[str]) -> list[Person]:
    """People whom the plan of a chapter names and the cast does not have, its viewpoint first."""
    pov = text_of(chapter, "pov")
    english = " ".join(text for text in texts if is_english(text))
    known = {*story.places, *story.premise.settings, *(one.name for one in story.cast)}
    named = [
        name
        for name in dict.fromkeys([pov, *names_in(english)[0]])
        if name and not any(name in other or other in name for other in known)
    ]
    shorts = {person.short for person in story.cast}
    people = people_named(named[:_MOST_PEOPLE], [" ".join(texts)] * _MOST_PEOPLE)
    return [
        Person(one.name, one.name, one.female) if one.short in shorts else one for one in people
    ]


def given_events(
    story: Story, chapter: Mapping[str, Any], number: int, of: int, count: int
) -> list[Event]:
    """What happens in each of a chapter's scenes; nothing where the plan is not the author's.

    Args:
        story: The book.
        chapter: The chapter's plan.
        number: The chapter's number.
        of: How many chapters there are.
        count: How many scenes it has.
    """
    items = given_items(story, chapter)
    if not items:
        return []
    spare = iter(chapter_events(story, number, of, count + len(items)))
    made = _Maker(story, chapter, number, next(spare))
    events = []
    parts = _parts(items, count)
    for place, (item, repeats) in enumerate(parts):
        if isinstance(item, Event):
            events.append(next(spare) if repeats else item)
        else:
            events.append(made.event(item, place, repeats))
    return events


class _Maker:
    """Makes events of an author's sentences."""

    def __init__(self, story: Story, chapter: Mapping[str, Any], number: int, base: Event) -> None:
        texts = given_texts(story, chapter)
        dice = Dice(story.seed, "given", number)
        kind = "" if story.fiction else "_facts"
        self._story = story
        self._base = base
        self._number = number
        self._people = given_people(story, chapter, texts)
        self._pov = person_named(story.cast, text_of(chapter, "pov"))
        self._subjects = given_subjects(texts)
        self._banks = {
            key: dice.shuffled(banks("subjects")[f"given_{key}{kind}"])
            for key in (*_FIELDS, "more")
        }

    def event(self, text: str, place: int, again: int) -> Event:
        """The event of a sentence in the scene at an index; what comes of it if told before."""
        plain_event = self._set(text, place, again)
        if again:
            text = _filled(self._story, plain_event, self._frame("more", place))
        goal, conflict, outcome = (self._frame(key, place) for key in _FIELDS)
        title = shorten(plain(text), _TITLE)
        told = _ended(without_slots(text))
        episode = Episode("", title, goal, conflict, outcome, told, (), ())
        return replace(plain_event, episode=episode)

    def _frame(self, key: str, place: int) -> str:
        """A field's template for the scene at an index."""
        return self._banks[key][place % len(self._banks[key])]

    def _set(self, text: str, place: int, again: int) -> Event:
        """Who and what is in the scene at an index."""
        story = self._story
        named = [person_named((*self._people, *story.cast), text), self._pov, *self._people]
        lead = next((one for one in named if one is not None), self._base.lead)
        others = [one for one in story.cast if one != lead]
        spoken = [one for one in others if person_named([one], text) is not None] or others
        dice = Dice(story.seed, "given", self._number, place)
        other = dice.pick(spoken) if spoken else STRANGER
        about = main_subject(text)
        if self._subjects and (again or about is None):
            about = self._subjects[(again - 1) % len(self._subjects)]
        thing = self._base.thing if about is None else as_phrase(about)
        spot = dice.pick(story.places[:8])
        return Event(self._base.episode, lead, other, spot, thing, self._base.thing2)


def scene_subjects(story: Story, material: Material) -> tuple[Subject, ...]:
    """What the author's own sentences in a chapter's plan name; nothing of a plan of ours."""
    texts = given_texts(story, material.chapter)
    said = text_of(material.scene, "summary")
    own = [said] if said and not recognise(episode_file(story), said) else []
    return given_subjects([*own, *texts])


def _items(story: Story, text: str) -> Iterator[Item]:
    """The episodes and the author's sentences of a text, in order."""
    place = 0
    for found in recognise(episode_file(story), text):
        yield from _sentences(story, text[place : found.span[0]])
        yield event_found(story, found)
        place = max(place, found.span[1])
    yield from _sentences(story, text[place:])


def _sentences(story: Story, text: str) -> Iterator[str]:
    """The sentences that no template of a summary makes."""
    kind = "" if story.fiction else "_facts"
    known = banks("fields")
    frames = (*known[f"chapter_opening{kind}"], *known[f"chapter_ending{kind}"])
    for sentence in _END.split(text):
        said = sentence.strip()
        if sum(map(str.isalnum, said)) > 1 and not any(fits(frame, said) for frame in frames):
            yield said


def _parts(items: Sequence[Item], count: int) -> list[tuple[Item, int]]:
    """An item for each scene, and how often it was told before; too many share a scene."""
    if len(items) <= count:
        owner = [place * len(items) // count for place in range(count)]
        return [(items[own], place - owner.index(own)) for place, own in enumerate(owner)]
    texts = [item for item in items if isinstance(item, str)]
    whole = items if len(texts) == len(items) else texts
    if len(whole) <= count:
        return [(item, 0) for item in [*whole, *(i for i in items if i not in whole)][:count]]
    groups: list[list[str]] = [[] for _ in range(count)]
    for place, text in enumerate(texts):
        groups[place * count // len(texts)].append(text)
    return [(" ".join(map(_ended, group)), 0) for group in groups]


def _ended(text: str) -> str:
    return text if text[-1] in ".!?。！？" else f"{text}."


def person_named(people: Sequence[Person], text: str) -> Person | None:
    """The person whom a text names first."""
    places = [(_place(person, text), person) for person in people]
    found = [one for one in places if one[0] >= 0]
    return min(found, key=lambda one: one[0])[1] if found else None


def _place(person: Person, text: str) -> int:
    found = re.search(
        rf"\b(?:{re.escape(short_name(person.name))}|{re.escape(person.short)})\b", text
    )
    return -1 if found is None else found.start()


def _filled(story: Story, event: Event, template: str) -> str:
    grammar = Grammar({}, event.slots(story), seed=story.seed, plural=plural_topic(story))
    return grammar.finish(template)


def _weighty(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in re.findall(r"\w{4,}", text))


def _share(text: str, said: frozenset[str]) -> float:
    """How much of a text's words is said elsewhere."""
    own = _weighty(text)
    return len(own & said) / len(own) if own else 1.0
