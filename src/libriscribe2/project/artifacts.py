"""The artifacts of a book, read and validated: what agents work from."""

from collections.abc import Collection
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import ChapterRole, DraftOrder
from libriscribe2.models.notes import (
    AnsweredQuestion,
    AnswersFile,
    Note,
    NotesFile,
    Source,
    SourcesFile,
    UnsupportedWords,
)
from libriscribe2.models.story import (
    Character,
    CharactersFile,
    ConceptFile,
    Entry,
    OutlineFile,
    ScenesFile,
    SeriesFile,
    TitleFile,
    WorldFile,
)
from libriscribe2.models.story_bible import Fact
from libriscribe2.project.manifest import FileRecord
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    CHARACTERS,
    CONCEPT,
    NOTE_FILES,
    OUTLINE,
    RESEARCH_ANSWERS,
    RESEARCH_LIST,
    RESEARCH_NOTES,
    SAMPLE_FILES,
    SCENES,
    SERIES_FACTS,
    TITLE,
    WORLD,
    chapter_file,
    summary_file,
    text_copy,
)
from libriscribe2.project.project_view import ProjectView, natural_order
from libriscribe2.project.texts import parse_json, value_sha
from libriscribe2.prose import prose_words
from libriscribe2.wording import counted, plain_fault

ModelT = TypeVar("ModelT", bound=BaseModel)


def check_chapter(number: int, chapters: int, why: str = "") -> None:
    """Make sure that the chapter that a command names is one of the book's.

    Args:
        number: The chapter's number.
        chapters: How many the book has; 0 before there is an outline.
        why: What else there is to say, or "".

    Raises:
        UsageError: The book has no such chapter.
    """
    if 1 <= number <= chapters:
        return
    numbers = "1" if chapters == 1 else f"one of 1 to {chapters}"
    raise UsageError(
        f"There is no chapter {number}: the book has {counted(chapters, 'chapter')}.",
        why=why,
        fix=f"Choose {numbers}; `libriscribe2 chapter insert` adds one."
        if chapters
        else "Run `libriscribe2 resume` to have them planned.",
    )


class Book:
    """Reads a project's artifacts.

    Args:
        view: The project's files.
        ignored: Names of artifacts that the book does without, even where a file is left.
    """

    def __init__(self, view: ProjectView, ignored: Collection[str] = ()) -> None:
        self._view = view
        self._ignored = ignored

    def has(self, name: str) -> bool:
        """Whether the artifact is there; a book need not have every one."""
        return name not in self._ignored and self._view.exists(name)

    def text(self, name: str) -> str:
        """The text of an artifact.

        Raises:
            ProjectError: It is missing, empty or not UTF-8.
        """
        return self._view.read_text(name)

    def found(self, name: str) -> str | None:
        """The text of an artifact; None where the book has none.

        Raises:
            ProjectError: It is empty or not UTF-8.
        """
        return None if name in self._ignored else self._view.find_text(name)

    def text_behind(self, name: str, made: str) -> str | None:
        """The text that an input had when another artifact was made from it; None if unknown.

        Args:
            name: The input.
            made: The artifact.
        """
        last = self._view.manifest.files.get(made)
        sha = None if last is None else last.inputs.get(name)
        return None if sha is None else self._view.find_text(text_copy(sha))

    def draft_of(self, name: str) -> str | None:
        """What a file was before it was revised, while it is as it was written; None if unknown."""
        last = self._view.manifest.files.get(name)
        sha = last.params.get("draft") if last is not None and self.is_as_written(name) else None
        return None if sha is None else self._view.find_text(text_copy(str(sha)))

    def is_asked_again(self, step: str) -> bool:
        """Whether the author asked for a step to be done again from the beginning."""
        return self._view.manifest.asked_again(step)

    def parts_asked_again(self, step: str) -> tuple[str, ...]:
        """The parts of a step that the author asked for again, where he did not ask for all of it."""
        return self._view.manifest.parts_asked_again(step)

    def made(self, name: str) -> FileRecord | None:
        """What an artifact was made from; None where it is not the program's."""
        is_ours = self._view.state(name, {}).kind in ("fresh", "stale")
        return self._view.manifest.files.get(name) if is_ours else None

    def plan_shas(self, number: int) -> list[str]:
        """The hash of the plan of each scene of a chapter; what is empty in it counts for nothing."""
        plans = self.load(SCENES, ScenesFile).chapters if self.has(SCENES) else []
        scenes = plans[number - 1].scenes if number <= len(plans) else []
        return [value_sha(one.model_dump(mode="json", exclude_defaults=True)) for one in scenes]

    def touched_scenes(self, number: int) -> tuple[int, ...]:
        """The scenes of a chapter whose plan is another one than when they were written.

        None where that is not known: the chapter is the author's, or has more or fewer scenes.
        """
        made = self.made(chapter_file(number))
        then = made.params.get("plans", ()) if made is not None else ()
        now = self.plan_shas(number)
        pairs = enumerate(zip(then, now, strict=False), start=1)
        return tuple(n for n, (a, b) in pairs if a != b) if len(then) == len(now) else ()

    def is_as_written(self, name: str) -> bool:
        """Whether a file has the text that the program wrote, and no edit of the author's."""
        last = self._view.manifest.files.get(name)
        written = last is not None and bool(last.params) and not last.is_own
        return written and last is not None and last.sha == self._view.sha(name)

    def load(self, name: str, model: type[ModelT]) -> ModelT:
        """A JSON artifact as a value of its shape; it is shared, so nobody may change it.

        Raises:
            ProjectError: It is missing, is not JSON or has another shape; the error names the
                field.
        """
        return self.value(name, model, self._view.read_text(name))

    @staticmethod
    def value(name: str, model: type[ModelT], text: str) -> ModelT:
        """What `load` returns, given the artifact's text."""
        return cast("ModelT", _value(name, model, text))

    def is_edited(self, name: str) -> bool:
        """Whether the artifact is there and the author has changed it."""
        return self._view.state(name, {}).kind == "edited"

    def title(self, brief: Brief) -> str:
        """The author's title, else the one that was found; empty before there is one."""
        if brief.title:
            return brief.title
        if self.has(TITLE):
            return self.load(TITLE, TitleFile).title
        return self.load(CONCEPT, ConceptFile).concept.title if self.has(CONCEPT) else ""

    def chapters(self) -> int:
        """How many chapters the outline has; 0 before there is one."""
        return len(self.load(OUTLINE, OutlineFile).chapters) if self.has(OUTLINE) else 0

    def draft_order(self, brief: Brief) -> DraftOrder:
        """The order in which the chapters are drafted.

        Of a story that is told in sequence the number of chapters is no matter.
        """
        if brief.drafting == "sequential" and brief.kind == "fiction":
            return DraftOrder(brief.drafting)
        return DraftOrder.planned(brief.drafting, brief.kind, self.roles())

    def roles(self) -> list[ChapterRole]:
        """What each chapter is by the outline; empty before there is one."""
        planned = self.load(OUTLINE, OutlineFile).chapters if self.has(OUTLINE) else []
        return [chapter.role for chapter in planned]

    def characters(self) -> list[Character]:
        """The cast; empty where the book has none."""
        return self.load(CHARACTERS, CharactersFile).characters if self.has(CHARACTERS) else []

    def places(self) -> list[Entry]:
        """The places; empty where the book has no world."""
        return self.load(WORLD, WorldFile).places if self.has(WORLD) else []

    def terms(self) -> list[Entry]:
        """The terms; empty where the book has no world."""
        return self.load(WORLD, WorldFile).terms if self.has(WORLD) else []

    def stated_before(self) -> list[Fact]:
        """What holds at the end of the book before; nothing where no series is gone on with."""
        if not self.has(SERIES_FACTS):
            return []
        return [fact.as_fact() for fact in self.load(SERIES_FACTS, SeriesFile).facts]

    def notes(self) -> list[Note]:
        """The notes of the research; a question of the author's brings some to any book."""
        if not self._view.exists(RESEARCH_NOTES):
            return []
        return self.load(RESEARCH_NOTES, NotesFile).notes

    def sources(self) -> list[Source]:
        """The sources on which notes rest, as far as they are listed."""
        if not self._view.exists(RESEARCH_LIST):
            return []
        return self.load(RESEARCH_LIST, SourcesFile).sources

    def answers(self) -> list[AnsweredQuestion]:
        """The questions of the research with what their notes say."""
        return self._answers().answers

    def unsupported(self) -> list[UnsupportedWords]:
        """What the concept says and no note bears out."""
        return self._answers().concept

    def _answers(self) -> AnswersFile:
        if not self._view.exists(RESEARCH_ANSWERS):
            return AnswersFile()
        return self.load(RESEARCH_ANSWERS, AnswersFile)

    def sample_files(self) -> tuple[str, ...]:
        """The names of the texts from which the voice is taken."""
        found = {name for pattern in SAMPLE_FILES for name in self._view.names(pattern)}
        return tuple(sorted(found, key=natural_order))

    def author_notes(self) -> dict[str, str]:
        """The author's own notes by the name of their file, without those that are empty.

        Raises:
            ProjectError: One is not UTF-8.
            StorageError: One cannot be read.
        """
        found = (name for name in self._view.names(NOTE_FILES) if self.raw(name).strip())
        return {name: self.text(name).strip() for name in found}

    def raw(self, name: str) -> bytes:
        """The bytes of a file of the author's, which need not be text.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The file cannot be read.
        """
        return self._view.read_bytes(name) or b""

    def chapter_texts(self) -> list[str]:
        """Every chapter's text, in order."""
        return [self.text(chapter_file(n)) for n in range(1, self.chapters() + 1)]

    def words(self) -> int:
        """The words of the chapters that are there; a damaged one counts as far as it is text."""
        names = map(chapter_file, range(1, self.chapters() + 1))
        return sum(prose_words(self.raw(name).decode(errors="replace")) for name in names)

    def unplanned_chapters(self) -> tuple[str, ...]:
        """Names of the files beside the chapters: beyond the outline, or under another name."""
        ours = {chapter_file(number) for number in range(1, self.chapters() + 1)}
        return tuple(name for name in self._view.names(CHAPTER_FILES) if name not in ours)

    def chapter_summaries(self) -> list[str]:
        """Every chapter's summary, in order."""
        return [self.text(summary_file(n)) for n in range(1, self.chapters() + 1)]


def _value(name: str, model: type[BaseModel], text: str) -> BaseModel:
    """The value of a JSON text; one text is read once, and another text is another value."""
    try:
        return model.model_validate(parse_json(name, text))
    except ValidationError as error:
        raise _bad_shape(name, error) from error


def _bad_shape(name: str, error: ValidationError) -> ProjectError:
    """The first fault of a file that can be read but is not what it should be."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return ProjectError(
        f"{name} does not have the right shape.",
        why=f"{place or 'the whole file'}: {plain_fault(first)}",
        fix=f"Correct {name}, or delete it to have it made again.",
    )
