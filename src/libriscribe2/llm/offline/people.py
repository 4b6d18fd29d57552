"""Names and pronouns: who is in a book when nobody has said so yet."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.lexicon import words
from libriscribe2.llm.offline.phrases import banks

_HE = {"he": "he", "him": "him", "his": "his", "himself": "himself"}
_SHE = {"he": "she", "him": "her", "his": "her", "himself": "herself"}


@dataclass(frozen=True, slots=True)
class Person:
    """Someone in a book.

    Attributes:
        name: The full name.
        short: What the text calls them after the first time.
        female: Whether the text says `she`.
    """

    name: str
    short: str
    female: bool

    @property
    def pronouns(self) -> dict[str, str]:
        """`he`, `him`, `his` and `himself` as they are for this person."""
        return _SHE if self.female else _HE


def people_named(names: Iterable[str], texts: Sequence[str] = (), cue: str = "") -> list[Person]:
    """People of the given names; two who would be called the same keep their full names.

    Args:
        names: Full names, repeats dropped.
        texts: What is known about each, in the same order: its pronouns decide.
        cue: `she` or `he` where the premise says it of its first person.
    """
    unique = list(dict.fromkeys(names))
    shorts = [short_name(name) for name in unique]
    found = []
    for index, (name, short) in enumerate(zip(unique, shorts, strict=True)):
        told = texts[index] if index < len(texts) else ""
        called = short if shorts.count(short) == 1 else name
        found.append(Person(name, called, _is_female(name, told, cue if index == 0 else "")))
    return found


def short_name(name: str) -> str:
    """What a text calls someone: the given name without rank, nickname or family name."""
    bare = re.sub(r"[\"“(].*?[\"”)]", "", name)
    parts = [part for part in bare.split() if part.lower().rstrip(".") not in words("rank")]
    if not parts or parts[0].lower() in {"the", "a", "an"}:
        return name
    return parts[0].rstrip(",")


def invented(region: str, cue: str, dice: Dice, taken: Iterable[str]) -> Iterator[str]:
    """Full names without end, their first letters different while letters last.

    Args:
        region: A region of `phrases/names.txt`.
        cue: `she` or `he` for the first name, or "".
        dice: Decides the order.
        taken: Names that are in use.
    """
    bank = banks("names")
    she, he = (dice.shuffled(bank[f"{region}.{kind}"]) for kind in ("she", "he"))
    first, second = (she, he) if cue == "she" or (not cue and dice.chance(2)) else (he, she)
    pairs = zip_longest(first, second)
    given = [name for name in chain.from_iterable(pairs) if name is not None]
    family = dice.shuffled(bank[f"{region}.family"])
    used = set(taken)
    for turn in range(len(given) * len(family)):
        for index, name in enumerate(_letters_first(given, used) if turn == 0 else given):
            full = f"{name} {family[(index + turn) % len(family)]}"
            if full not in used:
                used.add(full)
                yield full


def _letters_first(given: Sequence[str], used: set[str]) -> list[str]:
    """The names, those with a new first letter before the others."""
    letters = {short_name(name)[:1] for name in used}
    new: list[str] = []
    for name in given:
        if name[0] not in letters:
            letters.add(name[0])
            new.append(name)
    return [*new, *(name for name in given if name not in new)]


def region_of(text: str) -> str:
    """The region that the words of a text point to."""
    used = set(re.findall(r"\w+", text.lower()))
    for bank, lines in banks("names").items():
        region, _, kind = bank.partition(".")
        if kind == "where" and used & set(" ".join(lines).split()):
            return region
    return "default"


def pronoun_cue(text: str) -> str:
    """`she` or `he` where the text uses one kind of pronoun or noun only, else ""."""
    used = set(re.findall(r"\w+", text.lower()))
    she, he = bool(used & words("she")), bool(used & words("he"))
    if she == he:
        return ""
    return "she" if she else "he"


def _is_female(name: str, told: str, cue: str) -> bool:
    given = short_name(name)
    for bank, names in banks("names").items():
        if given in names:
            return bank.endswith(".she")
    said = pronoun_cue(told) or cue
    if said:
        return said == "she"
    return given.lower().endswith(("a", "ie", "ah", "lyn", "een", "ine", "elle", "ette"))
