"""Counts as an author writes them: `10`, `8-12`, `5+`, and lists of them."""

import re
from dataclasses import dataclass
from typing import Final

MOST: Final = 1_000
"""The most of anything that can be counted out: chapters, people, scenes of a chapter."""

_COUNT: Final = re.compile(r"0*(\d+)\s*(?:(\+)|[-\u2013]\s*0*(\d+))?")


@dataclass(frozen=True, slots=True)
class CountRange:
    """How many of something are wanted.

    Attributes:
        low: At least so many; 1 or more.
        high: At most so many; None where there is no upper bound.
    """

    low: int
    high: int | None

    @classmethod
    def parse(cls, text: str) -> "CountRange":
        """Read `10`, `8-12` or `5+`.

        Raises:
            ValueError: The text is none of these, a bound is below 1 or above `MOST`, or the
                bounds are the wrong way round.
        """
        match = _COUNT.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"{text!r} is not a count; write 10, 8-12 or 5+")
        if any(map(_is_too_much, match.group(1, 3))):
            raise ValueError(f"at most {MOST:,} can be asked for")
        low = int(match[1])
        high = None if match[2] else int(match[3] or match[1])
        if low < 1:
            raise ValueError(f"{text!r} asks for fewer than 1")
        if high is not None and high < low:
            raise ValueError(f"{text!r} runs backwards; write {high}-{low}")
        return cls(low, high)

    def bounds(self) -> dict[str, int]:
        """The range as `minItems` and `maxItems` of a JSON Schema."""
        upper = {} if self.high is None else {"maxItems": self.high}
        return {"minItems": self.low, **upper}

    def middle(self) -> int:
        """A fair guess at the number before it is known."""
        return self.low if self.high is None else (self.low + self.high) // 2

    def at_most(self, most: int) -> "CountRange":
        """The range cut off above `most`, which counts as 1 where it is less."""
        top = max(1, most)
        return CountRange(min(self.low, top), top if self.high is None else min(self.high, top))

    def wording(self, noun: str) -> str:
        """The range in words, such as `8 to 12 chapters` or `at least 5 characters`."""
        if self.high == self.low:
            return f"{self.low} {noun}" if self.low == 1 else f"{self.low} {noun}s"
        if self.high is None:
            return f"at least {self.low} {noun}s"
        return f"{self.low} to {self.high} {noun}s"


def _is_too_much(digits: str | None) -> bool:
    """Whether a number is above `MOST`; Python reads no number of thousands of digits."""
    return digits is not None and (len(digits) > len(str(MOST)) or int(digits) > MOST)


def parse_counts(text: str) -> tuple[CountRange, ...]:
    """Read one count, or a list such as `3,4,5` with one entry per chapter.

    Raises:
        ValueError: An entry is not a count.
    """
    return tuple(CountRange.parse(part) for part in text.split(","))
