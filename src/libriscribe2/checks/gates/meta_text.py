"""Words that belong to the work on the book and not into it: headings, remarks, the plan itself."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from libriscribe2.checks.gates.gate import GateContext, GateResult, finding, gate
from libriscribe2.checks.text import ChapterText, in_a_row, words
from libriscribe2.models.findings import Finding

PLAN_WORDS: Final = 14
"""So many words in a row that stand in the plan are its own, and not what came of it."""

_BLOCKS: Final = (
    "book|concept|premise|characters|places|story_so_far|chapter|text_before|scene|next|notes"
    "|outline|text|written|issues|passages|style|plan|json_schema|think|thinking"
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What does not belong into a text.

    Attributes:
        name: What it is.
        pattern: What finds it.
        signs: Words and marks in lower case, of which any find holds one.
    """

    name: str
    pattern: re.Pattern[str]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Mark:
    """One find in a block.

    Attributes:
        kind: The place of its kind in the order in which kinds are told.
        what: The kind's name.
        said: Its words.
        before: The lines of the block before it.
        leads: Whether nothing stands before it in the block.
    """

    kind: int
    what: str
    said: str
    before: int
    leads: bool


_HEADING: Final = "a heading"
_FENCE: Final = "a fence"
_EVERYWHERE: Final = (
    _Kind(_HEADING, re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+\S.*$"), ("#",)),
    _Kind("a tag of the prompt", re.compile(rf"</?(?:{_BLOCKS})>"), ("<",)),
    _Kind(_FENCE, re.compile(r"(?m)^[ \t]{0,3}(?:```|~~~).*$"), ("```", "~~~")),
    _Kind(
        "a field of the plan",
        re.compile(r'"(?:summary|goal|conflict|outcome|characters)"[ \t]*:.*'),
        ('"',),
    ),
)
_IN_ENGLISH: Final = (
    _Kind(
        _HEADING,
        re.compile(
            r"(?mi)^[ \t]*[*_]{0,3}(?:scene|chapter|section|part)[ \t]+(?:\d{1,3}|[ivxl]{1,6})"
            r"(?:[ \t]*(?:[:.\u2013\u2014-].{0,80})?)?[*_]{0,3}[ \t]*$"
        ),
        ("scene", "chapter", "section", "part"),
    ),
    _Kind(
        "a remark about the text",
        re.compile(
            r"(?i)\bas an ai\b|\bas a (?:large )?language model\b"
            r"|(?m:^)[ \t]*\(?(?:word count|words)[ \t]*:[ \t]*[\d,]+"
            r"|(?m:^)[ \t]*[\[(](?:to be continued|end of (?:the )?(?:scene|chapter|section)"
            r"|the end of the (?:scene|chapter)|insert[^\])]{0,60}|continued?)[^\])\n]{0,40}[\])]"
            r"|(?m:^)[ \t]*(?:(?:sure|certainly|of course|okay)[^\n\w]{1,3})?here(?: is|['\u2019]s)"
            r" (?:the|a|your) (?:\w+ ){0,3}(?:scene|chapter|section|text|continuation|draft)\b"
            r"[^\n]{0,60}:(?m:[ \t]*$)"
            r"|(?m:^)[ \t]*(?:i hope (?:this|you)|let me know if)\b[^\n]{0,80}"
            r"(?:scene|chapter|section|text|changes|revis|adjust|helps?)\b"
        ),
        ("as an ai", "language model", "word", "[", "(", "here", "i hope", "let me know"),
    ),
)
_KINDS: Final = (*_EVERYWHERE, *_IN_ENGLISH)

_REACHES_ON: Final = re.compile(r"[\[(](?i:insert)")
"""Begins the one remark that may go on behind a blank line."""

_FOLDED: Final = frozenset("\u0130\u0131\u017f\u212a")
"""Letters that patterns take for others in spite of `str.lower`."""


@gate("leak")
def meta_text(chapter: ChapterText, context: GateContext) -> GateResult:
    """Headings, tags, remarks, and runs of the plan's own words; the figure counts them."""
    marks = _marks(chapter, context)
    plans = list(_plan_runs(context))
    runs = frozenset(chain.from_iterable(plans))
    copied = [
        at
        for at, paragraph in enumerate(chapter.words_of)
        if not runs.isdisjoint(in_a_row(paragraph, PLAN_WORDS))
    ]
    return GateResult(float(len(marks) + len(copied)), _findings(chapter, marks, copied))


def _findings(
    chapter: ChapterText, marks: Sequence[tuple[int, _Mark]], copied: Sequence[int]
) -> Iterator[Finding]:
    for line, mark in marks:
        said, why = mark.said.splitlines()[0], f"{mark.what} stands in the text"
        yield finding("leak", "error", said, line, why, "Take it out.")
    for at in copied:
        paragraph = chapter.paragraphs[at]
        why = "the text repeats its own plan word for word"
        fix = "Show it happen instead of telling the plan."
        yield finding("leak", "warning", paragraph.text, paragraph.line, why, fix)


def _marks(chapter: ChapterText, context: GateContext) -> list[tuple[int, _Mark]]:
    """What its form gives away, with the lines where it stands.

    The chapter's own title above the text is no fault; nor are headings of sections in a book of
    facts, or where most chapters have them; nor, in a book of facts, fences and what they hold.
    """
    kinds = _KINDS if context.english else _EVERYWHERE
    reaches_on = context.english and _REACHES_ON.search(chapter.text) is not None
    blocks = (chapter.text,) if reaches_on else chapter.blocks
    found, line, is_first = list[tuple[int, _Mark]](), 1, True
    title = "" if context.outline is None else f"# {context.outline.title}"
    for block in blocks:
        for one in _marks_in(block, kinds):
            is_title = is_first and one.said == title and one.leads
            is_first = False
            if not is_title:
                found.append((line + one.before, one))
        is_first = is_first and not block.strip()
        line += block.count("\n") + 1
    facts = context.kind != "fiction"
    if facts or context.has_sections:
        fences = [at for at, one in found if facts and one.what == _FENCE]
        found = [one for one in found if not _is_form(one, fences)]
    return sorted(found, key=lambda one: one[1].kind)


def _is_form(placed: tuple[int, _Mark], fences: Sequence[int]) -> bool:
    """Whether a mark is the form of a book: a section's heading, or code between fences."""
    at, one = placed
    is_code = at in fences or sum(fence < at for fence in fences) % 2 == 1
    return is_code or (one.what == _HEADING and one.said.startswith("##"))


def _marks_in(block: str, kinds: Sequence[_Kind]) -> Iterator[_Mark]:
    """What is found in a block; what stands in most lines, in no order of kinds."""
    low, is_folded = block.lower(), not (block.isascii() or _FOLDED.isdisjoint(block))
    return (
        _mark(block, rank, kind.name, found)
        for rank, kind in enumerate(kinds)
        if is_folded or any(sign in low for sign in kind.signs)
        for found in kind.pattern.finditer(block)
    )


def _mark(block: str, kind: int, what: str, found: re.Match[str]) -> _Mark:
    said = found.group().strip()
    place = found.start() + len(found.group()) - len(said)
    leads = not block[: found.start()].strip()
    return _Mark(kind, what, said, block.count("\n", 0, place), leads)


def _plan_runs(context: GateContext) -> Iterator[Iterator[tuple[str, ...]]]:
    """All runs of words of the texts of the plan that are long enough to be its own."""
    told = list[str]()
    if context.outline is not None:
        told += (context.outline.summary, context.outline.purpose, *context.outline.beats)
    for scene in context.scenes:
        told += (scene.summary, scene.goal, scene.conflict, scene.outcome)
    return (in_a_row(words(one), PLAN_WORDS) for one in told)
