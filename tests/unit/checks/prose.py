"""Chapters for the figures, made of nothing but the words that a test means."""

from random import Random

from libriscribe2.checks.text import ChapterText

_SYLLABLES = [consonant + vowel for consonant in "bdfglmnprstvwxzk" for vowel in "aeiou"]


def chapter(number: int, *paragraphs: str) -> ChapterText:
    """A chapter with a heading and these paragraphs."""
    text = f"# Chapter {number}\n\n" + "\n\n".join(paragraphs) + "\n"
    return ChapterText(number, f"chapters/{number:02d}.md", text)


def fresh(seed: int, count: int) -> str:
    """`count` made-up words; two seeds share next to no phrase."""
    dice = Random(seed)  # noqa: S311 -- the same text every time, no secret
    return " ".join("".join(dice.choices(_SYLLABLES, k=dice.randint(2, 4))) for _ in range(count))
