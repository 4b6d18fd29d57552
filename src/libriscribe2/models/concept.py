"""The idea of a book: `concept.json`."""

from pydantic import Field

from libriscribe2.models.base import Shape, Text, TextList


class ConceptModel(Shape):
    """What the book is about."""

    title: Text = Field(description="Book title")
    logline: Text = Field(description="One sentence summary")
    description: Text = Field(description="Detailed description")


class KeywordsModel(Shape):
    """Words under which a reader would look for the book."""

    primary_keywords: TextList = Field(default_factory=list, description="Main subjects")
    secondary_keywords: TextList = Field(default_factory=list, description="Side subjects")
    genre_keywords: TextList = Field(default_factory=list, description="Genre and mood")


class ConceptFile(Shape):
    """`concept.json`: exactly the concept and its keywords."""

    concept: ConceptModel
    keywords: KeywordsModel = Field(default_factory=KeywordsModel)
