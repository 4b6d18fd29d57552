"""What the author asks for: the brief, with sizes and counts."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal
from unicodedata import category

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from libriscribe2.models.base import Text
from libriscribe2.models.draft_order import Drafting, Kind, as_kind, kind_of

MOST: Final = 1_000
"""The most of anything that can be counted out: chapters, people, scenes of a chapter."""

_COUNT: Final = re.compile(r"0*(\d+)\s*(?:(\+)|[-\u2013]\s*0*(\d+))?")


@dataclass(frozen=True, slots=True)
class CountRange:
    """How many of something are wanted.

    Attributes:
        low: At least so many; 1 or more.
        high: At most so many; None where there is no upper bound.
    """

    low: int
    high: int | None

    @classmethod
    def parse(cls, text: str) -> "CountRange":
        """Read `10`, `8-12` or `5+`.

        Raises:
            ValueError: The text is none of these, a bound is below 1 or above `MOST`, or the
                bounds are the wrong way round.
        """
        match = _COUNT.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"{text!r} is not a count; write 10, 8-12 or 5+")
        if any(map(_is_too_much, match.group(1, 3))):
            raise ValueError(f"at most {MOST:,} can be asked for")
        low = int(match[1])
        high = None if match[2] else int(match[3] or match[1])
        if low < 1:
            raise ValueError(f"{text!r} asks for fewer than 1")
        if high is not None and high < low:
            raise ValueError(f"{text!r} runs backwards; write {high}-{low}")
        return cls(low, high)

    def bounds(self) -> dict[str, int]:
        """The range as `minItems` and `maxItems` of a JSON Schema."""
        upper = {} if self.high is None else {"maxItems": self.high}
        return {"minItems": self.low, **upper}

    def middle(self) -> int:
        """A fair guess at the number before it is known."""
        return self.low if self.high is None else (self.low + self.high) // 2

    def holds(self, number: int) -> bool:
        """Whether a number is in the range."""
        return self.low <= number and (self.high is None or number <= self.high)

    @staticmethod
    def around(ranges: Collection["CountRange"]) -> "CountRange":
        """The smallest range that holds all of some."""
        highs = [one.high for one in ranges if one.high is not None]
        every = len(highs) == len(ranges)
        return CountRange(min(one.low for one in ranges), max(highs) if every else None)

    def at_most(self, most: int) -> "CountRange":
        """The range cut off above `most`, which counts as 1 where it is less."""
        top = max(1, most)
        return CountRange(min(self.low, top), top if self.high is None else min(self.high, top))

    def wording(self, noun: str) -> str:
        """The range in words, such as `8 to 12 chapters` or `at least 5 characters`."""
        if self.high == self.low:
            return f"{self.low} {noun}" if self.low == 1 else f"{self.low} {noun}s"
        if self.high is None:
            return f"at least {self.low} {noun}s"
        return f"{self.low} to {self.high} {noun}s"


def _is_too_much(digits: str | None) -> bool:
    """Whether a number is above `MOST`; Python reads no number of thousands of digits."""
    return digits is not None and (len(digits) > len(str(MOST)) or int(digits) > MOST)


def parse_counts(text: str) -> tuple[CountRange, ...]:
    """Read one count, or a list such as `3,4,5` with one entry per chapter.

    Raises:
        ValueError: An entry is not a count.
    """
    return tuple(CountRange.parse(part) for part in text.split(","))


ProjectType = Literal["short_story", "novella", "book", "novel", "epic"]


@dataclass(frozen=True, slots=True)
class BookSize:
    """What a size class asks for where the author says nothing.

    Attributes:
        chapters: Number of chapters, as a count.
        scenes: Scenes per chapter, as a count.
        words: Words of the whole book.
        concept_words: Words of the concept's description, as a range.
    """

    chapters: str
    scenes: str
    words: int
    concept_words: str


SIZES: Final[dict[ProjectType, BookSize]] = {
    "short_story": BookSize("1", "2-4", 4_000, "100-150"),
    "novella": BookSize("5", "3-5", 20_000, "150-200"),
    "book": BookSize("8", "4-6", 40_000, "180-220"),
    "novel": BookSize("12", "4-7", 72_000, "200-250"),
    "epic": BookSize("20", "5-8", 140_000, "250-300"),
}


MOST_PREMISE: Final = 20_000
"""Most characters of a premise: every prompt of the concept repeats it whole."""

SCENE: Final = 350
LONG_SCENE: Final = 500
"""Words of a scene that has room to turn: a short chapter has fewer scenes instead."""


def _usable(premise: str) -> str:
    """The premise, unless it says nothing or would fill the prompts."""
    if not any(category(character)[0] in "LNS" for character in premise):
        raise ValueError("there is no word in it")
    if len(premise) > MOST_PREMISE:
        raise ValueError(
            f"the premise has {len(premise):,} characters; it may have at most {MOST_PREMISE:,}"
        )
    return premise


def _as_text(value: Any) -> Any:
    """A whole number as text, since TOML invites `chapters = 5`; a switch is no number."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError('write a whole number, or a text in quotes such as "8-12"')
    return str(value)


def _number(value: str) -> str:
    """A place in a series, or none."""
    if not re.fullmatch(r"(\d+(\.\d+)*)?", value):
        raise ValueError("write a number such as 2 or 2.5")
    return value


Line = Annotated[str, StringConstraints(strip_whitespace=True)]
"""Text that may be empty; blanks count as empty."""

Count = Annotated[Line, BeforeValidator(_as_text)]
"""A count as text; also read from a whole number."""


CitationStyle = Literal["numbers", "notes", "quoted-notes", "author-date", "apa"]
"""`numbers`: numbered places in Chicago's full form; `notes`: Chicago's footnotes, with the quotes
as `quoted-notes`; `author-date`: Chicago's; `apa`: APA's seventh edition."""


class Edition(BaseModel):
    """How a book is to be made into files, apart from what is in it: the `[export]` table.

    Attributes:
        pandoc: A pandoc to use, as a path or a name; empty takes the one of the extra `[pdf]`,
            else the one on the path.
        style: How a Word file is laid out: as the pages of a book, or in standard manuscript
            format.
        design: The look of the pages of a PDF.
        trim: The size of a page.
        bleed: Whether the sheets of the print edition are larger than the trim.
        paper: What the print edition is printed on.
        cover: The design of the cover, such as `tide` or `tide-dark`; `picture` sets title and
            author on the picture that `cover` in `[book]` names. Empty: by genre and title.
        font: The family that the text is set in, from the project's folder `fonts/` or installed;
            an EPUB has the characters of the book embedded. Empty: the design's own, and in an EPUB
            the reader's.
        vertical: Whether the lines of a Chinese, Japanese or Korean book run from top to bottom, in
            EPUB and Word.
        page_list: Whether the EPUB says where the pages of the print edition begin.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pandoc: str = ""
    style: Literal["book", "manuscript"] = "book"
    design: Literal["classic", "modern", "literary"] = "classic"
    trim: Literal["5x8", "5.25x8", "5.5x8.5", "6x9", "a5"] = "6x9"
    bleed: bool = False
    paper: Literal["cream", "white", "color"] = "cream"
    cover: str = ""
    font: str = ""
    vertical: bool = False
    page_list: bool = False


class Brief(BaseModel):
    """What the author asked for.

    Attributes:
        premise: The idea, in the author's words.
        title: The title; empty lets the concept find one.
        author: The name on the title page.
        genre: Genre in the author's words.
        category: `Fiction`, or another in the author's words, such as `Business`.
        book_kind: Whether it is a story; empty follows the category.
        language: The language of the book, passed to the models unchanged.
        audience: Who it is for.
        tone: Wanted tone.
        person: Person and narrator, such as `first person, Hester`; empty leaves it to the sheet.
        tense: Tense of the narration; empty leaves it to the style sheet.
        spelling: Spelling, such as `British`; empty leaves it to the style sheet.
        project_type: The size class, from which what is not given is taken.
        chapters: How many chapters: `10` or `8-12`; empty takes the size class's.
        characters: How many characters: `5`, `3-7` or `5+`; empty follows the chapters.
        scenes_per_chapter: `5`, `3-6`, or one entry per chapter: `3,4,5`.
        words: Words of the whole book; 0 takes the size class's.
        worldbuilding: Whether the book gets a world (or, for non-fiction, a term ledger).
        story_bible: Whether the facts of every chapter are kept, so that they can be compared;
            for stories only. Also read as `canon`, its older name.
        drafting: In which order the chapters are drafted.
        revision: Whether every chapter is looked through by a critic and patched.
        allow: What may stand of what `check --plan` finds: `P3`, or `P1 chapter 7`.
        auto_title: Whether a title is chosen from the finished text.
        research: Whether facts are looked for before the outline; None: for non-fiction.
        follows: The project of the book before, whose people, world and facts it shares.
        series: The series that the book belongs to.
        series_number: Its place there, such as `2` or `2.5`.
        rights: The copyright line, such as `© 2026 Mira Okubo. All rights reserved.`
        publisher: Who publishes it.
        edition: Which edition it is, such as `First edition, November 2026`.
        citations: How a book of facts cites its sources.
        identifier: Its own number, such as `urn:isbn:9780306406157`; empty has one made.
        cover: A PNG or JPEG of the project, such as `images/cover.jpg`; empty has one drawn.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    premise: Annotated[Text, AfterValidator(_usable)]
    title: Line = ""
    author: Line = ""
    genre: Line = ""
    category: Text = "Fiction"
    book_kind: Annotated[Literal["", Kind], BeforeValidator(as_kind)] = ""
    language: Text = "English"
    audience: Text = "General"
    tone: Line = ""
    person: Line = ""
    tense: Line = ""
    spelling: Line = ""
    project_type: ProjectType = "novel"
    chapters: Count = ""
    characters: Count = ""
    scenes_per_chapter: Count = ""
    words: int = Field(0, ge=0, le=5_000_000)
    worldbuilding: bool = True
    story_bible: bool = True
    drafting: Drafting = "sequential"
    revision: bool = True
    allow: tuple[Text, ...] = ()
    auto_title: bool = False
    research: bool | None = None
    follows: Line = ""
    series: Line = ""
    series_number: Annotated[Count, AfterValidator(_number)] = ""
    rights: Line = ""
    publisher: Line = ""
    edition: Line = ""
    citations: CitationStyle = "numbers"
    identifier: Line = ""
    cover: Line = ""

    @model_validator(mode="before")
    @classmethod
    def _older_name(cls, values: Any) -> Any:
        if not isinstance(values, Mapping) or "canon" not in values:
            return values
        others = {key: value for key, value in values.items() if key != "canon"}
        return {"story_bible": values["canon"], **others}

    @field_validator("chapters", "characters")
    @classmethod
    def _a_count(cls, value: str) -> str:
        if value:
            CountRange.parse(value)
        return value

    @field_validator("scenes_per_chapter")
    @classmethod
    def _counts(cls, value: str) -> str:
        if value:
            parse_counts(value)
        return value

    @property
    def kind(self) -> Kind:
        """Whether it is a story."""
        return self.book_kind or kind_of(self.category)

    @property
    def in_english(self) -> bool:
        """Whether the book is in English."""
        return self.language.casefold().startswith("en")

    @property
    def has_cast(self) -> bool:
        """Whether the book has characters: stories always, others where the author says how many."""
        return self.kind == "fiction" or bool(self.characters)

    @property
    def has_story_bible(self) -> bool:
        """Whether the facts of every chapter are kept: for stories, unless the author does without."""
        return self.story_bible and self.kind == "fiction"

    @property
    def is_drafted_at_once(self) -> bool:
        """Whether all chapters are first drafted at once, from their plans alone."""
        return self.drafting == "parallel"

    @property
    def wants_title(self) -> bool:
        """Whether a title is chosen: only on request, and never over the author's."""
        return self.auto_title and not self.title

    @property
    def is_researched(self) -> bool:
        """Whether the book has the stage that looks for facts."""
        return self.kind != "fiction" if self.research is None else self.research

    @property
    def size(self) -> BookSize:
        """The size class's figures."""
        return SIZES[self.project_type]

    def chapter_range(self) -> CountRange:
        """How many chapters are wanted."""
        return CountRange.parse(self.chapters or self.size.chapters)

    def character_range(self) -> CountRange:
        """How many characters are wanted.

        The default follows the chapters: up to 5 chapters at least 3, up to 10 5, up to 15 7, else
        10 (the figures of the original LibriScribe2). It has no upper bound: whoever the concept
        names has to be in the cast, or no later prompt knows them.
        """
        if self.characters:
            return CountRange.parse(self.characters)
        chapters = self.chapter_range().middle()
        steps = ((5, 3), (10, 5), (15, 7))
        count = next((people for limit, people in steps if chapters <= limit), 10)
        return CountRange(count, None)

    def scene_range(self, chapter: int, chapters: int) -> CountRange:
        """How many scenes chapter number `chapter` (from 1) of `chapters` is to have.

        Where the author does not say, as many as the size class has, but no more than the words
        of a chapter are enough for.
        """
        counts = parse_counts(self.scenes_per_chapter or self.size.scenes)
        count = counts[min(chapter, len(counts)) - 1]
        if self.scenes_per_chapter:
            return count
        words = self.words_per_chapter(chapters)
        fewer = count.at_most(words // SCENE)
        return CountRange(min(fewer.low, max(1, words // LONG_SCENE)), fewer.high)

    def words_per_chapter(self, chapters: int) -> int:
        """Words that each of `chapters` chapters is to have."""
        if self.words:
            return max(1, round(self.words / chapters))
        return self.size.words // CountRange.parse(self.size.chapters).middle()
