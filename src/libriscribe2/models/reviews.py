"""Shapes of critiques, patches, judgements and reviews."""

from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from pydantic import BeforeValidator, Field

from libriscribe2.models.base import Label as Identified
from libriscribe2.models.base import Prose, Shape, Text, closed, many, usable
from libriscribe2.models.story import LeftOut
from libriscribe2.models.story_bible import ExitState, StatedEvent, StatedFact, StatementChange

MOST_ISSUES: Final = 8
"""Most issues of a critique that are looked at: more than these nobody mends in one round."""

MOST_PATCHES: Final = 16

Severity = Literal["info", "warning", "error"]
"""How bad an issue is; information is never sent back to a model."""

Fault = Literal[
    "",
    "contradiction",
    "unclear",
    "repetition",
    "explained",
    "stock",
    "dialogue",
    "viewpoint",
    "tense",
    "voice",
    "pace",
    "plan",
    "fact",
]
"""What a critic may find."""


FaultOfFacts = Literal[
    "",
    "contradiction",
    "unclear",
    "repetition",
    "explained",
    "stock",
    "voice",
    "pace",
    "plan",
]
"""What a critic of a book of facts may find; its facts are checked beside their notes."""


class CriticIssue(Shape):
    """One issue as a critic tells it."""

    kind: Annotated[Fault, closed(Fault, "")] = Field(
        "", description="What kind it is", json_schema_extra={"enum": [*get_args(Fault)[1:]]}
    )
    severity: Annotated[Severity, closed(Severity, "warning")] = Field(
        "warning", description="`error` where a reader stumbles, `warning` where the text is weaker"
    )
    quote: Prose = Field(description="The words of the text that show it, copied exactly")
    why: Prose = Field(description="What is wrong, in one sentence")
    fix: Prose = Field("", description="What would mend it, in one sentence")


class IssueOfFacts(CriticIssue):
    """One issue of a book of facts."""

    kind: Annotated[FaultOfFacts, closed(FaultOfFacts, "")] = Field(
        "", description="What kind it is", json_schema_extra={"enum": [*get_args(FaultOfFacts)[1:]]}
    )


MOST_CITATION_ISSUES: Final = 12

CitationFault = Literal["unsupported", "other source", "uncited"]


class CitationIssue(Shape):
    """A statement that no note supports where it stands."""

    kind: Annotated[CitationFault, closed(CitationFault, "unsupported")] = Field(
        description="What is wrong"
    )
    quote: Prose = Field(description="The words of the text that show it, copied exactly")
    note: Identified = Field("", description="Id of the note that supports it; empty for none")
    why: Prose = Field(description="What is wrong, in one sentence")
    fix: Prose = Field("", description="What would mend it, in one sentence")


class CitationCheck(Shape):
    """What is wrong with the citations of a text; nothing is an answer, too."""

    issues: list[CitationIssue] = many(
        "What is wrong, the worst first; an empty list where nothing is", most=MOST_CITATION_ISSUES
    )
    declined: list[LeftOut] = many("The notes without a mark, each with the reason")


class BeatAnswer(Shape):
    """Whether something that the plan of a chapter has happens in its text."""

    beat: int = Field(ge=1, description="Its number in the plan")
    happens: bool = Field(description="Whether it happens in the text")
    quote: Prose = Field(
        "",
        description="Words of the text that show it; where it does not happen, the words after "
        "which it would come, copied exactly",
    )


class Critique(Shape):
    """What a critic finds in a text; nothing is an answer, too."""

    issues: list[CriticIssue] = many(
        "What is wrong, the worst first; an empty list where nothing is", most=MOST_ISSUES
    )


class CritiqueOfFacts(Shape):
    """The same of a book of facts."""

    issues: list[IssueOfFacts] = many(
        "What is wrong, the worst first; an empty list where nothing is", most=MOST_ISSUES
    )


class CritiqueWithBeats(Critique):
    """The same of a chapter whose plan says what has to happen in it."""

    beats: list[BeatAnswer] = many("One for each numbered beat of the plan")


class Patch(Shape):
    """One passage of a text and what is to stand there instead."""

    issue: int = Field(0, description="Number of the issue that it mends")
    find: Prose = Field(
        description="Words of the text, copied exactly, enough of them to stand there only once"
    )
    replace: Prose = Field(description="What is to stand there instead; empty takes the words out")


class Patches(Shape):
    """Changes that mend a text."""

    patches: list[Patch] = many(
        "The changes; an empty list where none would be better than the text", most=MOST_PATCHES
    )


Verdict = Literal["contradiction", "development", "figurative", "unclear"]


class PairAnswer(Shape):
    """What is said of one earlier statement beside the later one."""

    number: int = Field(ge=1, description="Number of the earlier statement")
    verdict: Annotated[Verdict, closed(Verdict, "unclear")] = Field(
        description="How the two stand to each other"
    )
    earlier_quote: Prose = Field("", description="The words of the earlier one, copied exactly")
    later_quote: Prose = Field("", description="The words of the later one, copied exactly")
    reason: Prose = Field("", description="Why, in one sentence")


class PairAnswers(Shape):
    """A verdict for every earlier statement."""

    recorded_as: ClassVar = "PairVerdicts"

    verdicts: list[PairAnswer] = Field(description="One for each earlier statement")


Label = Literal["A", "B", "tie"]


def _label(said: Any) -> Any:
    """A label; anything else is no preference."""
    known = said.strip().strip(".").casefold() if isinstance(said, str) else ""
    return {"a": "A", "b": "B"}.get(known.removeprefix("passage").strip(), "tie")


class Answer(Shape):
    """The answer to one question."""

    question: int = Field(ge=1, description="Number of the question")
    better: Annotated[Label, BeforeValidator(_label)] = Field(
        description="The better passage; tie where neither is"
    )
    quote: Prose = Field("", description="Words of the better passage that show it, copied exactly")


class Answers(Shape):
    """An answer to every question."""

    answers: list[Answer] = Field(description="One for each question")


MOST_DOUBTS: Final = 6
"""Most doubts of one reading."""

DoubtKind = Literal["", "contradiction", "loose end", "repetition", "motive"]
Proof = Literal["stands", "falls", "unclear"]


class Doubt(Shape):
    """Something that cannot be right in a book, as its summaries show it."""

    kind: Annotated[DoubtKind, closed(DoubtKind, "")] = Field("", description="What kind it is")
    chapter: int = Field(description="Number of the chapter where it would be mended")
    other: int = Field(0, description="Number of the chapter that it does not fit; 0 for none")
    about: Text = Field(description="Whom and what it is about, in the words of the summaries")
    why: Text = Field(description="What is wrong, in one sentence")


class Doubts(Shape):
    """What a reader doubts in a book; nothing is an answer, too."""

    doubts: list[Doubt] = many(
        "The worst first; an empty list where nothing is wrong", most=MOST_DOUBTS
    )


class Proven(Shape):
    """What the text says to a doubt, and the smallest change that would mend it."""

    verdict: Annotated[Proof, closed(Proof, "unclear")] = Field(
        description="Whether the doubt stands beside the text"
    )
    quote: Prose = Field("", description="The words of the chapter that show it, copied exactly")
    other_quote: Prose = Field("", description="The words of the other chapter, copied exactly")
    why: Prose = Field("", description="What is wrong, in one sentence")
    find: Prose = Field("", description="Words of the chapter to change; empty where none would do")
    replace: Prose = Field("", description="What is to stand there instead")


MOST_CONTRADICTIONS: Final = 8
"""Most contradictions of a plan that are looked at."""


class PlanContradiction(Shape):
    """Two places of a plan that cannot both be so."""

    chapter: int = Field(ge=1, description="Chapter of the scene that is easiest to change")
    scene: int = Field(ge=1, description="Number of that scene in its chapter")
    quote: Text = Field(description="The words of its plan, copied exactly")
    other_chapter: int = Field(0, ge=0, description="Chapter of the other scene; 0 for a rule")
    other_scene: int = Field(0, ge=0, description="Number of that scene; 0 for a rule")
    other_quote: Text = Field(description="The words of its plan or of the rule, copied exactly")
    why: Prose = Field("", description="Why both cannot be so, in one sentence")
    fix: Prose = Field("", description="What would mend it in the first scene, in one sentence")


class PlanContradictions(Shape):
    """What a reader of a whole plan finds."""

    contradictions: Annotated[list[PlanContradiction], usable(PlanContradiction)] = Field(
        description="The worst first; none if there is none"
    )


class ReadingChange(Shape):
    """What an edit changes in the reading of a chapter; nothing is an answer, too."""

    changes: list[StatementChange] = many(
        "What is no longer so, or new, in the story; empty where only words changed"
    )
    gone: list[int] = many("Numbers of the statements that the text no longer makes")
    facts: list[StatedFact] = many("Statements that only the new passages make")
    events: list[StatedEvent] = many("What happens for good in the new passages only")
    summary: Prose = Field("", description="The summary put right; empty where it still holds")
    exit: ExitState = Field(
        default_factory=ExitState,
        description="How the chapter leaves those present; empty where nothing changed in it",
    )


class Contradicting(Shape):
    """Which sentences contradict what is so now."""

    sentences: list[int] = many("Their numbers; an empty list where none does")


class MendedPassages(Shape):
    """Changes by which a later chapter agrees with an edited one."""

    patches: list[Patch] = many(
        "The changes; an empty list where nothing contradicts", most=MOST_PATCHES
    )
    facts: list[StatedFact] = many("Noted statements as the new words make them")
    summary: Prose = Field("", description="The summary put right; empty where it still holds")
