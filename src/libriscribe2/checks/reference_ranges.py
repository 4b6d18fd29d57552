"""What books by people and by models show: from where on a figure is worth a look.

The lines lie about where 1 % of windows of 9,000 words lie beyond them: 56 English novels, 50 of 1749
to 1930 and six of 2010 to 2018, half of those of `bench/prose_ranges.py`. On the other half, 51
books, 84 % lie inside all of them; 682 novellas by 58 language models lie outside of seven to eight on
average, and none of these models outside of fewer than four. The lines
for openings, endings and the lengths of chapters come from the 76 of these novels whose chapters
have headings. There is none above which the lengths of chapters vary too much: collections, diaries
and novels in parts go far beyond these. Those of books in other languages are not known. `bench/README.md` has the figures.
"""

from dataclasses import dataclass
from importlib import resources
from typing import Final, Literal

Level = Literal["ok", "amber", "red"]


@dataclass(frozen=True, slots=True)
class ReferenceRange:
    """The human range of a figure.

    Attributes:
        amber: Beyond this about one in a hundred windows of books by people lies.
        red: Beyond this lies mostly what has gone wrong; None where there is no such line.
        low: Below this a figure is as strange as above `amber`; None where low is fine.
    """

    amber: float
    red: float | None = None
    low: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is a line at all."""
        return self.amber != NO_LIMIT or self.low is not None

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
    "repeated phrases": ReferenceRange(0.05, 0.10),
    "most repetitive page": ReferenceRange(0.20, 0.40),
    "phrases of earlier chapters": ReferenceRange(0.008, 0.03),
    "phrases of all earlier chapters": ReferenceRange(0.011, 0.03),
    "stock phrases": ReferenceRange(4.2, 10),
    "duplicate paragraphs": ReferenceRange(1, 3),
    "like openings": ReferenceRange(0.14, 0.20),
    "like endings": ReferenceRange(0.125, 0.23),
    "most alike openings": ReferenceRange(0.22, 0.30),
    "most alike endings": ReferenceRange(0.20, 0.40),
    "compressed share": ReferenceRange(NO_LIMIT, low=0.425),
    "vocabulary (MATTR-500)": ReferenceRange(0.566, low=0.45),
    "vocabulary (MTLD)": ReferenceRange(125, low=56),
    "words per sentence": ReferenceRange(NO_LIMIT, low=7.4),
    "short sentences": ReferenceRange(0.42),
    "sentence variation": ReferenceRange(NO_LIMIT, low=0.5),
    "paragraph variation": ReferenceRange(NO_LIMIT, low=0.36),
    "distance to the samples": ReferenceRange(NO_LIMIT),
    "chapter variation": ReferenceRange(NO_LIMIT, low=0.06),
    "length score": ReferenceRange(NO_LIMIT, low=80),
    "not X but Y": ReferenceRange(1.05),
    "em dashes": ReferenceRange(13),
    "participle tails": ReferenceRange(10.5),
    "similes": ReferenceRange(5.1),
    "-ly adverbs": ReferenceRange(18.5, low=5),
    "stock gestures": ReferenceRange(0.33, 1),
    "favoured words": ReferenceRange(4.5, 12),
    "fragments": ReferenceRange(1.1),
    "drifting names": ReferenceRange(0),
    "confusable names": ReferenceRange(0),
    "names that models favour": ReferenceRange(0),
}
"""The range of each figure of the report, by its name; one without lines was not measured."""


_TOLD: Final = resources.files("libriscribe2.checks").joinpath("favoured.txt").read_text("utf-8")
_WORDS, _NAMES = (line.split()[1:] for line in _TOLD.splitlines())

FAVOURED_WORDS: Final = tuple(_WORDS)
"""Words that language models favour, as they were counted, not as anybody judged.

From the novellas of `EQ-bench/longform-writing-bench` (1c62550, 2025, 58 models) beside 107 books by
people, by `python -m bench.favoured_words`, 2026-11-23: words of half of the models that stand in
most of their books, for nearly all premises, and are more frequent there than in any English. Of 61
books by people that they were not made from one has more than 4.5 in 1,000 words; of 388 by the
other models 97 % have.
"""

FAVOURED_NAMES: Final = frozenset(_NAMES)
"""Rare names (`wordfreq`) that at least six models gave to people of three premises or more and at
most one of the people did, and `aria`, `caspian`, `isolde`, `orion`, which lists of 2024 name."""
