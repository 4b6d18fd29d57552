"""An editor's changes put into the chapters that were exported: placed by the text, checked by it.

A change is put in where the words stand, and kept only where the chapter then reads as the Word
file with all changes accepted; all else in the chapter stays as it was, down to its quotes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import accumulate, groupby, pairwise
from typing import Final

from libriscribe2.documents.blocks import NOTE_MARK
from libriscribe2.documents.word_reader import PARAGRAPH, Cell, EditedDocument, Passage, Segment
from libriscribe2.editing.changed_markdown import as_markdown, compared, woven, written
from libriscribe2.exporters.book_markdown import PlainBlock, note_blocks, plain_blocks, unused_notes
from libriscribe2.exporters.export_book import ExportBook

_CELL: Final = "\t"
"""Stands before each cell in the key of a row."""

_IN_CELLS: Final = ("<br>", "<br>")
_SCENE_BREAKS: Final = frozenset({"#", "* * *", "***"})
_ALIKE: Final = 0.5
_NOTE: Final = re.compile(r"[ \t>]*\[\^[^\]\s]+\]:[ \t]*")
_LEAD: Final = re.compile(r"[ \t]*(?:>[ \t]*)*")
_BAR: Final = re.compile(r"(?<!\\)\|")
_LABEL: Final = re.compile(r"^[ \t>]*\[\^([^\]\s]+)\]:", re.MULTILINE)
_AFTER: Final = re.compile(r"\n?(?:[ \t]*(?:\n|\Z))?")
"""The end of a line, and a blank line behind it."""

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
    """A block of a chapter, and where it stands in the file.

    Attributes:
        name: The chapter's file.
        block: What it is.
        start: Where its first character stands.
        end: Where what follows stands.
        table: The same of the table that it is a cell of.
        is_note: Whether it is the text of a footnote, which stands behind its mark.
    """

    name: str
    block: PlainBlock
    start: int
    end: int
    table: tuple[int, int] = (0, 0)
    is_note: bool = False

    @property
    def is_cell(self) -> bool:
        """Whether it is a cell of a table."""
        return self.block.column >= 0


_Edit = tuple[int, int, str]
"""From where to where a chapter has other characters, and which."""


def place_edits(document: EditedDocument, book: ExportBook, texts: Mapping[str, str]) -> Returned:
    """Put the changes of a Word file into the chapters of a book.

    Args:
        document: The file that came back.
        book: The book as it would be exported now.
        texts: The files of its chapters.
    """
    returned = Returned()
    edits: dict[str, list[_Edit]] = {}
    body = _Placing(document.passages, [*_blocks(book, texts, plain_blocks)], texts)
    below = [_unmarked(one) for one in document.footnotes]
    notes = _Placing(below, [*_blocks(book, texts, note_blocks)], texts)
    for part in (body, notes):
        for name, edit in part.edits(returned):
            edits.setdefault(name, []).append(edit)
    for name, found in edits.items():
        returned.texts[name] = _without_notes(texts[name], _applied(texts[name], found))
    returned.notes = [*_notes(document, body.spans, body.blocks)]
    return returned


def _blocks(
    book: ExportBook, texts: Mapping[str, str], read: Callable[[str], list[PlainBlock]]
) -> Iterator[_Placed]:
    """The blocks of the chapters, as far as they stand in their files."""
    for part in book.parts:
        lines = texts[part.name].split("\n") if part.name in texts else []
        starts = _starts(lines)
        for block in read(part.text) if lines else ():
            first, last = block.first - part.added, block.last - part.added
            if first < 0:
                continue
            start, end = starts[first], starts[last] - 1
            if block.column < 0:
                mark = match.end() if (match := _NOTE.match(lines[first])) else 0
                yield _Placed(part.name, block, start + mark, end, is_note=mark > 0)
                continue
            cells = _cells(lines[first])
            short = (len(lines[first]),) * 2  # a row may have fewer cells than the one above
            at = cells[block.column] if block.column < len(cells) else short
            first, last = (starts[line - part.added] for line in block.table)
            yield _Placed(part.name, block, start + at[0], start + at[1], (first, last - 1))


def _cells(line: str) -> list[tuple[int, int]]:
    """From where to where the texts of a row's cells stand in its line."""
    begin = match.end() if (match := _FIRST.match(line)) else 0
    bars = [found.start() for found in _BAR.finditer(line, begin)]
    outer = begin if bars[:1] == [begin] else begin - 1
    edges = [outer, *(bar for bar in bars if bar > outer), len(line)]
    if not line[edges[-2] + 1 :].strip():
        del edges[-1]
    found = []
    for before, end in pairwise(edges):
        text = line[before + 1 : end]
        bare = text.strip()
        start = before + 1 + (text.index(bare) if bare else len(text) // 2)
        found.append((start, start + len(bare)))
    return found


def _unmarked(note: Passage) -> Passage:
    """A footnote without the blanks behind its number."""
    segments = [*note.segments]
    while segments and not segments[0].text.strip():
        del segments[0]
    if segments:
        segments[0] = replace(segments[0], text=segments[0].text.lstrip())
    return replace(note, segments=tuple(segments))


class _Placing:
    """Finds what the changes of a part of a Word file mean for the chapters.

    Args:
        passages: Those of the body, or of the footnotes.
        blocks: What of the chapters is shown there.
        texts: The files of the chapters.

    Attributes:
        blocks: As above.
        spans: The blocks of each passage that was found among them.
    """

    def __init__(
        self, passages: Sequence[Passage], blocks: Sequence[_Placed], texts: Mapping[str, str]
    ) -> None:
        self.blocks = blocks
        self.spans = _aligned(passages, blocks)
        self._passages = passages
        self._texts = texts
        self._owned = {at for span in self.spans.values() for at in span}
        self._rows: dict[Cell, list[int]] = {}
        for place, passage in enumerate(passages):
            if passage.cell is not None:
                self._rows.setdefault(passage.cell, []).append(place)

    def edits(self, returned: Returned) -> Iterator[tuple[str, _Edit]]:
        """The edits by the chapter's file; what is left out is said."""
        for place, passage in enumerate(self._passages):
            if passage.cell is None or passage.cell.kind == "same":
                yield from self._changed(place, passage, returned)
        for cell, places in self._rows.items():
            if cell.kind == "same":
                continue
            found = self._without(cell) if cell.kind == "deleted" else self._with(cell)
            if found is None:
                row = " | ".join(_words(self._passages[at]) for at in places)
                returned.unplaced.append(_shown(row))
                continue
            returned.changes += len(found)
            yield from found

    def _changed(
        self, place: int, passage: Passage, returned: Returned
    ) -> Iterator[tuple[str, _Edit]]:
        """The edit of a passage that was changed."""
        span = self.spans.get(place)
        if span is None:
            if passage.is_changed and passage.original.strip() != passage.edited.strip():
                returned.unplaced.append(_shown(_words(passage)))
            return
        found = [self.blocks[at] for at in span]
        first, end, text = found[0], found[-1].end, self._texts[found[0].name]
        original = PARAGRAPH.join(one.block.text for one in found)
        tracked = passage.is_changed or _alike(original) == _alike(passage.original)
        if tracked and (not passage.is_changed or self._came_before(span, passage)):
            return
        new = _edited(text, found, passage, is_tracked=tracked)
        if new is None or (first.is_note and not new.strip()):  # its mark would be left
            returned.unplaced.append(_shown(_words(passage)))
        elif new != text[first.start : end]:  # the same file may come back twice
            returned.changes += 1
            returned.untracked += not tracked
            gone = not new.strip() and not first.is_cell
            yield first.name, (first.start, _behind(text, end) if gone else end, new)

    def _came_before(self, span: Sequence[int], passage: Passage) -> bool:
        """Whether the paragraphs that are to come in stand here, from the same file."""
        wanted = [one for one in map(_alike, passage.edited.split(PARAGRAPH)) if one]
        starts = range(span[-1] + 1 - len(wanted), span[0] + 1)
        return len(wanted) > len(span) and any(self._are(wanted, at, span) for at in starts)

    def _are(self, wanted: Sequence[str], start: int, span: Sequence[int] = ()) -> bool:
        """Whether blocks that belong to no other passage have these texts."""
        around = range(max(0, start), min(start + len(wanted), len(self.blocks)))
        texts = [_alike(self.blocks[at].block.text) for at in around]
        return texts == wanted and self._owned.isdisjoint({*around}.difference(span))

    def _without(self, cell: Cell) -> list[tuple[str, _Edit]] | None:
        """A chapter without a row, or without the table of which all rows go."""
        places = [at for at in self._rows[cell] if at in self.spans]
        if not places:
            return None
        found = self.blocks[self.spans[places[0]][0]]
        text, (first, last) = self._texts[found.name], found.table
        start, end = _line(text, found.start)
        if all(one.kind == "deleted" for one in self._rows if one.table == cell.table):
            return [(found.name, (first, _behind(text, last), ""))] if start == first else []
        # No table is without the row that heads it.
        return [(found.name, (start - 1, end, ""))] if start > first else None

    def _with(self, cell: Cell) -> list[tuple[str, _Edit]] | None:
        """A chapter with another row, behind the one that it stands behind in the file."""
        earlier = [one for one in self._rows if one.table == cell.table and one.row < cell.row]
        known = [self._rows[one] for one in earlier if one.kind != "inserted"]
        spans = [self.spans.get(at, ()) for at in known[-1]] if known else [()]
        if not all(spans):
            return None
        # LibreOffice puts a joiner behind the text of a new cell.
        edited = (self._passages[at].edited.rstrip("\u200d") for at in self._rows[cell])
        wanted = [_alike(one) for one in edited]
        if self._are(wanted, spans[-1][0] + 1):
            return []
        above = self.blocks[spans[0][0]]
        edit = _new_row(self._texts[above.name], above, wanted)
        return None if edit is None else [(above.name, edit)]


def _new_row(text: str, above: _Placed, cells: Sequence[str]) -> _Edit | None:
    """A row behind that of a cell, where its words are what they are to be."""
    start, end = _line(text, above.start)
    lead = match[0] if (match := _LEAD.match(text, start)) else ""
    for escaped in (False, True):
        shown = (as_markdown(one, _IN_CELLS, escaped=escaped) for one in cells)
        row = f"{lead}| {' | '.join(shown)} |"
        if _row(text, above, row) == [*cells]:
            at = _line(text, end + 1)[1] if start == above.table[0] else end
            return at, at, f"\n{row}"
    return None


def _row(text: str, cell: _Placed, line: str) -> list[str]:
    """What a reader would see of a line in the table of a cell."""
    columns = len(_cells(text[slice(*_line(text, cell.table[0]))]))
    begin = match.end() if (match := _FIRST.match(line)) else 0
    table = f"{'|x' * columns}|\n{'|-' * columns}|\n{line[begin:]}"
    return [_alike(one.text) for one in plain_blocks(table, _labels(text))][columns:]


def _labels(text: str) -> Iterator[str]:
    """The labels of a chapter's notes."""
    return (label.casefold() for label in _LABEL.findall(text))


def _without_notes(old: str, new: str) -> str:
    """A chapter without the notes that are cited no more."""
    before = unused_notes(old)
    starts = _starts(new.split("\n"))
    gone = [span for label, span in unused_notes(new).items() if label not in before]
    return _applied(new, [(starts[a], _behind(new, starts[b] - 1), "") for a, b in gone])


def _starts(lines: Iterable[str]) -> list[int]:
    """Where each line of a text begins, and where one behind the last would."""
    return [0, *accumulate(len(line) + 1 for line in lines)]


def _line(text: str, at: int) -> tuple[int, int]:
    """From where to where the line of a place goes."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _behind(text: str, at: int) -> int:
    """Where the next line stands that is not blank, or the second blank one."""
    return match.end() if (match := _AFTER.match(text, at)) else at


def _applied(text: str, edits: Iterable[_Edit]) -> str:
    """A chapter with its edits."""
    pieces, at = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [text[at:start], new]
        at = max(at, end)
    new = "".join([*pieces, text[at:]])
    return new if text.endswith("\n\n") or not new.endswith("\n\n") else f"{new.rstrip()}\n"


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


_Unit = tuple[str, list[int]]
"""A paragraph or a row of a table: its key, and the places of what it holds."""


def _aligned(passages: Sequence[Passage], blocks: Sequence[_Placed]) -> dict[int, Sequence[int]]:
    """The blocks of each passage, found by their text; the cells of a row are found together."""
    ours = [*_units(_known(passages))]
    rows = ((one.name, one.block.first) if one.is_cell else None for one in blocks)
    theirs = [*_units((at, row, [blocks[at].block.text]) for at, row in enumerate(rows))]
    texts, wanted = [key for key, _ in ours], [key for key, _ in theirs]
    found: dict[int, list[int | None]] = {}
    matcher = SequenceMatcher(None, texts, wanted, autojunk=False)
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        is_same = kind == "equal"
        paired = is_same or (kind == "replace" and a2 - a1 == b2 - b1)
        for at in range(a1, a2):
            places = ours[at][1]
            other = b1 + at - a1
            known = paired and (is_same or _is_like(texts[at], wanted[other]))
            pairs = theirs[other][1] if known else []
            for number, place in enumerate(places):
                pair = pairs[number] if len(pairs) == len(places) else None
                found.setdefault(place, []).append(pair)
    return {
        place: [at for at in pairs if at is not None]
        for place, pairs in found.items()
        if _is_whole(pairs, blocks)
    }


def _known(passages: Sequence[Passage]) -> Iterator[tuple[int, object, Sequence[str]]]:
    """The passages that were there before an editor came."""
    for place, passage in enumerate(passages):
        if passage.cell is None:
            yield place, None, passage.original.split(PARAGRAPH)
        elif passage.cell.kind != "inserted":
            yield place, passage.cell, [passage.original]


def _units(parts: Iterable[tuple[int, object, Sequence[str]]]) -> Iterator[_Unit]:
    """Paragraphs as they are, cells as rows.

    Args:
        parts: The place of each passage or block, the row that it is in or None, and its texts.
    """
    for row, group in groupby(parts, lambda one: one[1]):
        found = [(place, text) for place, _, texts in group for text in map(_alike, texts)]
        if row is None:
            yield from ((text, [place]) for place, text in found)
        else:
            yield _CELL.join(("", *(text for _, text in found))), [place for place, _ in found]


def _is_like(old: str, new: str) -> bool:
    """Whether a text may be another after its changes."""
    if old.startswith(_CELL) != new.startswith(_CELL):
        return False
    return SequenceMatcher(None, old, new, autojunk=False).ratio() > _ALIKE


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


def _edited(
    text: str, found: Sequence[_Placed], passage: Passage, *, is_tracked: bool
) -> str | None:
    """The Markdown of a passage with its changes; None where they cannot be put in.

    Args:
        text: The chapter.
        found: The blocks of the passage.
        passage: What it is to be.
        is_tracked: Whether the changes are those that the passage names.
    """
    first = found[0]
    source = text[first.start : found[-1].end]
    original = PARAGRAPH.join(one.block.text for one in found)
    if is_tracked and original == passage.original and not passage.restyled:
        segments = passage.segments
    else:
        segments = tuple(compared(original, passage.edited))
    if first.is_cell:
        lead = begin = ""
        breaks = _IN_CELLS
        if _line(text, first.start)[0] == first.table[0]:  # LibreOffice writes heads as strong
            passage = replace(passage, segments=tuple(map(_not_strong, passage.segments)))
    else:
        lead = match[0] if (match := _LEAD.match(source)) else ""
        begin = match[0] if (match := _FIRST.match(source)) else ""
        breaks = (f"  \n{lead}", f"\n{lead.rstrip()}\n{lead}")
    tries = [] if passage.restyled else [*woven(source, original, segments, breaks)]
    if all(one.block.is_simple for one in found):
        tries.append(written(passage, source, breaks, begin))
    for new in tries:
        if _shows(text, first, new, passage.edited):
            return new
    return None


def _not_strong(segment: Segment) -> Segment:
    return replace(segment, look=segment.look - {"strong"})


def _shows(text: str, first: _Placed, new: str, edited: str) -> bool:
    """Whether a reader sees what the editor wrote; of a row's other cells, what stood there."""
    if not first.is_cell:
        wanted = [one for one in map(_alike, edited.split(PARAGRAPH)) if one]
        return [_alike(one.text) for one in plain_blocks(new, _labels(text))] == wanted
    start, end = _line(text, first.start)
    row = _row(text, first, text[start:end])
    row[first.block.column : first.block.column + 1] = [_alike(edited)]
    return _row(text, first, text[start : first.start] + new + text[first.end : end]) == row


def _words(passage: Passage) -> str:
    return passage.edited or passage.original


def _shown(text: str) -> str:
    """The beginning of a passage."""
    plain = " ".join(text.replace(NOTE_MARK, "").split())
    return plain if len(plain) <= 70 else f"{plain[:69]}…"
