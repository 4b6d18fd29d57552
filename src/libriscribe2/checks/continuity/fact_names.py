"""One name for one thing: facts under the names of the cast, rules of the world under short ones."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from libriscribe2.models.canon import Attribute, Fact

_TITLES: Final = frozenset({"mr", "mrs", "ms", "miss", "dr", "sir", "lady", "lord", "the"})
_MARKS: Final = re.compile(r"[*_\"“”`]")
_OWNER: Final = re.compile(r"['’]s$")
_ARTICLE: Final = re.compile(r"(?i)^(?:the|an?|his|her|its|their|my|your|our|some)\s+")
_RELATION: Final = re.compile(r"(?i)^(?P<relation>.*?\b\w+)\s+(?P<link>of|to)\s+(?P<other>.+?)\.?$")
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
    found = _RELATION.match(value)
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
