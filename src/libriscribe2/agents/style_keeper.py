"""The style sheet: from the author's samples where there are any, else from the plan of the book."""

from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.checks.report.sample_style import style_numbers, typical_passages
from libriscribe2.checks.text import ChapterText
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.errors import ProjectError
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.excerpts import (
    book_lines,
    cards,
    concept_block,
    premise_block,
    shown_blocks,
    to_json,
    world_lines,
)
from libriscribe2.models.story import ConceptFile, WorldFile
from libriscribe2.models.style import (
    ASPECTS,
    MOST_RULES,
    SAMPLE_PARAGRAPHS,
    STYLE,
    SheetOfFacts,
    SheetReply,
    StyleFile,
    StylePassage,
    StyleReply,
    StyleRule,
    StyleSheet,
)
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    CHARACTERS,
    CONCEPT,
    DRAFT_FILES,
    SAMPLE_FILES,
    SAMPLES,
    WORLD,
)
from libriscribe2.prose import shorten
from libriscribe2.research.quotes import line_of_quote

PASSAGE_BUDGET: Final = 4_000
"""Most of a passage that the request shows: 180 words of any language."""

RULE_BUDGET: Final = 240

SHOWN_BUDGET: Final = 24_000
PEOPLE_BUDGET: Final = 6_000
WORLD_BUDGET: Final = 5_000

_PEOPLE: Final = ("name", "role", "age", "personality", "background", "relationships")

MOST_CHARACTERS: Final = 2_000_000
"""How much of all samples is counted; what a reader takes for a voice is there long before."""


AUTHORS: Final = ("person", "tense", "spelling")
"""Lines of the sheet that the author may settle in the brief."""


class StyleKeeperAgent(Agent):
    """Settles how a book is written, before its first sentence is.

    Where there are samples of the author's, a model finds their habits as well, and code keeps
    those that are about form and whose quotes stand in the samples. A plan that changes makes no
    sheet out of date.
    """

    name = "style"
    heeds = "style"
    also_called = ("voice",)
    reads = SAMPLE_FILES
    reads_earlier = (CONCEPT, CHARACTERS, WORLD)
    brief_keys = (*BOOK_KEYS, *AUTHORS)
    writes = STYLE.file
    shape = StyleFile
    prompts = ("style", "style_sheet")
    made_before = (CHAPTER_FILES, DRAFT_FILES)

    @override
    @classmethod
    def awaits(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Also the concept, the people and the world, which it is made to fit."""
        return (*cls.inputs(unit, order), *cls.reads_earlier)

    @override
    async def execute(self, unit: Unit) -> StyleFile:
        """Ask for the sheet; of samples, count, choose the passages, and ask what makes the voice.

        Raises:
            ProjectError: A sample cannot be read, or none has any prose.
        """
        if not self.book.sample_files():
            made = await self.ask(
                unit,
                SheetReply if self.brief.kind == "fiction" else SheetOfFacts,
                prompt="style_sheet",
                limits=None,
                shown=self._shown(),
            )
            texts = made.paragraphs[:SAMPLE_PARAGRAPHS]
            passages = [StylePassage(text=shorten(one, PASSAGE_BUDGET)) for one in texts]
            return StyleFile(sheet=self._sheet(made), passages=passages)
        samples = self._samples()
        numbers, passages = style_numbers(samples), typical_passages(samples)
        if not passages:
            raise ProjectError(
                f"There is no prose in {SAMPLES}.",
                why=f"none of {', '.join(one.file for one in samples)} has a sentence",
                fix="Add texts of your own, or remove the files.",
            )
        told = await self.ask(
            unit,
            StyleReply,
            limits=None,
            aspects=", ".join(ASPECTS),
            numbers=to_json(numbers),
            passages=_shown(passages),
            shown=self._shown(),
        )
        rules = self._kept(told.rules, samples)
        return StyleFile(sheet=self._sheet(told), numbers=numbers, passages=passages, rules=rules)

    def _shown(self) -> str:
        """What is planned of the book, as blocks, as far as its style depends on it."""
        has, load = self.book.has, self.book.load
        cast = self.book.characters()
        shown = {
            "premise": premise_block(self.brief),
            "book": "\n".join([book_lines(self.brief), *self._authors_lines()]),
            "concept": concept_block(load(CONCEPT, ConceptFile).concept) if has(CONCEPT) else "",
            "characters": cards(cast, _PEOPLE, PEOPLE_BUDGET) if cast else "",
            "world": world_lines(load(WORLD, WorldFile), WORLD_BUDGET) if has(WORLD) else "",
        }
        return shown_blocks(shown, SHOWN_BUDGET)

    def _authors_lines(self) -> list[str]:
        """What the author has settled of the style, as lines."""
        said = {name: shorten(getattr(self.brief, name), RULE_BUDGET) for name in AUTHORS}
        return [f"{name}: {text}" for name, text in said.items() if text]

    def _sheet(self, told: StyleSheet) -> StyleSheet:
        """The sheet of a reply; what the author has settled stands in place of a model's."""
        known = StyleSheet.model_validate(told.model_dump(include=set(StyleSheet.model_fields)))
        own = {name: text for name in AUTHORS if (text := getattr(self.brief, name))}
        voices = known.voices if self.brief.has_cast else []
        return known.model_copy(update={"voices": voices, **own})

    def _samples(self) -> list[ChapterText]:
        """The samples as text, as far as they are counted."""
        # The readers load libraries for Word and PDF, which nobody else needs.
        from libriscribe2.documents.source_reader import read_source  # noqa: PLC0415

        found, room = list[ChapterText](), MOST_CHARACTERS
        for number, name in enumerate(self.book.sample_files(), start=1):
            try:
                source = read_source(name, self.book.raw(name))
            except DocumentError as error:
                raise ProjectError(
                    str(error), fix=f"Save it as UTF-8 text or .docx, or remove it from {SAMPLES}."
                ) from error
            text = "\n\n".join(_prose(heading, text) for heading, text in source.parts)
            found.append(ChapterText(number, name, text[:room]))
            room = max(0, room - len(text))
        return found

    def _kept(self, told: Sequence[StyleRule], samples: Sequence[ChapterText]) -> list[StyleRule]:
        """The rules about form whose quotes stand in a sample, each once."""
        kept: dict[str, StyleRule] = {}
        for one in told:
            stands = any(line_of_quote(one.quote, sample.text) for sample in samples)
            rule = " ".join(shorten(one.rule, RULE_BUDGET).split())
            if one.aspect and rule and stands:
                kept.setdefault(rule.casefold(), one.model_copy(update={"rule": rule}))
        if dropped := len(told) - len(kept):
            self.made_from.remark = (
                f"{len(kept)} rules, {dropped} dropped: not about form, or not in the samples"
            )
        return list(kept.values())[:MOST_RULES]


def _prose(heading: str, text: str) -> str:
    """A part without the heading that readers of documents put before it as a paragraph."""
    return text[len(heading) :] if heading and text.startswith(heading) else text


def _shown(passages: Sequence[StylePassage]) -> str:
    return "\n\n".join(
        f"Passage {number}:\n{shorten(one.text, PASSAGE_BUDGET)}"
        for number, one in enumerate(passages, start=1)
    )
