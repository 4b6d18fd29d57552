"""A model on pairs of statements that code cannot compare; code verifies what it quotes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.agents.agent_base import BOOK_KEYS
from libriscribe2.agents.agent_consulted import ConsultedAgent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.models.canon import Fact
from libriscribe2.models.excerpts import book_lines, to_json
from libriscribe2.models.reviews import PairVerdict, PairVerdicts, Verdict
from libriscribe2.prose import shorten
from libriscribe2.quality.canon.conflict import JUDGED, Conflict
from libriscribe2.quality.canon.pairs import OpenQuestion
from libriscribe2.quality.text import ChapterText
from libriscribe2.research.quotes import line_of_quote

MOST_QUESTIONS: Final = 40
"""Most requests of one check; the latest statements are left out first."""

QUOTE_BUDGET: Final = 400


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of the pairs.

    Attributes:
        conflicts: Contradictions with both quotes, as errors, and what is left to the author, as
            warnings.
        verdicts: How many pairs got each verdict.
        left_out: How many statements were not asked about.
    """

    conflicts: tuple[Conflict, ...]
    verdicts: Counter[str]
    left_out: int


class StoryJudge(ConsultedAgent):
    """Judges pairs of statements. It is no stage: nothing of the book is made from it."""

    name = "judge"
    also_called = ("canon",)
    brief_keys = BOOK_KEYS
    prompts = ("canon_judge",)

    async def judge(
        self, questions: Sequence[OpenQuestion], chapters: Sequence[ChapterText]
    ) -> Judged:
        """Ask about every question.

        Args:
            questions: What code cannot compare.
            chapters: The text, in which the quotes have to stand.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        asked = questions[:MOST_QUESTIONS]
        replies = await self._together(
            self._ask(number, question) for number, question in enumerate(asked, start=1)
        )
        texts = {chapter.number: chapter.text for chapter in chapters}
        verdicts: Counter[str] = Counter()
        found: list[Conflict] = []
        for question, reply in zip(asked, replies, strict=True):
            for earlier, said in _by_statement(question, reply):
                verdict = _verified(said, question.later, earlier, texts)
                verdicts[verdict] += 1
                found.extend(_conflict(verdict, said, question.later, earlier))
        return Judged(tuple(found), verdicts, len(questions) - len(asked))

    async def _ask(self, number: int, question: OpenQuestion) -> PairVerdicts:
        """What the model says of one statement beside the earlier ones."""
        earlier = [
            to_json({"number": index, **_shown(fact)})
            for index, fact in enumerate(question.earlier, start=1)
        ]
        count = len(earlier)
        try:
            return await self.ask(
                Unit("story/judge", None, ""),
                PairVerdicts,
                prompt="canon_judge",
                part=f"{question.later.chapter:02d}-{number:02d}",
                limits={"verdicts": {"minItems": count, "maxItems": count}},
                book=book_lines(self.brief),
                later=to_json(_shown(question.later)),
                earlier="\n".join(earlier),
                count=str(count),
            )
        except MaxRetriesExceededError as error:
            error.fix = "run the same command: it asks anew; the replies are in the dumps"
            raise


def _shown(fact: Fact) -> dict[str, str | int]:
    """A statement as the prompt shows it."""
    return {
        "chapter": fact.chapter,
        "about": fact.entity,
        "kind": fact.attribute.value,
        "value": shorten(fact.value, QUOTE_BUDGET),
        "quote": shorten(fact.quote, QUOTE_BUDGET),
    }


def _by_statement(
    question: OpenQuestion, reply: PairVerdicts
) -> Iterator[tuple[Fact, PairVerdict]]:
    """Every earlier statement with what was said of it; what was left out is unclear."""
    said = {one.number: one for one in reply.verdicts}
    for number, earlier in enumerate(question.earlier, start=1):
        yield earlier, said.get(number) or PairVerdict(number=number, verdict="unclear")


def _verified(said: PairVerdict, later: Fact, earlier: Fact, texts: dict[int, str]) -> Verdict:
    """The verdict; a contradiction whose quotes do not stand in the text is unclear."""
    if said.verdict != "contradiction":
        return said.verdict
    sides = ((said.later_quote, later), (said.earlier_quote, earlier))
    stand = (line_of_quote(quote, texts.get(fact.chapter, "")) for quote, fact in sides)
    return "contradiction" if all(line is not None for line in stand) else "unclear"


def _conflict(verdict: str, said: PairVerdict, later: Fact, earlier: Fact) -> Iterator[Conflict]:
    """What the author is told; nothing of what holds together."""
    if verdict not in ("contradiction", "unclear"):
        return
    told = f"{later.entity}: {earlier.value} in chapter {earlier.chapter}, {later.value} in "
    told += f"chapter {later.chapter}"
    reason = shorten(" ".join(said.reason.split()), QUOTE_BUDGET).rstrip(".")
    message = f"{told}: {reason}." if reason else f"{told}."
    yield Conflict(
        JUDGED, message, later, earlier, "error" if verdict == "contradiction" else "warning"
    )
