"""People, places and plan of a book: `characters.json`, `world.json`, `outline.json`."""

from pydantic import Field

from libriscribe2.models.base import Shape, Text, TextList


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
    """A chapter before it is written."""

    title: Text = Field(description="Chapter title without its number")
    summary: Text = Field(description="What happens, in order, to the end")


class OutlineFile(Shape):
    """`outline.json`: a chapter's number is its place in the list."""

    summary: Text = Field(description="The whole book in a paragraph")
    chapters: list[OutlineChapter] = Field(min_length=1, description="All chapters in order")
