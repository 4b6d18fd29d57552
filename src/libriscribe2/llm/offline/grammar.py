"""Expanding templates: slots are filled from the scene or drawn from banks without repeating."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from math import gcd

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import sentence
from libriscribe2.llm.offline.phrases import Banks

Slot = str | Callable[[], str]
"""What stands for a slot: a text, or a function where the text depends on what was said before."""

_SLOT = re.compile(r"\{([^{}]+)\}")


class Bag:
    """Draws entries without repeating one before all have been drawn.

    Args:
        entries: What is drawn; not empty.
        dice: Decides the order.
        start: Where in that order to begin, so that neighbouring scenes draw different entries.
    """

    def __init__(self, entries: tuple[str, ...], dice: Dice, start: int = 0) -> None:
        self._order = dice.shuffled(entries)
        self._next = start

    def draw(self) -> str:
        """The next entry."""
        entry = self._order[self._next % len(self._order)]
        self._next += 1
        return entry


class Grammar:
    """Banks of templates together with what their slots mean at the moment.

    A slot `{name}` is looked up among the slots, then among the banks; `{t:one|many}` is the form
    that agrees with the number of the subject; `{a:name}` puts `a` before the slot's text.

    Args:
        banks: Templates by name.
        slots: Values by slot name.
        seed: What the order of the banks depends on: the book.
        turn: Which scene or reply of the book this is; moves the start within each bank.
        plural: Whether `{t:one|many}` takes the second form.
    """

    def __init__(
        self,
        banks: Banks,
        slots: Mapping[str, Slot],
        *,
        seed: str,
        turn: int = 0,
        plural: bool = False,
    ) -> None:
        self._banks = banks
        self._slots = dict(slots)
        self._seed = seed
        self._turn = turn
        self._plural = plural
        self._bags: dict[str, Bag] = {}

    def has(self, bank: str) -> bool:
        """Whether the bank has an entry."""
        return bool(self._banks.get(bank))

    def draw(self, bank: str) -> str:
        """The bank's next entry, not yet expanded."""
        bag = self._bags.get(bank)
        if bag is None:
            entries = self._weighted(self._banks[bank])
            start = self._turn * _stride(len(entries))
            bag = Bag(entries, Dice(self._seed, bank), start)
            self._bags[bank] = bag
        return bag.draw()

    def _weighted(self, entries: tuple[str, ...]) -> tuple[str, ...]:
        """The entries, those that come out differently each time three times as often."""
        varied = [
            entry for entry in entries if any(slot in self._banks for slot in _slots_of(entry))
        ]
        return (*entries, *varied, *varied)

    def expand(self, template: str) -> str:
        """The template with every slot filled."""
        return _SLOT.sub(lambda match: self._fill(match[1]), template)

    def say(self, bank: str) -> str:
        """The bank's next entry as a finished sentence."""
        return self.finish(self.draw(bank))

    def finish(self, template: str) -> str:
        """The template, expanded, as a finished sentence."""
        return sentence(self.expand(template))

    def _fill(self, slot: str) -> str:
        if slot.startswith("t:"):
            one, _, many = slot[2:].partition("|")
            return many if self._plural else one
        if slot.startswith("a:"):
            return f"a {self._fill(slot[2:])}"
        value = self._slots.get(slot)
        if value is None:
            return self.expand(self.draw(slot))
        return value if isinstance(value, str) else value()


def without_slots(text: str) -> str:
    """A text of somebody else without the braces that would make slots of its words."""
    return text.replace("{", "(").replace("}", ")")


@cache
def _slots_of(entry: str) -> tuple[str, ...]:
    """The slots of an entry of a bank."""
    return tuple(_SLOT.findall(entry))


def _stride(size: int) -> int:
    """How far apart neighbouring turns start: about a third, sharing no factor with the size.

    So every entry is a start before one comes again.
    """
    return next(step for step in range(max(1, size // 3), size + 2) if gcd(step, size) == 1)
