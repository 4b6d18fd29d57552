"""What a judge's answers in both orders come to: sides, ties, and how far they can be believed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

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

LEAST_RIGHT: Final = 0.8
MOST_FLIPS: Final = 0.35
MOST_TIES: Final = 0.4
"""With a larger share of ties than this no ranking is told."""


@dataclass(frozen=True, slots=True)
class PairVerdict:
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
    def side(self) -> Side:
        """The passage that more questions prefer."""
        ours, theirs = self.sides.count("ours"), self.sides.count("theirs")
        return "tie" if ours == theirs else "ours" if ours > theirs else "theirs"


def combined(
    name: str, first: Sequence[tuple[Side, str]], second: Sequence[tuple[Side, str]]
) -> PairVerdict:
    """The verdict of two orders.

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
    return PairVerdict(name, tuple(sides), flips, tuple(quotes))


@dataclass(frozen=True, slots=True)
class Exam:
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
        return self.share >= LEAST_RIGHT and self.flips <= MOST_FLIPS


def examined(verdicts: Iterable[tuple[str, PairVerdict]]) -> Exam:
    """The result of an exam, from the kind of damage and the verdict of each pair.

    The sound passage is `ours`.
    """
    right: dict[str, tuple[int, int]] = {}
    flips = questions = 0
    for kind, verdict in verdicts:
        count, of = right.get(kind, (0, 0))
        right[kind] = (count + (verdict.side == "ours"), of + 1)
        flips += verdict.flips
        questions += len(verdict.sides)
    return Exam(right, flips / questions if questions else 0.0)


def ties(verdicts: Sequence[PairVerdict]) -> float:
    """Share of the pairs that ended in a tie."""
    return sum(one.side == "tie" for one in verdicts) / len(verdicts) if verdicts else 0.0
