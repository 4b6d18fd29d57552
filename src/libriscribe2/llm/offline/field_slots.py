"""What the slots stand for in the fields of a structured reply."""

from libriscribe2.llm.offline.english import capitalised
from libriscribe2.llm.offline.grammar import Slot
from libriscribe2.llm.offline.lexicon import words
from libriscribe2.llm.offline.people import Person
from libriscribe2.llm.offline.plot import STRANGER, Event
from libriscribe2.llm.offline.story import Story, in_prose, located


def field_slots(story: Story, event: Event) -> dict[str, Slot]:
    """The slots of `phrases/fields.txt` for a person and somebody else.

    Args:
        story: The book.
        event: Its lead is `N` and `A`, its other person `O` and `B`.
    """
    people = story.people(3)
    third = next((p for p in people if p not in {event.lead, event.other}), STRANGER)
    hero = _introduced(story, event.lead)
    return {
        **event.slots(story),
        "N": event.lead.short,
        "O": event.other.short,
        "C": third.short,
        "his_cap": capitalised(event.lead.pronouns["his"]),
        "hero": hero,
        "Hero": capitalised(hero),
        "thing_cap": capitalised(event.thing),
        "place2": in_prose(story.places[1 % len(story.places)]),
        **_title_slots(story, event),
    }


def _introduced(story: Story, person: Person) -> str:
    """A person's name, with what the premise calls its main one: `detective Ada Okafor`."""
    role = story.premise.hero
    if not role or person is not story.cast[0]:
        return person.name
    only_one = role.split(" ", 1)[0] in words("superlative")
    return f"the {role} {person.name}" if only_one else f"{role} {person.name}"


def _title_slots(story: Story, event: Event) -> dict[str, Slot]:
    """Slots of titles; `titles.as_title` puts their capitals right afterwards."""
    topic = story.premise.topic
    return {
        "Head": story.premise.hero or "keeper",
        "Setting_bare": in_prose(story.setting),
        "In_setting": capitalised(located(story.setting)),
        "In_setting_title": located(story.setting),
        "The_thing": event.thing,
        "Family": story.cast[0].name.rsplit(" ", 1)[-1],
        "Topic": topic,
        "Topic_cap": capitalised(topic),
        "Place_title": in_prose(event.place),
        "In_place_title": located(event.place),
    }
