"""What an author lets stand: `<!-- libriscribe2: allow R1 -->` in the text itself.

In a paragraph, or alone just above one, a note lets that rule be broken there; above the first
paragraph of a chapter, in the whole chapter. `allow R1, R4` names several rules, `allow all` any.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from libriscribe2.prose import NOTE

EVERYTHING: Final = "ALL"

_ALLOW: Final = re.compile(r"(?is)\s*allow\s+(?P<rules>[\w\s,]+)")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_NO_PROSE: Final = re.compile(r"\s*+(?:#{1,6}\s.*|[#*_\-=~\s]{0,9})")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines in which some rules may be broken, from `first` to `last`."""

    first: int
    last: int
    rules: frozenset[str]


class TextNotes:
    """The notes of a chapter that let something stand.

    Args:
        text: The chapter's Markdown.
    """

    def __init__(self, text: str) -> None:
        self._stretches = tuple(_stretches(text))

    def lets(self, rule: str, line: int) -> bool:
        """Whether a rule may be broken on a line."""
        return any(
            one.first <= line <= one.last and one.rules & {rule.upper(), EVERYTHING}
            for one in self._stretches
        )


def _stretches(text: str) -> Iterator[_Stretch]:
    """What every note of a text says, and where it holds."""
    last = text.count("\n") + 1
    waiting: frozenset[str] = frozenset()
    at_head = True
    for first, end, block in _blocks(text):
        rules = _rules(block)
        if _is_prose(block):
            at_head = False
            if rules | waiting:
                yield _Stretch(first, end, rules | waiting)
            waiting = frozenset()
        elif at_head and rules:
            yield _Stretch(1, last, rules)
        else:
            waiting |= rules


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """The parts of a text between blank lines, each with its first and last line."""
    line = 1
    for block in re.split(r"(\n[^\S\n]*(?=\n))", text):
        if block.strip():
            start = line + block[: len(block) - len(block.lstrip())].count("\n")
            yield start, start + block.strip().count("\n"), block
        line += block.count("\n")


def _rules(block: str) -> frozenset[str]:
    """The rules that the notes of a block name."""
    said = (_ALLOW.match(note["said"]) for note in NOTE.finditer(block))
    return frozenset(
        rule.upper()
        for found in said
        if found is not None
        for rule in re.findall(r"\w+", found["rules"])
    )


def _is_prose(block: str) -> bool:
    """Whether a block holds more than comments, headings and marks of a break."""
    lines = _COMMENT.sub("", block).split("\n")
    return any(_NO_PROSE.fullmatch(line) is None for line in lines)
