"""What a model reads out of a manuscript that was written elsewhere."""

from typing import Final

from pydantic import Field

from libriscribe2.models.base import Shape, Text, TextList
from libriscribe2.models.moves import Ending, Opening
from libriscribe2.models.story import Character, OutlineChapter

MOST_PEOPLE: Final = 12
MOST_PLACES: Final = 8
MOST_CAST: Final = 24


class Seen(Shape):
    """A person, a place or a term as a chapter shows it."""

    name: Text = Field(description="Full name as the text uses it")
    about: str = Field("", description="What the text says of it, in one sentence")


class ChapterNotes(Shape):
    """What a model says of a chapter that is written."""

    summary: Text = Field(description="What happens, in order, to the end, in 60 to 120 words")
    pov: str = Field("", description="Whose viewpoint, by name; empty where there is none")
    exit_state: str = Field("", description="Where everybody is, and how, as it ends")
    story_time: str = Field("", description="When it happens, such as `day 3, evening`")
    opening_move: Opening = Field("", description="How it begins")
    ending_move: Ending = Field("", description="How it ends")
    people: list[Seen] = Field(
        default_factory=list,
        description="Who matters in it, the most important first",
        json_schema_extra={"maxItems": MOST_PEOPLE},
    )
    places: list[Seen] = Field(
        default_factory=list,
        description="Where it happens; of a subject, the terms that it explains",
        json_schema_extra={"maxItems": MOST_PLACES},
    )


class BookNotes(Shape):
    """What a model says of a whole manuscript."""

    premise: Text = Field(description="The idea of the book in one or two sentences")
    summary: Text = Field(description="The whole book so far in a paragraph")
    genre: str = Field("", description="Its genre in a word or two")
    overview: str = Field("", description="Its world or subject in a paragraph")
    rules: TextList = Field(default_factory=list, description="What holds there without exception")
    characters: list[Character] = Field(
        default_factory=list,
        description="The cast as the text shows it, main ones first",
        json_schema_extra={"maxItems": MOST_CAST},
    )


class NextChapters(Shape):
    """Chapters that are to follow those that are written."""

    ending: str = Field("", description="How the central question is answered, and at what cost")
    chapters: list[OutlineChapter] = Field(min_length=1, description="The next chapters in order")
