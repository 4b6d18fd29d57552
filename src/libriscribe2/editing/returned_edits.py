"""An editor's changes put into the chapters that were exported: placed by the text, checked by it.

A change is put in where the words stand, and kept only where the chapter then reads as the Word
file with all changes accepted; all else in the chapter stays as it was, down to its quotes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final

from libriscribe2.documents.word_changes import PARAGRAPH, EditedDocument, Passage, Segment
from libriscribe2.exporters.book_markdown import PlainBlock, plain_blocks
from libriscribe2.exporters.export_book import ExportBook

_SCENE_BREAKS: Final = frozenset({"#", "* * *", "***"})
_FAR: Final = 160
"""Most characters of marks between two characters of text."""

_ALIKE: Final = 0.5
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>#])")
_EMPTY: Final = re.compile(r"(?<![*_])(\*{1,3}|_{1,3})(\s*)\1(?![*_])")
_LEAD: Final = re.compile(r"[ \t]*(?:>[ \t]*)*")
_FIRST: Final = re.compile(rf"{_LEAD.pattern}(?:(?:#{{1,6}}|[-+*]|\d{{1,9}}[.)])[ \t]+)?")


@dataclass(slots=True)
class Returned:
    """What an edited Word file means for a book.

    Attributes:
        texts: The new texts of the chapters that change, by their files.
        changes: How many passages were changed.
        untracked: How many of them were changed without tracking.
        unplaced: What could not be placed, in words.
        notes: The comments by the chapter that they are about.
    """

    texts: dict[str, str] = field(default_factory=dict)
    changes: int = 0
    untracked: int = 0
    unplaced: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A block of a chapter: which, and its lines in the file."""

    name: str
    block: PlainBlock
    first: int
    last: int


def place_edits(document: EditedDocument, book: ExportBook, texts: Mapping[str, str]) -> Returned:
    """Put the changes of a Word file into the chapters of a book.

    Args:
        document: The file that came back.
        book: The book as it would be exported now.
        texts: The files of its chapters.
    """
    blocks = [
        _Placed(part.name, block, block.first - part.added, block.last - part.added)
        for part in book.parts
        if part.name in texts
        for block in plain_blocks(part.text)
        if block.first >= part.added
    ]
    spans = _aligned(document.passages, blocks)
    returned = Returned()
    edits: dict[str, list[tuple[int, int, str]]] = {}
    for place, passage in enumerate(document.passages):
        span = spans.get(place)
        if span is None:
            if passage.is_changed and passage.original.strip() != passage.edited.strip():
                returned.unplaced.append(_shown(passage.edited or passage.original))
            continue
        found = [blocks[at] for at in span]
        original = PARAGRAPH.join(one.block.text for one in found)
        tracked = passage.is_changed or _alike(original) == _alike(passage.original)
        if tracked and not passage.is_changed:
            continue
        lines = texts[found[0].name].split("\n")[found[0].first : found[-1].last]
        source = "\n".join(lines)
        new = _edited(source, original, passage, is_tracked=tracked)
        if new is None:
            returned.unplaced.append(_shown(passage.edited))
        if new is None or new == source:  # the same file may come back twice
            continue
        returned.changes += 1
        returned.untracked += not tracked
        edits.setdefault(found[0].name, []).append((found[0].first, found[-1].last, new))
    for name, changed in edits.items():
        returned.texts[name] = _applied(texts[name], changed)
    returned.unplaced += [_shown(one.edited) for one in document.footnotes if one.is_changed]
    returned.notes = [*_notes(document, spans, blocks)]
    return returned


def _applied(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """A chapter with other lines in place of some; a paragraph that goes takes a blank line along."""
    lines = text.split("\n")
    for first, last, new in sorted(edits, reverse=True):
        if new.strip():
            lines[first:last] = new.split("\n")
            continue
        after = last + 1 if last < len(lines) and not lines[last].strip() else last
        del lines[first:after]
    return "\n".join(lines)


def _notes(
    document: EditedDocument, spans: Mapping[int, Sequence[int]], blocks: Sequence[_Placed]
) -> Iterator[tuple[str, str]]:
    """The comments as notes on the chapter that they stand in."""
    for comment in document.comments:
        near = min(spans, key=lambda place: abs(place - comment.passage), default=None)
        if near is None:
            continue
        quote = f"On “{' '.join(comment.quote.split())}”: " if comment.quote.strip() else ""
        author = f" ({comment.author})" if comment.author else ""
        yield blocks[spans[near][0]].name, f"{quote}{comment.text}{author}"


def _aligned(passages: Sequence[Passage], blocks: Sequence[_Placed]) -> dict[int, Sequence[int]]:
    """The blocks of each passage, found by their text."""
    owners, texts = [], []
    for place, passage in enumerate(passages):
        for text in passage.original.split(PARAGRAPH):
            owners.append(place)
            texts.append(_alike(text))
    wanted = [_alike(one.block.text) for one in blocks]
    found: dict[int, list[int | None]] = {}
    matcher = SequenceMatcher(None, texts, wanted, autojunk=False)
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        pairs: list[int | None] = [None] * (a2 - a1)
        if kind == "equal":
            pairs = [*range(b1, b2)]
        elif kind == "replace" and a2 - a1 == b2 - b1:
            pairs = [
                b
                if SequenceMatcher(None, texts[a], wanted[b], autojunk=False).ratio() > _ALIKE
                else None
                for a, b in zip(range(a1, a2), range(b1, b2), strict=True)
            ]
        for at, pair in zip(range(a1, a2), pairs, strict=True):
            found.setdefault(owners[at], []).append(pair)
    return {
        place: [at for at in pairs if at is not None]
        for place, pairs in found.items()
        if _is_whole(pairs, blocks)
    }


def _is_whole(pairs: Sequence[int | None], blocks: Sequence[_Placed]) -> bool:
    """Whether these are all blocks, one behind the other in one chapter."""
    known = [at for at in pairs if at is not None]
    return (
        len(known) == len(pairs)
        and known == [*range(known[0], known[0] + len(known))]
        and len({blocks[at].name for at in known}) == 1
    )


def _alike(text: str) -> str:
    """A paragraph as it is compared: no program keeps all blanks."""
    plain = " ".join(text.split())
    return "* * *" if plain in _SCENE_BREAKS else plain


def _edited(source: str, original: str, passage: Passage, *, is_tracked: bool) -> str | None:
    """The Markdown of a passage with its changes; None where they cannot be put in."""
    lead = match[0] if (match := _LEAD.match(source)) else ""
    first = match[0] if (match := _FIRST.match(source)) else ""
    wanted = [_alike(one) for one in passage.edited.split(PARAGRAPH)]
    wanted = [one for one in wanted if one]
    if is_tracked and original == passage.original and not passage.restyled:
        segments = passage.segments
    else:
        segments = tuple(_compared(original, passage.edited))
    woven = () if passage.restyled else _woven(source, original, segments, lead)
    tries: tuple[str, ...] = (*woven, _written(passage, lead, first))
    for new in tries:
        read = [_alike(one.text) for one in plain_blocks(new)]
        if read == wanted:
            return new
    return None


def _compared(old: str, new: str) -> Iterator[Segment]:
    """What differs between two texts, as changes."""
    for kind, a1, a2, b1, b2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Segment("same", old[a1:a2])
            continue
        if a2 > a1:
            yield Segment("deleted", old[a1:a2])
        if b2 > b1:
            yield Segment("inserted", new[b1:b2])


def _woven(source: str, original: str, segments: Sequence[Segment], lead: str) -> Iterator[str]:
    """The source with the changes in it, in the likely ways."""
    spans = [*_found(source, original)]
    for escaped in (False, True):
        for greedy in (False, True):
            new = _weave(source, spans, segments, lead, escaped=escaped, greedy=greedy)
            yield new
            yield _EMPTY.sub(r"\2", new)


def _weave(
    source: str,
    spans: Sequence[tuple[int, int]],
    segments: Sequence[Segment],
    lead: str,
    *,
    escaped: bool,
    greedy: bool,
) -> str:
    """The source without what was deleted, and with what was inserted.

    Args:
        source: Markdown.
        spans: Where each character of the text stands in it.
        segments: The changes.
        lead: What each line begins with.
        escaped: Whether signs of Markdown in what is inserted stand for themselves.
        greedy: Whether marks behind what is kept stand before what is inserted.
    """
    pieces, at, place = [], 0, 0
    for segment in segments:
        if segment.kind == "inserted":
            if greedy and place < len(spans):
                pieces.append(source[at : spans[place][0]])
                at = spans[place][0]
            pieces.append(_as_markdown(segment.text, lead, escaped=escaped))
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
    for sign in _SIGNS.get(character, ()) + (("...",) if character == "…" else ()):
        if source.startswith(sign, at):
            return len(sign)
    if source[at] == "\\" and source[at + 1 : at + 2] == character:
        return 2
    return int(source[at] == character or (character.isspace() and source[at] == "\n"))


def _as_markdown(text: str, lead: str, *, escaped: bool) -> str:
    """Text of an editor's as Markdown."""
    plain = _SPECIAL.sub(r"\\\1", text) if escaped else text
    paragraphs = [one.replace("\n", f"  \n{lead}") for one in plain.split(PARAGRAPH)]
    return f"\n{lead.rstrip()}\n{lead}".join(paragraphs)


def _written(passage: Passage, lead: str, first: str) -> str:
    """The Markdown of a passage by the looks of its runs."""
    pieces = []
    for one in passage.segments:
        if one.kind == "deleted":
            continue
        marks = ("*" if "em" in one.look else "") + ("**" if "strong" in one.look else "")
        text = _as_markdown(one.text, lead, escaped=True)
        bare = text.strip()
        if not marks or not bare or PARAGRAPH in one.text:
            pieces.append(text)
            continue
        before, after = text[: text.index(bare)], text[text.index(bare) + len(bare) :]
        pieces.append(f"{before}{marks}{bare}{marks[::-1]}{after}")
    return first + "".join(pieces)


def _shown(text: str) -> str:
    """The beginning of a passage."""
    plain = " ".join(text.split())
    return plain if len(plain) <= 70 else f"{plain[:69]}…"
