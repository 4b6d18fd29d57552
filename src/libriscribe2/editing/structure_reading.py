"""What an edit of the order has to read from the book first."""

from collections.abc import Iterable, Sequence
from typing import Any

from libriscribe2.editing.structure_text import (
    Division,
    divided_at_break,
    divided_at_paragraph,
)
from libriscribe2.engine.stages import AgentType
from libriscribe2.engine.status import survey
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CANON_FILES,
    CHAPTER_FILES,
    OUTLINE,
    SCENES,
    SUMMARY_FILES,
    canon_file,
    chapter_file,
    summary_file,
)
from libriscribe2.project.user_text import decode_text
from libriscribe2.project.view import ProjectView
from libriscribe2.utils.words import prose_words


def chapter_rows(
    view: ProjectView, brief: Brief, stages: Iterable[AgentType]
) -> list[dict[str, Any]]:
    """Every chapter with number, title, words of its text and state of its file.

    Raises:
        ProjectError: There is no outline, or a file cannot be read.
    """
    book = Book(view)
    titles = [chapter.title for chapter in book.load(OUTLINE, OutlineFile).chapters]
    writers = [agent for agent in stages if agent.writes == CHAPTER_FILES]
    found = {one.unit.chapter: one for one in survey(writers, brief, view)}
    return [
        {
            "number": number,
            "title": title,
            "words": prose_words(book.text(name)) if book.has(name) else 0,
            "state": found[number].state,
            "reason": found[number].reason,
            "file": name,
        }
        for number, title in enumerate(titles, start=1)
        for name in (chapter_file(number),)
    ]


def planned_scenes(view: ProjectView, said: Sequence[str], summary: str) -> tuple[str, ...]:
    """The scenes of a new chapter as far as the author plans them.

    Where he edited `scenes.json` himself, no model adds to it: what he says of the chapter is then
    its only scene.
    """
    if said:
        return tuple(said)
    edited = view.exists(SCENES) and view.state(SCENES, {}).kind == "edited"
    return (summary,) if edited else ()


def raw_text(view: ProjectView, pattern: str, chapter: int) -> str | None:
    """A chapter's text with its own line ends; None where it is not written.

    Raises:
        ProjectError: The file is empty or not UTF-8.
    """
    name = chapter_file(chapter) if pattern == CHAPTER_FILES else summary_file(chapter)
    data = view.read_bytes(name)
    if data is None:
        return None
    decode_text(name, data)  # an error of its own says where a file is no text
    return data.decode("utf-8")


def texts_of(view: ProjectView, chapter: int) -> dict[str, str]:
    """Text, summary and canon of a chapter by the pattern of their names, as far as there.

    Raises:
        ProjectError: A file is empty or not UTF-8.
    """
    names = {
        CHAPTER_FILES: chapter_file(chapter),
        SUMMARY_FILES: summary_file(chapter),
        CANON_FILES: canon_file(chapter),
    }
    there = {pattern: name for pattern, name in names.items() if view.exists(name)}
    return {pattern: view.read_text(name) for pattern, name in there.items()}


def division(
    view: ProjectView, chapter: int, chapters: int, scene_break: int | None, paragraph: int | None
) -> Division:
    """A chapter's text in two.

    Args:
        view: The project.
        chapter: The chapter's number.
        chapters: How many there are.
        scene_break: Where to split: at this scene break, from 1.
        paragraph: Where to split: before this paragraph.

    Raises:
        UsageError: There is no such chapter or place, or not exactly one place is named.
        ProjectError: The chapter is not written yet.
    """
    if not 1 <= chapter <= chapters:
        raise UsageError(f"There is no chapter {chapter}", fix=f"Choose one of 1 to {chapters}.")
    if (scene_break is None) == (paragraph is None):
        raise UsageError(
            "The place to split at is not clear",
            fix="Name one: --break for a scene break, or --paragraph for a paragraph.",
        )
    if not view.exists(chapter_file(chapter)):
        raise ProjectError(
            f"Chapter {chapter} is not written yet",
            fix="Insert a chapter instead, or run `libriscribe2 resume` to have it written.",
        )
    text = view.read_text(chapter_file(chapter))
    if scene_break is not None:
        return divided_at_break(text, scene_break)
    return divided_at_paragraph(text, paragraph or 0)
