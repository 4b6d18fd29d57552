"""What books by people show, as numbers: from where on a figure is worth a look.

The thresholds come from 15 English novels and 5 works of non-fiction of the public domain
(1.47 million words, windows of about 1,000 words; the 95th percentile is the amber line), and
from 49 models' novellas for the red one. What is measured on blocks of eight chapters was set on
such blocks; the lines for whole long books are those that none of the 20 books passes. Most of these novels are older than 1963: modern prose
has shorter sentences and more dashes.
"""

from dataclasses import dataclass
from typing import Final, Literal

Level = Literal["ok", "amber", "red"]


@dataclass(frozen=True, slots=True)
class ReferenceRange:
    """The human range of a figure.

    Attributes:
        amber: Beyond this fewer than one in twenty books by people lies.
        red: Beyond this lies mostly what has gone wrong; None where there is no such line.
        low: Below this a figure is as strange as above `amber`; None where low is fine.
    """

    amber: float
    red: float | None = None
    low: float | None = None

    def level(self, value: float) -> Level:
        """Where a value lies."""
        if self.red is not None and value > self.red:
            return "red"
        outside = value > self.amber or (self.low is not None and value < self.low)
        return "amber" if outside else "ok"

    def words(self, *, share: bool) -> str:
        """The range in words, such as `0.43 to 0.6`; empty where all values are in it.

        Args:
            share: Whether the figure is a share, which is told in per cent.
        """
        high = amount(self.amber, share=share)
        if self.low is None:
            return {0: high, NO_LIMIT: ""}.get(self.amber, f"up to {high}")
        low = amount(self.low, share=share)
        return f"at least {low}" if self.amber == NO_LIMIT else f"{low} to {high}"


def amount(value: float, *, share: bool) -> str:
    """A value with three digits that count; a share in per cent."""
    return f"{100 * value:.3g}%" if share else f"{value:.3g}"


NO_LIMIT: Final = float("inf")

RANGES: Final[dict[str, ReferenceRange]] = {
    "contradictions": ReferenceRange(0, 3),
    "repeated phrases": ReferenceRange(0.013, 0.05),
    "most repetitive page": ReferenceRange(0.05, 0.10),
    "phrases of earlier chapters": ReferenceRange(0.005, 0.03),
    "phrases of all earlier chapters": ReferenceRange(0.011, 0.03),
    "stock phrases": ReferenceRange(2.0, 6.0),
    "duplicate paragraphs": ReferenceRange(0, 3),
    "like openings": ReferenceRange(0.12, 0.20),
    "like endings": ReferenceRange(0.11, 0.23),
    "most alike openings": ReferenceRange(0.20, 0.30),
    "most alike endings": ReferenceRange(0.13, 0.23),
    "compressed share": ReferenceRange(NO_LIMIT, low=0.40),
    "vocabulary (MATTR-500)": ReferenceRange(0.60, low=0.43),
    "vocabulary (MTLD)": ReferenceRange(180, low=60),
    "words per sentence": ReferenceRange(NO_LIMIT, low=9),
    "short sentences": ReferenceRange(0.40),
    "sentence variation": ReferenceRange(NO_LIMIT, low=0.50),
    "paragraph variation": ReferenceRange(NO_LIMIT, low=0.45),
    "distance to the samples": ReferenceRange(NO_LIMIT),
    "chapter variation": ReferenceRange(0.60, low=0.10),
    "length score": ReferenceRange(NO_LIMIT, low=80),
    "not X but Y": ReferenceRange(2),
    "em dashes": ReferenceRange(13),
    "participle tails": ReferenceRange(9),
    "similes": ReferenceRange(6),
    "-ly adverbs": ReferenceRange(20),
    "stock gestures": ReferenceRange(1, 3),
    "drifting names": ReferenceRange(0),
    "confusable names": ReferenceRange(0),
    "names that models favour": ReferenceRange(0),
}
"""The range of each figure of the report, by its name."""
