"""What all scenes of a book are shown, in the same words: providers keep it in their cache."""

from typing import Final

from libriscribe2.models.excerpts import book_lines
from libriscribe2.models.style import style_block
from libriscribe2.packs.blocks import block, fields_within, frame, lines_block, text_block
from libriscribe2.packs.endings import thread_lines
from libriscribe2.packs.part import NEVER, Part, Rendered
from libriscribe2.packs.state import PackState
from libriscribe2.prose import shorten

TITLE_BUDGET: Final = 160
LOGLINE_BUDGET: Final = 400
DESCRIPTION_BUDGET: Final = 1_200
PERSON_BUDGET: Final = 130
RULE_BUDGET: Final = 300

_PERSON: Final = ("role", "motivation")


def prefix_parts(state: PackState) -> list[Part]:
    """The parts that hold nothing of the chapter, in the order of the system message."""
    return [
        Part("book", 2_000, NEVER, lambda room: text_block("book", book_lines(state.brief), room)),
        Part("concept", 2_000, NEVER, lambda room: _concept(state, room)),
        Part("style", 3_200, NEVER, lambda room: _style(state, room)),
        Part("whole_book", 1_000, NEVER, lambda room: _summary(state, room)),
        Part("promises", 1_400, NEVER, lambda room: _promises(state, room)),
        Part("cast", 1_600, NEVER, lambda room: _cast(state, room)),
        Part("rules", 1_200, NEVER, lambda room: _rules(state, room)),
        Part("threads", 1_600, NEVER, lambda room: _threads(state, room)),
    ]


def _concept(state: PackState, room: int) -> Rendered:
    concept = state.concept
    fields = {
        "title": shorten(concept.title, TITLE_BUDGET),
        "logline": shorten(concept.logline, LOGLINE_BUDGET),
        "description": shorten(concept.description, DESCRIPTION_BUDGET),
    }
    text, cut = fields_within(fields, room - frame("concept"))
    return Rendered(block("concept", text), cut or fields["description"] != concept.description)


def _style(state: PackState, room: int) -> Rendered:
    if state.style is None:
        return Rendered()
    whole = style_block(state.style, 10**9)
    text = style_block(state.style, max(0, room - frame("style")))
    return Rendered(block("style", text), cut=text != whole)


def _summary(state: PackState, room: int) -> Rendered:
    return text_block("whole_book", state.outline.summary, room)


def _promises(state: PackState, room: int) -> Rendered:
    lines = [f"- {promise}" for promise in state.outline.promises]
    if state.outline.ending:
        lines.insert(0, f"The ending: {state.outline.ending}")
    return lines_block("promises", [shorten(line, room // 2) for line in lines], room)


def _cast(state: PackState, room: int) -> Rendered:
    lines = []
    for person in state.cast:
        told = "; ".join(value for name in _PERSON if (value := str(getattr(person, name))))
        lines.append(f"- {person.name}: {shorten(told, PERSON_BUDGET)}")
    return lines_block("cast", lines, room)


def _rules(state: PackState, room: int) -> Rendered:
    rules = state.world.rules if state.world is not None else []
    return lines_block("rules", [f"- {shorten(rule, RULE_BUDGET)}" for rule in rules], room)


def _threads(state: PackState, room: int) -> Rendered:
    return lines_block("threads", thread_lines(state.outline.threads), room)
