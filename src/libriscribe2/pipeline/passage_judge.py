"""A model as a judge of two passages: both orders, verified quotes, and an exam before it is heard."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.agents.agent_base import BOOK_KEYS
from libriscribe2.agents.agent_consulted import ConsultedAgent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.models.excerpts import book_lines
from libriscribe2.models.reviews import Answers
from libriscribe2.prose import shorten
from libriscribe2.quality.judging.spoiling import spoilt
from libriscribe2.quality.judging.verdicts import (
    QUESTIONS,
    Exam,
    PairVerdict,
    Side,
    combined,
    examined,
)
from libriscribe2.research.quotes import line_of_quote

EXAM_PASSAGES: Final = 3
"""Passages that are spoiled in every way for the exam."""

PASSAGE_BUDGET: Final = 8_000


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says of two drafts.

    Attributes:
        exam: How it did on spoiled passages.
        verdicts: Its verdicts; none where it did not pass.
    """

    exam: Exam
    verdicts: tuple[PairVerdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two passages for the same place.

    Attributes:
        name: What they are, such as `chapter 3, beginning`; also a part of the calls' steps.
        ours: The one.
        theirs: The other.
    """

    name: str
    ours: str
    theirs: str


def exam_pairs(passages: Sequence[str], names: Sequence[str]) -> list[tuple[str, Pair]]:
    """Sound passages beside spoiled ones, each with the kind of damage."""
    return [
        (kind, Pair(f"exam {number} {kind}", passage, made))
        for number, passage in enumerate(passages[:EXAM_PASSAGES], start=1)
        for kind, made in spoilt(passage, names).items()
    ]


class PassageJudge(ConsultedAgent):
    """Compares passages. It is no stage: nothing of the book is made from it."""

    name = "judge"
    brief_keys = BOOK_KEYS
    prompts = ("judge",)

    async def judge(
        self, pairs: Sequence[Pair], sound: Sequence[str], names: Sequence[str]
    ) -> Judgement:
        """The verdict on every pair, from a judge who passes its exam.

        Args:
            pairs: What is to be compared.
            sound: Passages for the exam.
            names: Names of the people in them.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        exam = await self.examine(sound, names)
        return Judgement(exam, tuple(await self.compare(pairs)) if exam.passed else ())

    async def examine(self, passages: Sequence[str], names: Sequence[str]) -> Exam:
        """Have the judge tell sound passages from spoiled ones.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        pairs = exam_pairs(passages, names)
        verdicts = await self.compare([pair for _, pair in pairs])
        return examined(zip((kind for kind, _ in pairs), verdicts, strict=True))

    async def compare(self, pairs: Sequence[Pair]) -> list[PairVerdict]:
        """The verdict on every pair, each asked about in both orders.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        return await self._together(self._verdict(pair) for pair in pairs)

    async def _verdict(self, pair: Pair) -> PairVerdict:
        """What both orders say of a pair."""
        orders: tuple[tuple[Side, Side], ...] = (("ours", "theirs"), ("theirs", "ours"))
        first, second = await self._together(self._asked(pair, order) for order in orders)
        return combined(pair.name, first, second)

    async def _asked(self, pair: Pair, order: tuple[Side, Side]) -> list[tuple[Side, str]]:
        """For each question the preferred side with its quote, the passages in one order."""
        texts = {"ours": pair.ours, "theirs": pair.theirs}
        questions = QUESTIONS[self.brief.kind]
        count = len(questions)
        try:
            reply = await self.ask(
                Unit("judge", None, ""),
                Answers,
                part=f"{pair.name}/{order[0]} first".replace(" ", "-"),
                limits={"answers": {"minItems": count, "maxItems": count}},
                book=book_lines(self.brief),
                first=shorten(texts[order[0]], PASSAGE_BUDGET),
                second=shorten(texts[order[1]], PASSAGE_BUDGET),
                questions="\n".join(f"{n}. {told}" for n, told in enumerate(questions, start=1)),
                count=str(count),
            )
        except MaxRetriesExceededError as error:
            error.fix = "run the same command: it asks anew; the replies are in the dumps"
            raise
        labels: dict[str, Side] = {"A": order[0], "B": order[1], "tie": "tie"}
        said = {one.question: (labels[one.better], one.quote) for one in reply.answers}
        told = (said.get(number, ("tie", "")) for number in range(1, count + 1))
        return [_believed(side, quote, texts) for side, quote in told]


def _believed(side: Side, quote: str, texts: dict[str, str]) -> tuple[Side, str]:
    """A preference whose quote stands in the preferred passage; otherwise none."""
    if side == "tie" or line_of_quote(quote, texts[side]) is None:
        return "tie", ""
    return side, quote
