"""The text of a chapter where its order changes: heading, places to split at, joining."""

import re
from dataclasses import dataclass
from typing import Final

from libriscribe2.errors import UsageError
from libriscribe2.packs.surroundings import SCENE_BREAK

_BLOCK: Final = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")
_BREAK: Final = re.compile(r"(?:[*][ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}")
_HEADING: Final = re.compile(r"#[ \t]+(?P<title>[^\n]*)")

_BEFORE: Final = "\ufeff \t\r\n"


@dataclass(frozen=True, slots=True)
class Division:
    """A text in two.

    Attributes:
        first: The text up to the place.
        second: The text after it, without a heading.
        scene: In which of the chapter's scenes, from 1, the first part ends.
        inside: Whether that scene goes on in the second part.
    """

    first: str
    second: str
    scene: int
    inside: bool


@dataclass(frozen=True, slots=True)
class _Block:
    """A run of lines with blank lines around it."""

    start: int
    end: int
    text: str

    @property
    def is_break(self) -> bool:
        """Whether it stands for the gap between two scenes."""
        return _BREAK.fullmatch(self.text.strip()) is not None


def heading_of(text: str) -> str | None:
    """The title in the first line of a chapter; None where it begins without one."""
    match = _HEADING.match(text.lstrip(_BEFORE))
    return None if match is None else match["title"].strip()


def body_of(text: str) -> str:
    """A chapter's text without its heading."""
    plain = text.strip(_BEFORE)
    match = _HEADING.match(plain)
    return plain if match is None else plain[match.end() :].lstrip()


def with_heading(title: str, body: str) -> str:
    """A chapter's file."""
    return f"# {title}\n\n{body.strip()}\n"


def retitled(text: str, old: str, new: str) -> str:
    """A chapter under a new title; a heading that does not name the old one is the author's own."""
    heading = heading_of(text)
    if heading is None or old not in heading:
        return text
    start = text.index("#")
    end = text.find("\n", start) if "\n" in text[start:] else len(text)
    return text[:start] + text[start:end].replace(old, new, 1) + text[end:]


def joined(first: str, second: str) -> str:
    """Two chapters as one: the second loses its heading and begins after a scene break."""
    return f"{first.rstrip()}{SCENE_BREAK}{body_of(second).rstrip()}\n"


def divided_at_break(text: str, number: int) -> Division:
    """A chapter in two at its scene break `number`, from 1; the break itself goes.

    Raises:
        UsageError: It has no such break, or nothing would be left on one side.
    """
    breaks = [block for block in _blocks(text) if block.is_break]
    if not 1 <= number <= len(breaks):
        raise UsageError(
            f"The chapter has no scene break {number}",
            why=f"it has {len(breaks)}",
            fix="Split it at a paragraph with --paragraph.",
        )
    gap = breaks[number - 1]
    return _division(text[: gap.start], text[gap.end :], number, inside=False)


def divided_at_paragraph(text: str, number: int) -> Division:
    """A chapter in two before its paragraph `number`; heading and scene breaks do not count.

    Raises:
        UsageError: It has no such paragraph, or it is the first.
    """
    blocks = _blocks(text)
    heading = 1 if heading_of(text) is not None and "\n" not in blocks[0].text else 0
    at = [n for n, block in enumerate(blocks) if n >= heading and not block.is_break]
    if not 2 <= number <= len(at):
        raise UsageError(
            f"The chapter cannot be split before paragraph {number}",
            why=f"it has {len(at)}; the second part can begin with paragraph 2 to {len(at)}",
        )
    place = at[number - 1]
    before = blocks[place - 1]
    breaks = sum(block.is_break for block in blocks[:place])
    first = text[: before.start] if before.is_break else text[: blocks[place].start]
    inside = not before.is_break
    return _division(first, text[blocks[place].start :], breaks + inside, inside=inside)


def _division(first: str, second: str, scene: int, *, inside: bool) -> Division:
    if not body_of(first) or not second.strip():
        raise UsageError("One part of the chapter would be empty", fix="Split it somewhere else.")
    return Division(f"{first.rstrip()}\n", second.strip(), scene, inside)


def _blocks(text: str) -> list[_Block]:
    return [_Block(found.start(), found.end(), found[0]) for found in _BLOCK.finditer(text)]
