"""Longer plan texts in the present tense: the book's description, a chapter's summary."""

from collections.abc import Sequence

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import capitalised, count_words
from libriscribe2.llm.offline.grammar import Grammar
from libriscribe2.llm.offline.material import Material
from libriscribe2.llm.offline.phrases import banks
from libriscribe2.llm.offline.plot import PER_CHAPTER, chapter_events, plural_topic
from libriscribe2.llm.offline.story import Story


def book_description(story: Story, material: Material, grammar: Grammar) -> str:
    """The concept's description: the premise in its own words, then beginning, middle and end.

    Args:
        story: The book.
        material: The prompt, which says how long it should be.
        grammar: Fills the slots.
    """
    bank = "synopsis" if story.fiction else "synopsis_facts"
    told = [grammar.finish(template) for template in banks("fields")[bank]]
    premise = story.premise.text
    opening = premise if premise.endswith((".", "!", "?")) else f"{premise}."
    text = " ".join(within([capitalised(opening), *told], material.words or 200))
    if story.fiction:
        for person in story.cast[:3]:
            if person.name not in text:
                text = text.replace(person.short, person.name, 1)
    return text


def chapter_summary(story: Story, index: int, of: int, words: int | None) -> str:
    """What happens in the chapter at an index, from 0, among `of` chapters."""
    events = chapter_events(story, index + 1, of, PER_CHAPTER)
    kind = "" if story.fiction else "_facts"
    known = banks("fields", "fiction", "essay")
    pieces = [event.plan(story)["summary"] for event in events]
    ends = []
    for event, bank in ((events[0], "chapter_opening"), (events[-1], "chapter_ending")):
        lines = Dice(story.seed, bank).shuffled(known[bank + kind])
        grammar = Grammar(known, event.slots(story), seed=story.seed, plural=plural_topic(story))
        ends.append(grammar.finish(lines[index % len(lines)]))
    return " ".join(within([ends[0], *pieces, ends[1]], words or 90))


def within(pieces: Sequence[str], words: int) -> list[str]:
    """The pieces without those, from the middle, that would make the text too long."""
    kept = list(pieces)
    while len(kept) > 2 and sum(map(count_words, kept)) > words * 1.15:
        del kept[len(kept) // 2]
    return kept
