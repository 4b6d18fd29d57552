"""Titles of books and chapters."""

from functools import lru_cache

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import title_case
from libriscribe2.llm.offline.episodes import episodes
from libriscribe2.llm.offline.grammar import Grammar
from libriscribe2.llm.offline.phrases import banks
from libriscribe2.llm.offline.plot import chapter_events, episode_file
from libriscribe2.llm.offline.story import Story

_AGAIN = ("", ", Again", ", Once More", ", for the Last Time", ", After All", ", as Before")


def as_title(text: str) -> str:
    """A template's output with the capitals of a title."""
    return title_case(text.rstrip("."))


@lru_cache(maxsize=4)
def _first_titles(story: Story, of: int, count: int) -> tuple[str, ...]:
    """What the first events of `count` chapters are called; asked for once per chapter."""
    return tuple(chapter_events(story, n + 1, of, 1)[0].episode.title for n in range(count))


def chapter_title(story: Story, index: int, of: int, grammar: Grammar) -> str:
    """The title of the chapter at an index, among `of` chapters; no two are the same.

    A chapter is called after its first event as long as no earlier one is; then the titles that
    fit anywhere are used up, and then they come again with an addition.

    Args:
        story: The book: decides the order of the titles.
        index: The chapter's index, from 0.
        of: How many chapters there are.
        grammar: Fills the slots from what happens in the chapter.
    """
    firsts = _first_titles(story, of, max(of, index + 1))
    if firsts.index(firsts[index]) == index:
        return as_title(firsts[index])
    repeats = index - len(set(firsts[:index]))
    bank = "chapter_title" if story.fiction else "chapter_title_facts"
    titles = {episode.title for episode in episodes(episode_file(story))}
    spare = [line for line in banks("fields")[bank] if line not in titles]
    templates = Dice(story.seed, bank).shuffled(spare)
    turn, place = divmod(repeats, len(templates))
    title = as_title(grammar.expand(templates[place]))
    return title + (_AGAIN[turn] if turn < len(_AGAIN) else f", {turn + 1}")
