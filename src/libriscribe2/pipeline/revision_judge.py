"""Whether a revised chapter is kept: by a model that passed its exam, asked in both orders."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from libriscribe2.agents.agent_context import Ruling
from libriscribe2.errors import ContentFilteredError, MaxRetriesExceededError
from libriscribe2.pipeline.passage_judge import EXAM_PASSAGES, Pair, PassageJudge
from libriscribe2.project.artifacts import Book
from libriscribe2.project.store import ProjectStore
from libriscribe2.quality.judging.changes import changed_passages
from libriscribe2.quality.judging.windows import sound_passages
from libriscribe2.telemetry import REVISION_LEFT_OUT
from libriscribe2.wording import counted

logger = logging.getLogger(__name__)

_ONLY_GATES: Final = "only the gates count"
_NO_REPLY: Final = (MaxRetriesExceededError, ContentFilteredError)


class RevisionJudge:
    """Decides about the revised chapters of one run.

    Its exam is on the first chapter that it is asked about. The passages are kept in the
    journal, so that a later run repeats the exam from recorded replies.

    Args:
        hire: The judge, with the model of its stage. A failure of one question must not stop
            the run: a verdict that cannot be had never costs a chapter.
        store: The project.
        trusted: Whether the judge is heard whatever it says in its exam.
    """

    def __init__(
        self, hire: Callable[[], PassageJudge], store: ProjectStore, *, trusted: bool = False
    ) -> None:
        self._hire = hire
        self._store = store
        self._trusted = trusted
        self._examining = asyncio.Lock()
        self._judge: PassageJudge | None = None
        self._refused: str | None = None

    async def rule(self, chapter: int, draft: str, revised: str) -> Ruling:
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
            return Ruling(keeps=True, told=f"too short to be judged, {_ONLY_GATES}")
        try:
            refused = await self._examined(draft)
            if refused or self._judge is None:
                return Ruling(keeps=True, told=f"{refused}, {_ONLY_GATES}")
            sides = [one.side for one in await self._judge.compare(pairs)]
        except _NO_REPLY as error:
            logger.warning("%s: judge/ch%02d: %s", REVISION_LEFT_OUT, chapter, error.what)
            return Ruling(keeps=True, told=f"no usable reply of the judge, {_ONLY_GATES}")
        won, lost = sides.count("ours"), sides.count("theirs")
        if lost > won:
            passages = counted(len(sides), "changed passage")
            return Ruling(
                keeps=False,
                told=f"the judge prefers the draft in {lost} of {passages}, so it stays",
            )
        return Ruling(keeps=True, told="the judge does not prefer the draft")

    async def _examined(self, draft: str) -> str:
        """Why the judge is not heard; "" where it is. Whoever asks first has it examined."""
        async with self._examining:
            if self._refused is None:
                self._judge = self._judge or self._hire()
                self._refused = await self._result(self._judge, draft)
            return self._refused

    async def _result(self, judge: PassageJudge, draft: str) -> str:
        """Why the judge does not pass; "" where it does."""
        if self._store.manifest.exam is None:
            cast = [one.name for one in Book(self._store).characters()]
            self._store.keep_exam(sound_passages(draft, EXAM_PASSAGES), cast)
        passages, names = self._store.manifest.exam or ((), ())
        try:
            exam = await judge.examine(passages, names)
        except _NO_REPLY as error:
            logger.warning("%s: judge/exam: %s", REVISION_LEFT_OUT, error.what)
            return "no usable reply of the judge in its exam"
        if exam.passed or self._trusted:
            return ""
        return f"the judge did not pass its exam ({exam.share:.0%} right)"
