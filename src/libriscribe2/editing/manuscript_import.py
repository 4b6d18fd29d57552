"""From a manuscript that was written elsewhere, and what was read out of it, to a project."""

from collections.abc import Mapping
from math import log
from typing import Final

from libriscribe2.agents.agent_importer import TakenOver, Written
from libriscribe2.agents.outliner import SceneOutlinerAgent
from libriscribe2.agents.summarizer import SummarizerAgent
from libriscribe2.documents.chapter_division import ManuscriptChapter, without_number
from libriscribe2.documents.manuscript_reader import Manuscript
from libriscribe2.engine.stages import input_hashes
from libriscribe2.models.brief import MOST_PREMISE, SIZES, Brief, ProjectType
from libriscribe2.models.story import (
    ChapterNotes,
    CharactersFile,
    ConceptFile,
    ConceptModel,
    Entry,
    OutlineChapter,
    OutlineFile,
    PlannedChapter,
    ScenePlan,
    ScenesFile,
    WorldFile,
)
from libriscribe2.project.paths import (
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    SAMPLES,
    SCENES,
    WORLD,
    chapter_file,
)
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.texts import readable_json
from libriscribe2.prose import count_words, shorten

MANUSCRIPT_SAMPLE: Final = f"{SAMPLES}/manuscript.md"
_MOST_ENTRIES: Final = 24
_LONGEST_TITLE: Final = 60


def as_written(manuscript: Manuscript) -> list[Written]:
    """The chapters as they are read."""
    return [Written(without_number(one.title), one.text) for one in manuscript.chapters]


def size_of(manuscript: Manuscript, more: int) -> dict[str, str | int]:
    """The keys of the brief that say how long the book is to be.

    Args:
        manuscript: The book as far as it is written.
        more: How many chapters are to follow, each as long as the others on average.
    """
    count = len(manuscript.chapters)
    words = sum(count_words(one.text) for one in manuscript.chapters)
    whole = max(1, round(words * (count + more) / count))
    nearest: ProjectType = min(SIZES, key=lambda name: abs(log(SIZES[name].words / whole)))
    return {"chapters": str(count + more), "words": whole, "project_type": nearest}


def completed(brief: Brief, taken: TakenOver, *, premise: str) -> Brief:
    """The brief with what was read: premise, genre and the like, where the author gave none."""
    said = premise or shorten(taken.book.premise, MOST_PREMISE)
    read = {name: getattr(taken.book, name).strip() for name in ("genre", "category", "audience")}
    given = brief.model_fields_set
    own = {name: text for name, text in read.items() if text and name not in given}
    return brief.model_copy(update={"premise": said, **own})


def keep(store: ProjectStore, brief: Brief, manuscript: Manuscript, taken: TakenOver) -> None:
    """Write the files of a manuscript that was taken over; `book.toml` is left to the caller.

    Chapters, outline, cast and world count as the author's. The summaries count as made from the
    chapters. Where chapters are to follow, their scene plans wait to be made, and the text is the
    sample from which their voice is taken.

    Raises:
        ProjectError: A text cannot be UTF-8.
        StorageError: The system refuses.
    """
    for name, text in _own_files(brief, manuscript, taken).items():
        store.import_text(name, text)
    scenes = readable_json(
        _scenes(manuscript, taken, is_story=brief.kind == "fiction").model_dump(mode="json")
    )
    if taken.following:
        whole = "\n".join(one.text for one in manuscript.chapters)
        store.import_text(MANUSCRIPT_SAMPLE, whole)
        # Made without the outline they are stale, so that the next run completes them.
        unit = SceneOutlinerAgent.unit()
        known = input_hashes(SceneOutlinerAgent, unit, brief, store)
        inputs = {name: sha for name, sha in known.items() if name != OUTLINE}
        store.write(SCENES, scenes, step=unit.step, inputs=inputs, params={})
    else:
        store.import_text(SCENES, scenes)
    for number, notes in enumerate(taken.chapters, start=1):
        unit = SummarizerAgent.unit(number)
        inputs = input_hashes(SummarizerAgent, unit, brief, store)
        store.write(unit.output, f"{notes.summary}\n", step=unit.step, inputs=inputs, params={})


def _own_files(brief: Brief, manuscript: Manuscript, taken: TakenOver) -> Mapping[str, str]:
    """The files that count as the author's, by name."""
    chapters = enumerate(manuscript.chapters, start=1)
    files = {chapter_file(number): one.text for number, one in chapters}
    plans = [_planned(one, notes) for one, notes in _pairs(manuscript, taken)]
    outline = OutlineFile(
        summary=taken.book.summary, ending=taken.ending, chapters=[*plans, *taken.following]
    )
    files[OUTLINE] = readable_json(outline.model_dump(mode="json"))
    files[CONCEPT] = readable_json(_concept(brief, taken).model_dump(mode="json"))
    if taken.book.characters and brief.kind == "fiction":
        cast = CharactersFile(characters=taken.book.characters)
        files[CHARACTERS] = readable_json(cast.model_dump(mode="json"))
    if taken.book.overview.strip() and brief.worldbuilding:
        files[WORLD] = readable_json(_world(brief, taken).model_dump(mode="json"))
    return files


def _concept(brief: Brief, taken: TakenOver) -> ConceptFile:
    """The idea of the book as its text has it."""
    title = brief.title or shorten(brief.premise, _LONGEST_TITLE)
    concept = ConceptModel(title=title, logline=brief.premise, description=taken.book.summary)
    return ConceptFile(concept=concept)


def _world(brief: Brief, taken: TakenOver) -> WorldFile:
    entries = [
        Entry(name=name, description=about) for name, about in taken.places.items() if about
    ][:_MOST_ENTRIES]
    is_story = brief.kind == "fiction"
    return WorldFile(
        overview=taken.book.overview,
        places=entries if is_story else [],
        terms=[] if is_story else entries,
        rules=taken.book.rules,
    )


def _planned(chapter: ManuscriptChapter, notes: ChapterNotes) -> OutlineChapter:
    """The entry of a chapter that is written."""
    return OutlineChapter(
        title=without_number(chapter.title),
        summary=notes.summary,
        pov=notes.pov,
        purpose=notes.purpose,
        exit_state=notes.exit_state,
        story_time=notes.story_time,
        target_words=count_words(chapter.text),
    )


def _scenes(manuscript: Manuscript, taken: TakenOver, *, is_story: bool) -> ScenesFile:
    """A plan per chapter: what is written is one scene here, what is not waits for its plan."""
    written = [
        PlannedChapter(
            chapter=number,
            title=without_number(chapter.title),
            scenes=[
                ScenePlan(
                    summary=notes.summary,
                    characters=[one.name for one in notes.people],
                    place=notes.places[0].name if notes.places and is_story else "",
                )
            ],
        )
        for number, (chapter, notes) in enumerate(_pairs(manuscript, taken), start=1)
    ]
    waiting = [
        PlannedChapter(chapter=len(written) + number, title=one.title, scenes=[])
        for number, one in enumerate(taken.following, start=1)
    ]
    return ScenesFile(chapters=[*written, *waiting])


def _pairs(
    manuscript: Manuscript, taken: TakenOver
) -> list[tuple[ManuscriptChapter, ChapterNotes]]:
    return list(zip(manuscript.chapters, taken.chapters, strict=True))
