"""Figures of prose: rhythm, vocabulary, turns of phrase, the person and tense it is told in."""

import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Final, Literal

from libriscribe2.checks.reference_ranges import FAVOURED_NAMES, FAVOURED_WORDS
from libriscribe2.checks.text import ChapterText, Paragraph, plain, words

SHORT_SENTENCE: Final = 5
_SPOKEN: Final = re.compile('"[^"]*"|\u00ab[^\u00bb]*\u00bb|\u300c[^\u300d]*\u300d|\u201e[^"]*"')


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How a text moves.

    Attributes:
        sentence_words: Mean words of a sentence.
        short_share: Share of sentences of at most five words.
        sentence_variation: Standard deviation of sentence lengths over their mean.
        paragraph_variation: The same of paragraphs.
        spoken_share: Share of the words that stand in quotation marks.
    """

    sentence_words: float
    short_share: float
    sentence_variation: float
    paragraph_variation: float
    spoken_share: float


def rhythm(chapters: Sequence[ChapterText]) -> Rhythm:
    """The rhythm of some chapters together; all zero without text."""
    sentences = [len(words(one)) for chapter in chapters for one in chapter.sentences]
    paragraphs = [len(words(one.text)) for chapter in chapters for one in chapter.paragraphs]
    total = sum(paragraphs)
    if not total:
        return Rhythm(0.0, 0.0, 0.0, 0.0, 0.0)
    spoken = sum(spoken_words(one.text) for chapter in chapters for one in chapter.paragraphs)
    return Rhythm(
        sentence_words=fmean(sentences),
        short_share=sum(length <= SHORT_SENTENCE for length in sentences) / len(sentences),
        sentence_variation=variation(sentences),
        paragraph_variation=variation(paragraphs),
        spoken_share=spoken / total,
    )


def variation(values: Sequence[float]) -> float:
    """The coefficient of variation; 0 for fewer than two values."""
    mean = fmean(values) if values else 0.0
    return pstdev(values) / mean if len(values) > 1 and mean else 0.0


def spoken_words(paragraph: str) -> int:
    """How many words of a paragraph stand in quotation marks."""
    return sum(len(words(found)) for found in _SPOKEN.findall(plain(paragraph)))


_MTLD_THRESHOLD: Final = 0.72
"""McCarthy and Jarvis 2010: the type-token ratio at which a factor ends."""


def mattr(tokens: Sequence[str], window: int = 500) -> float:
    """Moving-average type-token ratio (Covington and McFall 2010), 0 to 1; 0 for no text."""
    if len(tokens) <= window:
        return len(set(tokens)) / len(tokens) if tokens else 0.0
    inside = Counter(tokens[:window])
    total = len(inside)
    for index in range(window, len(tokens)):
        leaving = tokens[index - window]
        inside[leaving] -= 1
        if not inside[leaving]:
            del inside[leaving]
        inside[tokens[index]] += 1
        total += len(inside)
    return total / ((len(tokens) - window + 1) * window)


def mtld(tokens: Sequence[str]) -> float:
    """Measure of textual lexical diversity: the mean of both reading directions, in words."""
    return (_one_way(tokens) + _one_way(tokens[::-1])) / 2


def _one_way(tokens: Sequence[str]) -> float:
    """Words per factor in one direction; the whole length where no factor ends."""
    factors, types, taken, ratio = 0.0, set[str](), 0, 1.0
    for token in tokens:
        taken += 1
        types.add(token)
        ratio = len(types) / taken
        if ratio <= _MTLD_THRESHOLD:
            factors, types, taken, ratio = factors + 1, set(), 0, 1.0
    factors += (1 - ratio) / (1 - _MTLD_THRESHOLD)
    return len(tokens) / factors if factors else float(len(tokens))


def compressed_share(text: str) -> float:
    """The size that zlib leaves of a text, 0 to 1; lower is more repetitive."""
    data = text.encode("utf-8", errors="replace")
    return len(zlib.compress(data, 9)) / len(data) if data else 1.0


_NOT_LY: Final = (
    "only|family|early|really|reply|supply|apply|holy|ugly|silly|daily|likely|lonely|belly|jelly"
    "|italy|july|fly|rely|ally|bully|lily|assembly|butterfly|anomaly|monopoly"
)
_NOT_ING: Final = "nothing|something|anything|everything|during|morning|evening|according|including"

_ANY: Final = re.IGNORECASE

SURFACE: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    "not X but Y": (
        re.compile(
            r"\bnot (?:just|only|merely|simply)? ?[^.?!;\n]{1,70}?[,\u2014\u2013]\s*but\s"
            r"(?!when|while|which|who|if|that|as|because|then|there|i\b|we\b|you\b)",
            _ANY,
        ),
        re.compile(
            r"\b(?:it|this|that) (?:was|is)(?:n't| not) [^.?!;\n]{1,70}[.;\u2014\u2013]\s*"
            r"(?:it|this|that) (?:was|is)\b(?! not)",
            _ANY,
        ),
    ),
    "em dashes": (re.compile(r"\u2014|(?<=\w)--(?=\w)|\u2013(?=\s)"),),
    "participle tails": (
        re.compile(rf",\s+(?:\w+ly\s+)?(?!(?:{_NOT_ING})\b)[a-z]{{2,}}ing\b", _ANY),
    ),
    "similes": (re.compile(r"\b(?:like (?:a|an|the|some)|as if|as though|as \w+ as)\b", _ANY),),
    "-ly adverbs": (re.compile(rf"\b(?!(?:{_NOT_LY})\b)[a-z]{{3,}}ly\b", _ANY),),
    "stock gestures": (
        re.compile(
            r"\b(?:felt|feeling|feel)\s+(?:an? |the )?(?:\w+ )?"
            r"(?:sense|surge|wave|pang|flicker|rush|knot|weight|chill|shiver|stab|twinge|flood)\b",
            _ANY,
        ),
        re.compile(
            r"\b(?:couldn't help but|let out a breath|hung in the air|air (?:was )?thick with"
            r"|sent (?:a )?shivers?|eyes (?:widened|narrowed)|heart (?:pounded|hammered|raced)"
            r"|jaw (?:clenched|tightened)|breath (?:caught|hitched)"
            r"|voice barely (?:above )?(?:a )?whisper)\b",
            _ANY,
        ),
    ),
    "favoured words": (re.compile(rf"\b(?:{'|'.join(FAVOURED_WORDS)})\b"),),
    "fragments": (re.compile(r"(?<=[.!?] )(?:A|An|The|No|Not) [^.,;:!?]{1,25}\."),),
}
"""Names of the turns of phrase, with what finds them."""


@dataclass(frozen=True, slots=True)
class SurfaceHit:
    """One turn of phrase.

    Attributes:
        chapter: Index of the chapter.
        paragraph: Where it stands.
        text: Its words.
    """

    chapter: int
    paragraph: Paragraph
    text: str


def surface_hits(chapters: Sequence[ChapterText], kind: str) -> list[SurfaceHit]:
    """Every place where a turn of phrase of `SURFACE` stands, in order."""
    patterns = SURFACE[kind]
    return [
        SurfaceHit(index, paragraph, found.group().strip(" ,"))
        for index, chapter in enumerate(chapters)
        for paragraph in chapter.paragraphs
        for pattern in patterns
        for found in pattern.finditer(plain(paragraph.text))
    ]


def per_thousand(count: int, chapters: Sequence[ChapterText]) -> float:
    """A count per 1,000 words of the text; 0 without text."""
    total = sum(len(chapter.words) for chapter in chapters)
    return 1_000 * count / total if total else 0.0


def ai_names(names: Sequence[str]) -> list[str]:
    """Names of which a part is one that models favour."""
    return [name for name in names if FAVOURED_NAMES.intersection(words(name))]


Person = Literal["first", "third"]
Tense = Literal["past", "present"]

FEWEST_WORDS: Final = 150
"""A shorter text does not say enough to be judged."""

_SPEECH: Final = re.compile(r'"[^"]*"?')
_IN_SINGLE: Final = re.compile(
    r"(?<!\w)'(?=\w)(?:[^']|(?<=\w)'(?=\w))*?(?:(?<=[.,?!\u2026\u2014-])'(?!\w)|\Z)"
)
"""Speech between single quotation marks, which ends behind a stop; an apostrophe ends none."""

_FORMS: Final = (
    re.compile(r"\b(?:I|me|my|mine|myself)\b"),
    re.compile(r"\b(?:he|she|him|her|his|hers|they|them|their)\b", re.IGNORECASE),
    re.compile(
        r"\b(?:was|were|had|did|said|went|came|saw|took|knew|thought|looked|stood|\w{2,}ed)\b"
    ),
    re.compile(
        r"\b(?:is|are|am|has|have|does|do|says|goes|comes|sees|takes|knows|thinks|looks|stands)\b"
    ),
)
"""Words of the first person, the third person, the past and the present."""

_FEW: Final = 20
"""A narrator who tells of others says `I` at least once beside so many words of theirs."""

_CLEAR: Final = 2.0
"""One form has to be twice as frequent as the other before a chapter counts as written in it."""


@dataclass(frozen=True, slots=True)
class Narration:
    """How a chapter is told; None where its narration does not say.

    Attributes:
        person: First or third person.
        tense: Past or present.
    """

    person: Person | None
    tense: Tense | None


def narration_of(chapter: ChapterText) -> Narration:
    """The person and tense of a chapter's narration, without what people say."""
    paragraphs = [*map(plain, chapter.prose)]
    speech = _SPEECH if any('"' in one for one in paragraphs) else _IN_SINGLE
    narrated = [speech.sub(" ", one) for one in paragraphs]
    if sum(len(text.split()) for text in narrated) < FEWEST_WORDS:
        return Narration(None, None)
    first, third, past, present = (
        sum(len(form.findall(text)) for text in narrated) for form in _FORMS
    )
    is_third = _FEW * first < third
    person: Person | None = "first" if 2 * first > third else "third" if is_third else None
    tense: Tense | None = None
    if past > _CLEAR * present:
        tense = "past"
    elif present > _CLEAR * past:
        tense = "present"
    return Narration(person, tense)


@dataclass(frozen=True, slots=True)
class Drift:
    """A chapter that is told otherwise than most.

    Attributes:
        chapter: The chapter.
        message: What differs.
    """

    chapter: ChapterText
    message: str


def narration_drift(chapters: Sequence[ChapterText]) -> list[Drift]:
    """Chapters whose person or tense is not that of the others.

    A book whose chapters are told in two ways about as often means it so.
    """
    told = [(chapter, narration_of(chapter)) for chapter in chapters]
    found = []
    for name in ("person", "tense"):
        known = [(one, value) for one, seen in told if (value := getattr(seen, name)) is not None]
        values = [value for _, value in known]
        for chapter, value in known:
            if 1 <= values.count(value) <= len(values) // 6:
                usual = next(other for other in values if other != value)
                message = f"told in the {value} {name}, the book in the {usual} {name}"
                found.append(Drift(chapter, message))
    return sorted(found, key=lambda drift: drift.chapter.number)
