"""The story bible: what the text says is so, each statement with the words that say it."""

from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from libriscribe2.models.base import (
    Label,
    Name,
    Names,
    Prose,
    Shape,
    Text,
    TextList,
    closed,
    many,
    usable,
)

MOST_FACTS: Final = 40
"""Most facts of a chapter: more are details that nothing contradicts."""

MOST_EVENTS: Final = 12
MOST_CONTRADICTIONS: Final = 8

SUMMARY_WORDS: Final = 110
"""Length of a chapter's summary."""


class Attribute(StrEnum):
    """What a fact is about."""

    EYES = "eyes"
    HAIR = "hair"
    AGE = "age"
    BIRTHDAY = "birthday"
    KIN = "kin"
    JOB = "job"
    RANK = "rank"
    INJURY = "injury"
    POSSESSION = "possession"
    LOCATION = "location"
    ALIVE = "alive"
    ACTS = "acts"
    KNOWS = "knows"
    LEARNS = "learns"
    PROMISE = "promise"
    RULE = "rule"
    DISTANCE = "distance"
    COUNT = "count"
    WEEKDAY = "weekday"
    ALIAS = "alias"
    LOOKS = "looks"
    STATE = "state"
    OTHER = "other"


FIXED: Final = frozenset(
    {
        Attribute.EYES,
        Attribute.HAIR,
        Attribute.BIRTHDAY,
        Attribute.KIN,
        Attribute.ALIAS,
        Attribute.LOOKS,
        Attribute.RULE,
        Attribute.DISTANCE,
    }
)
"""What is so from the first page to the last, wherever the text says it."""

PERMANENT: Final = frozenset(
    {Attribute.EYES, Attribute.BIRTHDAY, Attribute.KIN, Attribute.RULE, Attribute.DISTANCE}
)
"""What no event ends: of all else a later chapter may say that it holds no longer."""

Stance = Literal["asserted", "believed", "said_by", "dreamt", "figurative", "remembered"]
"""How far the text stands behind a statement."""

HARD_STANCES: Final[frozenset[Stance]] = frozenset({"asserted"})
"""Statements that hold in the story's world; the others may be wrong without a fault."""

DayPart = Literal["", "morning", "noon", "afternoon", "evening", "night"]

ThreadMove = Literal["set up", "kept alive", "paid off"]
"""What a chapter does with a thread."""

_SYNONYMS: Final = {
    "eye": "eyes",
    "eye colour": "eyes",
    "eye color": "eyes",
    "hair colour": "hair",
    "hair color": "hair",
    "birth date": "birthday",
    "kinship": "kin",
    "family": "kin",
    "occupation": "job",
    "title": "rank",
    "possesses": "possession",
    "place": "location",
    "status": "alive",
    "action": "acts",
    "nickname": "alias",
    "appearance": "looks",
    "voice": "looks",
    "condition": "state",
}


_ATTRIBUTES: Final = frozenset(map(str, Attribute))


def _attribute(said: Any) -> Any:
    """A kind of statement as it is called here; what is not on the list is of no known kind."""
    if not isinstance(said, str):
        return said
    name = " ".join(said.casefold().replace("_", " ").split())
    name = _SYNONYMS.get(name, name)
    return name if name in _ATTRIBUTES else Attribute.OTHER


def _stance(said: Any) -> Any:
    """A stance; one that is not on the list is no ground for calling anything a fault."""
    known = said.casefold().strip().replace(" ", "_") if isinstance(said, str) else said
    return known if known in get_args(Stance) else "believed"


def _day(said: Any) -> Any:
    """A day of the story as a whole number; anything else is not known."""
    if isinstance(said, str) and said.strip().isdecimal():
        return int(said)
    return said if isinstance(said, int) and not isinstance(said, bool) else None


def _time(said: Any) -> Any:
    """A time; a bare null is one that is not known."""
    return {} if said is None else said


class StoryTime(Shape):
    """When it is so, on the story's own clock."""

    day: Annotated[int | None, BeforeValidator(_day)] = None
    part: Annotated[DayPart, closed(DayPart, "")] = ""


KnownTime = Annotated[StoryTime, BeforeValidator(_time)]


class StatedFact(Shape):
    """A statement of the text."""

    entity: Name
    attribute: Annotated[Attribute, BeforeValidator(_attribute)]
    value: Name
    quote: Text
    scene: int = Field(1, ge=1, description="Number of the scene within the chapter")
    time: KnownTime = Field(default_factory=StoryTime)
    stance: Annotated[Stance, BeforeValidator(_stance)] = "asserted"


class StatedEvent(Shape):
    """Something that happens for good."""

    what: Text = Field(description="What happens, in one short sentence")
    quote: Text
    time: KnownTime = Field(default_factory=StoryTime)


class ThreadHit(Shape):
    """A chapter at work on a thread."""

    thread: Name = Field(description="The thread's id")
    move: Annotated[ThreadMove, closed(ThreadMove, "kept alive")]
    quote: Text


class EndedLine(Shape):
    """A line of the ledger."""

    line: Name = Field(description="The line's id")
    quote: Text
    now: Prose = Field(
        "", description="The value from then on; empty where nothing takes its place"
    )


class StatedContradiction(Shape):
    """Words of a chapter that cannot be true beside what was said before."""

    quote: Text
    against: Text = Field(
        description="The words that say otherwise, copied from the block or the earlier sentence"
    )
    why: Text = Field(description="What cannot both be true, in one sentence")


class NewPerson(Shape):
    """A person whom a chapter brings in."""

    name: Name = Field(description="Who, by the name the text uses")
    who: Text = Field(description="Who they are, how they look and speak, in one line")


class CharacterState(Shape):
    """How a chapter leaves a person."""

    name: Name = Field(description="Who, by the name the text uses")
    place: Label = Field("", description="Where they are at the end")
    state: Prose = Field("", description="What they know, have or suffer from now on")


class ExitState(Shape):
    """How a chapter leaves the story."""

    people: list[CharacterState] = many("Those who were present")
    open: TextList = many("Questions that it leaves open")


class ChapterStatements(Shape):
    """What a model finds in a chapter."""

    recorded_as: ClassVar = "ToldCanon"

    summary: Prose = Field(
        "",
        description=f"What the text comes to, in about {SUMMARY_WORDS} words: what happens to its "
        "last moment, who knows what, where everyone is, what is promised or open",
    )
    facts: Annotated[list[StatedFact], usable(StatedFact)] = Field(
        description="What later chapters must not contradict, the most important first",
        json_schema_extra={"maxItems": MOST_FACTS},
    )
    ended: Annotated[list[EndedLine], usable(EndedLine)] = many(
        "Lines of the ledger that hold no longer at its end"
    )
    events: Annotated[list[StatedEvent], usable(StatedEvent)] = many(
        "What happens for good", most=MOST_EVENTS
    )
    new_people: Annotated[list[NewPerson], usable(NewPerson)] = many(
        "Those who are in none of the lists above the text"
    )
    exit: ExitState = Field(default_factory=ExitState, description="How the chapter leaves them")
    contradictions: Annotated[list[StatedContradiction], usable(StatedContradiction)] = many(
        "What the text has otherwise than it was, with no reason given", most=MOST_CONTRADICTIONS
    )


class ChapterStatementsWithThreads(ChapterStatements):
    """What a model finds in a chapter of a book whose plan has threads."""

    recorded_as: ClassVar = "ToldCanonWithThreads"

    threads: Annotated[list[ThreadHit], usable(ThreadHit)] = many(
        "Threads that the chapter sets up, keeps or pays off"
    )


class Fact(BaseModel):
    """A statement of the story bible.

    Attributes:
        entity: Who or what it is about, by its canonical name.
        attribute: What kind of statement it is.
        value: The value as the text has it.
        chapter: The chapter that says so, from 1; 0 where an earlier book does.
        scene: The scene there, from 1.
        quote: Its words, which stand in the chapter.
        line: The line of the chapter's file where they stand.
        time: When it is so in the story.
        stance: Who stands behind it.
        origin: The file of an earlier book that says so; "" for this book.
        until: The chapter in which it ends; 0 while it holds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    entity: str
    attribute: Attribute
    value: str
    chapter: int = Field(ge=0)
    scene: int = Field(1, ge=1)
    quote: str = ""
    line: int = Field(1, ge=1)
    time: StoryTime = StoryTime()
    stance: Stance = "asserted"
    origin: str = ""
    until: int = Field(0, ge=0)

    @property
    def place(self) -> tuple[int, int, int]:
        """Where it stands, for putting facts in the order of the text."""
        return self.chapter, self.scene, self.line

    @property
    def earlier_book(self) -> str:
        """The project of the earlier book that says so; "" for this book."""
        return PurePosixPath(self.origin).parent.parent.name


class VerifiedFact(StatedFact):
    """A fact whose quote was found in its chapter; which chapter, the file's name says."""

    line: int = Field(1, ge=1, description="The line of the chapter's file where it stands")


class StatementChange(Shape):
    """What an edit of a chapter changed in the story."""

    was: Prose = Field("", description="What was so, in one sentence; empty where nothing was said")
    now: Prose = Field("", description="What is so now, in one sentence; empty where nothing is")
    about: Names = many("The people, things and places that it is about, by every name in use")
    words: Names = many(
        "Single words by which a later sentence about it would be found, above all "
        "those of what was so; the part of a word that does not change is enough"
    )


class EndedFact(Shape):
    """A statement of an earlier chapter that a chapter ends, as it stood in the ledger.

    It repeats the statement in place of naming it by a number, so that a chapter that is moved or
    read again ends what it ended.
    """

    entity: Name
    attribute: Attribute
    value: Name
    stated: Prose = Field("", description="The words that stated it; none for a place of the plan")
    quote: Text = Field(description="The words that end it")
    now: Prose = ""
    scene: int = Field(1, ge=1)
    line: int = Field(1, ge=1)
    time: KnownTime = Field(default_factory=StoryTime)


class StoryBibleFile(Shape):
    """`.libriscribe/canon/NN.json`: what a chapter states, each statement with its words.

    The number of the chapter stands in the file's name only, so that a chapter that is moved
    takes its facts along as it is.
    """

    summary: Prose = ""
    facts: list[VerifiedFact]
    ended: list[EndedFact] = Field(default_factory=list)
    events: list[StatedEvent] = Field(default_factory=list)
    new_people: list[NewPerson] = Field(default_factory=list)
    threads: list[ThreadHit] = Field(default_factory=list)
    exit: ExitState = Field(default_factory=ExitState)
    contradictions: list[StatedContradiction] = Field(default_factory=list)
    changes: list[StatementChange] = many("What edits changed and later chapters were not held to")
    dropped: int = Field(0, ge=0, description="Statements whose quotes the text does not hold")

    def of_chapter(self, number: int) -> list[Fact]:
        """The facts as those of chapter `number`, with what takes the place of those it ends."""
        anew = (
            {**one.model_dump(exclude={"stated", "now"}), "value": one.now}
            for one in self.ended
            if one.now
        )
        return [Fact(chapter=number, **fact) for fact in (*map(vars, self.facts), *anew)]


class Thread(Shape):
    """Something that the book sets up and owes its reader."""

    id: Name = Field(description="A short name of its own")
    promise: Text = Field(description="What is set up")
    setup: int = Field(ge=1, description="Chapter that plants it")
    payoff: int | None = Field(None, description="Chapter that pays it off; null while none does")
    due_by: int | None = Field(None, description="Last chapter that may pay it off")
    must: bool = Field(default=True, description="Whether the reader has to get it")

    def is_paid_off(self, hit: ThreadHit) -> bool:
        """Whether a hit pays this thread off: by its id or promise, capital letters or not."""
        names = {self.id.casefold(), self.promise.casefold()}
        return hit.move == "paid off" and hit.thread.casefold() in names
