"""The world of a story, or the terms of a subject."""

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.context.notes import notes_to_plan
from libriscribe2.models.excerpts import (
    book_lines,
    concept_block,
    given_world,
    premise_block,
    with_given_world,
)
from libriscribe2.models.given import GivenWorld, filled_world, world_block
from libriscribe2.models.story import ConceptFile, WorldFile
from libriscribe2.project.paths import CONCEPT, GIVEN_WORLD, RESEARCH_NOTES, SERIES_WORLD, WORLD


class WorldbuildingAgent(Agent):
    """Builds places, terms and rules that later stages keep to."""

    name = "world"
    heeds = "world"
    also_called = ("worldbuilding",)
    reads = (CONCEPT, RESEARCH_NOTES, SERIES_WORLD, GIVEN_WORLD)
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
        own = self.book.load(GIVEN_WORLD, GivenWorld) if self.book.has(GIVEN_WORLD) else None
        made = await self.ask(
            unit,
            WorldFile,
            limits={needed: {"minItems": 3}},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            given=given_world(given)
            + ("" if own is None else world_block(own))
            + notes_to_plan(
                self.book.notes(),
                self.book.sources(),
                self.book.answers(),
                self.book.unsupported(),
            ),
        )
        made = with_given_world(made, given)
        return made if own is None else filled_world(made, own)
