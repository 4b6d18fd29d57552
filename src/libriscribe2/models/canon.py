"""The canon: what the text says is so, each statement with the words that say it."""

from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from libriscribe2.models.base import Shape, Text


class Attribute(StrEnum):
    """What a fact is about. The list is closed, so that facts can be compared in code."""

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
    OTHER = "other"


Stance = Literal["asserted", "believed", "said_by", "dreamt", "figurative", "remembered"]
"""How far the text stands behind a statement."""

HARD_STANCES: Final[frozenset[Stance]] = frozenset({"asserted"})
"""Statements that hold in the story's world; the others may be wrong without a fault."""

DayPart = Literal["", "morning", "noon", "afternoon", "evening", "night"]


class StoryTime(Shape):
    """When something is so, on the story's own clock."""

    day: int | None = Field(None, description="Day of the story, from 1; null where unknown")
    part: DayPart = Field("", description="Part of the day")


class ToldFact(Shape):
    """A statement as a model finds it in a chapter."""

    entity: Text = Field(description="Who or what it is about, by the name the text uses")
    attribute: Attribute = Field(description="What kind of statement it is")
    value: Text = Field(description="The value, such as `green`, `34`, `sister of Ada`")
    quote: Text = Field(description="The words of the text that say so, copied exactly")
    scene: int = Field(1, ge=1, description="Number of the scene within the chapter")
    time: StoryTime = Field(default_factory=StoryTime)
    stance: Stance = Field("asserted", description="Who stands behind it")


class Fact(BaseModel):
    """A statement of the canon.

    Attributes:
        entity: Who or what it is about, by its canonical name.
        attribute: What kind of statement it is.
        value: The value as the text has it.
        chapter: The chapter that says so, from 1.
        scene: The scene there, from 1.
        quote: Its words, which stand in the chapter.
        line: The line of the chapter's file where they stand.
        time: When it is so in the story.
        stance: Who stands behind it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    entity: str
    attribute: Attribute
    value: str
    chapter: int = Field(ge=1)
    scene: int = Field(1, ge=1)
    quote: str = ""
    line: int = Field(1, ge=1)
    time: StoryTime = StoryTime()
    stance: Stance = "asserted"

    @property
    def place(self) -> tuple[int, int, int]:
        """Where it stands, for putting facts in the order of the text."""
        return self.chapter, self.scene, self.line


class Thread(Shape):
    """Something that the book sets up and owes its reader."""

    id: Text = Field(description="A short name of its own")
    promise: Text = Field(description="What is set up")
    setup: int = Field(ge=1, description="Chapter that plants it")
    payoff: int | None = Field(None, description="Chapter that pays it off; null while none does")
    due_by: int | None = Field(None, description="Last chapter that may pay it off")
    must: bool = Field(default=True, description="Whether the reader has to get it")
