"""Whether a chapter keeps the person and the tense in which the book is told. English only."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from libriscribe2.models.reviews import Issue
from libriscribe2.quality.canon.viewpoint import Viewpoint
from libriscribe2.quality.canon.viewpoint import viewpoint as told_in
from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText

_GATE: Final = Gatekeeper("viewpoint")
_BREAK: Final = re.compile(r"\n[ \t]*(?:\*[ \t]*\*[ \t]*\*|#|-{3,}|~{3,}|\u2042)[ \t]*(?=\n|\Z)")
_FEWEST_CHAPTERS: Final = 2
_FEWEST_SCENES: Final = 3


def viewpoint(chapter: ChapterText, around: Surroundings) -> Found:
    """Scenes told otherwise than the book, or than the other scenes; the figure counts them."""
    if not around.english or around.kind != "fiction":
        return Found()
    scenes = _scenes(chapter.text)
    views = [view for *_, view in scenes]
    usual = _usual(around.views, views)
    strange = [
        (start, scene, name, getattr(view, name), wanted)
        for start, scene, view in scenes
        for name, wanted in usual.items()
        if getattr(view, name) not in (None, wanted)
    ]

    def tell() -> Iterator[Issue]:
        for start, *told in strange:
            yield _issue(chapter.text.count("\n", 0, start), *told)

    return Found(float(len(strange)), tell)


def _scenes(text: str) -> list[tuple[int, str, Viewpoint]]:
    """The scenes of a chapter, each with where it begins and how it is told."""
    found, start = [], 0
    # Before a chapter's first line there is no line break; one is put there.
    breaks = ((one.start(), one.end() - 1) for one in _BREAK.finditer(f"\n{text}"))
    for end, following in (*breaks, (len(text), len(text))):
        scene = text[start:end]
        view = _view(scene)
        if view is not None:
            found.append((start, scene, view))
        start = following
    return found


@lru_cache(maxsize=256)
def _view(scene: str) -> Viewpoint | None:
    """How a scene is told; None where it has no text."""
    chapter = ChapterText(0, "", scene)
    return told_in(chapter) if chapter.prose else None


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


def _issue(line: int, text: str, name: str, value: str, wanted: str) -> Issue:
    """A scene told otherwise, given how many lines stand before it."""
    scene = ChapterText(0, "", text)
    first = scene.paragraphs[0]
    return _GATE.issue(
        "warning",
        scene.sentences[0] if scene.sentences else first.text,
        line + first.line,
        f"from here on the scene is told in the {value} {name}, the book in the {wanted} {name}",
        f"Tell it in the {wanted} {name}.",
    )
