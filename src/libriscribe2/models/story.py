"""Shapes of a book's plan: concept, people, world, outline, scenes, series, imports."""

from collections.abc import Callable, Iterable
from operator import not_
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from libriscribe2.models.base import (
    Label,
    Name,
    Names,
    Prose,
    Shape,
    Text,
    TextList,
    fits,
    many,
    usable,
)
from libriscribe2.models.citations import ids_in
from libriscribe2.models.draft_order import Ending, Opening, Role, TargetWords, Tension
from libriscribe2.models.story_bible import HARD_STANCES, Attribute, Fact, Stance, Thread


class Character(Shape):
    """A person of the book."""

    name: Name = Field(description="Full name as the text will use it")
    role: Name = Field(description="Part in the book, such as protagonist")
    age: Label = Field("", description="Age or age group")
    appearance: Prose = Field("", description="What others see first")
    personality: Prose = Field("", description="Traits that show in action")
    background: Prose = Field("", description="Where the person comes from")
    motivation: Prose = Field("", description="What the person wants and why")
    conflict: Prose = Field("", description="What stands in the way, inside and outside")
    relationships: Prose = Field("", description="Ties to the others, by name")
    arc: Prose = Field("", description="How the person changes")


class CharactersFile(Shape):
    """`characters.json`."""

    characters: list[Character] = Field(min_length=1, description="The cast, main ones first")


class Entry(Shape):
    """A named thing of the world or a term of the subject."""

    name: Name = Field(description="Name as the text will use it")
    description: Text = Field(description="What a reader has to know of it")


class WorldFile(Shape):
    """`world.json`: where a story happens, or the terms on which a subject stands."""

    overview: Text = Field(description="The world or subject in a paragraph")
    places: list[Entry] = many("Places where things happen")
    terms: list[Entry] = many("Terms, customs, institutions")
    rules: TextList = many("What holds without exception")


class OutlineChapter(Shape):
    """A chapter before it is written: what it is for, and how it joins its neighbours."""

    title: Name = Field(description="Chapter title without its number")
    summary: Text = Field(description="What happens, in order, to the end")
    pov: Label = Field("", description="Whose viewpoint, by name")
    purpose: Prose = Field("", description="What the book would lack without it; its question")
    beats: TextList = many("What has to happen, in order")
    entry_state: Prose = Field("", description="Where everybody is, and how, as it begins")
    exit_state: Prose = Field("", description="The same as it ends; what the reader takes away")
    tension: Tension = Field(None, description="From 0 to 10 at its height")
    question_raised: Prose = Field("", description="What it makes the reader ask")
    question_answered: Prose = Field("", description="What it settles")
    plants: Names = many("Ids of threads that it sets up")
    payoffs: Names = many("Ids of threads that it pays off")
    opening_move: Opening = Field("", description="How it begins")
    ending_move: Ending = Field("", description="How it ends")
    story_time: Label = Field("", description="When it happens, such as `day 3, evening`")
    target_words: TargetWords = Field(0, description="Its length in words; 0 for an even share")
    role: SkipJsonSchema[Role] = Field("", exclude_if=not_)


class LeftOut(Shape):
    """A note that a text does without."""

    id: Name = Field(description="Its id")
    why: Text = Field(description="Why the text does without it, in a few words")


class _OutlineOfAny(Shape):
    """What a plan says of the whole book."""

    summary: Text = Field(description="The whole book in a paragraph")
    promises: TextList = many("What a reader is led to expect")

    def as_file(self) -> "OutlineFile":
        """The plan as the book keeps it."""
        return OutlineFile.model_validate(self.model_dump())


class OutlineFile(_OutlineOfAny):
    """`outline.json`: a chapter's number is its place in the list."""

    ending: Prose = Field("", description="How the central question is answered, and at what cost")
    threads: list[Thread] = many("What is set up and owed")
    chapters: list[OutlineChapter] = Field(min_length=1, description="All chapters in order")
    left_out: SkipJsonSchema[list[LeftOut]] = Field(default_factory=list, exclude_if=not_)


class ChapterOfFacts(Shape):
    """A chapter of a book of facts before it is written: its question, and what it states."""

    title: Name = Field(description="Chapter title without its number")
    summary: Text = Field(description="What it says, step by step, with its examples")
    purpose: Prose = Field("", description="Its one question")
    entry_state: Prose = Field("", description="What the reader has to know before")
    exit_state: Prose = Field("", description="What the reader takes away, in one sentence")
    plants: Names = many("What has its home here: ids of notes, and the terms that it defines")
    payoffs: Names = many("Ids and terms of earlier chapters that it goes back to")
    target_words: TargetWords = Field(0, description="Its length in words; 0 for an even share")
    role: Role = Field(
        "", exclude_if=not_, description="For a first or last chapter that frames the others"
    )


class OutlineOfFacts(_OutlineOfAny):
    """The plan of a book of facts as a model tells it."""

    ending: Prose = Field("", description="What the reader knows and can do at its end")
    chapters: list[ChapterOfFacts] = Field(min_length=1, description="All chapters in order")
    left_out: list[LeftOut] = many("The notes that no chapter states")


class ChapterHomes(Shape):
    """The notes that a chapter states in addition."""

    number: int = Field(ge=1, description="The chapter's number")
    notes: Names = Field(description="Ids of the notes")


class NoteHomes(Shape):
    """Where notes belong that an outline has forgotten."""

    chapters: list[ChapterHomes] = many("Only the chapters that take any")
    left_out: list[LeftOut] = many("The notes that no chapter states")

    def applied_to(self, outline: OutlineFile) -> OutlineFile:
        """The outline with what is said here; a chapter that it does not have is left out."""
        more = {one.number: ids_in(" ".join(one.notes)) for one in self.chapters}
        chapters = [
            one.model_copy(update={"plants": [*dict.fromkeys((*one.plants, *more.get(n, ())))]})
            for n, one in enumerate(outline.chapters, start=1)
        ]
        left_out = [*outline.left_out, *self.left_out]
        return outline.model_copy(update={"chapters": chapters, "left_out": left_out})


class ConceptModel(Shape):
    """What the book is about."""

    title: Name = Field(description="Book title")
    logline: Text = Field(description="One sentence summary")
    description: Text = Field(description="Detailed description")


class KeywordsModel(Shape):
    """Words under which a reader would look for the book."""

    primary_keywords: Names = many("Main subjects")
    secondary_keywords: Names = many("Side subjects")
    genre_keywords: Names = many("Genre and mood")


class ConceptFile(Shape):
    """`concept.json`: exactly the concept and its keywords."""

    concept: ConceptModel
    keywords: KeywordsModel = Field(default_factory=KeywordsModel)


class PlannedThing(Shape):
    """A thing that matters in a scene, with who has it, or where it is, before and after."""

    name: Name = Field(description="The thing, under the same name in the whole plan")
    before: Label = Field("", description="Who has it, or its place, by name, as the scene begins")
    after: Label = Field("", description="The same as the scene ends")


def _things(said: Any) -> Any:
    """The entries that can be read: a bad one costs only itself."""
    return [one for one in said if fits(one, PlannedThing)] if isinstance(said, list) else []


class ScenePlan(Shape):
    """A scene (or a section of non-fiction) before it is written."""

    heading: SkipJsonSchema[Label] = Field("", exclude_if=not_)
    summary: Text = Field(description="What happens, from first to last moment")
    goal: Prose = Field("", description="What the viewpoint wants here; the section's question")
    conflict: Prose = Field("", description="What stands against it; the difficulty to explain")
    turn: Prose = Field("", description="The moment after which nothing goes as it was meant to")
    outcome: Prose = Field("", description="What is different at the end; the section's answer")
    characters: Names = many("Who is present, by name")
    place: Label = Field("", description="Where it happens, by name")
    time: Label = Field("", description="When it happens, such as `day 3, evening`")
    mode: Label = Field("", description="How it is told: dialogue, action, summary, example ...")
    reveals: TextList = many("What the reader learns here and nowhere before")
    withholds: TextList = many("What is known to somebody and not told yet")
    entry_state: Prose = Field("", description="Where everybody is, and how, as it begins")
    exit_state: Prose = Field("", description="The same as it ends")
    things: Annotated[list[PlannedThing], BeforeValidator(_things)] = many(
        "Things that matter beyond this scene, and who has them"
    )
    transition_in: Prose = Field("", description="How it follows from what came before")
    transition_out: Prose = Field("", description="What leads on to what comes next")
    target_words: TargetWords = Field(0, description="Its length in words; 0 for an even share")


class ChapterScenes(Shape):
    """The scenes of one chapter, as a model plans them."""

    scenes: list[ScenePlan] = Field(min_length=1, description="The chapter's scenes in order")


class SectionPlan(Shape):
    """A section of a book of facts before it is written."""

    heading: Label = Field(
        "", description="Its heading in the book; empty where the text simply goes on"
    )
    summary: Text = Field(description="What it says, in order")
    goal: Prose = Field("", description="Its one question")
    outcome: Prose = Field("", description="Its one takeaway")
    characters: Names = many("Whose case it tells, by name")
    mode: Label = Field(
        "", description="How it is told: explanation, example, steps, table, code ..."
    )
    reveals: TextList = many("What has its home here: ids of notes, and the terms that it defines")
    transition_in: Prose = Field("", description="How it follows from what came before")
    transition_out: Prose = Field("", description="What leads on to what comes next")
    target_words: TargetWords = Field(0, description="Its length in words; 0 for an even share")


class ChapterSections(Shape):
    """The sections of one chapter, as a model plans them."""

    scenes: list[SectionPlan] = Field(min_length=1, description="The chapter's sections in order")


class NumberedScenes(ChapterScenes):
    """The scenes of one chapter among others, as a model plans them."""

    chapter: int = Field(ge=1, description="The chapter's number")


class NumberedSections(ChapterSections):
    """The sections of one chapter among others, as a model plans them."""

    chapter: int = Field(ge=1, description="The chapter's number")


class GroupScenes(Shape):
    """The scenes of several chapters, as a model plans them."""

    chapters: Annotated[list[NumberedScenes], usable(NumberedScenes)] = Field(
        description="The chapters that are to be planned"
    )


class GroupSections(Shape):
    """The sections of several chapters, as a model plans them."""

    chapters: Annotated[list[NumberedSections], usable(NumberedSections)] = Field(
        description="The chapters that are to be planned"
    )


class PlannedChapter(ChapterScenes):
    """The scenes of one chapter, as the file keeps them."""

    chapter: int = Field(ge=1, description="Chapter number, from 1")
    title: Label = ""
    scenes: list[ScenePlan] = Field(description="None while the chapter waits for its plan")


class ScenesFile(Shape):
    """`scenes.json`: every chapter's scenes, in order."""

    chapters: list[PlannedChapter] = Field(min_length=1)

    @model_validator(mode="after")
    def _numbered(self) -> "ScenesFile":
        numbers = [chapter.chapter for chapter in self.chapters]
        if numbers != list(range(1, len(numbers) + 1)):
            raise ValueError(f"chapters are numbered {numbers}, not 1 to {len(numbers)}")
        return self


class TitleFile(Shape):
    """`title.json`."""

    title: Name = Field(description="The best title, one to eight words")
    alternatives: Names = many("Other titles")


PASSING: Final[frozenset[Attribute]] = frozenset(
    {Attribute.LOCATION, Attribute.ACTS, Attribute.WEEKDAY, Attribute.OTHER}
)
"""Kinds of statements that end with the book that makes them; all others go on after it."""

_BREAKS: Final = "breaks:"


class SeriesFact(Shape):
    """A statement of an earlier book, with the words that make it."""

    entity: Name
    attribute: Attribute
    value: Name
    quote: Text
    stance: Stance = "asserted"
    file: Name = Field(description="The file that holds the words, as the way from this book")
    line: int = Field(1, ge=1)

    def as_fact(self) -> Fact:
        """The statement as one that comes before the first chapter; its clock is another."""
        return Fact(chapter=0, origin=self.file, **self.model_dump(exclude={"file"}))


class SeriesFile(Shape):
    """`.libriscribe/series/canon.json`: what an earlier book states and this one shares."""

    book: Name = Field(description="The project that states it")
    facts: list[SeriesFact] = Field(default_factory=list)


def lasting_facts(book: str, facts: Iterable[Fact], file_of: Callable[[Fact], str]) -> SeriesFile:
    """The statements of a book that go on after it.

    Args:
        book: The name of its project.
        facts: What holds at its end, under the names of its cast.
        file_of: The file that says a fact, as the way from the new book's folder.
    """
    kept = [
        SeriesFact(
            file=file_of(fact),
            **fact.model_dump(exclude={"chapter", "scene", "time", "origin"}),
        )
        for fact in facts
        if _lasts(fact)
    ]
    return SeriesFile(book=book, facts=kept)


def _lasts(fact: Fact) -> bool:
    """Whether a fact is one of the next book, too."""
    is_breach = fact.attribute is Attribute.RULE and fact.value.casefold().startswith(_BREAKS)
    is_sure = bool(fact.quote) and fact.stance in HARD_STANCES
    return is_sure and not is_breach and fact.attribute not in PASSING


MOST_PEOPLE: Final = 12
MOST_PLACES: Final = 8
MOST_CAST: Final = 24


class Seen(Shape):
    """A person, a place or a term as a chapter shows it."""

    name: Name = Field(description="Full name as the text uses it")
    about: Prose = Field("", description="What the text says of it, in one sentence")


class ChapterNotes(Shape):
    """What a model says of a chapter that is written."""

    summary: Text = Field(description="What happens, in order, to the end, in 60 to 120 words")
    purpose: SkipJsonSchema[Prose] = Field("", exclude_if=not_)
    pov: Label = Field("", description="Whose viewpoint, by name; empty where there is none")
    exit_state: Prose = Field("", description="Where everybody is, and how, as it ends")
    story_time: Label = Field("", description="When it happens, such as `day 3, evening`")
    people: list[Seen] = many("Who matters in it, the most important first", most=MOST_PEOPLE)
    places: list[Seen] = many(
        "Where it happens; of a subject, the terms that it explains", most=MOST_PLACES
    )


class BookNotes(Shape):
    """What a model says of a whole manuscript."""

    premise: Text = Field(description="The idea of the book in one or two sentences")
    summary: Text = Field(description="The whole book so far in a paragraph")
    genre: Label = Field("", description="Its genre in a word or two")
    overview: Prose = Field("", description="Its world or subject in a paragraph")
    rules: TextList = many("What holds there without exception")
    category: SkipJsonSchema[Label] = Field("", exclude_if=not_)
    audience: SkipJsonSchema[Prose] = Field("", exclude_if=not_)
    characters: list[Character] = many(
        "The cast as the text shows it, main ones first", most=MOST_CAST
    )


class ChapterNotesOfFacts(Shape):
    """What a model says of a chapter of a book of facts that is written."""

    summary: Text = Field(description="What it says, in order, in 60 to 120 words")
    purpose: Prose = Field("", description="The question that it answers")
    exit_state: Prose = Field("", description="What the reader takes away, in one sentence")
    people: list[Seen] = many("Who is written about, the most important first", most=MOST_PEOPLE)
    places: list[Seen] = many(
        "The terms that it explains, each with its definition in the text's words", most=MOST_PLACES
    )


class BookNotesOfFacts(Shape):
    """What a model says of a whole manuscript of facts."""

    premise: Text = Field(description="The idea of the book in one or two sentences")
    summary: Text = Field(description="The whole book so far in a paragraph")
    genre: Label = Field("", description="Its genre in a word or two, such as manual or memoir")
    category: Label = Field("", description="Its subject as a bookshop would shelve it")
    audience: Prose = Field("", description="For whom it is written, as the text shows")
    overview: Prose = Field("", description="Its subject in a paragraph")
    rules: TextList = many("What it keeps to throughout")


class NextChaptersOfFacts(Shape):
    """Chapters of a book of facts that are to follow those that are written."""

    ending: Prose = Field("", description="What the reader knows and can do at its end")
    chapters: list[ChapterOfFacts] = Field(min_length=1, description="The next chapters in order")


class NextChapters(Shape):
    """Chapters that are to follow those that are written."""

    ending: Prose = Field("", description="How the central question is answered, and at what cost")
    chapters: list[OutlineChapter] = Field(min_length=1, description="The next chapters in order")
