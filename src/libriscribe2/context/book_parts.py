"""What all scenes of a book are shown in the same words, for providers' caches."""

from typing import Final

from libriscribe2.context.knowledge_parts import knowledge_parts
from libriscribe2.context.prompt_context import PromptContext
from libriscribe2.context.prompt_parts import (
    NEVER,
    Part,
    Rendered,
    block,
    fields_within,
    frame,
    lines_block,
    text_block,
)
from libriscribe2.models.canon import Thread
from libriscribe2.models.excerpts import book_lines
from libriscribe2.prose import shorten

CLOSING: Final = 3
"""How many of the last chapters are shown what is still owed."""

LINE_BUDGET: Final = 200
ENDING_BUDGET: Final = 600


def ending_part(state: PromptContext, budget: int) -> Rendered:
    """For the last chapters: how the book has to end, and the threads that are not paid off."""
    left = state.chapters - state.number
    if left >= CLOSING:
        return Rendered()
    lines = [f"This is chapter {state.number} of {state.chapters}."]
    if state.outline.ending:
        lines.append(f"The book ends so: {shorten(state.outline.ending, ENDING_BUDGET)}")
    lines += [f"Still owed: {_owed(thread)}" for thread in unpaid(state)]
    return lines_block("ending", lines if len(lines) > 1 else [], budget)


def unpaid(state: PromptContext) -> list[Thread]:
    """The threads that are open when the chapter begins, those that must be paid off first.

    What a chapter did is told by its record, and by the plan where its record is not known.
    """
    paid = {
        hit.thread.casefold()
        for number, hits in state.hits.items()
        if number < state.number
        for hit in hits
        if hit.move == "paid off"
    }
    planned = range(1, state.number)
    open_ones = [
        thread
        for thread in state.outline.threads
        if thread.id.casefold() not in paid
        and not (thread.payoff in planned and thread.payoff not in state.hits)
    ]
    return sorted(open_ones, key=lambda thread: not thread.must)


def thread_lines(threads: list[Thread]) -> list[str]:
    """Every thread in a line: where it is set up, and where it is paid off."""
    return [f"- {_owed(thread)} (chapter {thread.setup}{_until(thread)})" for thread in threads]


def _owed(thread: Thread) -> str:
    return f"{thread.id}: {shorten(thread.promise, LINE_BUDGET)}"


def _until(thread: Thread) -> str:
    """Where a thread ends, in words."""
    if thread.payoff is not None:
        return f" to {thread.payoff}"
    return f", by {thread.due_by} at the latest" if thread.due_by is not None else ""


TITLE_BUDGET: Final = 160
LOGLINE_BUDGET: Final = 400
DESCRIPTION_BUDGET: Final = 1_200
PERSON_BUDGET: Final = 130
RULE_BUDGET: Final = 300

_PERSON: Final = ("role", "motivation")


def prefix_parts(state: PromptContext) -> list[Part]:
    """The parts that hold nothing of the chapter, in the order of the system message."""
    return [
        Part("book", 2_000, NEVER, lambda room: text_block("book", book_lines(state.brief), room)),
        Part("concept", 2_000, NEVER, lambda room: _concept(state, room)),
        *knowledge_parts(state.known, per_chapter=False),
        Part("whole_book", 1_000, NEVER, lambda room: _summary(state, room)),
        Part("promises", 1_400, NEVER, lambda room: _promises(state, room)),
        Part("cast", 1_600, NEVER, lambda room: _cast(state, room)),
        Part("rules", 1_200, NEVER, lambda room: _rules(state, room)),
        Part("threads", 1_600, NEVER, lambda room: _threads(state, room)),
    ]


def _concept(state: PromptContext, room: int) -> Rendered:
    concept = state.concept
    fields = {
        "title": shorten(concept.title, TITLE_BUDGET),
        "logline": shorten(concept.logline, LOGLINE_BUDGET),
        "description": shorten(concept.description, DESCRIPTION_BUDGET),
    }
    text, cut = fields_within(fields, room - frame("concept"))
    return Rendered(block("concept", text), cut or fields["description"] != concept.description)


def _summary(state: PromptContext, room: int) -> Rendered:
    return text_block("whole_book", state.outline.summary, room)


def _promises(state: PromptContext, room: int) -> Rendered:
    lines = [f"- {promise}" for promise in state.outline.promises]
    if state.outline.ending:
        lines.insert(0, f"The ending: {state.outline.ending}")
    return lines_block("promises", [shorten(line, room // 2) for line in lines], room)


def _cast(state: PromptContext, room: int) -> Rendered:
    lines = []
    for person in state.cast:
        told = "; ".join(value for name in _PERSON if (value := str(getattr(person, name))))
        lines.append(f"- {person.name}: {shorten(told, PERSON_BUDGET)}")
    return lines_block("cast", lines, room)


def _rules(state: PromptContext, room: int) -> Rendered:
    rules = state.world.rules if state.world is not None else []
    return lines_block("rules", [f"- {shorten(rule, RULE_BUDGET)}" for rule in rules], room)


def _threads(state: PromptContext, room: int) -> Rendered:
    return lines_block("threads", thread_lines(state.outline.threads), room)
