"""Whether a chapter keeps the person and the tense in which the book is told. English only."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from libriscribe2.models.revision import Issue
from libriscribe2.quality.canon.viewpoint import Viewpoint
from libriscribe2.quality.canon.viewpoint import viewpoint as told_in
from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText

_GATE: Final = Gatekeeper("viewpoint")
_BREAK: Final = re.compile(r"(?m)^[ \t]*(?:\*[ \t]*\*[ \t]*\*|#|-{3,}|~{3,}|\u2042)[ \t]*$")
_FEWEST_CHAPTERS: Final = 2
_FEWEST_SCENES: Final = 3


def viewpoint(chapter: ChapterText, around: Surroundings) -> Found:
    """Scenes told otherwise than the book, or than the other scenes; the figure counts them."""
    if not around.english or around.kind != "fiction":
        return Found()
    scenes = _scenes(chapter)
    views = [told_in(scene) for _, scene in scenes]
    usual = _usual(around.views, views)
    issues = [
        _issue(line, scene, name, getattr(view, name), wanted)
        for (line, scene), view in zip(scenes, views, strict=True)
        for name, wanted in usual.items()
        if getattr(view, name) not in (None, wanted)
    ]
    return Found(float(len(issues)), lambda: issues)


def _scenes(chapter: ChapterText) -> list[tuple[int, ChapterText]]:
    """The scenes of a chapter, each with the number of lines before it."""
    found, start = [], 0
    for end in (*(one.span() for one in _BREAK.finditer(chapter.text)), (len(chapter.text),) * 2):
        scene = ChapterText(chapter.number, chapter.file, chapter.text[start : end[0]])
        if scene.paragraphs:
            found.append((chapter.text.count("\n", 0, start), scene))
        start = end[1]
    return found


def _usual(chapters: Sequence[Viewpoint], scenes: Sequence[Viewpoint]) -> dict[str, str]:
    """The person and the tense that are expected, where chapters or scenes agree on one."""
    usual = {}
    for name in ("person", "tense"):
        book = Counter(value for one in chapters if (value := getattr(one, name)) is not None)
        own = Counter(value for one in scenes if (value := getattr(one, name)) is not None)
        if len(book) == 1 and book.total() >= _FEWEST_CHAPTERS:
            usual[name] = next(iter(book))
        elif not book and own.total() >= _FEWEST_SCENES:
            (value, count), *_ = own.most_common(1)
            if count == own.total() - 1:
                usual[name] = value
    return usual


def _issue(line: int, scene: ChapterText, name: str, value: str, wanted: str) -> Issue:
    first = scene.paragraphs[0]
    return _GATE.issue(
        "warning",
        scene.sentences[0] if scene.sentences else first.text,
        line + first.line,
        f"from here on the scene is told in the {value} {name}, the book in the {wanted} {name}",
        f"Tell it in the {wanted} {name}.",
    )
