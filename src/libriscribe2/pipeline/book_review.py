"""A model on a whole book: it doubts by the summaries, and what it doubts has to stand in the text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from libriscribe2.agents.agent_base import BOOK_KEYS
from libriscribe2.agents.agent_consulted import ConsultedAgent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.checks.gates.examination import measured
from libriscribe2.checks.gates.gate import GateContext
from libriscribe2.checks.patching import patched
from libriscribe2.context.book_parts import thread_lines
from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.models.excerpts import book_lines, shown_blocks, to_json
from libriscribe2.models.reviews import MOST_DOUBTS, Doubt, Doubts, Patch, Proven
from libriscribe2.models.story import OutlineFile
from libriscribe2.pipeline.book_doubts import (
    OTHERS_BUDGET,
    SUMMARIES_BUDGET,
    can_be_proven,
    excerpts,
    in_turn,
    other_text,
    readings,
    shortened,
    summary_lines,
)
from libriscribe2.project.paths import OUTLINE
from libriscribe2.prose import shorten
from libriscribe2.quality.text import ChapterText
from libriscribe2.research.quotes import line_of_quote

MOST_PROOFS: Final = 3
"""Doubts that are looked for in the text."""

SHOWN_BUDGET: Final = 3_500
"""Characters of what is shown of the book as a whole (`text_budget`)."""

_UNIT: Final = Unit("story/review", None, "")

ReplyT = TypeVar("ReplyT", Doubts, Proven)


@dataclass(frozen=True, slots=True)
class Found:
    """A doubt with the words that prove it.

    Attributes:
        doubt: The doubt.
        line: The line of its chapter where the words begin.
        quote: The words.
        why: What is wrong, in a sentence.
        other_line: The line of the other chapter; 0 where there is none.
        other_quote: The words there.
        patch: A change that worsens no gate; None where none is known.
    """

    doubt: Doubt
    line: int
    quote: str
    why: str
    other_line: int = 0
    other_quote: str = ""
    patch: Patch | None = None


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What came of a review.

    Attributes:
        found: What stands in the text.
        doubts: How many doubts the summaries gave.
        verdicts: What the text says to those that were looked for, by verdict; one whose words
            do not stand there is unclear.
    """

    found: tuple[Found, ...]
    doubts: int
    verdicts: Mapping[str, int]


class BookReviewer(ConsultedAgent):
    """Reads a whole book. It is no stage: nothing of the book is made from it."""

    name = "judge"
    brief_keys = BOOK_KEYS
    prompts = ("book_review", "book_proof")

    async def review(
        self, chapters: Sequence[ChapterText], summaries: Mapping[int, str]
    ) -> Reviewed:
        """Doubt by the summaries, and look for the worst doubts in the text.

        Args:
            chapters: The chapters that are written.
            summaries: What they come to, by number.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        told = await self._together(
            self._read(at, group, summaries) for at, group in enumerate(readings(summaries), 1)
        )
        texts = {one.number: one.text for one in chapters}
        doubts = [one for one in in_turn(told) if can_be_proven(one, texts)]
        chosen = doubts[:MOST_PROOFS]
        proofs = await self._together(
            self._prove(at, doubt, texts) for at, doubt in enumerate(chosen, start=1)
        )
        pairs = zip(chosen, proofs, strict=True)
        found = tuple(one for pair in pairs if (one := self._found(*pair, texts)) is not None)
        falls = sum(one.verdict == "falls" for one in proofs)
        unclear = len(proofs) - len(found) - falls
        verdicts = {"stands": len(found), "falls": falls, "unclear": unclear}
        return Reviewed(found, len(doubts), {name: n for name, n in verdicts.items() if n})

    async def _read(self, at: int, group: Sequence[int], summaries: Mapping[int, str]) -> Doubts:
        """What the summaries of some chapters leave to doubt, beside those of all others."""
        others = [number for number in sorted(summaries) if number not in group]
        values = {
            "shown": self._shown(),
            "others": summary_lines(others, summaries, OTHERS_BUDGET),
            "summaries": summary_lines(group, summaries, SUMMARIES_BUDGET),
            "most": str(MOST_DOUBTS),
        }
        return await self._asked(Doubts, "book_review", f"reading{at}", values)

    async def _prove(self, at: int, doubt: Doubt, texts: Mapping[int, str]) -> Proven:
        """What the text says to a doubt."""
        told, other = doubt.model_dump(), other_text(doubt, texts)
        values = {
            "shown": self._shown(),
            "doubt": to_json({name: shortened(value) for name, value in told.items()}),
            "other": excerpts(other, doubt),
            "chapter": excerpts(texts[doubt.chapter], doubt),
        }
        return await self._asked(Proven, "book_proof", f"proof{at}", values)

    async def _asked(
        self, model: type[ReplyT], prompt: str, part: str, values: Mapping[str, str]
    ) -> ReplyT:
        """The reply to a question."""
        try:
            return await self.ask(_UNIT, model, prompt=prompt, part=part, limits=None, **values)
        except MaxRetriesExceededError as error:
            error.fix = "run the same command: it asks anew; the replies are in the dumps"
            raise

    def _shown(self) -> str:
        """What every request shows of the book."""
        outline = self.book.load(OUTLINE, OutlineFile)
        promises = "\n".join(f"- {one}" for one in (*outline.promises, outline.ending) if one)
        shown = {
            "book": book_lines(self.brief),
            "promises": shorten(promises, SHOWN_BUDGET // 3),
            "threads": shorten("\n".join(thread_lines(outline.threads)), SHOWN_BUDGET // 3),
        }
        return shown_blocks(shown, SHOWN_BUDGET)

    def _found(self, doubt: Doubt, proof: Proven, texts: Mapping[int, str]) -> Found | None:
        """A doubt that the text proves; None where its words do not stand there."""
        line = line_of_quote(proof.quote, texts[doubt.chapter]) if proof.quote else None
        if proof.verdict != "stands" or line is None:
            return None
        other = other_text(doubt, texts)
        there = line_of_quote(proof.other_quote, other) if other and proof.other_quote else None
        if other and there is None:
            return None
        why = proof.why.strip() or doubt.why
        patch = self._patch(doubt.chapter, proof, texts)
        quote = proof.other_quote if there else ""
        return Found(doubt, line, proof.quote, why, there or 0, quote, patch)

    def _patch(self, number: int, proof: Proven, texts: Mapping[int, str]) -> Patch | None:
        """The change that a proof suggests, where its words stand once and no gate worsens."""
        context = GateContext(
            number=number,
            before=texts.get(number - 1, ""),
            after=texts.get(number + 1, ""),
            people=tuple(person.name for person in self.book.characters()),
            others=tuple(entry.name for entry in (*self.book.places(), *self.book.terms())),
            language=self.brief.language,
            kind=self.brief.kind,
        )
        patch = Patch(find=proof.find, replace=proof.replace)
        made = patched(texts[number], [patch], lambda text: measured(text, context))
        return patch if made.kept else None
