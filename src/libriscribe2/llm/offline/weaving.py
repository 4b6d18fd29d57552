"""Coming back, every few hundred words, to what a book is about."""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from libriscribe2.llm.offline.english import count_words
from libriscribe2.llm.offline.material import Material, text_of
from libriscribe2.llm.offline.people import Person
from libriscribe2.llm.offline.phrases import Banks, banks
from libriscribe2.llm.offline.story import Story
from libriscribe2.llm.offline.subjects import Subject

EVERY: Final = 460
"""Each subject comes again after so many words."""

_CLOSEST: Final = 40
"""So many words stand at least between two sentences about subjects."""

_OWN: Final = 30
"""What such a paragraph and the rest of the block before it take."""

FIRSTS: Final = 5
"""Chance shifts the turns by fewer, so that a text that is written again comes out differently."""

_BANKS: Final = {"role": ("role_self",), "act": ("act",), "word": ("word",),
                 "thing": ("about", "thing"), "place": ("about",), "stuff": ("about", "stuff")}  # fmt: skip


class Weaver:
    """Puts sentences about subjects between the blocks of a text.

    Args:
        subjects: What has to come up.
        words: How long the text is to be.
        turn: Which of the subjects comes first.
        say: Writes a paragraph about the current subject, from the bank of the given name.
    """

    def __init__(
        self, subjects: Sequence[Subject], words: int, turn: int, say: Callable[[str], str]
    ) -> None:
        self._subjects = subjects
        self._gap = max(_CLOSEST, min(EVERY, words) // max(1, len(subjects)) - _OWN)
        self._turn = turn
        self._say = say

    @property
    def current(self) -> str:
        """The subject that the next sentence is about."""
        return self._subjects[self._turn % len(self._subjects)].text if self._subjects else ""

    def woven(self, blocks: Iterator[str]) -> Iterator[str]:
        """The blocks, and between them paragraphs about the subjects in turn."""
        since = self._gap
        for block in blocks:
            yield block
            since += count_words(block)
            if self._subjects and since >= self._gap:
                yield self._say(f"of_{self._subjects[self._turn % len(self._subjects)].kind}")
                self._turn += 1
                since = 0


def in_turn(*groups: Sequence[Subject]) -> tuple[Subject, ...]:
    """The subjects of several groups: the first of each, then the second, and so on."""
    rows = zip_longest(*groups)
    return tuple(dict.fromkeys(one for row in rows for one in row if one is not None))


def story_banks(*, is_hero: bool, hero: Person | None) -> dict[str, tuple[str, ...]]:
    """The banks for a story's subjects, by their kinds.

    Args:
        is_hero: Whether the point of view is the main person.
        hero: The main person; None where nobody knows who that is.
    """
    known = banks("subjects")
    found = {f"of_{kind}": _joined(known, names) for kind, names in _BANKS.items()}
    if not is_hero:
        lines = known["role_other"]
        found["of_role"] = tuple(line for line in lines if hero is not None or "{hero}" not in line)
    return found


def fact_banks() -> dict[str, tuple[str, ...]]:
    """The banks for the subjects of a book of facts, by their kinds."""
    known = banks("subjects")
    quoted = tuple(line.replace("{subject}", "“{subject}”") for line in known["about_facts"])
    about = known["about_facts"]
    return {
        "of_thing": about,
        "of_stuff": about,
        "of_place": about,
        "of_word": quoted,
        "of_act": known["act_facts"],
    }


def main_person(story: Story, material: Material) -> Person | None:
    """The book's main person as the cards of a prompt tell it; None where they do not."""
    roles = [text_of(card, "role").lower() for card in material.characters]
    if not any(roles):
        return story.cast[0]
    leads = (
        person for person, role in zip(story.cast, roles, strict=False) if "protagonist" in role
    )
    return next(leads, None)


def _joined(known: Banks, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for name in names for line in known[name])
