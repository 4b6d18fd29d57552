"""Quotations inside a string, in curly quotes and angle quotes of several languages."""

import re
from dataclasses import dataclass
from typing import Final

from libriscribe2.utils.repair.patterns import SEPARATORS

_NEXT_LOW: Final = re.compile(rf"[{SEPARATORS}]?\s*„")


@dataclass(slots=True)
class Quotations:
    """The quotations that are open at one place of a string.

    Attributes:
        depth: How many are open.
        low: How many of them a low quote opened, as in German; “, ” or a straight quote ends these.
    """

    depth: int = 0
    low: int = 0

    def take(self, char: str, quote: str, *, sound: bool) -> bool:
        """Let a quote open or close a quotation; False when it does neither.

        Args:
            char: The quote.
            quote: The quote that began the string.
            sound: Whether what follows a “ is structure, so that it may end the string.
        """
        if char == "„":
            self.low += 1
        elif char in "“”" and self.low > 0:
            return self.close_low()
        if char in "„«" or (char == "“" and quote != "„" and not sound):
            self.depth += 1
            return True
        if self.depth == 0:
            return False
        self.depth -= 1
        return True

    def go_on(self, text: str, position: int) -> bool:
        """Whether a quotation with a low quote is open, and after it the next one begins."""
        return self.low > 0 and _NEXT_LOW.match(text, position) is not None

    def close_low(self) -> bool:
        """Close a quotation that a low quote opened; False when there is none."""
        if self.low == 0:
            return False
        self.low -= 1
        self.depth -= 1
        return True
