"""Words that belong to the work on the book and not into it: headings, remarks, the plan itself."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from libriscribe2.models.reviews import Issue
from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.repetition import in_a_row
from libriscribe2.quality.text import PARAGRAPHS, ChapterText, paragraph_words

PLAN_WORDS: Final = 14
"""So many words in a row that stand in the plan are its own, and not what came of it."""

_SIGN: Final = 3
"""The first words of a run, which are looked for before whole runs are."""

_GATE: Final = Gatekeeper("leak")
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


_EVERYWHERE: Final = (
    _Kind("a heading", re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+\S.*$"), ("#",)),
    _Kind("a tag of the prompt", re.compile(rf"</?(?:{_BLOCKS})>"), ("<",)),
    _Kind("a fence", re.compile(r"(?m)^[ \t]{0,3}(?:```|~~~).*$"), ("```", "~~~")),
    _Kind(
        "a field of the plan",
        re.compile(r'"(?:summary|goal|conflict|outcome|characters)"[ \t]*:.*'),
        ('"',),
    ),
)
_IN_ENGLISH: Final = (
    _Kind(
        "a heading",
        re.compile(
            r"(?mi)^[ \t]*[*_]{0,3}(?:scene|chapter|section|part)[ \t]+(?:\d{1,3}|[ivxl]{1,6})"
            r"(?:[ \t]*(?:[:.\u2013\u2014-].*)?)?[*_]{0,3}[ \t]*$"
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


def leaks(chapter: ChapterText, around: Surroundings) -> Found:
    """Headings, tags, remarks, and runs of the plan's own words; the figure counts them."""
    is_english = around.english
    reaches_on = is_english and _reaches_on(chapter.text)
    blocks = (chapter.text,) if reaches_on else chapter.blocks
    title = "" if around.outline is None else f"# {around.outline.title}"
    marks = _marks(blocks, title, is_english=is_english)
    copied = list(filter(_copies(tuple(_plans(around))), chapter.prose))

    def tell() -> Iterator[Issue]:
        for at, mark in marks:
            line = sum(block.count("\n") + 1 for block in blocks[:at]) + mark.before + 1
            said, why = mark.said.splitlines()[0], f"{mark.what} stands in the text"
            yield _GATE.issue("error", said, line, why, "Take it out.")
        for paragraph in chapter.paragraphs if copied else ():
            if paragraph.text in copied:
                why = "the text repeats its own plan word for word"
                fix = "Show it happen instead of telling the plan."
                yield _GATE.issue("warning", paragraph.text, paragraph.line, why, fix)

    return Found(float(len(marks) + len(copied)), tell)


def _marks(blocks: Sequence[str], title: str, *, is_english: bool) -> list[tuple[int, _Mark]]:
    """What its form gives away, with the places of the blocks.

    The chapter's own title above the text is no fault.
    """
    told = map(_in_english if is_english else _everywhere, blocks)
    found = [(at, one) for at, marks in enumerate(told) if marks for one in marks]
    if found and title:
        at, first = found[0]
        if first.said == title and first.leads and not "".join(blocks[:at]).strip():
            found = found[1:]
    return sorted(found, key=lambda one: one[1].kind)


def _reaches_on(text: str) -> bool:
    """Whether a remark of a text may go on behind a blank line."""
    return ("[" in text or "(" in text) and _REACHES_ON.search(text) is not None


@lru_cache(maxsize=PARAGRAPHS)
def _in_english(block: str) -> tuple[_Mark, ...]:
    """What is found in a block of an English text."""
    return tuple(_marks_in(block, _KINDS))


@lru_cache(maxsize=PARAGRAPHS)
def _everywhere(block: str) -> tuple[_Mark, ...]:
    """What is found in a block of a text in any language."""
    return tuple(_marks_in(block, _EVERYWHERE))


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


@lru_cache(maxsize=8)
def _copies(plans: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a paragraph has a run of words that the plan has in the same order."""
    told = map(paragraph_words, plans)
    runs = frozenset(chain.from_iterable(in_a_row(plan, PLAN_WORDS) for plan in told))
    begin = frozenset(run[:_SIGN] for run in runs)

    @lru_cache(maxsize=PARAGRAPHS)
    def copies(text: str) -> bool:
        said = paragraph_words(text)
        if begin.isdisjoint(in_a_row(said, _SIGN)):
            return False
        return not runs.isdisjoint(in_a_row(said, PLAN_WORDS))

    return copies


def _plans(around: Surroundings) -> Iterator[str]:
    """The texts of the plan."""
    if around.outline is not None:
        yield from (around.outline.summary, around.outline.purpose, *around.outline.beats)
    for scene in around.scenes:
        yield from (scene.summary, scene.goal, scene.conflict, scene.outcome)
