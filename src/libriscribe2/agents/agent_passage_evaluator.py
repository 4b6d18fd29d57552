"""A model that compares two passages: in both orders, with quotes that are verified.

Before it is heard it has to tell sound passages from spoiled ones. No stage: the revision of a chapter
and `compare --evaluate` ask it.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.agents.agent_base import (
    BOOK_KEYS,
    ConsultedAgent,
    RevisionDecision,
    Unit,
    same_command,
)
from libriscribe2.checks.calibration import (
    QUESTIONS,
    WHOLE,
    Calibration,
    PairDecision,
    Side,
    calibrated,
    calibration_pairs,
    combined,
)
from libriscribe2.checks.passage_pairs import (
    CALIBRATION_PASSAGES,
    Pair,
    changed_passages,
    sound_passages,
)
from libriscribe2.errors import ContentFilteredError, MaxRetriesExceededError
from libriscribe2.models.excerpts import book_lines
from libriscribe2.models.reviews import Answers
from libriscribe2.project.artifacts import Book
from libriscribe2.project.store import ProjectStore
from libriscribe2.prose import shorten
from libriscribe2.research.quotes import line_of_quote
from libriscribe2.telemetry import REVISION_LEFT_OUT
from libriscribe2.wording import counted

PASSAGE_BUDGET: Final = 8_000

_ONLY_GATES: Final = "only the automatic checks count"
_NO_REPLY: Final = (MaxRetriesExceededError, ContentFilteredError)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What an evaluator says of two drafts.

    Attributes:
        calibration: How it did on spoiled passages.
        decisions: Its decisions; none where it did not pass.
    """

    calibration: Calibration
    decisions: tuple[PairDecision, ...] = ()


class PassageEvaluator(ConsultedAgent):
    """Compares passages. It is no stage: nothing of the book is made from it."""

    name = "judge"
    also_called = ("evaluator",)
    recorded_as = "PassageJudge"
    brief_keys = BOOK_KEYS
    prompts = ("judge",)

    async def evaluate(
        self, pairs: Sequence[Pair], sound: Sequence[str], names: Sequence[str]
    ) -> Comparison:
        """The decision on every pair, from an evaluator that passes its calibration.

        Args:
            pairs: What is to be compared.
            sound: Passages for the calibration.
            names: Names of the people in them.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        calibration = await self.calibrate(sound, names)
        return Comparison(
            calibration, tuple(await self.compare(pairs)) if calibration.passed else ()
        )

    async def calibrate(self, passages: Sequence[str], names: Sequence[str]) -> Calibration:
        """Have it tell sound passages from spoiled ones.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        pairs = calibration_pairs(passages, names, self.brief)
        decisions = await self.compare([pair for _, pair in pairs])
        return calibrated(zip((kind for kind, _ in pairs), decisions, strict=True))

    async def compare(self, pairs: Sequence[Pair]) -> list[PairDecision]:
        """The decision on every pair, each asked about in both orders.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        return await self.together(self._decision(pair) for pair in pairs)

    async def _decision(self, pair: Pair) -> PairDecision:
        """What both orders say of a pair."""
        orders: tuple[tuple[Side, Side], ...] = (("ours", "theirs"), ("theirs", "ours"))
        first, second = await self.together(self._asked(pair, order) for order in orders)
        return combined(pair.name, first, second)

    async def _asked(self, pair: Pair, order: tuple[Side, Side]) -> list[tuple[Side, str]]:
        """For each question the preferred side with its quote, the passages in one order."""
        texts = {"ours": pair.ours, "theirs": pair.theirs}
        questions = (WHOLE if pair.whole else QUESTIONS)[self.brief.kind]
        count = len(questions)
        with same_command():
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
        labels: dict[str, Side] = {"A": order[0], "B": order[1], "tie": "tie"}
        said = {one.question: (labels[one.better], one.quote) for one in reply.answers}
        told = (said.get(number, ("tie", "")) for number in range(1, count + 1))
        return [_believed(side, quote, texts) for side, quote in told]


class RevisionEvaluator:
    """Decides about the revised chapters of one run.

    It is calibrated on the first chapter that it is asked about. The passages stand in the journal,
    so that a later run repeats the calibration from recorded replies.

    Args:
        hire: The evaluator, with the model of its stage. A failure of one question must not stop
            the run: a decision that cannot be had never costs a chapter.
        store: The project.
        trusted: Whether it is heard however its calibration comes out.
    """

    def __init__(
        self, hire: Callable[[], PassageEvaluator], store: ProjectStore, *, trusted: bool = False
    ) -> None:
        self._hire = hire
        self._store = store
        self._trusted = trusted
        self._calibrating = asyncio.Lock()
        self._evaluator: PassageEvaluator | None = None
        self._refused: str | None = None

    async def decide(self, chapter: int, draft: str, revised: str) -> RevisionDecision:
        """Keep the revised text, unless more of its changed passages lose than win.

        Raises:
            LibriScribeError: A request failed for another reason than its reply.
        """
        found = changed_passages(revised, draft)
        pairs = [
            Pair(f"ch{chapter:02d}/passage {number}", ours, theirs)
            for number, (ours, theirs) in enumerate(found, start=1)
        ]
        if not pairs:
            return RevisionDecision(keeps=True, reason=f"too short to compare, {_ONLY_GATES}")
        try:
            refused = await self._why_not_heard(draft)
            if refused or self._evaluator is None:
                return RevisionDecision(keeps=True, reason=f"{refused}, {_ONLY_GATES}")
            sides = [one.side for one in await self._evaluator.compare(pairs)]
        except _NO_REPLY as error:
            logger.warning("%s: judge/ch%02d: %s", REVISION_LEFT_OUT, chapter, error.what)
            return RevisionDecision(
                keeps=True, reason=f"no usable reply of the evaluator, {_ONLY_GATES}"
            )
        won, lost = sides.count("ours"), sides.count("theirs")
        if lost > won:
            passages = counted(len(sides), "changed passage")
            return RevisionDecision(
                keeps=False,
                reason=f"the evaluator prefers the draft in {lost} of {passages}, so the draft is kept",
            )
        return RevisionDecision(keeps=True, reason="the evaluator does not prefer the draft")

    async def _why_not_heard(self, draft: str) -> str:
        """Why it is not heard; "" where it is. Whoever asks first has it calibrated."""
        async with self._calibrating:
            if self._refused is None:
                self._evaluator = self._evaluator or self._hire()
                self._refused = await self._calibrated(self._evaluator, draft)
            return self._refused

    async def _calibrated(self, evaluator: PassageEvaluator, draft: str) -> str:
        """Why it does not pass; "" where it does."""
        if self._store.manifest.exam is None:
            cast = [one.name for one in Book(self._store).characters()]
            self._store.keep_exam(sound_passages(draft, CALIBRATION_PASSAGES), cast)
        passages, names = self._store.manifest.exam or ((), ())
        try:
            calibration = await evaluator.calibrate(passages, names)
        except _NO_REPLY as error:
            logger.warning("%s: judge/exam: %s", REVISION_LEFT_OUT, error.what)
            return "no usable reply of the evaluator in its calibration"
        if calibration.passed or self._trusted:
            return ""
        return f"the evaluator did not pass its calibration ({calibration.share:.0%} right)"


def _believed(side: Side, quote: str, texts: dict[str, str]) -> tuple[Side, str]:
    """A preference whose quote stands in the preferred passage; otherwise none."""
    if side == "tie" or line_of_quote(quote, texts[side]) is None:
        return "tie", ""
    return side, quote
