"""Which episodes make up a chapter, and who and what takes part in each."""

from collections.abc import Sequence
from dataclasses import dataclass

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import capitalised, plain
from libriscribe2.llm.offline.episodes import (
    Episode,
    Found,
    episodes,
    fits,
    in_phase,
    phase_of,
    recognise,
)
from libriscribe2.llm.offline.grammar import Grammar, Slot
from libriscribe2.llm.offline.people import Person, people_named, short_name
from libriscribe2.llm.offline.phrases import banks
from libriscribe2.llm.offline.story import Story, in_prose, located
from libriscribe2.llm.offline.subjects import mainly_about

PER_CHAPTER = 3
"""How many episodes a chapter's summary tells."""

NOTHING = Episode("", "", "", "", "", "", (), ())
"""The episode of a plan that is not one of ours."""

STRANGER = Person("the stranger", "the stranger", female=False)
"""Who stands for the other person where there is only one."""


@dataclass(frozen=True, slots=True)
class Event:
    """An episode with its people, its place and its things.

    Attributes:
        episode: What happens.
        lead: The point of view.
        other: The other person.
        place: The place's name.
        thing: What it is about, as a definite phrase.
        thing2: Another thing.
    """

    episode: Episode
    lead: Person
    other: Person
    place: str
    thing: str
    thing2: str

    def slots(self, story: Story) -> dict[str, Slot]:
        """What the slots of the episode's templates stand for in plans: plain names."""
        mine, theirs = self.lead.pronouns, self.other.pronouns
        return {
            **mine,
            **{f"b{key}": value for key, value in theirs.items()},
            "A": self.lead.short,
            "S": self.lead.short,
            "B": self.other.short,
            "place": in_prose(self.place),
            "in_place": located(self.place),
            "thing": self.thing,
            "thing2": self.thing2,
            "prop": "the notebook",
            **setting_slots(story),
        }

    def plan(self, story: Story) -> dict[str, str]:
        """Summary, goal, conflict and outcome of the event, for a plan of scenes."""
        grammar = Grammar({}, self.slots(story), seed=story.seed, plural=plural_topic(story))
        episode = self.episode
        return {
            "summary": grammar.finish(episode.summary),
            "goal": capitalised(grammar.expand(episode.goal)),
            "conflict": capitalised(grammar.expand(episode.conflict)),
            "outcome": capitalised(grammar.expand(episode.outcome)),
        }


def episode_file(story: Story) -> str:
    """Where the episodes of a book of this kind stand."""
    return "episodes" if story.fiction else "lessons"


def setting_slots(story: Story) -> dict[str, Slot]:
    """The slots that are the same in the whole book."""
    plural = plural_topic(story)
    return {
        "setting": in_prose(story.setting),
        "in_setting": located(story.setting),
        "setting_cap": capitalised(in_prose(story.setting)),
        "role": story.role,
        "about": mainly_about(story.premise) or story.things[0],
        "topic": story.premise.topic,
        "it": "them" if plural else "it",
        "they": "they" if plural else "it",
        "itself": "themselves" if plural else "itself",
    }


def plural_topic(story: Story) -> bool:
    """Whether the topic of a book of facts takes a plural verb."""
    topic = story.premise.topic
    one = topic.split(" ", 1)[0].endswith("ing") or topic.startswith("the question of ")
    last = topic.rsplit(" ", 1)[-1]
    return not one and last.endswith("s") and not last.endswith(("ss", "us", "is", "ics"))


def chapter_events(story: Story, number: int, of: int, count: int) -> list[Event]:
    """The events of chapter `number` of `of`, the first of which its summary tells."""
    file = episode_file(story)
    phase = phase_of(number, of)
    own = Dice(story.seed, file, phase).shuffled(in_phase(file, phase))
    rest = Dice(story.seed, file, number).shuffled(
        [episode for episode in episodes(file) if episode.phase not in {phase, "begin", "end"}]
    )
    # Chapters of the same phase begin at different episodes of it.
    start = (number - 1) * 2 % len(own)
    ordered = [*own[start:], *own[:start], *rest]
    return [
        _event(story, ordered[index % len(ordered)], f"{number}/{index}") for index in range(count)
    ]


def planned_events(story: Story, summary: str, number: int, of: int, count: int) -> list[Event]:
    """The events that a chapter's summary tells, and as many more as are wanted."""
    told = [event_found(story, found) for found in recognise(episode_file(story), summary)]
    known = {event.episode for event in told}
    more = chapter_events(story, number, of, count + len(told) + len(episodes(episode_file(story))))
    fresh = [event for event in more if event.episode not in known]
    # The chapter's last event stays last: it is where the chapter ends.
    body, last = (told[:-1], told[-1:]) if count > 1 else (told, [])
    return [*body, *fresh[: max(0, count - len(told))], *last][:count]


def event_found(story: Story, found: Found) -> Event:
    """The event that a plan tells, with the names that the plan gives it."""
    fallback = _event(story, found.episode, found.episode.summary)
    slots = found.slots
    lead = _person(story, slots.get("A"), fallback.lead)
    return Event(
        found.episode,
        lead,
        _person(story, slots.get("B"), fallback.other if fallback.other != lead else STRANGER),
        _place(story, slots.get("place"), fallback.place),
        plain(slots.get("thing", fallback.thing)),
        plain(slots.get("thing2", fallback.thing2)),
    )


def as_clause(key: str, template: str, text: str) -> str | None:
    """A plan's text for the middle of a sentence if it came from one of our templates, else None.

    Args:
        key: The field: `conflict` or `outcome`.
        template: The episode's template for it.
        text: What the plan says.
    """
    bare = text.rstrip(" .")
    given = banks("subjects")
    known = (template, *given[f"given_{key}"], *given[f"given_{key}_facts"])
    found = next((one for one in known if fits(one, bare)), None)
    if found is None:
        return None
    return bare if found.startswith(("{A}", "{B}")) else bare[:1].lower() + bare[1:]


def scene_people(story: Story, names: Sequence[str], told: str = "") -> tuple[Person, ...]:
    """The people of a scene in its plan's order; the whole cast where the plan names none.

    Args:
        story: The book.
        names: Whom the plan names; who is not of the cast is taken as named.
        told: What the plan says, whose pronouns decide about these.
    """
    by_name = {person.name: person for person in story.cast}
    unknown = [name for name in names if name not in by_name and name != STRANGER.name]
    guests = people_named(unknown, [told] * len(unknown))
    by_name |= {person.name: person for person in guests}
    present = tuple(by_name[name] for name in dict.fromkeys(names) if name in by_name)
    return present or story.cast


def _event(story: Story, episode: Episode, label: str) -> Event:
    dice = Dice(story.seed, "event", label)
    people = story.cast
    lead = people[1] if len(people) > 2 and dice.chance(5) else people[0]
    others = [person for person in people if person is not lead]
    thing, thing2 = dice.shuffled(story.things)[:2]
    own = [one for one in story.things if one in story.premise.things]
    if own and dice.chance(4):
        thing, thing2 = dice.pick(own), thing if thing not in own else thing2
    return Event(
        episode,
        lead,
        dice.pick(others) if others else STRANGER,
        dice.pick(story.places[:8]),
        thing,
        thing2,
    )


def _person(story: Story, name: str | None, default: Person) -> Person:
    """The person of the cast whom a plan names."""
    if name is None:
        return default
    by_name = {key: person for person in story.cast for key in (person.name, person.short)}
    return by_name.get(name) or by_name.get(short_name(name)) or default


def _place(story: Story, name: str | None, default: str) -> str:
    """The place that a plan names, as the book spells it."""
    if name is None:
        return default
    return next((place for place in story.places if in_prose(place) == name), name)
