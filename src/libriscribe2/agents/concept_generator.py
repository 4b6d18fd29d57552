"""The concept: draft, critique, refinement, keywords."""

from typing import ClassVar

from pydantic import BaseModel, model_validator
from typing_extensions import override

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.models.concept import ConceptFile, ConceptModel, KeywordsModel
from libriscribe2.models.excerpts import book_lines, to_json
from libriscribe2.project.paths import CONCEPT
from libriscribe2.utils.json_utils import JSONProcessor


class RequestedKeywords(KeywordsModel):
    """Keywords of which there has to be at least one."""

    @model_validator(mode="after")
    def _not_empty(self) -> "RequestedKeywords":
        if not self.any():
            raise ValueError("give at least one keyword")
        return self


class ConceptGeneratorAgent(Agent):
    """Turns the premise into a concept and the keywords under which readers find the book."""

    name = "concept"
    also_called = ("keyword_generation",)
    brief_keys: ClassVar[tuple[str, ...]] = (
        "premise",
        "title",
        "genre",
        "category",
        "language",
        "audience",
        "tone",
        "project_type",
    )
    writes = CONCEPT
    shape = ConceptFile

    @override
    async def execute(self, unit: Unit) -> ConceptFile:
        """Draft a concept, have it criticised, rework it, and find its keywords."""
        book, premise = book_lines(self.brief), self.brief.premise
        words = self.brief.size.concept_words
        draft = await self.ask(
            unit, ConceptModel, part="draft", premise=premise, book=book, concept_words=words
        )
        critique = await self.write_prose(
            unit,
            prompt="concept_critique",
            part="critique",
            premise=premise,
            book=book,
            concept=to_json(draft),
        )
        refined = await self.ask(
            unit,
            ConceptModel,
            prompt="concept_refine",
            part="refine",
            premise=premise,
            book=book,
            concept=to_json(draft),
            critique=critique,
            concept_words=words,
        )
        concept = self._with_the_authors_title(refined)
        keywords = await self.ask(
            unit,
            RequestedKeywords,
            prompt="concept_keywords",
            part="keywords",
            limits={"primary_keywords": {"minItems": 1}},
            book=book,
            concept=to_json(concept),
        )
        return ConceptFile(concept=concept, keywords=KeywordsModel(**keywords.model_dump()))

    def _validate_concept_json(self, data: dict[str, object]) -> tuple[bool, list[str]]:
        """Whether data has the shape of a concept, and what is wrong with it by field."""
        model: type[BaseModel] = ConceptModel
        return JSONProcessor.validate_json_with_pydantic(data, model)

    def _with_the_authors_title(self, concept: ConceptModel) -> ConceptModel:
        """A title that the author gave outranks the model's."""
        return concept.model_copy(update={"title": self.brief.title or concept.title})
