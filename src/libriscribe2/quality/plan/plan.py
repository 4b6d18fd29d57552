"""What the rules look at, and what they find."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from libriscribe2.models.canon import Thread
from libriscribe2.models.story import OutlineChapter, PlannedChapter, ScenePlan

Weight = Literal["error", "warning", "note"]
"""`error` where code is sure, `warning` where a reader has to judge, `note` for what is a habit."""

REMEMBERED: Final = 4_096
"""So many texts of a plan are remembered: it is examined anew after every chapter's scenes."""

OUTLINE: Final = "outline.json"
SCENES: Final = "scenes.json"
CHARACTERS: Final = "characters.json"

RULES: Final = {
    "P1": "neighbouring chapters open alike, or too many do",
    "P2": "chapters close together end alike",
    "P3": "too many chapters end quietly",
    "P4": "a thread is not set up, then paid off, then due",
    "P5": "a chapter and a thread disagree on where it is set up or paid off",
    "P6": "the tension is flat, or only rises",
    "P7": "fewer than two threads are alive in the middle",
    "P8": "two names are one letter apart, or sound the same",
    "P9": "a name that models give too often",
    "P10": "the planned lengths are too even, too uneven, or miss the book's",
    "P11": "the time of the story runs backwards",
    "P12": "a scene is played by nobody of the cast",
    "P13": "a scene stands in a place that the world does not have",
    "P14": "a chapter begins where the one before did not leave its people",
    "P15": "a scene lacks what makes it one",
    "P16": "a claim or a term has more than one home, or none",
    "P17": "a term or a claim is used before it has its home",
    "P18": "a citation leads to no note that may be used",
    "P19": "headings of one book are built differently",
    "P20": "a section has not one question and one answer",
    "P21": "the plan is tidier than stories by people are",
    "P22": "a chapter lacks what was to happen in it",
    "P23": "a chapter gives a part to somebody whom the plan does not know",
    "P24": "the plan goes on with somebody who has died in the text",
    "P25": "a chapter leaves somebody elsewhere than planned",
    "P26": "a chapter is a quarter longer or shorter than planned",
}
"""Every rule with what it finds."""

OF_TEXT: Final = frozenset({"P22", "P23", "P25", "P26"})
"""The rules that a chapter breaks, not its plan."""


@dataclass(frozen=True, slots=True)
class PlanFinding:
    """Something in a plan that the text would pay for.

    Attributes:
        rule: The rule, such as `P1`.
        weight: How sure the rule is.
        file: The file to mend.
        message: What is wrong, in a sentence.
        change: What to change, in a sentence.
        chapter: The chapter's number; 0 for the whole book.
        scene: The scene's number in the chapter; 0 for the whole chapter.
        about: The text in the file that it is about, where that is no chapter or scene.
        allowed: Whether the author lets it stand.
    """

    rule: str
    weight: Weight
    file: str
    message: str
    change: str
    chapter: int = 0
    scene: int = 0
    about: str = ""
    allowed: bool = False

    @property
    def place(self) -> str:
        """Where it is, such as `outline.json chapter 7`."""
        chapter = f" chapter {self.chapter}" if self.chapter else ""
        scene = f" scene {self.scene}" if self.scene else ""
        return f"{self.file}{chapter}{scene}"


@dataclass(frozen=True)
class Plan:
    """A book before it is written.

    Attributes:
        chapters: The chapters of the outline, in order.
        threads: What the book owes its reader.
        scenes: The scene plans, by chapter; none while there are none.
        people: Names of the cast, main ones first.
        places: Names of the world's places.
        terms: Names of the world's terms.
        notes: Ids of the notes that may be cited; None where the book has no research.
        words: Words that the whole book is to have; 0 where nothing was asked.
        story: Whether it is a story; else it is a book of facts.
        english: Whether rules that need English words may be used.
    """

    chapters: Sequence[OutlineChapter]
    threads: Sequence[Thread] = ()
    scenes: Sequence[PlannedChapter] = ()
    people: Sequence[str] = ()
    places: Sequence[str] = ()
    terms: Sequence[str] = ()
    notes: frozenset[str] | None = None
    words: int = 0
    story: bool = True
    english: bool = True

    def numbered(self) -> Iterator[tuple[int, OutlineChapter]]:
        """Every chapter with its number."""
        yield from enumerate(self.chapters, start=1)

    def planned(self) -> Iterator[tuple[int, int, ScenePlan]]:
        """Every scene plan with the numbers of its chapter and of its own."""
        for chapter in self.scenes:
            for number, scene in enumerate(chapter.scenes, start=1):
                yield chapter.chapter, number, scene

    @cached_property
    def last(self) -> int:
        """The last chapter's number."""
        return len(self.chapters)
