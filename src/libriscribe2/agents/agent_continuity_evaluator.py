"""Judges that commands ask: of pairs of statements that code cannot compare, and of citations.

They are no stages; code verifies what they quote.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from libriscribe2.agents.agent_base import BOOK_KEYS, ConsultedAgent, Unit, same_command
from libriscribe2.checks.continuity.fact_values import colour, kinship, number
from libriscribe2.checks.continuity.story_bible import TEXT, StoryBible
from libriscribe2.checks.continuity.story_report import JUDGED
from libriscribe2.checks.continuity.story_rules import REMARK, contradiction, hard, place_of
from libriscribe2.checks.text import ChapterText
from libriscribe2.context.notes import CITATIONS, CitedChapter, findings_of
from libriscribe2.models.citations import facts
from libriscribe2.models.excerpts import book_lines, to_json
from libriscribe2.models.findings import Finding, Severity
from libriscribe2.models.reviews import CitationCheck, PairAnswer, PairAnswers, Verdict
from libriscribe2.models.story_bible import Attribute, Fact
from libriscribe2.prose import shorten
from libriscribe2.research.quotes import line_of_quote

MOST_QUESTIONS: Final = 40
"""Most requests of one check; the latest statements are left out first."""

QUOTE_BUDGET: Final = 400


MOST_EARLIER: Final = 8
"""Most earlier statements that one statement is put beside."""

_READERS: Final[Mapping[Attribute, Callable[[str], object]]] = {
    **dict.fromkeys((Attribute.EYES, Attribute.HAIR), colour),
    **dict.fromkeys((Attribute.AGE, Attribute.COUNT, Attribute.DISTANCE), number),
    Attribute.KIN: kinship,
}
_FREE: Final = frozenset({Attribute.JOB, Attribute.RANK, Attribute.PROMISE, Attribute.OTHER})


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A statement and the earlier ones of its kind that say something else.

    Attributes:
        later: The statement.
        earlier: The earlier ones, oldest first.
        finding: What a rule or a reader says of them.
    """

    later: Fact
    earlier: tuple[Fact, ...]
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What came of the pairs.

    Attributes:
        findings: Contradictions with both quotes, as errors, and what is left to the author, as
            warnings.
        decisions: How many pairs got each decision.
        left_out: How many statements were not asked about.
    """

    findings: tuple[Finding, ...]
    decisions: Counter[str]
    left_out: int


class ContinuityEvaluator(ConsultedAgent):
    """Decides about pairs of statements. It is no stage: nothing of the book is made from it."""

    name = "judge"
    recorded_as = "StoryJudge"
    also_called = ("evaluator", "story_bible", "canon")
    brief_keys = BOOK_KEYS
    prompts = ("canon_judge",)

    async def evaluate(
        self, questions: Sequence[OpenQuestion], chapters: Sequence[ChapterText]
    ) -> Evaluated:
        """Ask about every question.

        Args:
            questions: What code cannot compare.
            chapters: The text, in which the quotes have to stand.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        asked = questions[:MOST_QUESTIONS]
        replies = await self.together(
            self._ask(number, question) for number, question in enumerate(asked, start=1)
        )
        texts = {chapter.number: chapter.text for chapter in chapters}
        decisions: Counter[str] = Counter()
        found: list[Finding] = []
        for question, reply in zip(asked, replies, strict=True):
            for earlier, said in _by_statement(question, reply):
                decision = _verified(said, question.later, earlier, texts)
                decisions[decision] += 1
                found.extend(_findings(decision, said, question.later, earlier))
        return Evaluated(tuple(found), decisions, len(questions) - len(asked))

    async def _ask(self, number: int, question: OpenQuestion) -> PairAnswers:
        """What the model says of one statement beside the earlier ones."""
        earlier = [
            to_json({"number": index, **_shown(fact)})
            for index, fact in enumerate(question.earlier, start=1)
        ]
        count = len(earlier)
        with same_command():
            return await self.ask(
                Unit("story/judge", None, ""),
                PairAnswers,
                prompt="canon_judge",
                part=f"{question.later.chapter:02d}-{number:02d}",
                limits={"verdicts": {"minItems": count, "maxItems": count}},
                book=book_lines(self.brief),
                later=to_json(_shown(question.later)),
                earlier="\n".join(earlier),
                count=str(count),
            )


def open_questions(facts: Iterable[Fact]) -> list[OpenQuestion]:
    """What is left to a reader: same person, same kind, another value that no rule compares."""
    earlier: defaultdict[tuple[str, Attribute], list[Fact]] = defaultdict(list)
    questions = []
    for fact in hard(list(facts)):
        if not fact.quote or _is_comparable(fact):
            continue
        before = earlier[fact.entity, fact.attribute]
        if any(_value(one) == _value(fact) for one in before):
            continue
        others = [one for one in before if one.chapter < fact.chapter]
        if others:
            questions.append(OpenQuestion(fact, tuple(others[-MOST_EARLIER:])))
        before.append(fact)
    return questions


def doubted(findings: Iterable[Finding], bible: StoryBible) -> list[OpenQuestion]:
    """What rules and readers found without being sure, each pair of statements as a question."""
    stated = {place_of(fact): fact for fact in bible.facts if fact.quote}
    remarks = {(place_of(one), one.value): [before, one] for one, before in bible.noticed}
    questions = []
    for one in findings:
        pair = remarks.get((one.where, one.why), [])
        if one.where in stated and one.other in stated:
            pair = sorted((stated[one.where], stated[one.other]), key=lambda fact: fact.place)
        if pair and one.severity == "warning":
            questions.append(OpenQuestion(pair[1], (pair[0],), one))
    return questions


def _shown(fact: Fact) -> dict[str, str | int]:
    """A statement as the prompt shows it."""
    return {
        "chapter": fact.chapter,
        "about": fact.entity,
        "kind": fact.attribute.value,
        "value": shorten(fact.value, QUOTE_BUDGET),
        "quote": shorten(fact.quote or fact.value, QUOTE_BUDGET),
    }


def _by_statement(question: OpenQuestion, reply: PairAnswers) -> Iterator[tuple[Fact, PairAnswer]]:
    """Every earlier statement with what was said of it; what was left out is unclear."""
    said = {one.number: one for one in reply.verdicts}
    for at, earlier in enumerate(question.earlier, start=1):
        yield earlier, said.get(at) or PairAnswer(number=at, verdict="unclear")


def _verified(said: PairAnswer, later: Fact, earlier: Fact, texts: dict[int, str]) -> Verdict:
    """The decision; a contradiction whose quotes do not stand in the text is unclear."""
    if said.verdict != "contradiction":
        return said.verdict
    sides = ((said.later_quote, later), (said.earlier_quote, earlier))
    stand = (line_of_quote(quote, texts[fact.chapter]) for quote, fact in sides if fact.quote)
    return "contradiction" if all(line is not None for line in stand) else "unclear"


def _findings(decision: str, said: PairAnswer, later: Fact, earlier: Fact) -> Iterator[Finding]:
    """What the author is told; nothing of what holds together.

    What contradicts the record alone stays a warning: no words of the text are against it.
    """
    if decision not in ("contradiction", "unclear"):
        return
    if not earlier.quote:
        yield Finding("warning", place_of(later), later.value, rule=REMARK)
        return
    values = f"{later.entity}: {earlier.value} in chapter {earlier.chapter}, {later.value} in "
    values += f"chapter {later.chapter}"
    values = later.value.rstrip(".") if later.entity == TEXT else values
    reason = shorten(" ".join(said.reason.split()), QUOTE_BUDGET).rstrip(".")
    why = f"{values}: {reason}." if reason else f"{values}."
    severity: Severity = "error" if decision == "contradiction" else "warning"
    yield replace(contradiction(later, earlier, why, severity), rule=JUDGED)


def _is_comparable(fact: Fact) -> bool:
    """Whether the rules can compare a fact, or nothing could contradict it."""
    reads = _READERS.get(fact.attribute)
    return fact.attribute not in _FREE if reads is None else reads(fact.value) is not None


def _value(fact: Fact) -> str:
    return " ".join(fact.value.casefold().split())


class CitationJudge(ConsultedAgent):
    """Judges the citations of chapters that are written; it is no stage."""

    name = "chapters"
    brief_keys = BOOK_KEYS
    prompts = (CITATIONS,)

    async def judge(self, chapters: Sequence[CitedChapter]) -> list[tuple[int, Finding]]:
        """What no note supports in some chapters, each with its number.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        asked = [one for one in chapters if one.has_notes]
        told = await self.together(
            # Each by an agent of its own, which notes what it was made from.
            CitationJudge(self.context)._told(one)
            for one in asked
        )
        return [(one.number, found) for one, own in zip(asked, told, strict=True) for found in own]

    async def _told(self, one: CitedChapter) -> list[Finding]:
        shown = {"book": book_lines(self.brief), **one.shown()}
        unit = Unit("citations", one.number, "")
        told = await self.ask_about(unit, CitationCheck, CITATIONS, shown)
        return findings_of(told, one.text, {note.id: note for note in facts(one.notes)})
