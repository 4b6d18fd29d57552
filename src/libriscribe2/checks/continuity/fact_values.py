"""Facts in a form that can be compared: names, numbers, colours, kin."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.checks.text import NUMBER_WORDS
from libriscribe2.models.story_bible import Attribute, Fact

_PLAIN: Final = ("black", "dark", "hazel", "amber", "violet")
_COLOURS: Final = {
    **dict.fromkeys(("blue", "azure", "sapphire", "cobalt"), "blue"),
    **dict.fromkeys(("grey", "gray", "slate", "ash"), "grey"),
    **dict.fromkeys(("green", "emerald", "jade"), "green"),
    **dict.fromkeys(("brown", "chestnut", "chocolate"), "brown"),
    **dict.fromkeys(("blond", "blonde", "golden", "fair", "flaxen"), "blond"),
    **dict.fromkeys(("red", "auburn", "ginger", "copper"), "red"),
    **dict.fromkeys(("white", "silver", "snowy"), "white"),
    **dict(zip(_PLAIN, _PLAIN, strict=True)),
}
_ALIKE: Final = frozenset(
    {
        *(
            frozenset({"dark", "brown"}),
            frozenset({"dark", "black"}),
            frozenset({"black", "brown"}),
        ),
        *(
            frozenset({"hazel", "brown"}),
            frozenset({"hazel", "green"}),
            frozenset({"hazel", "amber"}),
        ),
        *(frozenset({"amber", "brown"}), frozenset({"grey", "white"}), frozenset({"grey", "blue"})),
    }
)
"""Colours that one observer calls this and another that."""

_WEEKDAYS: Final = (
    *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
)
_WORDS: Final = re.compile(r"[^\W\d_]+")

_PARENTS: Final = {"mother", "father", "parent"}
_CHILDREN: Final = {"son", "daughter", "child"}
_SIBLINGS: Final = {"sister", "brother", "sibling", "twin"}
_SPOUSES: Final = {"wife", "husband", "spouse"}
_KIN: Final = {
    **dict.fromkeys(_PARENTS, "parent"),
    **dict.fromkeys(_CHILDREN, "child"),
    **dict.fromkeys(_SIBLINGS, "sibling"),
    **dict.fromkeys(_SPOUSES, "spouse"),
}
_RELATION: Final = re.compile(r"(?i)\b(\w+)\s+(?:of|to)\s+(.+)")
INVERSE: Final = {"parent": "child", "child": "parent", "sibling": "sibling", "spouse": "spouse"}
"""What the other one is, for each kind of kin."""


def colour(value: str) -> str | None:
    """The basic colour that a value names; None where it names none, or several."""
    found = {_COLOURS[word] for word in _words(value) if word in _COLOURS}
    return found.pop() if len(found) == 1 else None


def colours_agree(one: str, other: str) -> bool:
    """Whether two basic colours may describe the same thing."""
    return one == other or frozenset((one, other)) in _ALIKE


def number(value: str) -> int | None:
    """The whole number in a value, in digits or in English words; None where there is none."""
    digits = re.findall(r"\d[\d,]*", value)
    if digits:
        return int(digits[0].replace(",", "")) if len(digits) == 1 else None
    return _spelled(_words(value.replace("-", " ")))


def unit(value: str) -> str:
    """What a value says beside its number, such as `miles by road`."""
    plain = (word for word in _words(value) if word not in NUMBER_WORDS)
    return " ".join(word for word in plain if word not in ("a", "hundred", "thousand", "and"))


def weekday(value: str) -> int | None:
    """The day of the week that a value names, Monday 0; None where it names none, or several."""
    found = {_WEEKDAYS.index(word) for word in _words(value) if word in _WEEKDAYS}
    return found.pop() if len(found) == 1 else None


def side(value: str) -> str | None:
    """`left` or `right`, where a value names one of them."""
    found = {"left", "right"}.intersection(_words(value))
    return found.pop() if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Kinship:
    """What somebody is to somebody.

    Attributes:
        relation: `parent`, `child`, `sibling` or `spouse`.
        other: To whom.
    """

    relation: str
    other: str


def kinship(value: str) -> Kinship | None:
    """A value such as `sister of Ada`; None where it says no close kin."""
    found = _RELATION.search(value)
    if found is None:
        return None
    relation = _KIN.get(found[1].casefold())
    return Kinship(relation, found[2].strip().rstrip(".")) if relation else None


def _spelled(found: list[str]) -> int | None:
    """A number below a million from its English words."""
    whole = current = 0
    seen = False
    for word in found:
        if word in NUMBER_WORDS:
            current += NUMBER_WORDS[word]
            seen = True
        elif word == "hundred":  # `a hundred` is one of them
            current, seen = max(1, current) * 100, True
        elif word == "thousand":
            whole, current, seen = whole + max(1, current) * 1_000, 0, True
    return whole + current if seen else None


def _words(value: str) -> list[str]:
    return _WORDS.findall(value.casefold())


_TITLES: Final = frozenset({"mr", "mrs", "ms", "miss", "dr", "sir", "lady", "lord", "the"})
_MARKS: Final = re.compile(r"[*_\"“”`]")
_OWNER: Final = re.compile(r"['’]s$")
_ARTICLE: Final = re.compile(r"(?i)^(?:the|an?|his|her|its|their|my|your|our|some)\s+")
_KIN_NAME: Final = re.compile(r"(?i)^(?P<relation>.*?\b\w+)\s+(?P<link>of|to)\s+(?P<other>.+?)\.?$")
_WORLDLY: Final = frozenset({Attribute.COUNT, Attribute.DISTANCE, Attribute.RULE})
"""Kinds whose entity is a thing, which a text names with and without capitals and article."""


class Names:
    """Knows whom a text means.

    Args:
        people: The full names of the cast.
        aliases: Other names with the full name of whom they mean; one that means two people
            means none.
    """

    def __init__(self, people: Iterable[str], aliases: Iterable[tuple[str, str]] = ()) -> None:
        self._people = {_key(name): name for name in people}
        self._words = {name: set(key.split()) for key, name in self._people.items()}
        owners: defaultdict[str, set[str]] = defaultdict(set)
        for alias, name in aliases:
            owners[_key(alias)].add(name)
        self._aliases = {key: names.pop() for key, names in owners.items() if len(names) == 1}
        self._known: dict[str, str] = {}

    def canonical(self, mention: str) -> str:
        """The full name of whom a text calls so; what is said itself where nobody is meant."""
        if mention not in self._known:
            self._known[mention] = self._meant(mention)
        return self._known[mention]

    def _meant(self, mention: str) -> str:
        plain = _plain(mention)
        key = _key(plain)
        if key in self._people:
            return self._people[key]
        if key in self._aliases:
            return self._aliases[key]
        words = set(key.split()) - _TITLES
        fits = [name for name, own in self._words.items() if words and words <= own]
        return fits[0] if len(fits) == 1 else plain


def canonical_facts(facts: Iterable[Fact], people: Iterable[str]) -> list[Fact]:
    """Facts under one name each, with the by-names that the facts themselves tell.

    Args:
        facts: The facts as they were found.
        people: The full names of the cast.
    """
    found, cast = list(facts), tuple(people)
    plain = Names(cast)
    aliases = [
        (fact.value, plain.canonical(fact.entity))
        for fact in found
        if fact.attribute is Attribute.ALIAS
    ]
    names = Names(cast, aliases)
    return [_canonical(fact, names) for fact in found]


def rule_names(rules: Sequence[str]) -> Mapping[str, str]:
    """Each rule of the world under a short name, such as `rule 1`."""
    return {f"rule {number}": rule for number, rule in enumerate(rules, start=1)}


def world_facts(rules: Sequence[str]) -> list[Fact]:
    """The rules as facts of the plan: they hold from the first chapter on and have no quote."""
    return [
        Fact(entity=name, attribute=Attribute.RULE, value=rule, chapter=1)
        for name, rule in rule_names(rules).items()
    ]


def _canonical(fact: Fact, names: Names) -> Fact:
    """A fact in its one form."""
    entity, attribute, value = names.canonical(fact.entity), fact.attribute, _plain(fact.value)
    if attribute in _WORLDLY:
        entity = _bare(entity).casefold()
    if attribute is Attribute.KIN:
        value = _kin(value, names)
    if attribute is Attribute.POSSESSION:
        state, _, thing = value.rpartition(":")
        value = f"{state.strip().casefold() or 'has'}: {_bare(thing.strip())}"
        attribute = attribute if thing.strip() else Attribute.OTHER
    if (entity, attribute, value) == (fact.entity, fact.attribute, fact.value):
        return fact
    return fact.model_copy(update={"entity": entity, "attribute": attribute, "value": value})


def _kin(value: str, names: Names) -> str:
    """`the elder sister of Ada` with the full name of the other."""
    found = _KIN_NAME.match(value)
    if found is None:
        return value
    return f"{found['relation']} {found['link']} {names.canonical(found['other'])}"


def _plain(text: str) -> str:
    """A name without emphasis and quotation marks."""
    return " ".join(_MARKS.sub("", text).split()) or text


def _bare(text: str) -> str:
    """A thing without its article or its owner."""
    return _ARTICLE.sub("", text)


def _key(name: str) -> str:
    """A name in a form that can be compared."""
    return _OWNER.sub("", _bare(_plain(name))).casefold()
