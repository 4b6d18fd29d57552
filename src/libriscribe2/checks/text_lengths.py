"""How long chapters and scenes are to be, what to ask for, and how well lengths meet it."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from libriscribe2.checks.text_figures import variation
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineChapter, ScenePlan

FIRST_RATIO: Final = 1.0
"""What a model whose habit is not known is taken to give of what it is asked for."""

HALF: Final = 0.5
"""A text of less than this share of its length is continued; what a longer one lacks, the next are
asked for: to go on with what a writer has ended is padding."""

SHORT: Final = 0.75
"""A text of less than this share of its wanted length is short."""

LONG: Final = 1.35
"""A text of more than this share of its wanted length is long."""

_LOW, _HIGH = 0.8, 1.25
"""A chapter is asked for by its plan, and by no more than a fourth more or a fifth less: the next
ones do not pay for one that came too long."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How long a text is to be.

    Attributes:
        words: The wanted words.
        habit: The share of the asked words that the book has been given so far.
    """

    words: int
    habit: float = FIRST_RATIO

    @property
    def asked(self) -> int:
        """The words to ask for, so that the wanted ones come."""
        return max(1, round(self.words / self.habit))

    def is_short(self, count: int) -> bool:
        """Whether a text of so many words is too short to be left as it is."""
        return count < HALF * self.words

    def with_share_of(self, missing: int, texts: int) -> "Wanted":
        """The same for one of some texts that make up for words which those before lack."""
        most = round((_HIGH - 1) * self.words)
        return replace(self, words=self.words + min(most, max(0, missing) // texts))

    def missing(self, count: int) -> int:
        """The words to ask for where a text of `count` words is to be continued."""
        return max(1, round((self.words - count) / self.habit))


def length_score(actual: int, wanted: int) -> float:
    """The length score S_l of LongWriter (Bai et al. 2024), 0 to 100; 100 is exact.

    Too long loses a third of the excess, too short half of the shortfall: a text of nothing and
    one of four times the length score 0.
    """
    if actual <= 0 or wanted <= 0:
        return 0.0
    over = (actual / wanted - 1) / 3 if actual > wanted else (wanted / actual - 1) / 2
    return 100 * max(0.0, 1 - over)


def habit(actual: Sequence[int], asked: Sequence[int]) -> float:
    """The median share of the asked words that a model has given, within 0.8 and 1.25."""
    ratios = [got / wish for got, wish in zip(actual, asked, strict=True) if wish > 0]
    return min(_HIGH, max(_LOW, median(ratios) if ratios else FIRST_RATIO))


def habit_at(
    number: int,
    actual: Mapping[int, int],
    wanted: Mapping[int, int],
    known: Callable[[int], Iterable[int]],
) -> float:
    """The habit that chapter `number` is written by, from the texts that it may be written from.

    What each of those was asked for follows from the habit that was known by then, so the
    finished texts and the order of drafting say it all.

    Args:
        number: The chapter.
        actual: Words of the chapters that are written.
        wanted: Wanted words of every chapter.
        known: Chapters that a chapter may be written from (`DraftOrder.known`).
    """
    asked: dict[int, int] = {}
    found = FIRST_RATIO
    for chapter in _in_order(number, known, actual):
        before = [n for n in known(chapter) if n in actual]
        found = habit([actual[n] for n in before], [asked[n] for n in before])
        if chapter in actual:
            asked[chapter] = Wanted(wanted[chapter], found).asked
    return found


def _in_order(
    number: int, known: Callable[[int], Iterable[int]], written: Container[int]
) -> list[int]:
    """The chapters that a chapter's habit rests on, those first that others rest on; itself last."""
    order: dict[int, None] = {}
    open_ones = [number]
    while open_ones:
        chapter = open_ones[-1]
        waiting = [n for n in known(chapter) if n in written and n not in order]
        if waiting:
            open_ones.extend(waiting[:1])
        else:
            order[open_ones.pop()] = None
    return list(order)


def chapter_variation(lengths: Sequence[int]) -> float:
    """The coefficient of variation of chapter lengths."""
    return variation(lengths)


WILD: Final = 3
"""A target of more than so many times the usual one, or of less than its part, is a slip."""


def chapter_words(brief: Brief, chapters: Sequence[OutlineChapter]) -> list[float]:
    """Words of each chapter.

    The plan's targets say how the book's words are shared out, not how many there are: all
    chapters together have the length that the author asked for.
    """
    even = brief.words_per_chapter(len(chapters))
    shares = _shares([chapter.target_words for chapter in chapters], even)
    whole = sum(shares)
    return [even * len(chapters) * share / whole for share in shares]


def scene_words(words: float, scenes: Sequence[ScenePlan]) -> list[int]:
    """Words of each scene of a chapter of so many words, shared out as the plan has it."""
    shares = _shares([scene.target_words for scene in scenes], words / len(scenes))
    return [max(1, round(words * share / sum(shares))) for share in shares]


def _shares(targets: Sequence[int], even: float) -> list[float]:
    """The targets, with an even share where there is none; a wild one counts as less wild."""
    shares = [float(target or even) for target in targets]
    usual = median(shares)
    return [min(max(share, usual / WILD), usual * WILD) for share in shares]
