"""Titles of books and chapters."""

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import title_case
from libriscribe2.llm.offline.grammar import Grammar
from libriscribe2.llm.offline.phrases import banks
from libriscribe2.llm.offline.story import Story

_AGAIN = ("", ", Again", ", Once More", ", for the Last Time", ", After All", ", as Before")


def as_title(text: str) -> str:
    """A template's output with the capitals of a title."""
    return title_case(text.rstrip("."))


def chapter_title(story: Story, index: int, grammar: Grammar) -> str:
    """The title of the chapter at an index; no two are the same.

    Args:
        story: The book: decides the order of the titles.
        index: The chapter's index, from 0.
        grammar: Fills the slots from what happens in the chapter.
    """
    bank = "chapter_title" if story.fiction else "chapter_title_facts"
    templates = Dice(story.seed, bank).shuffled(banks("fields")[bank])
    turn, place = divmod(index, len(templates))
    title = as_title(grammar.expand(templates[place]))
    return title + (_AGAIN[turn] if turn < len(_AGAIN) else f", {turn + 1}")
