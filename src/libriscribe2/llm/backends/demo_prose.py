"""What the stand-in author writes: sentences of drawn words, so many that a book repeats none."""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from importlib.resources import files
from random import Random
from typing import Final, TypeVar

T = TypeVar("T")

_TITLES: Final = frozenset({"the", "dr", "mr", "mrs", "ms", "sister", "brother", "captain", "aunt"})
_LONGEST_RUN: Final = 12
"""The plan's own words stand in runs of at most so many: more would be a copy of the plan."""

_MOST_PLAN: Final = 0.6
_SLOT: Final = re.compile(r"\{(\w+)\}")
_END: Final = re.compile(r"(?<=[.!?\u2026。！？])[\u201d\"»)]*\s+|\n+|(?<=[。！？])")
_SPEECH: Final = re.compile(r"[\"“”„«»\[\]<>|*]")
_FEWEST_WORDS: Final = 5


def _bank() -> Mapping[str, tuple[str, ...]]:
    """The words and phrases by kind."""
    text = files(__package__).joinpath("demo_words.txt").read_text(encoding="utf-8")
    bank = {}
    for head, _, body in (section.partition("]\n") for section in text.split("\n[")[1:]):
        words = re.split(r" / |\n", body.strip()) if head.endswith("/") else body.split()
        bank[head.removesuffix(" /")] = tuple(words)
    return bank


BANK: Final = _bank()


class Dice:
    """Repeatable chance: the same seed throws the same on every machine and Python version."""

    def __init__(self, *seed: object) -> None:
        text = "\x1f".join(map(str, seed)).encode("utf-8", "surrogatepass")
        # Its `random()` is promised to give the same on every version of Python.
        self._random = Random(blake2b(text).hexdigest())  # noqa: S311 - nothing is kept secret

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1."""
        return int(self._random.random() * count)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items; there must be one."""
        return items[self.below(len(items))]

    def filled(self, template: str, **slots: str) -> str:
        """A template whose slots are given or drawn; one with a capital gets one."""

        def said(slot: re.Match[str]) -> str:
            key = slot[1].lower()
            drawn = slots[key] if key in slots else self.pick(BANK[key])
            return drawn[:1].upper() + drawn[1:] if slot[1] != key else drawn

        return _SLOT.sub(said, template)


def sentences(text: str) -> list[str]:
    """The sentences of a text as they stand; headings and lines of marks are left out."""
    parts = (part.strip() for part in _END.split(text))
    return [part for part in parts if re.search(r"\w", part) and not part.startswith("#")]


def is_plain(sentence: str) -> bool:
    """Whether a sentence is narration that can be quoted."""
    return len(sentence.split()) >= _FEWEST_WORDS and _SPEECH.search(sentence) is None


def short_name(name: str, others: Iterable[str]) -> str:
    """The first word of a name, where it is a name by itself and nobody else's."""
    first = name.partition(" ")[0]
    shared = any(other != name and first in other.split() for other in others)
    return name if shared or first.strip(".").casefold() in _TITLES else first


class Prose:
    """Writes about people, each named in full before in short; about anybody if none is given."""

    def __init__(self, dice: Dice, people: Sequence[str] = ()) -> None:
        self._dice = dice
        self._people = list(dict.fromkeys(people))
        self._new = list(self._people)
        self._said: set[str] = set()

    def text(self, words: int, plan: str = "", facts: Sequence[str] = ()) -> str:
        """Paragraphs of so many words, with facts as they stand and a plan in short runs."""
        told, blocks = [*facts, *self._told(plan)], list[str]()
        while told and _count(told) > max(words * _MOST_PLAN, _LONGEST_RUN):
            told.pop()
        free = words - _count(told)
        while free > 2 or told:
            if free > 2:
                blocks.append(self._paragraph(min(free, 20 + self._dice.below(50)), free))
                free -= _count(blocks[-1:])
            if told:
                blocks.append(told.pop(0))
            elif self._people and free > 40 and not self._dice.below(3):
                blocks += [self.sentence(free // 2, "speaking") for _ in range(2)]
                free -= _count(blocks[-2:])
        return "\n\n".join(blocks)

    def sentence(self, most: int = 30, kind: str = "telling") -> str:
        """A sentence of at most so many words (three are enough), which was not said before."""
        for _ in range(60):
            drawn = self._dice.filled(self._dice.pick(BANK[kind]), p=self._name())
            left = most - len(drawn.split())
            if drawn not in self._said and (left == 0 or left > 2):
                self._said.add(drawn)
                self._new = [name for name in self._new if name not in drawn]
                return drawn
        return self._dice.filled(BANK["telling"][0])

    def _paragraph(self, words: int, free: int) -> str:
        """Sentences of about so many words; the last ones fill up what is free."""
        said: list[str] = []
        while _count(said) < words - 2:
            said.append(self.sentence(free - _count(said)))
        return " ".join(said)

    def _told(self, plan: str) -> list[str]:
        """The plan in short runs of its own words, spoken where there are people."""
        lines = BANK["told" if self._people else "stated"]
        found = []
        for sentence in sentences(plan):
            said = re.sub(r"[“”\"]", "", sentence).split()
            size = -(-len(said) // -(-len(said) // _LONGEST_RUN))
            for start in range(0, len(said), size):
                run = " ".join(said[start : start + size]).rstrip(".,;: ")
                found.append(self._dice.filled(self._dice.pick(lines), s=run, p=self._name()))
        return found

    def _name(self) -> str:
        """Somebody: first in full whoever was not named yet, then anybody."""
        if self._new:
            return self._new[0]
        one = self._dice.pick(self._people or BANK["anybody"])
        return short_name(one, self._people) if self._people else one


def _count(texts: Iterable[str]) -> int:
    """Words of some texts."""
    return sum(len(text.split()) for text in texts)
