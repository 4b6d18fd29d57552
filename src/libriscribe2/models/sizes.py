"""Size classes of a book, by the names that the original LibriScribe2 gave them."""

from dataclasses import dataclass
from typing import Final, Literal

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
