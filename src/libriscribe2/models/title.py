"""A title chosen from the finished text: `title.json`."""

from pydantic import Field

from libriscribe2.models.base import Shape, Text, TextList


class TitleFile(Shape):
    """`title.json`."""

    title: Text = Field(description="The best title, one to eight words")
    alternatives: TextList = Field(default_factory=list, description="Other titles")
