"""The cast, and the world of a story or the terms of a subject."""

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.models.excerpts import (
    book_lines,
    concept_block,
    given_cast,
    given_world,
    premise_block,
    with_given_cast,
    with_given_world,
)
from libriscribe2.models.story import Character, CharactersFile, ConceptFile, WorldFile
from libriscribe2.project.paths import CHARACTERS, CONCEPT, SERIES_CAST, SERIES_WORLD, WORLD


class WorldbuildingAgent(Agent):
    """Builds places, terms and rules that later stages keep to."""

    name = "world"
    also_called = ("worldbuilding",)
    reads = (CONCEPT, SERIES_WORLD)
    brief_keys = ("premise", *BOOK_KEYS, "worldbuilding")
    writes = WORLD
    wanted_if = "worldbuilding"
    shape = WorldFile

    @override
    async def execute(self, unit: Unit) -> WorldFile:
        """Ask for the world; a story needs places, a subject needs terms."""
        needed = "places" if self.brief.kind == "fiction" else "terms"
        has_given = self.book.has(SERIES_WORLD)
        given = self.book.load(SERIES_WORLD, WorldFile) if has_given else None
        made = await self.ask(
            unit,
            WorldFile,
            limits={needed: {"minItems": 3}},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            given=given_world(given),
        )
        return with_given_world(made, given)


class CharacterGeneratorAgent(Agent):
    """Creates the people of the book; those of the book before it stay who they are.

    Non-fiction has none unless the author asks for some: an invented person in a book of facts
    would be a made-up fact.
    """

    name = "characters"
    also_called = ("character",)
    reads = (CONCEPT, SERIES_CAST)
    brief_keys = ("premise", *BOOK_KEYS, "characters", "chapters")
    writes = CHARACTERS
    wanted_if = "has_cast"
    shape = CharactersFile

    @override
    async def execute(self, unit: Unit) -> CharactersFile:
        """Ask for the cast, in the number that the author wants."""
        count, given = self.brief.character_range(), self._given()
        made = await self.ask(
            unit,
            CharactersFile,
            limits={"characters": count.bounds()},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            count=count.wording("character"),
            given=given_cast(given),
        )
        return with_given_cast(made, given)

    def _given(self) -> list[Character]:
        """The people of the book before."""
        if not self.book.has(SERIES_CAST):
            return []
        return self.book.load(SERIES_CAST, CharactersFile).characters
