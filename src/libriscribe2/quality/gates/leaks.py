"""Words that belong to the work on the book and not into it: headings, remarks, the plan itself."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from libriscribe2.models.revision import Issue
from libriscribe2.quality.gates.finding import Found, Gatekeeper
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.text import ChapterText, words

PLAN_WORDS: Final = 14
"""So many words in a row that stand in the plan are its own, and not what came of it."""

_GATE: Final = Gatekeeper("leak")
_BLOCKS: Final = (
    "book|concept|premise|characters|places|story_so_far|chapter|text_before|scene|next|notes"
    "|outline|text|written|issues|passages|style|plan|json_schema|think|thinking"
)
_EVERYWHERE: Final = {
    "a heading": re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+\S.*$"),
    "a tag of the prompt": re.compile(rf"</?(?:{_BLOCKS})>"),
    "a fence": re.compile(r"(?m)^[ \t]{0,3}(?:```|~~~).*$"),
    "a field of the plan": re.compile(r'"(?:summary|goal|conflict|outcome|characters)"[ \t]*:.*'),
}
_IN_ENGLISH: Final = {
    "a heading": re.compile(
        r"(?mi)^[ \t]*[*_]{0,3}(?:scene|chapter|section|part)[ \t]+(?:\d{1,3}|[ivxl]{1,6})"
        r"(?:[ \t]*(?:[:.\u2013\u2014-].*)?)?[*_]{0,3}[ \t]*$"
    ),
    "a remark about the text": re.compile(
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
}


def leaks(chapter: ChapterText, around: Surroundings) -> Found:
    """Headings, tags, remarks, and runs of the plan's own words; the figure counts them."""
    issues = [*_patterns(chapter.text, around), *_planned(chapter, around)]
    return Found(float(len(issues)), lambda: issues)


def _patterns(text: str, around: Surroundings) -> Iterator[Issue]:
    """What its form gives away; the chapter's own title above the text is no fault."""
    title = "" if around.outline is None else f"# {around.outline.title}"
    kinds = [*_EVERYWHERE.items(), *(_IN_ENGLISH.items() if around.english else ())]
    for what, pattern in kinds:
        for found in pattern.finditer(text):
            said = found.group().strip()
            if said == title and not text[: found.start()].strip():
                continue
            line = text.count("\n", 0, found.start() + len(found.group()) - len(said)) + 1
            why = f"{what} stands in the text"
            yield _GATE.issue("error", said.splitlines()[0], line, why, "Take it out.")


def _planned(chapter: ChapterText, around: Surroundings) -> Iterator[Issue]:
    """Paragraphs with a run of words that the plan has in the same order."""
    runs = {run for plan in _plans(around) for run in _runs(plan)}
    for paragraph in chapter.paragraphs if runs else ():
        if not runs.isdisjoint(_runs(paragraph.text)):
            why = "the text repeats its own plan word for word"
            fix = "Show it happen instead of telling the plan."
            yield _GATE.issue("warning", paragraph.text, paragraph.line, why, fix)


@lru_cache(maxsize=1_024)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Every so many words in a row."""
    found = tuple(words(text))
    starts = range(len(found) - PLAN_WORDS + 1)
    return frozenset(found[start : start + PLAN_WORDS] for start in starts)


def _plans(around: Surroundings) -> Iterator[str]:
    """The texts of the plan."""
    if around.outline is not None:
        yield from (around.outline.summary, around.outline.purpose, *around.outline.beats)
    for scene in around.scenes:
        yield from (scene.summary, scene.goal, scene.conflict, scene.outcome)
