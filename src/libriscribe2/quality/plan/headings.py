"""P19 and P20: headings of one kind, and one question with one answer in each section."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal

import regex

from libriscribe2.quality.plan.plan import OUTLINE, SCENES, Plan, PlanFinding

Form = Literal["question", "how-to", "-ing form", "other"]

FEWEST_CHAPTERS: Final = 4
MOST_SHARE: Final = 0.7
"""From this share on one form is the book's, and the others break it."""

_ASKS: Final = ("?", "\uff1f", "\u061f")
_GERUND: Final = regex.compile(r"(?:[Hh]ow to\s+)?\p{L}{2,}ing\b")


def parallel_headings(plan: Plan) -> Iterator[PlanFinding]:
    """P19: titles that break the form of most; for books of facts."""
    forms = [_form(chapter.title, english=plan.english) for chapter in plan.chapters]
    if len(forms) < FEWEST_CHAPTERS:
        return
    form, count = Counter(forms).most_common(1)[0]
    if form == "other" or count < MOST_SHARE * len(forms) or count == len(forms):
        return
    for number, own in enumerate(forms, start=1):
        if own != form:
            yield PlanFinding(
                "P19",
                "warning",
                OUTLINE,
                f"Most titles have the form of a {form}; that of chapter {number} has not.",
                "Word it as the others are worded.",
                number,
            )


def one_question(plan: Plan) -> Iterator[PlanFinding]:
    """P20: sections without a question or an answer, or with several questions."""
    for chapter, number, section in plan.planned():
        asked = sum(section.goal.count(mark) for mark in _ASKS)
        lacks = [
            what
            for what, said in (("question", section.goal), ("answer", section.outcome))
            if not said.strip()
        ]
        if lacks or asked > 1:
            told = f"The section has no {' and no '.join(lacks)}" if lacks else ""
            told = told or f"The section asks {asked} questions at once"
            yield PlanFinding(
                "P20",
                "warning",
                SCENES,
                f"{told}.",
                "Give it one question as its goal and one answer as its outcome.",
                chapter,
                number,
            )


def _form(title: str, *, english: bool) -> Form:
    """How a heading is built, as far as its letters tell."""
    if title.rstrip().endswith(_ASKS):
        return "question"
    if english and title.casefold().startswith("how to "):
        return "how-to"
    return "-ing form" if english and _GERUND.match(title.strip()) else "other"
