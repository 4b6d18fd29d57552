"""What the author brought along: chapters, people, places and rules that outrank a model's word for word."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from libriscribe2.models.excerpts import each_once, given_text, to_json
from libriscribe2.models.story import Character, CharactersFile, Entry, OutlineFile, WorldFile
from libriscribe2.prose import lines_within, shorten

SHOWN: Final = 8_000
"""Characters of what was brought along that a prompt shows; code puts in the rest."""

ROLE_BUDGET: Final = 120

_REMARK: Final = (
    "The author wrote this. Keep every word of it, names and order too; add only what it leaves "
    "open, so that it fits."
)


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GivenPeople(_Given):
    """`given/characters.json`: fields of `Character`, each person with a name at least."""

    characters: tuple[Mapping[str, str], ...]


class GivenWorld(_Given):
    """`given/world.json`: places, terms and rules."""

    places: tuple[Entry, ...] = ()
    terms: tuple[Entry, ...] = ()
    rules: tuple[str, ...] = ()


class GivenChapter(_Given):
    """A chapter as far as it is planned."""

    title: str
    summary: str = ""
    beats: tuple[str, ...] = ()


class GivenOutline(_Given):
    """`given/outline.json`."""

    chapters: tuple[GivenChapter, ...] = Field(min_length=1)


def given_block(rows: Iterable[Mapping[str, Any]]) -> str:
    """What was brought along as a block of a prompt; "" where there is nothing."""
    lines = [to_json({key: value for key, value in row.items() if value}) for row in rows]
    if not lines:
        return ""
    shown = "\n".join(lines_within(lines, SHOWN))
    return given_text(shown, _REMARK)


def people_block(given: GivenPeople) -> str:
    """The people who were brought along."""
    return given_block(given.characters)


def world_block(given: GivenWorld) -> str:
    """The world that was brought along: its rules first, then its places and terms."""
    named = [one.model_dump() for one in (*given.places, *given.terms)]
    return given_block([*({"rule": rule} for rule in given.rules), *named])


def outline_block(given: GivenOutline) -> str:
    """The chapters that were brought along."""
    return given_block(
        {"number": number, **one.model_dump()} for number, one in enumerate(given.chapters, 1)
    )


def filled_cast(made: CharactersFile, given: GivenPeople) -> CharactersFile:
    """The given people with what a model adds to them, then everybody else."""
    by_name = {one.name.casefold(): one for one in made.characters}
    people = []
    for told in given.characters:
        own = {key: value for key, value in told.items() if value}
        found = by_name.pop(own["name"].casefold(), None)
        said = own.get("background", own["name"]).splitlines()[0]  # who has no role told
        known = found.model_dump() if found is not None else {"role": shorten(said, ROLE_BUDGET)}
        people.append(Character.model_validate({**known, **own}))
    return CharactersFile(characters=[*people, *by_name.values()])


def filled_world(made: WorldFile, given: GivenWorld) -> WorldFile:
    """The given places, terms and rules, then what a model adds."""
    return made.model_copy(
        update={
            "places": each_once([*given.places, *made.places]),
            "terms": each_once([*given.terms, *made.terms]),
            "rules": list(dict.fromkeys([*given.rules, *made.rules])),
        }
    )


def filled_outline(made: OutlineFile, given: GivenOutline) -> OutlineFile:
    """The chapters of a plan, in which all that was given stands word for word."""
    chapters = list(made.chapters)
    for number, told in enumerate(given.chapters[: len(chapters)]):
        own: dict[str, Any] = {"title": told.title}
        own |= {"summary": told.summary} if told.summary else {}
        own |= {"beats": list(told.beats)} if told.beats else {}
        chapters[number] = chapters[number].model_copy(update=own)
    return made.model_copy(update={"chapters": chapters})
