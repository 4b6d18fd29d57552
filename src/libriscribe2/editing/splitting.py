"""What an edit of the order reads from a chapter: its heading, its body, the places to split at."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.context.story_so_far import SCENE_BREAK
from libriscribe2.engine.stages import AgentType, book_status
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    OUTLINE,
    SCENES,
    STORY_BIBLE_FILES,
    SUMMARY_FILES,
    chapter_file,
    story_bible_file,
    summary_file,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.texts import decode_text
from libriscribe2.prose import prose_words

_BLOCK: Final = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")
_BREAK: Final = re.compile(r"(?:[*][ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}")
_HEADING: Final = re.compile(r"#[ \t]+(?P<title>[^\n]*)")

_BEFORE: Final = "\ufeff \t\r\n"


@dataclass(frozen=True, slots=True)
class Division:
    """A text in two.

    Attributes:
        first: The text up to the place.
        second: The text after it, without a heading.
        scene: In which of the chapter's scenes, from 1, the first part ends.
        inside: Whether that scene goes on in the second part.
    """

    first: str
    second: str
    scene: int
    inside: bool


@dataclass(frozen=True, slots=True)
class _Block:
    """A run of lines with blank lines around it."""

    start: int
    end: int
    text: str

    @property
    def is_break(self) -> bool:
        """Whether it stands for the gap between two scenes."""
        return _BREAK.fullmatch(self.text.strip()) is not None


def heading_of(text: str) -> str | None:
    """The title in the first line of a chapter; None where it begins without one."""
    match = _HEADING.match(text.lstrip(_BEFORE))
    return None if match is None else match["title"].strip()


def body_of(text: str) -> str:
    """A chapter's text without its heading."""
    plain = text.strip(_BEFORE)
    match = _HEADING.match(plain)
    return plain if match is None else plain[match.end() :].lstrip()


def with_heading(title: str, body: str) -> str:
    """A chapter's file."""
    return f"# {title}\n\n{body.strip()}\n"


def retitled(text: str, old: str, new: str) -> str:
    """A chapter under a new title; a heading that does not name the old one is the author's own."""
    heading = heading_of(text)
    if heading is None or old not in heading:
        return text
    start = text.index("#")
    end = text.find("\n", start) if "\n" in text[start:] else len(text)
    return text[:start] + text[start:end].replace(old, new, 1) + text[end:]


def joined(first: str, second: str) -> str:
    """Two chapters as one: the second loses its heading and begins after a scene break."""
    return f"{first.rstrip()}{SCENE_BREAK}{body_of(second).rstrip()}\n"


def divided_at_break(text: str, number: int) -> Division:
    """A chapter in two at its scene break `number`, from 1; the break itself goes.

    Raises:
        UsageError: It has no such break, or nothing would be left on one side.
    """
    breaks = [block for block in _blocks(text) if block.is_break]
    if not 1 <= number <= len(breaks):
        raise UsageError(
            f"The chapter has no scene break {number}",
            why=f"it has {len(breaks)}",
            fix="Split it at a paragraph with --paragraph.",
        )
    gap = breaks[number - 1]
    return _division(text[: gap.start], text[gap.end :], number, inside=False)


def divided_at_paragraph(text: str, number: int) -> Division:
    """A chapter in two before its paragraph `number`; heading and scene breaks do not count.

    Raises:
        UsageError: It has no such paragraph, or it is the first.
    """
    blocks = _blocks(text)
    heading = 1 if heading_of(text) is not None and "\n" not in blocks[0].text else 0
    at = [n for n, block in enumerate(blocks) if n >= heading and not block.is_break]
    if not 2 <= number <= len(at):
        raise UsageError(
            f"The chapter cannot be split before paragraph {number}",
            why=f"it has {len(at)}; the second part can begin with paragraph 2 to {len(at)}",
        )
    place = at[number - 1]
    before = blocks[place - 1]
    breaks = sum(block.is_break for block in blocks[:place])
    first = text[: before.start] if before.is_break else text[: blocks[place].start]
    inside = not before.is_break
    return _division(first, text[blocks[place].start :], breaks + inside, inside=inside)


def _division(first: str, second: str, scene: int, *, inside: bool) -> Division:
    if not body_of(first) or not second.strip():
        raise UsageError("One part of the chapter would be empty", fix="Split it at another place.")
    return Division(f"{first.rstrip()}\n", second.strip(), scene, inside)


def _blocks(text: str) -> list[_Block]:
    return [_Block(match.start(), match.end(), match[0]) for match in _BLOCK.finditer(text)]


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
    decisions = {one.unit.chapter: one for one in book_status(writers, brief, view)}
    return [
        {
            "number": number,
            "title": title,
            "words": prose_words(book.text(name)) if book.has(name) else 0,
            "state": decisions[number].state,
            "reason": decisions[number].reason,
            "file": name,
        }
        for number, title in enumerate(titles, start=1)
        for name in (chapter_file(number),)
    ]


def planned_scenes(view: ProjectView, summaries: Sequence[str], summary: str) -> tuple[str, ...]:
    """The scenes of a new chapter as far as the author plans them.

    Where he edited `scenes.json` himself, no model adds to it: what he says of the chapter is then
    its only scene.
    """
    if summaries:
        return tuple(summaries)
    edited = view.exists(SCENES) and view.state(SCENES, {}).kind == "edited"
    return (summary,) if edited else ()


def raw_text(view: ProjectView, name: str) -> str | None:
    """The text of a file with its own line ends; None where it is not written.

    Raises:
        ProjectError: The file is empty or not UTF-8.
    """
    data = view.read_bytes(name)
    if data is None:
        return None
    decode_text(name, data)  # an error of its own says where a file is no text
    return data.decode("utf-8")


def texts_of(view: ProjectView, chapter: int) -> dict[str, str]:
    """Text, summary and facts of a chapter by the pattern of their names, as far as there.

    Raises:
        ProjectError: A file is empty or not UTF-8.
    """
    names = {
        CHAPTER_FILES: chapter_file(chapter),
        SUMMARY_FILES: summary_file(chapter),
        STORY_BIBLE_FILES: story_bible_file(chapter),
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
    check_chapter(chapter, chapters)
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
