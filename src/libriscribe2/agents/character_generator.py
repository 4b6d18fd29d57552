"""The cast."""

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.models.brief import CountRange
from libriscribe2.models.excerpts import (
    book_lines,
    concept_block,
    given_cast,
    premise_block,
    with_given_cast,
)
from libriscribe2.models.given import GivenPeople, filled_cast, people_block
from libriscribe2.models.story import Character, CharactersFile, ConceptFile
from libriscribe2.project.paths import CHARACTERS, CONCEPT, GIVEN_CAST, SERIES_CAST


class CharacterGeneratorAgent(Agent):
    """Creates the people of the book; those of the book before it stay who they are.

    Non-fiction has none unless the author asks for some: an invented person in a book of facts
    would be a made-up fact.
    """

    name = "characters"
    heeds = "characters"
    also_called = ("character", "people", "cast")
    reads = (CONCEPT, SERIES_CAST, GIVEN_CAST)
    brief_keys = ("premise", *BOOK_KEYS, "characters", "chapters")
    writes = CHARACTERS
    wanted_if = "has_cast"
    shape = CharactersFile

    @override
    async def execute(self, unit: Unit) -> CharactersFile:
        """Ask for the cast, in the number that the author wants."""
        count, given = self.brief.character_range(), self._given()
        own = self.book.load(GIVEN_CAST, GivenPeople) if self.book.has(GIVEN_CAST) else None
        if own is not None:
            many = len(own.characters)
            most = None if count.high is None else max(count.high, many)
            count = CountRange(max(count.low, many), most)
        made = await self.ask(
            unit,
            CharactersFile,
            limits={"characters": count.bounds()},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            count=count.wording("character"),
            given=given_cast(given) + ("" if own is None else people_block(own)),
        )
        made = with_given_cast(made, given)
        return made if own is None else filled_cast(made, own)

    def _given(self) -> list[Character]:
        """The people of the book before."""
        if not self.book.has(SERIES_CAST):
            return []
        return self.book.load(SERIES_CAST, CharactersFile).characters
