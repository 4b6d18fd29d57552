"""What a model finds in a source: claims with the words that they rest on."""

from pydantic import Field

from libriscribe2.models.base import Shape, Text


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
