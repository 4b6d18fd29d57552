"""What a book is about: the content words of its premise, and of a plan that the author gave."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from libriscribe2.llm.offline.english import gerund, is_plural, plain, shorten
from libriscribe2.llm.offline.lexicon import words
from libriscribe2.llm.offline.phrases import typographic
from libriscribe2.llm.offline.premise import (
    Premise,
    is_english,
    is_place,
    names_in,
    noun_phrases,
)
from libriscribe2.llm.offline.tense import is_present

MOST: Final = 4
"""So many subjects are kept in sight at most."""

_WORD: Final = re.compile(r"[^\W\d_][\w’-]*")
_ACT: Final = re.compile(
    r"(?i)\b(?:how|learns?|learning|wants?|tries|try|trying|decides?|hopes?|plans?|dares?|longs?"
    r"|needs?|forgets?|refuses?|has|have|begins?|starts?|able|unable|afraid|allowed|forced|paid"
    r"|hired|sent|ordered|asked) (?P<act>to [a-z]{2,}\b[^.,;:!?]*)"
)
_ACT_ENDS: Final = re.compile(
    r"(?i)\s(?:that|which|who|whose|and|or|but|while|when|because|until|before|after|without)\b.*"
)
_BARE: Final = re.compile(
    r"(?i)\b(?:of|about|with|without|against|on|from|into|for|brew|bake|make|making|baking|brewing"
    r"|growing|keeping|sells?|steals?|hunts?|collects?|fears?|loves?|hates?|paints?)"
    r" (?P<noun>[a-z][a-z’-]{2,})(?= |[.,;:!?]|$)"
)
_NO_NOUNS: Final = frozenset({"good", "ever", "once", "now", "free", "scratch", "first", "last"})
_LONGEST_ACT: Final = 6
_LONGEST_WORD: Final = 24
_SHORTEST: Final = 4


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that a text has to come back to.

    Attributes:
        kind: `role` of the main person, `thing`, `stuff` without an article, `place`, `act` (`to
            paint`), or `word` where the grammar is not known.
        text: As sentences name it; a role without its article.
    """

    kind: str
    text: str


@lru_cache(maxsize=16)
def premise_subjects(premise: Premise) -> tuple[Subject, ...]:
    """What a book with this premise comes back to, the most important first."""
    text = typographic(premise.text)
    found = [Subject("role", premise.hero)] if premise.hero else []
    if not is_english(text):
        return _foreign(text)
    act = _ACT.search(text)
    acts = [] if act is None else [_deed(act["act"])]
    where = premise.settings[:1]
    stuff = [one for one in _stuff(text, acts) if one.text not in premise.settings]
    things = [*_things(text, premise.hero), *stuff, *(Subject("place", place) for place in where)]
    found = [*found, *things[: MOST - 1 - len(acts)], *(Subject("act", act) for act in acts)]
    if len(found) < MOST // 2 + (not found):
        found += _words(text, found)
    return tuple(found[:MOST])


def mainly_about(premise: Premise) -> str:
    """What a story with this premise turns on besides its people; "" where that is not said."""
    for one in premise_subjects(premise):
        if one.kind == "act":
            verb, _, rest = one.text.removeprefix("to ").partition(" ")
            return f"{gerund(verb)} {rest}".strip() if verb != "be" else f"being {rest}"
        if one.kind in {"thing", "stuff", "word"}:
            return as_phrase(one)
    return ""


def given_subjects(texts: Iterable[str]) -> tuple[Subject, ...]:
    """What sentences of an author's plan name, in order; nothing twice."""
    found: dict[str, Subject] = {}
    for text in map(typographic, texts):
        named = [*_things(text, "", places=True)] if is_english(text) else [*_foreign(text)]
        for one in named or _words(_without_names(text), ()):
            found.setdefault(one.text.rsplit(" ", 1)[-1].lower(), one)
    return tuple(found.values())[:MOST]


def main_subject(text: str) -> Subject | None:
    """What a sentence is most about: the last thing of it that no preposition leads."""
    said = typographic(text)
    if is_english(said):
        nouns = [noun for noun in noun_phrases(said) if noun.head not in words("abstract")]
        free = [noun for noun in nouns if noun.before not in words("where")]
        if nouns:
            return Subject("thing", _without_verb((free or nouns)[-1].definite))
    return next(reversed(given_subjects([text])), None)


def as_phrase(subject: Subject) -> str:
    """A subject for the middle of a sentence; a word of unknown grammar in quotation marks."""
    return f"“{subject.text}”" if subject.kind == "word" else subject.text


def _without_names(text: str) -> str:
    """The words of a text that begin with a small letter."""
    return " ".join(word for word in text.split() if not word[:1].isupper())


def _things(text: str, hero: str, *, places: bool = False) -> Iterator[Subject]:
    """The noun phrases that are not the hero, nor a place of the book unless these are wanted."""
    told = set()
    for noun in noun_phrases(text):
        is_hero = noun.words == hero or noun.head in words("abstract")
        named = _without_verb(noun.definite)
        if is_hero or named in told or (not places and is_place(noun)):
            continue
        told.add(named)
        yield Subject("thing", named)


def _without_verb(phrase: str) -> str:
    """A noun phrase without a verb that was taken for its last word: `the whale sings`."""
    before, _, last = phrase.rpartition(" ")
    return before if " " in before and is_present(last) else phrase


def _stuff(text: str, acts: Iterable[str]) -> Iterator[Subject]:
    """Nouns without an article: `afraid of fire`."""
    said = " ".join(acts)
    known = words("stop") | words("abstract") | words("determiner") | _NO_NOUNS
    for found in _BARE.finditer(text):
        noun = found["noun"]
        if noun.lower() not in known and not noun.endswith(("ing", "’s")) and noun not in said:
            yield Subject("stuff", noun)


def _deed(told: str) -> str:
    """An infinitive without what depends on it: `to brew coffee at home`."""
    kept = _ACT_ENDS.sub("", told).split()
    kept = kept[:_LONGEST_ACT] if len(kept) > _LONGEST_ACT else kept
    leads_on = words("where") | words("determiner") | {"of", "to", "for", "with"}
    while len(kept) > 2 and kept[-1].lower() in leads_on:
        kept.pop()
    return " ".join(kept)


def _words(text: str, known: Iterable[Subject]) -> list[Subject]:
    """Words of some weight that no other subject holds."""
    said = " ".join(one.text for one in known).lower()
    named = {part.lower() for names in names_in(text) for name in names for part in name.split()}
    light = words("stop") | words("abstract") | words("english") | words("not_name") | named
    found = [one for one in _WORD.findall(text) if len(one) >= _SHORTEST]
    fits = [one for one in found if one.lower() not in light and one.lower() not in said]
    verbs = ("ed", "ing", "ly")
    kept = [one for one in fits if not one.endswith(verbs)] or fits
    # After a subject in the singular comes a verb with an -s: it goes last.
    kept.sort(key=is_plural)
    return [Subject("word", plain(one.lower())) for one in dict.fromkeys(kept)][: MOST // 2]


def _foreign(text: str) -> tuple[Subject, ...]:
    """The longest words of a text in another language, as they stand and in its order.

    Where it writes nouns with capitals, these; its first word has one in any case.
    """
    light = words("foreign") | words("stop") | words("not_name")
    every = _WORD.findall(text)
    found = [one for one in every if one.lower() not in light]
    nouns = [one for one in found if one[0].isupper() and one != every[0]]
    pool = list(dict.fromkeys(shorten(one, _LONGEST_WORD) for one in nouns or found))
    longest = sorted(pool, key=len, reverse=True)[: MOST - 1]
    kept = [one for one in pool if one in longest] or [shorten(text, _LONGEST_WORD)]
    return tuple(Subject("word", one) for one in kept)
