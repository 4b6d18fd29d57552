"""What a book is given by the one before it: kept under the same names, whatever a model adds."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from libriscribe2.models.excerpts import cards, to_json
from libriscribe2.models.story import Character, CharactersFile, Entry, WorldFile

NamedT = TypeVar("NamedT", Character, Entry)

CAST_BUDGET: Final = 6_000
WORLD_BUDGET: Final = 4_000
_FIELDS: Final = (
    *("name", "role", "appearance", "personality", "background", "relationships", "age"),
)


def given_cast(cast: Sequence[Character]) -> str:
    """The people of the book before as a block of a prompt; "" where there are none."""
    if not cast:
        return ""
    return _block(
        cards(cast, _FIELDS, CAST_BUDGET),
        "These people come from the book before this one. Keep them, under these very names and "
        "as they are; say what they want now and what has become of them.",
    )


def given_world(world: WorldFile | None) -> str:
    """The world of the book before as a block of a prompt; "" where there is none."""
    if world is None:
        return ""
    entries = [*world.places, *world.terms]
    shown = cards(entries, ("name", "description"), WORLD_BUDGET)
    rules = to_json({"rules": world.rules[:24]}) if world.rules else ""
    return _block(
        f"{shown}\n{rules}".strip(),
        "This world comes from the book before this one. Keep its names and its rules.",
    )


def with_given_cast(made: CharactersFile, given: Sequence[Character]) -> CharactersFile:
    """A cast in which everybody who was given is there under the same name.

    A short form of a given name means that person; who is missing joins as they were.
    """
    named = [_as_given(one, given) for one in made.characters]
    return CharactersFile(characters=_each_once([*named, *given]))


def with_given_world(made: WorldFile, given: WorldFile | None) -> WorldFile:
    """A world that holds all that was given."""
    if given is None:
        return made
    return made.model_copy(
        update={
            "places": _each_once([*made.places, *given.places]),
            "terms": _each_once([*made.terms, *given.terms]),
            "rules": list(dict.fromkeys([*given.rules, *made.rules])),
        }
    )


def _as_given(person: Character, given: Sequence[Character]) -> Character:
    """A person under the given name that theirs is a part of, where only one is."""
    own = set(person.name.casefold().split())
    fits = [one.name for one in given if own <= set(one.name.casefold().split())]
    return person.model_copy(update={"name": fits[0]}) if len(fits) == 1 else person


def _each_once(entries: Iterable[NamedT]) -> list[NamedT]:
    """The first of each name."""
    kept: dict[str, NamedT] = {}
    for one in entries:
        kept.setdefault(one.name.casefold(), one)
    return list(kept.values())


def _block(text: str, what: str) -> str:
    return f"\n\n<given>\n{text}\n</given>\n\n{what}"
