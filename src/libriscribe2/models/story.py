"""People, places and plan of a book: `characters.json`, `world.json`, `outline.json`."""

from operator import not_

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from libriscribe2.models.base import Shape, Text, TextList
from libriscribe2.models.canon import Thread
from libriscribe2.models.moves import Ending, Opening, Role, TargetWords, Tension


class Character(Shape):
    """A person of the book."""

    name: Text = Field(description="Full name as the text will use it")
    role: Text = Field(description="Part in the book, such as protagonist")
    age: str = Field("", description="Age or age group")
    appearance: str = Field("", description="What others see first")
    personality: str = Field("", description="Traits that show in action")
    background: str = Field("", description="Where the person comes from")
    motivation: str = Field("", description="What the person wants and why")
    conflict: str = Field("", description="What stands in the way, inside and outside")
    relationships: str = Field("", description="Ties to the others, by name")
    arc: str = Field("", description="How the person changes")


class CharactersFile(Shape):
    """`characters.json`."""

    characters: list[Character] = Field(min_length=1, description="The cast, main ones first")


class Entry(Shape):
    """A named thing of the world or a term of the subject."""

    name: Text = Field(description="Name as the text will use it")
    description: Text = Field(description="What a reader has to know of it")


class WorldFile(Shape):
    """`world.json`: where a story happens, or the terms on which a subject stands."""

    overview: Text = Field(description="The world or subject in a paragraph")
    places: list[Entry] = Field(default_factory=list, description="Places where things happen")
    terms: list[Entry] = Field(default_factory=list, description="Terms, customs, institutions")
    rules: TextList = Field(default_factory=list, description="What holds without exception")


class OutlineChapter(Shape):
    """A chapter before it is written: what it is for, and how it joins its neighbours."""

    title: Text = Field(description="Chapter title without its number")
    summary: Text = Field(description="What happens, in order, to the end")
    pov: str = Field("", description="Whose viewpoint, by name")
    purpose: str = Field("", description="What the book would lack without it; its question")
    beats: TextList = Field(default_factory=list, description="What has to happen, in order")
    entry_state: str = Field("", description="Where everybody is, and how, as it begins")
    exit_state: str = Field("", description="The same as it ends; what the reader takes away")
    tension: Tension = Field(None, description="From 0 to 10 at its height")
    question_raised: str = Field("", description="What it makes the reader ask")
    question_answered: str = Field("", description="What it settles")
    plants: TextList = Field(default_factory=list, description="Ids of threads that it sets up")
    payoffs: TextList = Field(default_factory=list, description="Ids of threads that it pays off")
    opening_move: Opening = Field("", description="How it begins")
    ending_move: Ending = Field("", description="How it ends")
    story_time: str = Field("", description="When it happens, such as `day 3, evening`")
    target_words: TargetWords = Field(0, description="Its length in words; 0 for an even share")
    role: SkipJsonSchema[Role] = Field("", exclude_if=not_)


class ChapterOfFacts(OutlineChapter):
    """A chapter of a book of facts before it is written: its question, and how it joins others."""

    role: Role = Field(
        "", exclude_if=not_, description="For a first or last chapter that frames the others"
    )


class _OutlineOfAny(Shape):
    """What a plan says of the whole book."""

    summary: Text = Field(description="The whole book in a paragraph")
    promises: TextList = Field(default_factory=list, description="What a reader is led to expect")
    ending: str = Field("", description="How the central question is answered, and at what cost")
    threads: list[Thread] = Field(default_factory=list, description="What is set up and owed")

    def as_file(self) -> "OutlineFile":
        """The plan as the book keeps it."""
        return OutlineFile.model_validate(self.model_dump())


class OutlineFile(_OutlineOfAny):
    """`outline.json`: a chapter's number is its place in the list."""

    chapters: list[OutlineChapter] = Field(min_length=1, description="All chapters in order")


class OutlineOfFacts(_OutlineOfAny):
    """The plan of a book of facts as a model tells it."""

    chapters: list[ChapterOfFacts] = Field(min_length=1, description="All chapters in order")
