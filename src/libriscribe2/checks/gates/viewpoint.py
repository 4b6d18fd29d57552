"""Whether a chapter keeps the person and the tense in which the book is told. English only."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from libriscribe2.checks.gates.gate import GateResult, finding, gate
from libriscribe2.checks.gates.gate_context import GateContext
from libriscribe2.models.findings import Finding
from libriscribe2.quality.canon.viewpoint import Viewpoint
from libriscribe2.quality.canon.viewpoint import viewpoint as told_in
from libriscribe2.quality.text import ChapterText

_BREAK: Final = re.compile(r"\n[ \t]*(?:\*[ \t]*\*[ \t]*\*|#|-{3,}|~{3,}|\u2042)[ \t]*(?=\n|\Z)")
_FEWEST_CHAPTERS: Final = 2
_FEWEST_SCENES: Final = 3


@gate("viewpoint")
def viewpoint(chapter: ChapterText, context: GateContext) -> GateResult:
    """Scenes told otherwise than the book, or than the other scenes; the figure counts them."""
    if not context.english or context.kind != "fiction":
        return GateResult()
    scenes = list(_scenes(chapter.text))
    usual = _usual(context.views, [view for *_, view in scenes])
    strange = [
        (line, scene, name, getattr(view, name), wanted)
        for line, scene, view in scenes
        for name, wanted in usual.items()
        if getattr(view, name) not in (None, wanted)
    ]
    return GateResult(float(len(strange)), (_finding(*one) for one in strange))


def _scenes(text: str) -> Iterator[tuple[int, ChapterText, Viewpoint]]:
    """The scenes of a chapter, each with how many lines stand before it and how it is told."""
    start = 0
    # Before a chapter's first line there is no line break; one is put there.
    breaks = ((one.start(), one.end() - 1) for one in _BREAK.finditer(f"\n{text}"))
    for end, following in (*breaks, (len(text), len(text))):
        scene = ChapterText(0, "", text[start:end])
        if scene.prose:
            yield text.count("\n", 0, start), scene, told_in(scene)
        start = following


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


def _finding(lines: int, scene: ChapterText, name: str, value: str, wanted: str) -> Finding:
    """A scene told otherwise, given how many lines stand before it."""
    first = scene.paragraphs[0]
    return finding(
        "viewpoint",
        "warning",
        scene.sentences[0] if scene.sentences else first.text,
        lines + first.line,
        f"from here on the scene is told in the {value} {name}, the book in the {wanted} {name}",
        f"Tell it in the {wanted} {name}.",
    )
