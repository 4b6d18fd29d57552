"""What an evaluator's answers in both orders come to, and whether it can be believed.

It is calibrated on sound passages beside ones that were spoiled on purpose in six ways, each of which
anyone who can judge prose has to see, and on passages by people beside a model's version of them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from math import sqrt
from typing import Final, Literal

from libriscribe2.checks.passage_pairs import CALIBRATION_PASSAGES, Pair
from libriscribe2.checks.text import sentences
from libriscribe2.models.brief import Brief
from libriscribe2.models.languages import is_english

Side = Literal["ours", "theirs", "tie"]

QUESTIONS: Final = {
    "fiction": (
        "Which one makes you want to read on?",
        "In which one do the people act from what they want?",
        "Which one has fresh particulars in place of stock phrases?",
        "In which one can the speakers be told apart by how they talk?",
        "In which one does the scene change something?",
        "Which one is in better control of its sentences?",
    ),
    "non-fiction": (
        "Which one answers the question that it raises?",
        "In which one are the claims supported?",
        "In which one are terms explained before they are used?",
        "Which one says things once?",
        "Which one has the better examples?",
        "Which one is easier to follow?",
    ),
}
"""What a judge is asked, by the kind of book. There is no question for an overall score."""

WHOLE: Final = {
    "fiction": (
        "In which one does what happens follow from what happened before?",
        "Which one pays off what it sets up?",
        "In which one does somebody come to be another, or see that they cannot?",
        "In which one does each chapter change something?",
        "Which one keeps its facts?",
        "Which ending is earned?",
    ),
    "non-fiction": (
        "Which one answers what it sets out to answer?",
        "In which one does each chapter build on the one before?",
        "Which one says things once?",
        "In which one do the parts belong together?",
        "Which one keeps its facts?",
        "Which one ends with something to take away?",
    ),
}
"""What a judge is asked of two digests."""

LEAST_RIGHT: Final = 0.8
HUMAN: Final = "people beside a model"
LEAST_HUMAN: Final = 0.6
"""Two of the three passages by people."""

MOST_FLIPS: Final = 0.35
EVEN: Final = 0.5
_Z: Final = 1.96
"""The normal quantile of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class PairDecision:
    """What came of one pair of passages.

    Attributes:
        name: What the pair is, such as `chapter 3, beginning`.
        sides: For each question which passage is better; a tie where the orders disagree.
        flips: How many questions got the same label in both orders, which is the other passage.
        quotes: For each question the words that the judge went by; empty for a tie.
    """

    name: str
    sides: tuple[Side, ...]
    flips: int
    quotes: tuple[str, ...]

    @property
    def unit(self) -> str:
        """What the pair is a part of: its chapter, or the whole book."""
        return self.name.rpartition(" ")[0]

    @property
    def side(self) -> Side:
        """The passage that more questions prefer."""
        ours, theirs = self.sides.count("ours"), self.sides.count("theirs")
        return "tie" if ours == theirs else "ours" if ours > theirs else "theirs"


def combined(
    name: str, first: Sequence[tuple[Side, str]], second: Sequence[tuple[Side, str]]
) -> PairDecision:
    """The decision of two orders.

    Args:
        name: What the pair is.
        first: For each question the side and the quote, ours shown first.
        second: The same, theirs shown first.
    """
    sides: list[Side] = []
    quotes, flips = [], 0
    for (one, quote), (other, _) in zip(first, second, strict=True):
        agreed = one == other
        flips += not agreed and "tie" not in (one, other)
        sides.append(one if agreed else "tie")
        quotes.append(quote if agreed else "")
    return PairDecision(name, tuple(sides), flips, tuple(quotes))


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a judge did on pairs of which one passage was spoiled on purpose.

    Attributes:
        right: How many pairs it got right, by the kind of damage, and of how many.
        flips: Share of all questions whose answer only followed the order.
    """

    right: Mapping[str, tuple[int, int]]
    flips: float

    @property
    def share(self) -> float:
        """Share of the pairs in which the sound passage was preferred."""
        asked = sum(of for _, of in self.right.values())
        return sum(count for count, _ in self.right.values()) / asked if asked else 0.0

    @property
    def passed(self) -> bool:
        """Whether the judge may be heard."""
        right, of = self.right.get(HUMAN, (0, 0))
        people = right >= LEAST_HUMAN * of
        return people and self.share >= LEAST_RIGHT and self.flips <= MOST_FLIPS


def calibrated(decisions: Iterable[tuple[str, PairDecision]]) -> Calibration:
    """The result of a calibration, from the kind of damage and the decision of each pair.

    The sound passage is `ours`.
    """
    right: dict[str, tuple[int, int]] = {}
    flips = questions = 0
    for kind, decision in decisions:
        count, of = right.get(kind, (0, 0))
        right[kind] = (count + (decision.side == "ours"), of + 1)
        flips += decision.flips
        questions += len(decision.sides)
    return Calibration(right, flips / questions if questions else 0.0)


@dataclass(frozen=True, slots=True)
class Votes:
    """What all decisions come to: each chapter has one vote, and the digests have one.

    Attributes:
        ours: Votes for the first draft.
        theirs: Votes for the second one.
        ties: Votes for neither.
    """

    ours: int
    theirs: int
    ties: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval (Wilson 1927) of the share that prefers the first, ties left out."""
        count = self.ours + self.theirs
        if not count:
            return 0.0, 1.0
        share, square = self.ours / count, _Z * _Z / count
        middle = (share + square / 2) / (1 + square)
        width = _Z * sqrt(share * (1 - share) / count + square / (4 * count)) / (1 + square)
        return max(0.0, middle - width), min(1.0, middle + width)

    @property
    def better(self) -> Side:
        """The draft that is shown to be better; a tie where no difference is shown."""
        low, high = self.interval
        return "ours" if low > EVEN else "theirs" if high < EVEN else "tie"


def votes(decisions: Sequence[PairDecision]) -> Votes:
    """The votes of the chapters: passages of one chapter are no independent witnesses."""
    of: dict[str, list[Side]] = {}
    for one in decisions:
        of.setdefault(one.unit, []).append(one.side)
    sums = [sides.count("ours") - sides.count("theirs") for sides in of.values()]
    return Votes(sum(n > 0 for n in sums), sum(n < 0 for n in sums), sums.count(0))


def calibration_pairs(
    passages: Sequence[str], names: Sequence[str], brief: Brief
) -> list[tuple[str, Pair]]:
    """Sound passages beside spoiled ones, each with the kind of damage; in English also people."""
    pairs = [
        (kind, Pair(f"exam {number} {kind}", passage, made))
        for number, passage in enumerate(passages[:CALIBRATION_PASSAGES], start=1)
        for kind, made in spoilt(passage, names).items()
    ]
    known = brief.kind == "fiction" and is_english(brief.language)
    return pairs + ([(HUMAN, pair) for pair in by_people()] if known else [])


def by_people() -> list[Pair]:
    """Passages by people, each beside what a model made of it."""
    told = resources.files("libriscribe2.checks").joinpath("anchors.md").read_text("utf-8")
    both = (one.split("\n------\n") for one in told.split("\n======\n")[1:])
    return [Pair(f"exam people {n}", a.strip(), b.strip()) for n, (a, b) in enumerate(both, 1)]


_CLICHES: Final = (
    "A shiver ran down her spine, and time seemed to stand still.",
    "Little did they know that nothing would ever be the same again.",
    "The silence was deafening, and the tension could be cut with a knife.",
    "It was a testament to the indomitable strength of the human spirit.",
)
_PADDING: Final = (
    "It was, in a manner of speaking, how it was, and there was no other way in which it could "
    "have been said to be.",
    "One thing came after another thing, as things do when one of them follows on the other.",
    "All of this was what it was, and what it was was this, as has been said already.",
)
_PADDED: Final = 0.4
_FEWEST: Final = 4


def spoilt(text: str, names: Iterable[str] = ()) -> dict[str, str]:
    """Spoiled versions of a passage by the kind of damage; what does not apply is left out.

    Args:
        text: The passage.
        names: Names of the people, of whom two that occur change places.
    """
    found = {kind: spoil(text) for kind, spoil in _OPERATORS.items()}
    found["swapped names"] = _swapped(text, names)
    return {kind: made for kind, made in found.items() if made and made != text}


def _shuffled(text: str) -> str:
    """Its paragraphs out of order: the even ones first, then the odd ones from the end."""
    parts = text.split("\n\n")
    return "\n\n".join([*parts[1::2], *parts[0::2][::-1]]) if len(parts) >= _FEWEST else ""


def _doubled(text: str) -> str:
    """Its first half told twice."""
    parts = text.split("\n\n")
    half = parts[: len(parts) // 2]
    return "\n\n".join([*half, *half]) if len(half) > 1 else ""


def _with_cliches(text: str) -> str:
    """A stock phrase at the end of every second paragraph."""
    parts = text.split("\n\n")
    parts[::2] = [
        f"{part} {_CLICHES[number % len(_CLICHES)]}" for number, part in enumerate(parts[::2])
    ]
    return "\n\n".join(parts)


def _cut_off(text: str) -> str:
    """Its last third gone, in the middle of a word."""
    end = len(text) * 2 // 3
    while end < len(text) and not (text[end - 1].isalpha() and text[end].isalpha()):
        end += 1
    return text[:end] if end < len(text) else ""


def _padded(text: str) -> str:
    """Two fifths more words that say nothing."""
    made: list[str] = []
    length = added = 0
    for number, sentence in enumerate(sentences(text)):
        made.append(sentence)
        length += len(sentence)
        if added < _PADDED * length:
            made.append(_PADDING[number % len(_PADDING)])
            added += len(made[-1])
    return " ".join(made)


def _swapped(text: str, names: Iterable[str]) -> str:
    """Two people's names exchanged in the second half of the passage."""
    first_names = dict.fromkeys(name.split()[0] for name in names if name.split())
    known = [name for name in first_names if re.search(rf"\b{re.escape(name)}\b", text)]
    if len(known) < 2:
        return ""
    one, other = known[:2]
    swap: Mapping[str, str] = {one: other, other: one}
    half = text.find(" ", len(text) // 2)
    pattern = re.compile(rf"\b(?:{re.escape(one)}|{re.escape(other)})\b")
    return text[:half] + pattern.sub(lambda found: swap[found[0]], text[half:])


_OPERATORS: Final[Mapping[str, Callable[[str], str]]] = {
    "shuffled paragraphs": _shuffled,
    "a half told twice": _doubled,
    "stock phrases": _with_cliches,
    "cut ending": _cut_off,
    "padding": _padded,
}
