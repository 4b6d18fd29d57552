"""The proof after a repair: nothing of the text is missing from the value.

The parser says which stretches of the text became keys, strings, numbers and literals. What lies
between two of them must be structure and nothing else: brackets, commas, colons, the quotes of
the two strings, white space and comments. A word that fell between two strings fails here.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from libriscribe2.utils.repair.outcome import RepairOutcome, Trouble
from libriscribe2.utils.repair.patterns import SEPARATORS

_QUOTE: Final = r"\"'“”„«»‘’`＂「」『』‹›"
_GAP: Final = re.compile(
    rf"""\\?[{_QUOTE}]{{0,3}}+
    (?:\\(?=\s) | [\s\u200b-\u200f\u2060\ufeff{{}}\[\]｛｝［］{SEPARATORS}:：=+>]++
      | //[^\n]*+ | \#[^\n]*+ | /\*.*?\*/ | <!--.*?-->)*+
    \\?[{_QUOTE}]{{0,3}}+""",
    re.VERBOSE | re.DOTALL,
)


def conserved(
    text: str, start: int, outcome: RepairOutcome, contents: Sequence[tuple[int, int]]
) -> RepairOutcome:
    """The outcome of a parse, or its refusal when text is missing from its value.

    Args:
        text: The text.
        start: Where the damaged value begins.
        outcome: What the parser made of it.
        contents: Start and end of every stretch that became content, in order.
    """
    lost = lost_content(text, start, outcome.end, contents)
    if outcome.value is None or lost is None:
        return outcome
    return replace(outcome, value=None, trouble=Trouble("ambiguous", lost))


def lost_content(
    text: str, start: int, end: int, contents: Sequence[tuple[int, int]]
) -> int | None:
    """The place of the first text that is in no value, or None when all is conserved.

    Args:
        text: The text.
        start: Where the damaged value begins.
        end: Where it ends.
        contents: Start and end of every stretch that became content, in order.
    """
    position = start
    for first, last in contents:
        if first < position or _GAP.fullmatch(text, position, first) is None:
            return position
        position = last
    return position if _GAP.fullmatch(text, position, end) is None else None
