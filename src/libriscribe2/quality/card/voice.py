"""The voice: vocabulary, rhythm, and turns of phrase of machine prose."""

from collections.abc import Sequence

from libriscribe2.quality.card.figure import Figure, place, worst
from libriscribe2.quality.text import ChapterText
from libriscribe2.quality.text_figures import (
    SURFACE,
    mattr,
    mtld,
    per_thousand,
    rhythm,
    surface_hits,
)


def voice_figures(chapters: Sequence[ChapterText]) -> list[Figure]:
    """Figures that mean the same in every language."""
    tokens = [word for chapter in chapters for word in chapter.words]
    told = rhythm(chapters)
    return [
        Figure("vocabulary (MATTR-500)", "voice", mattr(tokens), "types per word"),
        Figure("vocabulary (MTLD)", "voice", mtld(tokens), "words"),
        Figure("words per sentence", "voice", told.sentence_words, "words"),
        Figure("short sentences", "voice", told.short_share, "of sentences"),
        Figure("sentence variation", "voice", told.sentence_variation, "of the mean"),
        Figure("paragraph variation", "voice", told.paragraph_variation, "of the mean"),
    ]


def sound_figures(chapters: Sequence[ChapterText]) -> list[Figure]:
    """Turns of phrase per 1,000 words; for English only."""
    return [_sound(chapters, kind) for kind in SURFACE]


def _sound(chapters: Sequence[ChapterText], kind: str) -> Figure:
    """One turn of phrase with its first places."""
    hits = surface_hits(chapters, kind)
    places = worst(place(chapters[hit.chapter], hit.paragraph, hit.text) for hit in hits)
    return Figure(kind, "ai sound", per_thousand(len(hits), chapters), "per 1,000 words", places)
