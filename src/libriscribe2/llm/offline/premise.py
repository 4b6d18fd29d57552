"""Reading a premise: who it is about, where it plays, which things it mentions."""

import re
from dataclasses import dataclass
from itertools import pairwise

from libriscribe2.llm.offline.english import gerund, is_plural, plain, shorten
from libriscribe2.llm.offline.lexicon import endings, words
from libriscribe2.llm.offline.people import pronoun_cue

_WORD = re.compile(r"[\w’'-]+|[^\w\s]")
_CAPITAL = "[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĢĪİĶĻŁŃŇŌŐŘŚŞŠŤŪŮŰŹŻŽΑ-ΩА-ЯЁ]"
_NAME = re.compile(rf"{_CAPITAL}[\w’'-]+(?: {_CAPITAL}[\w’'-]+)*")
_ABOUT = re.compile(
    r"\b(?:book|guide|introduction|handbook|manual|primer|history|essay|course|look|work)s?\s+"
    r"(?:about|on|to|of|for|into|at)\s+(?P<topic>[^.,;:!?]+)",
    re.IGNORECASE,
)
_HOW_TO = re.compile(
    r"\bhow (?:to|(?:[\w’'-]+ ){1,4}(?:can|could|should)(?: learn to)?) "
    r"(?P<verb>[a-z]+)(?P<rest>[^.,;:!?]*)",
    re.IGNORECASE,
)
_APOSTROPHES = ("'", "\u2019")
_OWNER = re.compile(r"(?!(?:it|he|she|that|who|what|there|here|let)\W)[a-z]{3,}['\u2019]s")
_ADJECTIVES = frozenset({"live", "home"})
"""Words that may be verbs and are none behind an article."""

_OBJECTS = frozenset({"him", "them", "it", "me", "us", "you", "nobody", "everyone", "everybody"})
"""Words that follow a verb and no noun: `the sea owes him`."""

_CLAUSE = re.compile(r"(?:how|why|what|when|where|who|which|whether)\s", re.IGNORECASE)
_TITLED = re.compile(
    r"[^:]*\b(?:book|guide|handbook|manual|primer)\b[^:]*:(?P<topic>[^.,;:!?]+)", re.IGNORECASE
)
_TOPIC_END = re.compile(
    r"\s+(?:for|by|in|that|which|who|with|without|from|and why|told|when)\b.*", re.IGNORECASE
)


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
        if self.article.endswith("s") and self.article[-2:-1] in _APOSTROPHES:
            return f"{self.article[:-2]}\u2019s {self.words}"
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
    kept = ""
    for sentence in re.split(r"(?<=[.!?])\s+", flat):
        kept = f"{kept} {sentence}".strip()
        if len(kept.split()) >= 6:
            break
    parts = kept.split()
    return kept if len(parts) <= 60 else f"{' '.join(parts[:60])}."


def read_premise(text: str) -> Premise:
    """Find people, places and things in the key sentence of a premise."""
    key = key_sentence(text)
    if not is_english(key):
        return Premise(key, "", (), (), (), shorten(key.rstrip("."), 60), "")
    nouns = noun_phrases(key)
    names, towns = names_in(key)
    hero = next((noun for noun in nouns if is_person(noun.head)), None)
    settings = [noun.definite for noun in nouns if noun is not hero and is_place(noun)]
    skip = {*settings, *(noun.definite for noun in nouns if is_person(noun.head))}
    abstract = words("abstract")
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


def is_english(text: str) -> bool:
    """Whether a text is in English, by its small words; a very short one is."""
    used = re.findall(r"\w+", text.lower())
    foreign = sum(word in words("foreign") for word in used)
    return sum(word in words("english") for word in used) > foreign or len(used) < 4


def is_person(head: str) -> bool:
    """Whether a noun means somebody."""
    word = head.lower()
    single = word[:-1] if is_plural(word) else word
    if {word, single} & words("not_person"):
        return False
    if {word, single} & words("person"):
        return True
    return len(single) > 4 and single.endswith(endings("person_ending"))


def is_place(noun: Noun) -> bool:
    """Whether something is where things happen."""
    if is_person(noun.head) or noun.head in words("abstract"):
        return False
    return noun.head.lower() in words("place") or (
        noun.before in words("where") and noun.head.lower() not in words("kept")
    )


def noun_phrases(text: str) -> list[Noun]:
    """The phrases that begin with a determiner or an owner (`tomorrow's logbook`), in order."""
    tokens = _WORD.findall(text)
    determiners = words("determiner")
    found = []
    for index, token in enumerate(tokens):
        leads = _OWNER.fullmatch(token) is not None and not _is_led(tokens, index)
        if token.lower() in determiners or leads:
            phrase = _phrase(tokens[index + 1 : index + 6], article=token.lower())
            if phrase:
                before = tokens[index - 1].lower() if index else ""
                found.append(Noun(" ".join(phrase), before, token.lower()))
    return found


def _is_led(tokens: list[str], index: int) -> bool:
    """Whether a determiner stands shortly before a token, so that this is part of its phrase."""
    for token in reversed(tokens[max(0, index - 3) : index]):
        if token.lower() in words("determiner"):
            return True
        if token.lower() in words("stop"):
            break
    return False


def _phrase(tokens: list[str], article: str) -> list[str]:
    """The words of a noun phrase at the start of the tokens."""
    found: list[str] = []
    for token, following in pairwise([*tokens, "."]):
        ends = token.lower() in words("stop") and (found or token.lower() not in _ADJECTIVES)
        if not token[0].isalpha() or ends:
            break
        if found and _ends_phrase(token, found[-1], following, article):
            break
        if found and found[-1] in words("abstract") and token[0].isupper():
            break  # `at the beginning Ada waits`
        found.append(token)
    while found and found[-1].endswith("ly"):
        found.pop()
    return found[:4]


def _ends_phrase(token: str, last: str, following: str, article: str) -> bool:
    """Whether a word after the first belongs to the verb rather than to the noun phrase."""
    word = token.lower()
    if word in words("noun_ing"):
        return False
    if word.endswith(("ed", "ing")):
        return not last.endswith("ly")
    if is_plural(last) and last.isalpha():
        return True
    # After `a` a noun is singular, so an -s is the verb's: `a keeper finds`. After `the` it is
    # where an object or a place follows: `the past knocks at`.
    leads_on = words("where") | words("determiner") | _OBJECTS
    verbal = following.lower() in leads_on or is_plural(following)
    return is_plural(word) and (article in {"a", "an", "one"} or verbal)


def names_in(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of people and of places that stand in a text."""
    people: list[str] = []
    places: list[str] = []
    for match in _NAME.finditer(text):
        opener, name = _without_opener(re.sub(r"[’']s$", "", match[0]))
        before = re.findall(r"[\w.!?]+", text[: match.start()])
        previous = opener or (before[-1].lower() if before else "")
        if not _is_name(name, previous, text[match.end() :]):
            continue
        is_place = previous in words("where") | {"of", "to", "from"}
        (places if is_place or _sounds_like_place(name) else people).append(name)
    return tuple(dict.fromkeys(people)), tuple(dict.fromkeys(places))


def _without_opener(name: str) -> tuple[str, str]:
    """A capitalised word such as `When` in front of a name, and the name."""
    first, _, rest = name.partition(" ")
    return (first.lower(), rest) if rest and first.lower() in words("not_name") else ("", name)


def _is_name(name: str, previous: str, rest: str) -> bool:
    first = name.split()[0].lower()
    if first in words("not_name") or first.endswith(endings("adjective_ending")):
        return False
    if previous in words("determiner"):
        return False
    starts_sentence = not previous or previous[-1] in ".!?"
    if not starts_sentence:
        return True
    return " " in name or re.match(r", (?:a|an|the|who|once|aged)\b", rest) is not None


def _sounds_like_place(name: str) -> bool:
    return not words("place_name").isdisjoint(name.lower().split())


def _topic(key: str, nouns: list[Noun]) -> str:
    """What a book of facts with this premise is about."""
    how = _HOW_TO.search(key)
    if how is not None:
        return _TOPIC_END.sub("", gerund(how["verb"].lower()) + how["rest"]).strip()
    about = _ABOUT.search(key) or _TITLED.match(key)
    if about is not None:
        return plain(_TOPIC_END.sub("", about["topic"]))
    if nouns and key.lower().startswith(f"{nouns[0].article} {nouns[0].words.lower()}"):
        return nouns[0].definite
    bare = _TOPIC_END.sub("", re.split(r"[.,;:!?]", key)[0]).strip()
    first = bare.split(" ", 1)[0]
    lowered = first.lower() if first[1:].islower() else first
    if _CLAUSE.match(key):
        lowered = f"the question of {lowered}"
    return shorten((lowered + bare[len(first) :]).strip(), 60)
