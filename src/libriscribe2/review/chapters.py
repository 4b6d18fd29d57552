"""The chapters of a book as they are on the disk."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from libriscribe2.errors import LibriScribeError
from libriscribe2.project.paths import CHAPTER_FILES
from libriscribe2.project.view import ProjectView
from libriscribe2.prose import prose_words

NUMBER: Final = re.compile(r"/([0-9]+)\.md$")
"""The number in the name of a chapter's file."""


@dataclass(frozen=True, slots=True)
class ChapterEntry:
    """A chapter in the list.

    Attributes:
        key: Its number with two digits or more.
        title: Its heading.
        words: How long it is, without headings.
        state: How its file stands.
        text: Its Markdown.
        fault: Why it cannot be read.
    """

    key: str
    title: str
    words: int
    state: str
    text: str
    fault: str = ""


def read_chapters(view: ProjectView, states: Mapping[str, str]) -> tuple[ChapterEntry, ...]:
    """The chapters that are there, in order; one that cannot be read says why.

    A file whose name is no number is none.

    Args:
        view: The project.
        states: How the files stand, by name.
    """
    return tuple(
        _entry(view, name, number[1], states.get(name, ""))
        for name in view.names(CHAPTER_FILES)
        if (number := NUMBER.search(name)) is not None
    )


def _entry(view: ProjectView, name: str, key: str, state: str) -> ChapterEntry:
    try:
        text = view.read_text(name)
    except LibriScribeError as error:
        return ChapterEntry(key, f"Chapter {key}", 0, state, "", error.what)
    heading, _, _ = text.partition("\n")
    title = heading.lstrip("# ").strip() if heading.startswith("#") else f"Chapter {key}"
    return ChapterEntry(key, title, _words(text), state, text)


# A page that follows a run counts the same chapters after every change.
_words: Final = lru_cache(maxsize=1_024)(prose_words)
