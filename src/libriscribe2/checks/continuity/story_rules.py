"""R10, R12 and R13: names, the way of telling, and what a book owes its reader."""

from collections.abc import Iterator

from libriscribe2.checks.continuity.story_facts import (
    CONTINUITY_RULES,
    Story,
    contradiction,
    of_kind,
)
from libriscribe2.checks.text_figures import narration_drift
from libriscribe2.checks.text_names import name_drift
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.models.story_bible import Attribute, Fact, Thread
from libriscribe2.project.paths import OUTLINE


@CONTINUITY_RULES.rule(
    "R10",
    "one name is used for two people",
    fix="Give one of the two another name in {here} or {there}.",
)
def unclear_names(story: Story) -> Iterator[Finding]:
    """R10: one by-name stands for one person, and a name is spelled in one way."""
    yield from _shared_aliases(story)
    yield from _drifting_names(story)


@CONTINUITY_RULES.rule(
    "R12",
    "the point of view or the tense changes",
    fix="Match {here} to the other chapters, or have it written again: "
    "`libriscribe2 redo {project} chapters --chapter {chapter}`.",
)
def drifting_narration(story: Story) -> Iterator[Finding]:
    """R12: chapters that are told otherwise than most."""
    for drift in narration_drift(story.chapters) if story.english else ():
        chapter, first = drift.chapter, drift.chapter.paragraphs[0]
        place = Place(chapter.file, chapter.number, line=first.line, quote=first.text)
        yield Finding("warning", place, f"Chapter {chapter.number} is {drift.message}.")


@CONTINUITY_RULES.rule(
    "R13",
    "a thread is not paid off in time",
    fix="Change its chapters under `threads` in outline.json, or write its payoff.",
)
def owed_threads(story: Story) -> Iterator[Finding]:
    """R13: threads that the plan, or the text, does not pay off in time."""
    late = [(one, why) for one in story.threads if (why := _plan_fault(one, story.planned))]
    for thread, why in late:
        at = max(1, min(story.planned, thread.setup))
        severity: Severity = "error" if thread.must else "warning"
        yield Finding(severity, _place(thread, at), f"{thread.promise}: {why}.")
    faulty = {thread.id for thread, _ in late}
    for thread in story.threads:
        payoff = thread.payoff
        if payoff is not None and thread.id not in faulty and _is_untold(thread, payoff, story):
            why = f"chapter {payoff} is to pay it off, but nothing in it does."
            yield Finding("warning", _place(thread, payoff), f"{thread.promise}: {why}")


def _shared_aliases(story: Story) -> Iterator[Finding]:
    """By-names of two people."""
    owner: dict[str, Fact] = {}
    for fact in of_kind(story.facts, Attribute.ALIAS):
        first = owner.setdefault(fact.value.casefold(), fact)
        if first.entity != fact.entity:
            yield contradiction(
                fact,
                first,
                f"{fact.value} is {first.entity} in chapter {first.chapter} and {fact.entity} in "
                f"chapter {fact.chapter}.",
            )


def _drifting_names(story: Story) -> Iterator[Finding]:
    """Spellings next to a name."""
    for drift in name_drift(story.chapters, story.people, story.others):
        chapter, paragraph = story.chapters[drift.chapter], drift.paragraph
        place = Place(chapter.file, chapter.number, line=paragraph.line, quote=paragraph.text)
        yield Finding(
            "warning",
            place,
            f"{drift.spelling} ({_times(drift.uses)}) is close to {drift.name} "
            f"({_times(drift.name_uses)}).",
            f"Write {drift.name} in {place.address}, or add {drift.spelling} to characters.json "
            "or world.json.",
        )


def _place(thread: Thread, chapter: int) -> Place:
    return Place(OUTLINE, chapter, line=1, quote=thread.promise, entity=thread.id)


def _plan_fault(thread: Thread, chapters: int) -> str:
    """What the plan has wrong of a thread; "" where nothing is."""
    last = chapters if thread.due_by is None else min(thread.due_by, chapters)
    if thread.payoff is None:
        return f"set up in chapter {thread.setup} and never paid off"
    if thread.payoff < thread.setup:
        return f"paid off in chapter {thread.payoff}, before chapter {thread.setup} sets it up"
    if thread.payoff > last:
        return f"due by chapter {last}, paid off in chapter {thread.payoff}"
    return ""


def _is_untold(thread: Thread, payoff: int, story: Story) -> bool:
    """Whether all chapters from set-up to payoff were read, and no words pay a thread off."""
    if not story.hits.keys() >= {*range(thread.setup, payoff + 1)}:
        return False
    names = {thread.id.casefold(), thread.promise.casefold()}
    return not any(
        hit.move == "paid off" and hit.thread.casefold() in names
        for number in range(thread.setup, max(story.hits) + 1)
        for hit in story.hits.get(number, ())
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
