"""Shapes of what research comes to: questions with their answers, and notes without a home."""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BeforeValidator, Field

from libriscribe2.models.base import Names, Prose, Shape, Text, listed

MOST_UNSUPPORTED: Final = 8

Verdict = Literal["answered", "partly", "not"]


def _verdict(said: Any) -> Any:
    """A verdict; any other word answers nothing."""
    return listed(said, get_args(Verdict), "not")


class QuestionAnswer(Shape):
    """What the notes say to one question."""

    question: int = Field(ge=1, description="Number of the question")
    verdict: Annotated[Verdict, BeforeValidator(_verdict)] = Field(
        description="Whether the notes answer it"
    )
    answer: Prose = Field(
        "", description="The answer in one to four sentences with marks; empty for `not`"
    )
    notes: Names = Field(
        default_factory=list, description="Ids of all notes that belong to it, each in one question"
    )


class QuestionAnswers(Shape):
    """What the notes say to every question."""

    answers: list[QuestionAnswer] = Field(description="One for each question, in their order")


class UnsupportedWords(Shape):
    """Words of a concept that no note bears out."""

    words: Prose = Field(description="The words of the concept, copied exactly")
    why: Prose = Field(description="What the notes say instead, or that they do not say it")


class BookAnswers(QuestionAnswers):
    """What the notes say to every question of a book, and to its concept."""

    concept: list[UnsupportedWords] = Field(
        default_factory=list,
        description="Statements of fact in the concept that no note bears out; often none",
        json_schema_extra={"maxItems": MOST_UNSUPPORTED},
    )


class AnsweredQuestion(Shape):
    """A question of the research with what its notes say.

    Attributes:
        question: The question.
        verdict: Whether the notes answer it.
        answer: The answer with marks; "" where the sources do not say.
        notes: Ids of the notes that belong to it.
    """

    question: Text
    verdict: Verdict = "not"
    answer: Prose = ""
    notes: Names = Field(default_factory=list)


class AnswersFile(Shape):
    """`research/answers.json`."""

    answers: list[AnsweredQuestion] = Field(default_factory=list)
    concept: list[UnsupportedWords] = Field(default_factory=list)
