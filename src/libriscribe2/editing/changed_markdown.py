"""Markdown with changes in it that were made to the text that it shows."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from libriscribe2.documents.blocks import NOTE_MARK
from libriscribe2.documents.word_reader import PARAGRAPH, Passage, Segment

_FAR: Final = 160
"""Most characters of marks between two characters of text."""

_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>#|])")
_EMPTY: Final = re.compile(r"(?<![*_])(\*{1,3}|_{1,3})(\s*)\1(?![*_])")
_CITED: Final = re.compile(r"\[\^[^\]\s]+\]")
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)


def compared(old: str, new: str) -> Iterator[Segment]:
    """What differs between two texts, as changes."""
    for kind, a1, a2, b1, b2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Segment("same", old[a1:a2])
            continue
        if a2 > a1:
            yield Segment("deleted", old[a1:a2])
        if b2 > b1:
            yield Segment("inserted", new[b1:b2])


def woven(
    source: str, original: str, segments: Sequence[Segment], breaks: tuple[str, str]
) -> Iterator[str]:
    """The source with the changes in it, in the likely ways."""
    spans = [*_found(source, original)]
    for escaped in (False, True):
        for greedy in (False, True):
            new = _weave(source, spans, segments, breaks, escaped=escaped, greedy=greedy)
            yield new
            yield _EMPTY.sub(r"\2", new)


def _weave(
    source: str,
    spans: Sequence[tuple[int, int]],
    segments: Sequence[Segment],
    breaks: tuple[str, str],
    *,
    escaped: bool,
    greedy: bool,
) -> str:
    """The source without what was deleted, and with what was inserted.

    Args:
        source: Markdown.
        spans: Where each character of the text stands in it.
        segments: The changes.
        breaks: What ends a line, and a paragraph.
        escaped: Whether signs of Markdown in what is inserted stand for themselves.
        greedy: Whether marks behind what is kept stand before what is inserted.
    """
    pieces, at, place = [], 0, 0
    for segment in segments:
        if segment.kind == "inserted":
            if greedy and place < len(spans):
                pieces.append(source[at : spans[place][0]])
                at = spans[place][0]
            pieces.append(as_markdown(segment.text, breaks, escaped=escaped))
            continue
        end = place + len(segment.text)
        if segment.kind == "same":
            upto = spans[end - 1][1] if 0 < end <= len(spans) else at
            pieces.append(source[at:upto])
            at = max(at, upto)
        elif end > place and end <= len(spans):
            pieces.append(source[at : spans[place][0]])
            at = max(at, spans[end - 1][1])
        place = end
    return "".join([*pieces, source[at:]])


def _found(source: str, text: str) -> Iterator[tuple[int, int]]:
    """Where each character of a text stands in the Markdown that it was read from."""
    at = 0
    for character in text:
        for start in range(at, min(len(source), at + _FAR)):
            length = _stands(character, source, start)
            if length:
                yield start, start + length
                at = start + length
                break
        else:
            yield at, at


_SIGNS: Final = {"‘": ("'",), "’": ("'",), "“": ('"',), "”": ('"',), "—": ("---",), "–": ("--",)}


def _stands(character: str, source: str, at: int) -> int:
    """How many characters of the source stand for this one at a place; 0 where they do not."""
    if character == NOTE_MARK and (match := _CITED.match(source, at)):
        return len(match[0])
    if character == "\n" and (match := _BREAK.match(source, at)):
        return len(match[0])
    for sign in _SIGNS.get(character, ()) + (("...",) if character == "…" else ()):
        if source.startswith(sign, at):
            return len(sign)
    if source[at] == "\\" and source[at + 1 : at + 2] == character:
        return 2
    return int(source[at] == character or (character.isspace() and source[at] == "\n"))


def as_markdown(text: str, breaks: tuple[str, str], *, escaped: bool) -> str:
    """Text of an editor's as Markdown."""
    line, paragraph = breaks
    plain = _SPECIAL.sub(r"\\\1", text) if escaped else text
    return paragraph.join(one.replace("\n", line) for one in plain.split(PARAGRAPH))


def written(passage: Passage, source: str, breaks: tuple[str, str], first: str) -> str:
    """The Markdown of a passage by the looks of its runs."""
    pieces, cited = [first], iter(_CITED.findall(source))
    for one in passage.segments:
        notes = [next(cited, "") for _ in range(one.text.count(NOTE_MARK))]
        if one.kind == "deleted":
            continue
        marks = ("*" if "em" in one.look else "") + ("**" if "strong" in one.look else "")
        text = as_markdown(one.text, breaks, escaped=True)
        bare = text.strip()
        if marks and bare and PARAGRAPH not in one.text:
            before, after = text[: text.index(bare)], text[text.index(bare) + len(bare) :]
            text = f"{before}{marks}{bare}{marks[::-1]}{after}"
        for note in notes:
            text = text.replace(NOTE_MARK, note, 1)
        pieces.append(text)
    return "".join(pieces)
