"""The voice: numbers and passages of the author's samples by code, rules by a model."""

from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.checks.report.sample_style import style_numbers, typical_passages
from libriscribe2.checks.text import ChapterText
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.errors import ProjectError
from libriscribe2.models.excerpts import to_json
from libriscribe2.models.style import (
    ASPECTS,
    MOST_RULES,
    STYLE,
    StyleFile,
    StylePassage,
    StyleReply,
    StyleRule,
)
from libriscribe2.project.paths import SAMPLE_ENDINGS, SAMPLE_FILES, SAMPLES
from libriscribe2.prose import shorten
from libriscribe2.research.quotes import line_of_quote

PASSAGE_BUDGET: Final = 4_000
"""Most of a passage that the request shows: 180 words of any language."""

RULE_BUDGET: Final = 240

MOST_CHARACTERS: Final = 2_000_000
"""How much of all samples is counted; what a reader takes for a voice is there long before."""


class StyleKeeperAgent(Agent):
    """Takes the voice of a book from texts of its author's own.

    A model finds the habits; code keeps those that are about form and whose quotes stand in the
    samples.
    """

    name = "style"
    also_called = ("voice",)
    reads = SAMPLE_FILES
    brief_keys = ("language",)
    writes = STYLE.file
    shape = StyleFile
    made_where = f"files in {SAMPLES}"

    @override
    def no_op_reason(self) -> str:
        """There is no sample."""
        endings = ", ".join(SAMPLE_ENDINGS)
        return "" if self.book.sample_files() else f"no samples: no {endings} file in {SAMPLES}"

    @override
    async def execute(self, unit: Unit) -> StyleFile:
        """Count, choose the passages, and ask what makes the voice.

        Raises:
            ProjectError: A sample cannot be read, or none has any prose.
        """
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
            language=self.brief.language,
            aspects=", ".join(ASPECTS),
            numbers=to_json(numbers),
            passages=_shown(passages),
        )
        rules = self._kept(told.rules, samples)
        return StyleFile(numbers=numbers, passages=passages, rules=rules)

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
