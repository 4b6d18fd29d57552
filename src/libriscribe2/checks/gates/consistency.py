"""Whether a chapter keeps to its names, its viewpoint, its notes and its length."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from libriscribe2.checks.gates.gate import GateContext, GateResult, finding, gate
from libriscribe2.checks.text import ChapterText, plain, sentences
from libriscribe2.checks.text_figures import Narration, narration_of
from libriscribe2.checks.text_lengths import LONG, SHORT
from libriscribe2.checks.text_names import NameDrift, name_drift
from libriscribe2.models.findings import Finding, Severity

if TYPE_CHECKING:
    from libriscribe2.checks.cited_sentences import CitedFault


@gate("name", lesser=True)
def names(chapter: ChapterText, context: GateContext) -> GateResult:
    """Spellings one slip away from a name; the figure counts them."""
    drifts = name_drift(
        [chapter], context.people, (*context.others, *context.settled), context.language
    )
    return GateResult(float(len(drifts)), _findings(drifts))


def _findings(drifts: list[NameDrift]) -> Iterator[Finding]:
    for one in drifts:
        why = f"`{one.spelling}` looks like a slip for `{one.name}`"
        fix = f"Write `{one.name}`, unless somebody else is meant."
        yield finding("name", "note", _sentence(one), one.paragraph.line, why, fix)


def _sentence(drift: NameDrift) -> str:
    """The sentence that holds the spelling."""
    held = (one for one in sentences(drift.paragraph.text) if drift.spelling in plain(one))
    return next(held, drift.paragraph.text)


@gate("citation")
def citations(chapter: ChapterText, context: GateContext) -> GateResult:
    """Marks without a note; numbers, quoted words and names that cited notes do not have.

    Names do not count.
    """
    if not context.notes:
        return GateResult()
    from libriscribe2.checks.cited_sentences import cited_faults  # noqa: PLC0415 - not for stories

    own = (*context.people, *context.others) if context.english else None
    notes = {note.id: note for note in context.notes}
    found = list(cited_faults(chapter, notes, context.earlier, own, context.sources))
    return GateResult(float(sum(one.kind != "named" for one in found)), map(_cited, found))


def _cited(one: "CitedFault") -> Finding:
    weight: Severity = "warning" if one.kind in ("uncited", "named", "quoted") else "error"
    return finding("citation", weight, one.sentence, one.line, one.why, one.fix)


_BREAK: Final = re.compile(r"\n[ \t]*(?:\*[ \t]*\*[ \t]*\*|#|-{3,}|~{3,}|\u2042)[ \t]*(?=\n|\Z)")
_FEWEST_CHAPTERS: Final = 2
_FEWEST_SCENES: Final = 3


@gate("viewpoint", lesser=True)
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


def _scenes(text: str) -> Iterator[tuple[int, ChapterText, Narration]]:
    """The scenes of a chapter, each with how many lines stand before it and how it is told."""
    start = 0
    # Before a chapter's first line there is no line break; one is put there.
    breaks = ((one.start(), one.end() - 1) for one in _BREAK.finditer(f"\n{text}"))
    for end, following in (*breaks, (len(text), len(text))):
        scene = ChapterText(0, "", text[start:end])
        if scene.prose:
            yield text.count("\n", 0, start), scene, narration_of(scene)
        start = following


def _usual(chapters: Sequence[Narration], scenes: Sequence[Narration]) -> dict[str, str]:
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


@gate("length", lesser=True)
def length(chapter: ChapterText, context: GateContext) -> GateResult:
    """A length outside 0.75 to 1.35 of the wanted one; the figure is how far outside."""
    if not context.words:
        return GateResult()
    share = chapter.word_count / context.words
    if SHORT <= share <= LONG:
        return GateResult()
    why = f"{chapter.word_count} words, {context.words} were asked for"
    return GateResult(max(SHORT - share, share - LONG), [finding("length", "warning", "", 1, why)])
