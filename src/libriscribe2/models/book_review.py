"""What a reader of a whole book doubts, and what proves a doubt in the text."""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BeforeValidator, Field

from libriscribe2.models.base import Shape, Text, listed

MOST_DOUBTS: Final = 6
"""Most doubts of one reading."""

DoubtKind = Literal["", "contradiction", "loose end", "repetition", "motive"]
Proof = Literal["stands", "falls", "unclear"]


def _kind(said: Any) -> Any:
    """A kind of doubt; any other word is no kind."""
    return listed(said, get_args(DoubtKind), "")


def _proof(said: Any) -> Any:
    """What the text says to a doubt; any other word settles nothing."""
    return listed(said, get_args(Proof), "unclear")


class Doubt(Shape):
    """Something that cannot be right in a book, as its summaries show it."""

    kind: Annotated[DoubtKind, BeforeValidator(_kind)] = Field("", description="What kind it is")
    chapter: int = Field(description="Number of the chapter where it would be mended")
    other: int = Field(0, description="Number of the chapter that it does not fit; 0 for none")
    about: Text = Field(description="Whom and what it is about, in the words of the summaries")
    why: Text = Field(description="What is wrong, in one sentence")


class Doubts(Shape):
    """What a reader doubts in a book; nothing is an answer, too."""

    doubts: list[Doubt] = Field(
        default_factory=list,
        description="The worst first; an empty list where nothing is wrong",
        json_schema_extra={"maxItems": MOST_DOUBTS},
    )


class Proven(Shape):
    """What the text says to a doubt, and the smallest change that would mend it."""

    verdict: Annotated[Proof, BeforeValidator(_proof)] = Field(
        description="Whether the doubt stands beside the text"
    )
    quote: str = Field("", description="The words of the chapter that show it, copied exactly")
    other_quote: str = Field("", description="The words of the other chapter, copied exactly")
    why: str = Field("", description="What is wrong, in one sentence")
    find: str = Field("", description="Words of the chapter to change; empty where none would do")
    replace: str = Field("", description="What is to stand there instead")
