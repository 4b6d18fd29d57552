"""Shapes of research: notes, facts, questions and their answers, and notes without a home."""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from libriscribe2.models.base import Names, Prose, Shape, Text, closed, many

SourceKind = Literal["file", "web"]
Support = Literal["", "yes", "partly", "no"]
"""Whether a quote says what a claim says."""

LONGEST_QUOTE: Final = 40
"""Most words of a quote, unless the settings say otherwise."""

Sha256 = Annotated[str, Field(pattern=r"[0-9a-f]{64}")]
"""64 hexadecimal digits."""


def _as_list(value: Any) -> Any:
    return [] if value is None else value


class Source(BaseModel):
    """Where something was read.

    Attributes:
        id: `s-` and 12 hexadecimal digits, made from the place: one place has one id.
        kind: `file`, one of the author's own, or `web`.
        title: What the source calls itself, else its file name or address.
        place: The name below `research/sources/`, or the address.
        sha256: The hash of the bytes as they were read.
        retrieved: The date when they were read, `2026-03-31`; "" where it is not known.
        flags: What a reader should know, such as `encoding_guessed`.
        authors: Each as `Given Family` or `Family, Given`; a body in braces, `{W3C}`.
        published: When it came out, `2012`, `2012-04` or `2012-04-28`; "" where it does not say.
        publisher: Who published it, or the site.
        version: Its version or edition.
        url: Its address where `place` is none.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Text
    kind: SourceKind
    title: str
    place: Text
    sha256: Sha256
    retrieved: str = ""
    flags: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    published: str = ""
    publisher: str = ""
    version: str = ""
    url: str = ""

    @property
    def called(self) -> str:
        """Its title, authors, publisher and file, in one line."""
        return ", ".join(
            one for one in (self.title, *self.authors, self.publisher, self.place) if one
        )


class Section(BaseModel):
    """A part of a saved text that has a name of its own.

    Attributes:
        locator: Where it stands in the source: `page 12`, `Chapter 3`, `paragraph 40`.
        start: Its first character in the saved text.
        end: The character after its last.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    locator: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class SavedSource(BaseModel):
    """What is kept beside a saved text.

    Attributes:
        source: Where the text is from.
        text_sha256: The hash of the saved text, in UTF-8: a text that was changed is told.
        reader: The version of the readers that made the text.
        sections: Its parts, in order.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    source: Source
    text_sha256: Sha256
    reader: int = 1
    sections: tuple[Section, ...] = ()

    def locator(self, position: int) -> str:
        """The locator of the section that holds a character; "" outside of all."""
        before = bisect_right(self.sections, position, key=lambda section: section.start) - 1
        holds = before >= 0 and position < self.sections[before].end
        return self.sections[before].locator if holds else ""


class Note(BaseModel):
    """A fact with the words that it rests on.

    Attributes:
        id: `n-` and 12 hexadecimal digits, made from claim, quote and source.
        claim: The fact, in one sentence.
        quote: The words of the source, verbatim.
        source: The id of the source.
        locator: Where the quote stands: `page 12`; "" where the source has no such places.
        date: The date of retrieval of the source.
        verified: Whether the quote was found in the saved text by code.
        supported: Whether the quote says what the claim says: `yes`, `partly` or `no`; "" where
            nobody judged it, as in notes of earlier versions.
        reason: Why it is no fact; "" for one that may be used.
        step: The step of the plan that took the note.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Text
    claim: Text
    quote: Text
    source: Text
    locator: str = ""
    date: str = ""
    verified: bool
    supported: Support = ""
    reason: str = ""
    step: str = ""

    @property
    def is_fact(self) -> bool:
        """Whether a text may state it: its quote was found, and nothing speaks against its claim."""
        return self.verified and self.supported in ("", "yes")


class NotesFile(BaseModel):
    """`research/notes.json`."""

    model_config = ConfigDict(extra="ignore")

    notes: Annotated[list[Note], BeforeValidator(_as_list)] = []


class SourcesFile(BaseModel):
    """`research/sources.json`."""

    model_config = ConfigDict(extra="ignore")

    sources: Annotated[list[Source], BeforeValidator(_as_list)] = []


class Fact(Shape):
    """A claim with its quote.

    Attributes:
        claim: The fact, in one sentence.
        quote: The words of the source, verbatim.
    """

    claim: Text = Field(description="The fact, in one sentence")
    quote: Text = Field(description="The words of the source that state it, copied verbatim")


class Facts(Shape):
    """The facts of a text; there may be none."""

    facts: list[Fact]


MOST_LISTED: Final = 30
"""Files of the author's that a prompt names; the others are found by searching."""

_TASK: Final = """\
Take notes for a book that answer every one of these questions:

{questions}

Each source is searched for, read or fetched; extract_facts then takes the facts of one source \
that answer a question, and save_note saves them with that source. Read several sources where \
there are several. A step that only depends on another gets the values of the same name from it.

{sources}"""
_NONE: Final = "The author has no files of their own."
_MORE: Final = "and {count} more, which search_sources finds"


class ResearchQuestions(Shape):
    """What has to be known before the book is written."""

    questions: list[Text] = Field(description="Questions of fact, the most important first")


def request_text(questions: Sequence[str], files: Sequence[str]) -> str:
    """What a planner is asked, the same for the same questions and files.

    Args:
        questions: In one line each.
        files: Names of the author's own files.
    """
    numbered = (f"{number}. {' '.join(one.split())}" for number, one in enumerate(questions, 1))
    return _TASK.format(questions="\n".join(numbered), sources=files_block(files))


def files_block(files: Sequence[str]) -> str:
    """The author's files, as prompts name them."""
    if not files:
        return _NONE
    lines = [f"- {' '.join(name.split())}" for name in files[:MOST_LISTED]]
    if len(files) > MOST_LISTED:
        lines.append(_MORE.format(count=len(files) - MOST_LISTED))
    return "\n".join(("The author's own files, by the names under which they are opened:", *lines))


def question_name(question: str) -> str:
    """The name of the chain that answers a question: `q-` and 8 hexadecimal digits."""
    same = " ".join(question.split()).casefold()
    return f"q-{hashlib.sha256(same.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


MOST_UNSUPPORTED: Final = 8

Verdict = Literal["answered", "partly", "not"]


class QuestionAnswer(Shape):
    """What the notes say to one question."""

    question: int = Field(ge=1, description="Number of the question")
    verdict: Annotated[Verdict, closed(Verdict, "not")] = Field(
        description="Whether the notes answer it"
    )
    answer: Prose = Field(
        "", description="The answer in one to four sentences with marks; empty for `not`"
    )
    notes: Names = many("Ids of all notes that belong to it, each in one question")


class QuestionAnswers(Shape):
    """What the notes say to every question."""

    answers: list[QuestionAnswer] = Field(description="One for each question, in their order")


class UnsupportedWords(Shape):
    """Words of a concept that no note bears out."""

    words: Prose = Field(description="The words of the concept, copied exactly")
    why: Prose = Field(description="What the notes say instead, or that they do not say it")


class BookAnswers(QuestionAnswers):
    """What the notes say to every question of a book, and to its concept."""

    concept: list[UnsupportedWords] = many(
        "Statements of fact in the concept that no note bears out; often none",
        most=MOST_UNSUPPORTED,
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
