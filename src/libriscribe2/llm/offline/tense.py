"""Telling a plan's sentence in the past, where that can be done without bending it."""

import re
from functools import cache
from typing import Final

from libriscribe2.llm.offline.lexicon import words
from libriscribe2.llm.offline.phrases import banks

_WORD: Final = re.compile(r"[^\W\d_][\w’'-]*")
_BEFORE_VERB: Final = frozenset({"and", "then", "but", "who", "which", "he", "she", "it", "that"})
_OPENS: Final = _BEFORE_VERB | {
    *("when", "while", "because", "until", "before", "after", "if", "as", "where", "though"),
    *("what", "how", "why", "whose"),
}
"""Words after which another verb may follow; a clause has one only."""

_NO_VERB_AFTER: Final = frozenset({"to", "can", "will", "could", "would", "must", "may"})
_HELPERS: Final = frozenset({"is", "are", "has", "does", "can", "cannot", "will", "may"})
_SPEAKS: Final = re.compile(r"[\"“”]|\b(?:I|we|you|they|We|You|They)\b")


def in_the_past(sentence: str) -> str | None:
    """A sentence in the present tense as one in the past; None where that is not certain.

    Only verbs of the list are changed. A word that may be another verb makes it uncertain, as does
    speech.
    """
    if _SPEAKS.search(sentence) is not None:
        return None
    pieces: list[str] = []
    end = 0
    previous = ""
    changed, is_open = False, True
    for found in _WORD.finditer(sentence):
        word = found[0]
        gap = sentence[end : found.start()]
        is_open = is_open or previous.lower() in _OPENS or not gap.isspace()
        fits = (is_open or word in _HELPERS) and _may_be_verb(previous)
        past = _past().get(word) if fits else None
        if past is None and _is_another_verb(word, previous):
            return None
        changed, is_open = changed or past is not None, is_open and past is None
        pieces += [sentence[end : found.start()], past or word]
        end, previous = found.end(), word
    return "".join([*pieces, sentence[end:]]) if changed else None


def is_present(word: str) -> bool:
    """Whether a word is a verb of the list in the present."""
    return word in _past()


def _may_be_verb(previous: str) -> bool:
    """Whether a verb can follow a word; nothing that an article or preposition leads is one."""
    word = previous.lower()
    leads = words("determiner") | words("where") | {"of", "with", "for", "from"}
    return bool(word) and word not in leads | _NO_VERB_AFTER


def _is_another_verb(word: str, previous: str) -> bool:
    """Whether a word that the list does not have stands like a verb in the present."""
    stands = previous.lower() in _BEFORE_VERB or previous[:1].isupper()
    ends = word.endswith("s") and not word.endswith(("ss", "us", "is", "’s", "'s"))
    return stands and ends and word.islower()


@cache
def _past() -> dict[str, str]:
    """The past of every verb of the list, by its form after `he`."""
    bank = banks("verbs")
    pairs = (line.split(" ") for line in bank["past"])
    known = {now: then.replace("·", " ") for now, then in pairs}
    return {**{_third(verb): _regular(verb) for verb in _regular_verbs()}, **known}


@cache
def _regular_verbs() -> tuple[str, ...]:
    """The verbs with a regular past, in order."""
    return tuple(" ".join(banks("verbs")["regular"]).split())


def _third(verb: str) -> str:
    """What follows `he`: `watch` gives `watches`, `worry` gives `worries`."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z")) else f"{verb}s"


def _regular(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"
