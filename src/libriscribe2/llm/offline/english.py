"""The little English grammar that templates need: articles, plurals, capitals, sentences."""

import re
from collections.abc import Sequence

from libriscribe2.llm.offline.lexicon import words

_VOWEL_SOUND = re.compile(r"(?:[aeiou]|hour|honest|honou?r|heir)", re.IGNORECASE)
_CONSONANT_SOUND = re.compile(r"(?:uni(?!n)|us(?:e|u)|ut[eio]|eu|one\b|once|ouija)", re.IGNORECASE)
_ARTICLE = re.compile(r"\b([Aa])n? (?=(\w+))")
_SENTENCE_END = re.compile(r"(?<=[.!?])[”\"]?\s+|(?<=[.!?]”)\s+|\n+")


def article(word: str) -> str:
    """`a` or `an`, by the sound with which the word begins."""
    vowel = _VOWEL_SOUND.match(word) is not None and _CONSONANT_SOUND.match(word) is None
    return "an" if vowel else "a"


def right_articles(text: str) -> str:
    """The text with every `a` and `an` fitting the word that follows."""

    def fitting(match: re.Match[str]) -> str:
        return match[1] + article(match[2])[1:] + " "

    return _ARTICLE.sub(fitting, text)


def capitalised(text: str) -> str:
    """The text with its first letter in upper case, behind an opening quotation mark too."""
    for index, char in enumerate(text):
        if char.isalpha():
            return text[:index] + char.upper() + text[index + 1 :]
    return text


def sentence(text: str) -> str:
    """A template's output as a sentence: articles right, capitals right, one full stop.

    A full stop and a space start a new sentence inside the text as well.
    """
    text = right_articles(text.strip())
    parts = re.split(r"(?<=[.!?]) (?=[a-z])", text)
    return " ".join(capitalised(part) for part in parts)


def plain(text: str) -> str:
    """A phrase for the middle of a sentence: no full stop, no leading capital of a small word."""
    text = " ".join(text.split()).rstrip(" .;,:")
    first, _, rest = text.partition(" ")
    return f"{first.lower()} {rest}" if first.lower() in words("opens_small") and rest else text


def title_case(text: str) -> str:
    """The text as a title: small words stay small, except the first and the last."""
    parts = text.split()
    edges = {0, len(parts) - 1}
    return " ".join(
        part if index not in edges and part.lower() in words("small") else capitalised(part)
        for index, part in enumerate(parts)
    )


def joined(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def is_plural(noun: str) -> bool:
    """Whether a noun looks plural by its ending."""
    word = noun.lower()
    if word in {"people", "children", "men", "women", "mice", "bees", "geese"}:
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "ics", "news"))


def gerund(verb: str) -> str:
    """The `-ing` form of a verb: `make` gives `making`, `run` gives `running`."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", verb) and not verb.endswith("k"):
        return verb + verb[-1] + "ing"
    return verb + "ing"


def sentences(text: str) -> list[str]:
    """The sentences of a text without quotation marks, for telling repeats."""
    parts = (part.strip(' “”"') for part in _SENTENCE_END.split(text))
    return [part for part in parts if part]


def count_words(text: str) -> int:
    """Words as an author counts them: runs of anything between blanks."""
    return len(text.split())


def shorten(text: str, limit: int) -> str:
    """The text in at most `limit` characters, cut at a word where there is one."""
    if len(text) <= limit:
        return text
    cut = text[: limit + 1].rsplit(" ", 1)[0] if " " in text[: limit + 1] else text[:limit]
    return cut.rstrip(" ,;:-")[:limit] or text[:limit]
