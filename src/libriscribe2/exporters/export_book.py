"""A book as the exporters see it, and what an exporter is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from libriscribe2.models.brief import Edition
from libriscribe2.models.languages import Language


@dataclass(frozen=True, slots=True)
class ExportChapter:
    """A chapter, or another part that begins with a heading of level 1.

    Attributes:
        name: The file that it comes from, such as `chapters/03.md`; what errors call it.
        title: Its title, as plain text.
        text: Markdown that begins with its heading and holds nothing that `prepass` takes out.
        added: Lines of `text` before the file's own first line.
        number: Its number, to be shown above its title; 0 where it has none, or its title says it.
    """

    name: str
    title: str
    text: str
    added: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True)
class ExportBook:
    """A book.

    Attributes:
        name: The project's name; exported files are called so.
        title: Its title.
        language: Its language.
        identifier: A URI that is the same for every export of the project.
        epoch: When the project last changed, in seconds since 1970; the date of every file.
        parts: Chapters in order, then what follows them.
        author: The name on the title page, or "".
        series: The series that it belongs to, or "".
        series_number: Its place in the series, such as `2`, or "".
        rights: The copyright line, or "".
        publisher: Who publishes it, or "".
        description: One or two sentences for a catalogue, or "".
        keywords: Words under which a reader would look for it.
        images: Pictures of the project by their path in it.
        cover: The author's picture for the cover; None has one drawn.
        missing: Numbers of the chapters that are not written yet.
        unplanned: Files in the folder of chapters that the outline does not have; they are left
            out.
        unsourced: Whether it states facts and rests on no source.
        edition: How it is to be made.
        disclosure: One sentence about the models that had a part in it, or "".
        printing: Which edition it is, in the author's words, or "".
        dedication: Its lines.
        epigraph: Its lines.
        blurb: The paragraphs on the back of a cover.
        pronunciations: How names are said, in the International Phonetic Alphabet.
        genre: What the author calls its genre, or "".
        is_of_facts: Whether it is no story.
        fonts: The project's folder of fonts; None where it has none.
        people: The names of its people, the main ones first.
    """

    name: str
    title: str
    language: Language
    identifier: str
    epoch: int
    parts: tuple[ExportChapter, ...]
    author: str = ""
    series: str = ""
    series_number: str = ""
    rights: str = ""
    publisher: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    images: Mapping[str, Path] = field(default_factory=dict)
    cover: Path | None = None
    missing: tuple[int, ...] = ()
    unplanned: tuple[str, ...] = ()
    unsourced: bool = False
    edition: Edition = field(default_factory=Edition)
    disclosure: str = ""
    printing: str = ""
    dedication: tuple[str, ...] = ()
    epigraph: tuple[str, ...] = ()
    blurb: tuple[str, ...] = ()
    pronunciations: Mapping[str, str] = field(default_factory=dict)
    genre: str = ""
    is_of_facts: bool = False
    fonts: Path | None = None
    people: tuple[str, ...] = ()

    @property
    def is_vertical(self) -> bool:
        """Whether its lines run from top to bottom, where the format can; the first is right."""
        return self.edition.vertical and self.language.ideographic

    @property
    def place_in_series(self) -> str:
        """The series with the number that the book has in it; "" outside of one."""
        return f"{self.series} {self.series_number}".strip() if self.series else ""

    @property
    def imprint(self) -> tuple[str, ...]:
        """The lines of the page behind the title page: rights, number, how it was made."""
        isbn = self.identifier.removeprefix("urn:isbn:")
        number = f"ISBN {isbn}" if isbn != self.identifier else ""
        return tuple(
            filter(None, (self.rights, self.publisher, self.printing, number, self.disclosure))
        )


@runtime_checkable
class Exporter(Protocol):
    """Makes one format of a book.

    Attributes:
        name: What the user types, such as `epub`.
        suffix: The end of the file's name, such as `.epub`.
        needs: What of `pandoc` and `typst` it cannot do without.
        note: What a reader of the file has to know, or "".
        also_called: Other names that a user may type, such as `markdown`.
        place: Where lists have it: the lowest first, equal ones by name.
        usual: Whether it is made where no format is named.
    """

    name: str
    suffix: str
    place: int
    needs: tuple[str, ...] = ()
    note: str = ""
    also_called: tuple[str, ...] = ()
    usual: bool = False

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the file in `folder`, an empty one that this exporter has for itself.

        Returns:
            The path of the finished file.

        Raises:
            ConfigError: A font or a program is missing.
            ProjectError: Something in the book cannot be converted; the error names the place.
        """
        ...
