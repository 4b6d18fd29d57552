"""Reading a premise: who it is about, where it plays, which things it mentions."""

import re
from dataclasses import dataclass
from functools import cache

from libriscribe2.llm.offline.english import gerund, is_plural, plain, shorten
from libriscribe2.llm.offline.people import pronoun_cue
from libriscribe2.llm.offline.phrases import banks

_WORD = re.compile(r"[\w’'-]+|[^\w\s]")
_ABOUT = re.compile(
    r"\b(?:book|guide|introduction|handbook|manual|primer|history|essay|course|look|work)s?\s+"
    r"(?:about|on|to|of|for|into|at)\s+(?P<topic>[^.,;:!?]+)",
    re.IGNORECASE,
)
_HOW_TO = re.compile(r"\bhow to (?P<verb>[a-z]+)(?P<rest>[^.,;:!?]*)", re.IGNORECASE)
_TOPIC_END = re.compile(r"\s+(?:for|by|in|that|which|who|with|from|and why|told|when)\b.*", re.I)


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase of the premise without its article.

    Attributes:
        words: Such as `drowned coast`.
        before: The word in front of the phrase, in lower case.
        article: The determiner with which it came, in lower case; "" for a name.
    """

    words: str
    before: str
    article: str

    @property
    def head(self) -> str:
        """The last word."""
        return self.words.rsplit(" ", 1)[-1]

    @property
    def definite(self) -> str:
        """The phrase as something known: `the drowned coast`, `Lagos`."""
        return f"the {self.words}" if self.article else self.words


@dataclass(frozen=True, slots=True)
class Premise:
    """What a premise says.

    Attributes:
        text: Its first sentence or two, whole.
        hero: Whom it is about, such as `lighthouse keeper`; "" if it does not say.
        names: Names of people.
        settings: Places, as definite phrases.
        things: Other things, as definite phrases.
        topic: What a non-fiction book is about, such as `sourdough` or `keeping bees`.
        pronoun: `she`, `he` or "".
    """

    text: str
    hero: str
    names: tuple[str, ...]
    settings: tuple[str, ...]
    things: tuple[str, ...]
    topic: str
    pronoun: str


def key_sentence(text: str) -> str:
    """The first sentence of a text, and the next ones while there are fewer than six words.

    A concept that the offline author writes opens with the premise's key sentence, so that
    prompts without a premise lead to the same reading.
    """
    flat = " ".join(text.split())
    parts = re.split(r"(?<=[.!?])\s+", flat)
    kept = ""
    for part in parts:
        kept = f"{kept} {part}".strip()
        if len(kept.split()) >= 6:
            break
    words = kept.split()
    return kept if len(words) <= 60 else " ".join(words[:60]) + "."


def read_premise(text: str) -> Premise:
    """Find people, places and things in the key sentence of a premise."""
    key = key_sentence(text)
    lexicon = banks("lexicon")
    if not _is_english(key):
        return Premise(key, "", (), (), (), shorten(key.rstrip("."), 60), "")
    nouns = _noun_phrases(key)
    names, towns = names_in(key)
    hero = next((noun for noun in nouns if _is_person(noun.head)), None)
    settings = [noun.definite for noun in nouns if noun is not hero and _is_place(noun)]
    skip = {*settings, *(noun.definite for noun in nouns if _is_person(noun.head))}
    abstract = _words(lexicon["abstract"])
    things = [n.definite for n in nouns if n.definite not in skip and n.head not in abstract]
    return Premise(
        text=key,
        hero=hero.words if hero is not None and not is_plural(hero.head) else "",
        names=names,
        settings=tuple(dict.fromkeys([*towns, *settings])),
        things=tuple(dict.fromkeys(things)),
        topic=_topic(key, nouns),
        pronoun=pronoun_cue(key),
    )


@cache
def _words(lines: tuple[str, ...]) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


def _is_english(text: str) -> bool:
    words = re.findall(r"\w+", text.lower())
    known = _words(banks("lexicon")["english"])
    return len(words) < 4 or any(word in known for word in words)


def _is_person(head: str) -> bool:
    lexicon = banks("lexicon")
    word = head.lower()
    single = word[:-1] if is_plural(word) else word
    if {word, single} & _words(lexicon["not_person"]):
        return False
    if {word, single} & _words(lexicon["person"]):
        return True
    return len(single) > 4 and single.endswith(tuple(lexicon["person_ending"]))


def _is_place(noun: Noun) -> bool:
    lexicon = banks("lexicon")
    if _is_person(noun.head) or noun.head in _words(lexicon["abstract"]):
        return False
    return noun.head.lower() in _words(lexicon["place"]) or (
        noun.before in _words(lexicon["where"]) and noun.head.lower() not in _words(lexicon["kept"])
    )


def _noun_phrases(text: str) -> list[Noun]:
    """The phrases that begin with a determiner, in order."""
    tokens = _WORD.findall(text)
    determiners = _words(banks("lexicon")["determiner"])
    found = []
    for index, token in enumerate(tokens):
        if token.lower() in determiners:
            words = _phrase(tokens[index + 1 : index + 6], article=token.lower())
            if words:
                before = tokens[index - 1].lower() if index else ""
                found.append(Noun(" ".join(words), before, token.lower()))
    return found


def _phrase(tokens: list[str], article: str) -> list[str]:
    """The words of a noun phrase at the start of the tokens."""
    stop = _words(banks("lexicon")["stop"])
    words: list[str] = []
    for token in tokens:
        if not token[0].isalpha() or token.lower() in stop:
            break
        if words and _ends_phrase(token, words[-1], article):
            break
        words.append(token)
    while words and words[-1].endswith("ly"):
        words.pop()
    return words[:4]


def _ends_phrase(token: str, last: str, article: str) -> bool:
    """Whether a word after the first belongs to the verb rather than to the noun phrase."""
    lexicon = banks("lexicon")
    word = token.lower()
    if word in _words(lexicon["noun_ing"]):
        return False
    if word.endswith(("ed", "ing")):
        return not last.endswith("ly")
    # After `a` a noun is singular, so an -s is the verb's: `a keeper finds`.
    return article in {"a", "an", "one"} and is_plural(word)


def names_in(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of people and of places that stand in a text."""
    lexicon = banks("lexicon")
    people: list[str] = []
    places: list[str] = []
    for match in re.finditer(r"[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*", text):
        name = re.sub(r"[’']s$", "", match[0])
        before = re.findall(r"[\w.!?]+", text[: match.start()])
        previous = before[-1].lower() if before else ""
        if not _is_name(name, previous, text[match.end() :]):
            continue
        is_place = previous in _words(lexicon["where"]) | {"of", "to", "from"}
        (places if is_place or _sounds_like_place(name) else people).append(name)
    return tuple(dict.fromkeys(people)), tuple(dict.fromkeys(places))


def _is_name(name: str, previous: str, rest: str) -> bool:
    lexicon = banks("lexicon")
    first = name.split()[0].lower()
    if first in _words(lexicon["not_name"]) or first.endswith(tuple(lexicon["adjective_ending"])):
        return False
    if previous in _words(lexicon["determiner"]):
        return False
    starts_sentence = not previous or previous[-1] in ".!?"
    if not starts_sentence:
        return True
    return " " in name or re.match(r", (?:a|an|the|who|once|aged)\b", rest) is not None


def _sounds_like_place(name: str) -> bool:
    words = {word.lower() for word in name.split()}
    return bool(words & _words(banks("lexicon")["place_name"]))


def _topic(key: str, nouns: list[Noun]) -> str:
    """What a book of facts with this premise is about."""
    how = _HOW_TO.search(key)
    if how is not None:
        return _TOPIC_END.sub("", gerund(how["verb"].lower()) + how["rest"]).strip()
    about = _ABOUT.search(key)
    if about is not None:
        return plain(_TOPIC_END.sub("", about["topic"]))
    if nouns and nouns[0].article in {"a", "an", "the"}:
        return nouns[0].definite
    bare = _TOPIC_END.sub("", re.split(r"[.,;:!?]", key)[0]).strip()
    first = bare.split(" ", 1)[0]
    lowered = first.lower() if first[1:].islower() else first
    return shorten((lowered + bare[len(first) :]).strip(), 60)
