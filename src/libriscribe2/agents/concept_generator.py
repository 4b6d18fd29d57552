"""The concept: draft, critique, refinement, keywords; and a title chosen from the finished text."""

from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.models.excerpts import book_lines, concept_block, premise_block
from libriscribe2.models.story import (
    ConceptFile,
    ConceptModel,
    KeywordsModel,
    OutlineFile,
    TitleFile,
)
from libriscribe2.project.paths import CONCEPT, OUTLINE, SUMMARY_FILES, TITLE
from libriscribe2.prose import shorten

CRITIQUE_WORDS: Final = 150

WHOLE_PREMISE: Final = 24_000
"""Most of a premise that the concept is made from: about 6,000 tokens."""


class ConceptGeneratorAgent(Agent):
    """Turns the premise into a concept and the keywords under which readers find the book."""

    name = "concept"
    heeds = "concept"
    also_called = ("keyword_generation",)
    brief_keys = ("premise", *BOOK_KEYS, "project_type")
    writes = CONCEPT
    shape = ConceptFile
    prompts = ("concept", "concept_critique", "concept_refine", "concept_keywords")

    @override
    async def execute(self, unit: Unit) -> ConceptFile:
        """Draft a concept, have it criticised, rework it, and find its keywords."""
        chapters = self.brief.chapter_range()
        words = chapters.middle() * self.brief.words_per_chapter(chapters.middle())
        length = f"a {words:,}-word book in {chapters.wording('chapter')}"
        book = f"{book_lines(self.brief)}\nlength: {length}"
        premise = premise_block(self.brief, WHOLE_PREMISE)
        room = self.brief.size.concept_words
        draft = await self.ask(
            unit, ConceptModel, part="draft", premise=premise, book=book, concept_words=room
        )
        critique = await self.write_prose(
            unit,
            {"premise": premise, "book": book, "concept": concept_block(draft)},
            words=CRITIQUE_WORDS,
            prompt="concept_critique",
            part="critique",
        )
        refined = await self.ask(
            unit,
            ConceptModel,
            prompt="concept_refine",
            part="refine",
            premise=premise,
            book=book,
            concept=concept_block(draft),
            critique=critique,
            concept_words=room,
        )
        concept = self._with_the_authors_title(refined)
        keywords = await self.ask(
            unit,
            KeywordsModel,
            prompt="concept_keywords",
            part="keywords",
            limits={"primary_keywords": {"minItems": 1}},
            book=book,
            concept=concept_block(concept),
        )
        return ConceptFile(concept=concept, keywords=keywords)

    _validate_concept_json = Agent._validate_json

    def _with_the_authors_title(self, concept: ConceptModel) -> ConceptModel:
        """A title that the author gave outranks the model's."""
        return concept.model_copy(update={"title": self.brief.title or concept.title})


OUTLINE_BUDGET: Final = 8_000


class TitleGeneratorAgent(Agent):
    """Titles the book when the author wants that and has given no title."""

    name = "title"
    heeds = "title"
    also_called = ("title_generation",)
    reads = (CONCEPT, OUTLINE, SUMMARY_FILES)
    brief_keys = ("premise", *BOOK_KEYS, "auto_title")
    writes = TITLE
    wanted_if = "wants_title"
    shape = TitleFile

    @override
    async def execute(self, unit: Unit) -> TitleFile:
        """Ask for a title that fits what was written."""
        summaries = self.book.chapter_summaries()
        each = OUTLINE_BUDGET // max(1, len(summaries))
        titles = self.book.load(OUTLINE, OutlineFile).chapters
        told = "\n".join(
            f"{number}. {chapter.title}: {shorten(summary, each)}"
            for number, (chapter, summary) in enumerate(zip(titles, summaries, strict=False), 1)
        )
        return await self.ask(
            unit,
            TitleFile,
            limits={"title": {"maxLength": 120}, "alternatives": {"maxItems": 4}},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            outline=told,
        )
