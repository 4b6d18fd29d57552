"""What research brings: sources, the texts saved from them, and notes with checked quotes."""

from bisect import bisect_right
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from libriscribe2.models.base import Text

SourceKind = Literal["file", "web"]
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
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Text
    kind: SourceKind
    title: str
    place: Text
    sha256: Sha256
    retrieved: str = ""
    flags: tuple[str, ...] = ()


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
        reason: Why it is not verified; "" for a verified note.
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
    reason: str = ""
    step: str = ""


class NotesFile(BaseModel):
    """`research/notes.json`."""

    model_config = ConfigDict(extra="ignore")

    notes: Annotated[list[Note], BeforeValidator(_as_list)] = []


class SourcesFile(BaseModel):
    """`research/sources.json`."""

    model_config = ConfigDict(extra="ignore")

    sources: Annotated[list[Source], BeforeValidator(_as_list)] = []
