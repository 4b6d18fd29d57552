"""The book behind a request: its people, places and things, the same in every request."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import is_plural, plain, title_case
from libriscribe2.llm.offline.lexicon import words
from libriscribe2.llm.offline.material import Material, text_of
from libriscribe2.llm.offline.people import Person, invented, people_named, region_of
from libriscribe2.llm.offline.phrases import banks
from libriscribe2.llm.offline.premise import Premise, names_in, read_premise

MOTIFS = 5
"""How many things a book has besides those of its premise."""

COMPANY = 4
"""How many people the prose thinks of where no block names any."""


@dataclass(frozen=True, slots=True)
class Story:
    """What stays the same in all requests of one book.

    Attributes:
        seed: The text on which all choices of the book depend.
        fiction: Whether it is a story.
        premise: The premise as it was read.
        cast: People, the main one first.
        places: Place names, such as `The Records Room`.
        things: Things that matter in a story, sides of a subject otherwise.
        setting: Where it plays, as a definite phrase.
        region: Where the names come from.
    """

    seed: str
    fiction: bool
    premise: Premise
    cast: tuple[Person, ...]
    places: tuple[str, ...]
    things: tuple[str, ...]
    setting: str
    region: str

    def people(self, count: int) -> tuple[Person, ...]:
        """At least `count` people: the cast and then invented ones."""
        missing = count - len(self.cast)
        if missing <= 0:
            return self.cast
        taken = [person.name for person in self.cast]
        names = invented(self.region, "", Dice(self.seed, "names"), taken)
        return (*self.cast, *people_named(islice(names, missing)))

    @property
    def role(self) -> str:
        """The main person by what they are: `the lighthouse keeper`."""
        return f"the {self.premise.hero}" if self.premise.hero else "the stranger"


def read_story(material: Material) -> Story:
    """The book that a prompt is about.

    Where there is no premise block, the concept's description stands in for it, and after that
    the title or the instruction.
    """
    said = material.premise or text_of(material.concept, "description")
    said = said or text_of(material.book, "title") or material.instruction or "A story"
    premise = read_premise(said)
    seed = premise.text
    region = region_of(premise.text)
    fiction = _is_fiction(material, premise)
    setting = premise.settings[0] if premise.settings else "the old quarter"
    return Story(
        seed=seed,
        fiction=fiction,
        premise=premise,
        cast=_cast(material, premise, region),
        places=_places(material, premise, setting),
        things=_things(premise, fiction=fiction),
        setting=setting,
        region=region,
    )


def in_prose(place: str) -> str:
    """A place as the middle of a sentence names it: `the Records Room`, `Lagos`."""
    named = plain(place)
    first = named.split(" ", 1)[0]
    has_article = first in words("determiner") | words("foreign")
    if first[:1].isupper() or has_article:
        return named
    return f"the {named}"


def located(place: str) -> str:
    """A place with its preposition: `in the Records Room`, `on the drowned coast`."""
    named = in_prose(place)
    head = named.rsplit(" ", 1)[-1].lower()
    where = "on" if head in words("on") else "at" if head in words("at") else "in"
    return f"{where} {named}"


def _is_fiction(material: Material, premise: Premise) -> bool:
    kind = material.book.get("kind", "").lower()
    if kind:
        return "non" not in kind
    return not premise.text.lower().startswith(
        ("a non-fiction", "non-fiction", "how to", "a guide")
    )


def _cast(material: Material, premise: Premise, region: str) -> tuple[Person, ...]:
    """The people of the blocks, else of premise and concept, else invented ones."""
    if material.characters:
        names = [text_of(card, "name") for card in material.characters]
        told = [_told_of(card) for card in material.characters]
        return tuple(people_named(names, told))
    base = _with_invented(premise, premise.names, region)
    # The description opens with the premise, which is no English where it gives no names.
    description = text_of(material.concept, "description").removeprefix(premise.text)
    concept = f"{text_of(material.concept, 'logline')}\n{description}"
    known = {*base, *premise.settings, *premise.names}
    others = [name for name in names_in(concept)[0] if not _known(name, known)]
    if others:
        base = _with_invented(premise, (*premise.names, *others), region)
    return tuple(people_named(base, cue=premise.pronoun))


def _known(name: str, known: Iterable[str]) -> bool:
    """Whether a name is one of the known ones, a part of one, or one with a rank before it."""
    return any(name in other or other in name for other in known)


def _with_invented(premise: Premise, names: Iterable[str], region: str) -> list[str]:
    """The names, filled up to a small company."""
    given = list(dict.fromkeys(names))
    cue = "" if given else premise.pronoun
    more = invented(region, cue, Dice(premise.text, "names"), given)
    return [*given, *islice(more, max(0, COMPANY - len(given)))]


def _told_of(card: object) -> str:
    values = card.values() if isinstance(card, dict) else ()
    return " ".join(value for value in values if isinstance(value, str))


def _places(material: Material, premise: Premise, setting: str) -> tuple[str, ...]:
    if material.places:
        return tuple(text_of(card, "name") for card in material.places)
    bank = banks("motifs")["place"]
    hero_place = premise.hero.split(" ", 1)[0]
    own = [f"The {title_case(hero_place)}"] if hero_place in words("place") else []
    named = [title_case(place) for place in (premise.settings or (setting,))]
    return tuple(dict.fromkeys([*own, *named, *Dice(premise.text, "places").shuffled(bank)]))


def _things(premise: Premise, *, fiction: bool) -> tuple[str, ...]:
    """What the book turns on: things of a story, sides of a subject.

    The things are singular, since templates speak of `it`.
    """
    if not fiction:
        return tuple(Dice(premise.text, "facets").shuffled(banks("motifs")["facet"]))
    own = [thing for thing in premise.things if not is_plural(thing.rsplit(" ", 1)[-1])]
    motifs = Dice(premise.text, "motifs").shuffled(banks("motifs")["motif"])
    return (*own, *motifs[:MOTIFS])
