"""Turns of phrase that machine prose has more of than books by people have. English only.

Each is a count per 1,000 words; they say where to look, not how good a text is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.quality.text import ChapterText, Paragraph, plain, words


def _any(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


_NOT_LY: Final = (
    "only|family|early|really|reply|supply|apply|holy|ugly|silly|daily|likely|lonely|belly|jelly"
    "|italy|july|fly|rely|ally|bully|lily|assembly|butterfly|anomaly|monopoly"
)
_NOT_ING: Final = "nothing|something|anything|everything|during|morning|evening|according|including"

SURFACE: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    "not X but Y": _any(
        r"\bnot (?:just|only|merely|simply)? ?[^.?!;\n]{1,70}?[,\u2014\u2013]\s*but\s"
        r"(?!when|while|which|who|if|that|as|because|then|there|i\b|we\b|you\b)",
        r"\b(?:it|this|that) (?:was|is)(?:n't| not) [^.?!;\n]{1,70}[.;\u2014\u2013]\s*"
        r"(?:it|this|that) (?:was|is)\b(?! not)",
    ),
    "em dashes": (re.compile(r"\u2014|(?<=\w)--(?=\w)|\u2013(?=\s)"),),
    "participle tails": _any(
        rf",\s+(?:\w+ly\s+)?(?!(?:{_NOT_ING})\b)[a-z]{{2,}}ing\b",
    ),
    "similes": _any(r"\b(?:like (?:a|an|the|some)|as if|as though|as \w+ as)\b"),
    "-ly adverbs": _any(rf"\b(?!(?:{_NOT_LY})\b)[a-z]{{3,}}ly\b"),
    "stock gestures": _any(
        r"\b(?:felt|feeling|feel)\s+(?:an? |the )?(?:\w+ )?"
        r"(?:sense|surge|wave|pang|flicker|rush|knot|weight|chill|shiver|stab|twinge|flood)\b",
        r"\b(?:couldn't help but|let out a breath|hung in the air|air (?:was )?thick with"
        r"|sent (?:a )?shivers?|eyes (?:widened|narrowed)|heart (?:pounded|hammered|raced)"
        r"|jaw (?:clenched|tightened)|breath (?:caught|hitched)"
        r"|voice barely (?:above )?(?:a )?whisper)\b",
    ),
}
"""Names of the turns of phrase, with what finds them."""

COMMON_AI_NAMES: Final = frozenset(
    {"elara", "thorne", "blackwood", "mara", "silas", "jax", "lila", "kael", "voss", "vance"}
    | {"elias", "lyra", "seraphina", "aria", "finn", "zephyr", "orion", "isolde", "caspian"}
)
"""Names that models give to main characters far more often than people do."""


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
    return [name for name in names if COMMON_AI_NAMES.intersection(words(name))]
