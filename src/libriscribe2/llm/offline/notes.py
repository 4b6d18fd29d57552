"""Short prose that is neither scene nor section: summaries, critiques, titles, remarks."""

import re
from collections.abc import Iterator

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import capitalised, sentences
from libriscribe2.llm.offline.grammar import Grammar
from libriscribe2.llm.offline.material import Material, number_of, text_of
from libriscribe2.llm.offline.phrases import banks
from libriscribe2.llm.offline.plot import chapter_events, plural_topic
from libriscribe2.llm.offline.story import Story


class NoteWriter:
    """Writes a note about the blocks of a prompt; a `draft.Writer`.

    Args:
        story: The book.
        material: The prompt.
        dice: What this reply depends on.
        bank: `critique` or `remark`: which sentences are at hand.
    """

    shares = (0.9, 0.0)

    def __init__(self, story: Story, material: Material, dice: Dice, bank: str) -> None:
        number = number_of(material.chapter, "number", 1)
        event = chapter_events(story, number, number_of(material.chapter, "of", 3), 1)[0]
        slots = {**event.slots(story), "thing_cap": capitalised(event.thing)}
        self._grammar = Grammar(
            banks("essay", "notes"),
            slots,
            seed=story.seed,
            turn=number + dice.below(1000),
            plural=plural_topic(story),
        )
        self._dice = dice
        self._bank = bank if story.fiction else f"{bank}_facts"
        self._told = _told(material) if bank == "remark" else []

    def head(self) -> list[str]:
        """The plan's own sentences where something is summed up, else a first remark."""
        return self._told or [self._grammar.say(self._bank)]

    def body(self) -> Iterator[str]:
        """No blocks: a note is made of single sentences."""
        return iter(())

    def tail(self) -> list[str]:
        """No ending."""
        return []

    def filler(self) -> str:
        """A remark; now and then a general one, so that long notes do not run out."""
        if self._dice.chance(5):
            return self._grammar.finish("{claim}, because {reason}.")
        return self._grammar.say(self._bank)


def _told(material: Material) -> list[str]:
    """What the plan says of the chapter, sentence by sentence."""
    summary = text_of(material.scene, "summary") or text_of(material.chapter, "summary")
    found = sentences(re.sub(r"[“”]", "", summary))
    return [text if text[-1] in ".!?" else f"{text}." for text in found]
