"""The story bible of a project: the facts of all chapters that were read, where they stand now."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from libriscribe2.checks.continuity.fact_values import canonical_facts, world_facts
from libriscribe2.checks.continuity.story_rules import Story, hard
from libriscribe2.checks.text import ChapterText
from libriscribe2.errors import IncompleteError
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineFile, WorldFile
from libriscribe2.models.story_bible import Attribute, Fact, StoryBibleFile, Thread, ThreadHit
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    OUTLINE,
    STORY_BIBLE_FILES,
    WORLD,
    chapter_file,
    story_bible_file,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.research.quotes import line_of_quote

TEXT: Final = "text"
"""What a reader's remark is about, which is nobody's statement."""


@dataclass(frozen=True)
class StoryBible:
    """What a book states.

    Attributes:
        chapters: The written chapters.
        facts: Facts of the text, under one name each, on the lines where they stand now.
        laws: The rules of the world as facts; they have no quote.
        people: The full names of the cast.
        others: Names of places and terms.
        threads: What the plan owes its reader.
        hits: What each chapter that was read does with the threads.
        planned: How many chapters the book is to have.
        changed: Chapters whose text has changed since they were read.
        lost: How many facts no longer stand in the text.
        before: What the book before it in its series states, as facts of chapter 0.
        noticed: What the readers of chapters found to contradict what was said before (`Story`).
    """

    chapters: tuple[ChapterText, ...]
    facts: tuple[Fact, ...]
    laws: tuple[Fact, ...] = ()
    people: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    threads: tuple[Thread, ...] = ()
    hits: Mapping[int, list[ThreadHit]] = field(default_factory=dict)
    planned: int = 0
    changed: tuple[int, ...] = ()
    lost: int = 0
    before: tuple[Fact, ...] = ()
    noticed: tuple[tuple[Fact, Fact], ...] = ()

    def story(self, language: str) -> Story:
        """What the rules compare; in another language some rules find nothing."""
        return Story(
            hard((*self.before, *self.laws, *self.facts)),
            self.chapters,
            self.people,
            self.others,
            self.threads,
            self.hits,
            self.planned,
            language,
            self.noticed,
        )


def bible_of(brief: Brief, view: ProjectView) -> StoryBible:
    """Read what a book states.

    Raises:
        IncompleteError: The facts of no chapter are known; the error says what makes them.
        ProjectError: A file cannot be used.
        StorageError: A file cannot be read.
    """
    from libriscribe2.checks.continuity.ledger import standing_ends, with_ends  # noqa: PLC0415 -- create enters no rule

    book = Book(view)
    texts = {n: book.text(chapter_file(n)) for n in _written(book)}
    files = {
        n: book.load(story_bible_file(n), StoryBibleFile)
        for n in texts
        if book.has(story_bible_file(n))
    }
    if not files:
        raise _unread(brief, view.paths.called, written=bool(texts))
    placed = [_placed(fact, texts[n]) for n, file in files.items() for fact in file.of_chapter(n)]
    people = tuple(person.name for person in book.characters())
    rules = book.load(WORLD, WorldFile).rules if book.has(WORLD) else []
    standing = [fact for fact in placed if fact is not None]
    named = canonical_facts([*book.stated_before(), *standing], people)
    facts = with_ends(named, standing_ends(files, texts))
    return StoryBible(
        chapters=tuple(ChapterText(n, chapter_file(n), text) for n, text in texts.items()),
        facts=tuple(fact for fact in facts if not fact.origin),
        laws=tuple(world_facts(rules)),
        people=people,
        others=tuple(entry.name for entry in (*book.places(), *book.terms())),
        threads=tuple(getattr(book.load(OUTLINE, OutlineFile), "threads", ())),
        hits={n: file.threads for n, file in files.items()},
        planned=book.chapters(),
        changed=tuple(n for n in files if _is_out_of_date(n, view)),
        lost=len(placed) - len(standing),
        before=tuple(fact for fact in facts if fact.origin),
        noticed=tuple(_noticed(files, texts)),
    )


def has_no_story(brief: Brief, view: ProjectView) -> bool:
    """Whether a book is none whose chapters are read for facts, and none was."""
    return brief.kind != "fiction" and not view.names(STORY_BIBLE_FILES)


def _written(book: Book) -> list[int]:
    """Numbers of the chapters that are written."""
    return [n for n in range(1, book.chapters() + 1) if book.has(chapter_file(n))]


def _placed(fact: Fact, text: str) -> Fact | None:
    """A fact on the line where its quote stands now; None where the text lost it."""
    line = line_of_quote(fact.quote, text)
    return None if line is None else fact.model_copy(update={"line": line})


def _noticed(
    files: Mapping[int, StoryBibleFile], texts: Mapping[int, str]
) -> Iterator[tuple[Fact, Fact]]:
    """What readers found to contradict earlier words; what the text has not is of the record."""
    for number, file in files.items():
        for one in file.contradictions:
            later = _remark(number, one.quote, one.why, texts[number])
            if later is None:
                continue
            before = (n for n in sorted(texts) if n <= number)
            told = (_remark(n, one.against, one.against, texts[n]) for n in before)
            record = Fact(entity=TEXT, attribute=Attribute.OTHER, chapter=0, value=one.against)
            yield later, next((fact for fact in told if fact and fact.place < later.place), record)


def _remark(number: int, quote: str, value: str, text: str) -> Fact | None:
    """Words of a chapter as a statement of no known kind; None where they do not stand there."""
    line = line_of_quote(quote, text)
    if line is None:
        return None
    return Fact(
        entity=TEXT,
        attribute=Attribute.OTHER,
        value=value,
        chapter=number,
        quote=quote,
        line=line,
    )


def _is_out_of_date(number: int, view: ProjectView) -> bool:
    """Whether a chapter's text is another than the one that was read."""
    name = chapter_file(number)
    sha = view.sha(name)
    state = view.state(story_bible_file(number), {} if sha is None else {name: sha})
    return state.kind == "stale" and name in state.changed


def _unread(brief: Brief, project: str, *, written: bool) -> IncompleteError:
    """The facts of no chapter are known."""
    if not (brief.story_bible and brief.kind == "fiction"):
        why = (
            "the book is non-fiction"
            if brief.kind != "fiction"
            else "`story_bible` is switched off"
        )
        return IncompleteError(
            "No chapter of this book is read for its facts.",
            why=f"{why}, so there is no story bible",
            fix="Set `story_bible = true` and a fiction category in book.toml, then "
            f"`libriscribe2 resume {project}`.",
        )
    why = "the chapters are written, but not yet read" if written else "no chapter is written yet"
    command = f"libriscribe2 resume {project}" + (" --until story_bible" if written else "")
    return IncompleteError(
        "No chapter has been read for its facts yet.", why=why, fix=f"Run `{command}`."
    )
