"""Where the chapters of a manuscript begin, and what each of them holds."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from libriscribe2.documents.blocks import SCENE_BREAK, Block, escaped
from libriscribe2.prose import count_words

FRONT_MATTER: Final = 100
"""Words before the first chapter below which these are a title page and no chapter."""

_PART_PAGE: Final = 30
_REFERENCE: Final = re.compile(r"\[\^([^\]\s]{1,200})\](?!:)")
_EMPHASIS: Final = re.compile(r"^(\*{1,3})(.+)\1$|^(_{1,3})(.+)\3$", re.DOTALL)
_MOST_LINES: Final = 3

_NUMBER: Final = r"(?:\d{1,3}|[ivxlc]{1,7}|[a-z]{3,}(?:-[a-z]+)?)"
_WORD: Final = (
    "chapter|kapitel|chapitre|cap[ií]tulo|capitolo|capítol|hoofdstuk|kapittel|kapitola|rozdzia[łl]"
    "|глава|розділ|luku|fejezet|capitolul|bölüm|poglavlje|poglavje"
)
_ALONE: Final = (
    "prologue|epilogue|prolog|epilog|prólogo|epílogo|prologo|epilogo|foreword|preface|afterword"
    "|introduction|conclusion|interlude|vorwort|nachwort|einleitung|zwischenspiel|avant-propos"
    "|postface|proloog|epiloog"
)
_NUMBERED: Final = re.compile(rf"(?:{_WORD})\s+{_NUMBER}\b[.:)]?(?P<title>.*)", re.IGNORECASE)
_NAMED: Final = re.compile(rf"(?:{_ALONE})\b[.:)]?(?P<title>.*)", re.IGNORECASE)
_EAST_ASIAN: Final = re.compile(
    r"第\s*[0-9０-９一二三四五六七八九十百零〇]+\s*[章回节節話话](?P<title>.*)"
)
_BARE: Final = re.compile(r"(?P<number>\d{1,3}|[IVXLC]{1,7})[.:)]?(?P<title>(?:\s+\S.*)?)")
_PART: Final = re.compile(
    r"(?:part|book|teil|buch|partie|livre|parte|libro|deel|część|часть)\b", re.IGNORECASE
)
_ROMAN: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_LONGEST: Final = 90
_END: Final = re.compile(r"[.,;!?…]$")


@dataclass(frozen=True, slots=True)
class ManuscriptChapter:
    """A chapter that was written elsewhere.

    Attributes:
        title: Its heading, plain text; a number where it has none.
        text: Its Markdown, from its heading on.
    """

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Division:
    """A manuscript in chapters.

    Attributes:
        chapters: The chapters in order.
        title: A heading above all chapters; "" where there is none.
        left_out: What is in none of them, in words.
        how: How the chapters were told apart, in words.
    """

    chapters: tuple[ManuscriptChapter, ...]
    title: str = ""
    left_out: tuple[str, ...] = ()
    how: str = ""


def divide(blocks: Sequence[Block]) -> Division:
    """The chapters of a manuscript.

    They begin where a table of contents says so; else at the headings of the highest level of
    which there are several; else where a line alone reads like the heading of a chapter. A
    manuscript without any of these is one chapter.
    """
    pieces = [one for one in blocks if one.text.strip() and not one.note]
    notes = [one for one in blocks if one.note]
    found = _starts(pieces)
    title = found.title
    before, *groups = _groups(found.pieces, found.starts)
    left_out = []
    before = [one for one in before if not (one.level and one.text == title)]
    if sum(_words(one) for one in before) >= FRONT_MATTER:
        groups.insert(0, [Block("", 1), *before])
    elif said := " ".join(one.text for one in before).strip():
        left_out.append(f"{count_words(said)} words before the first chapter: {said[:60]!r}")
    groups, empty = _with_parts(groups)
    left_out += [f"heading without text: {name!r}" for name in empty if name != title]
    chapters = tuple(_chapter(number, group, notes) for number, group in enumerate(groups, start=1))
    return Division(chapters, title, tuple(left_out), found.how)


@dataclass(frozen=True, slots=True)
class _Starts:
    """Where the chapters begin.

    Attributes:
        pieces: The blocks; lines that were found to be headings are headings now.
        starts: Indexes of the blocks with which chapters begin.
        title: The heading above all chapters.
        how: How they were found, in words.
    """

    pieces: Sequence[Block]
    starts: Sequence[int]
    title: str = ""
    how: str = ""


def _starts(pieces: Sequence[Block]) -> _Starts:
    listed = [index for index, one in enumerate(pieces) if one.start]
    if len(listed) > 1:
        return _listed(pieces, listed)
    levels = sorted({one.level for one in pieces if one.level})
    if not levels:
        return _by_lines(pieces)
    at = {level: [i for i, one in enumerate(pieces) if one.level == level] for level in levels}
    top, below = levels[0], levels[1] if len(levels) > 1 else 0
    title = ""
    if below and len(at[top]) == 1 and at[top][0] < at[below][0]:
        title, top = pieces[at[top][0]].text, below
    elif below and _are_parts(pieces, at[top], at[below]):
        return _Starts(pieces, sorted([*at[top], *at[below]]), how=f"level {below} headings")
    return _Starts(pieces, at[top], title, f"level {top} headings")


def _are_parts(pieces: Sequence[Block], upper: Sequence[int], lower: Sequence[int]) -> bool:
    """Whether the upper headings are parts and the lower ones the chapters."""
    chapters = sum(names_chapter(pieces[i].text) or is_bare(pieces[i].text) for i in lower)
    parts = sum(names_part(pieces[i].text) for i in upper)
    own = sum(names_chapter(pieces[i].text) for i in upper)
    return 2 * chapters > len(lower) and (2 * parts >= len(upper) or not own)


def _listed(pieces: Sequence[Block], listed: Sequence[int]) -> _Starts:
    """Chapters as a table of contents has them; a block that is no heading gets one."""
    shown: list[Block] = []
    starts: list[int] = []
    begins = set(listed)
    for index, one in enumerate(pieces):
        if index in begins:
            starts.append(len(shown))
            if not one.level and _plain(one.text).casefold() == one.start.casefold():
                one = replace(one, text=one.start, level=1)
            elif not one.level:
                shown.append(Block(one.start, 1))
        shown.append(one)
    return _Starts(shown, starts, how="the table of contents")


def _by_lines(pieces: Sequence[Block]) -> _Starts:
    """Chapters where a line alone reads like a heading."""
    lines = ["" if one.is_break else _plain(one.text) for one in pieces]
    named = [i for i, line in enumerate(lines) if line and names_chapter(_first_line(line))]
    found = named or counted_lines(lines)
    shown = list(pieces)
    for i in found:
        shown[i] = Block(_joined_lines(lines[i]), 1)
    how = "lines that look like headings" if found else "no heading: one chapter"
    return _Starts(shown, found or [0], how=how)


def _groups(pieces: Sequence[Block], starts: Sequence[int]) -> list[list[Block]]:
    """What is before the first start, and what each start begins."""
    bounds = [*starts, len(pieces)]
    groups = [list(pieces[first:after]) for first, after in pairwise(bounds)]
    return [list(pieces[: bounds[0]]), *filter(None, groups)]


def _with_parts(groups: Iterable[list[Block]]) -> tuple[list[list[Block]], list[str]]:
    """The chapters; the title of a part stands at the beginning of its first one.

    Returns:
        The groups that are chapters, and the headings that stand over no text at all.
    """
    kept, empty, waiting = list[list[Block]](), list[str](), list[Block]()
    whole = list(groups)
    lowest = max((group[0].level for group in whole), default=0)
    for group in whole:
        head, rest = _head(group)
        if not any(_words(one) for one in rest):
            if head.text and (names_part(head.text) or head.level < lowest):
                waiting.append(Block(f"**{escaped(head.text)}**"))
            else:
                empty.append(head.text)
            continue
        if names_part(head.text) and sum(map(_words, rest)) < _PART_PAGE and not head.start:
            waiting += [Block(f"**{escaped(head.text)}**"), *rest]
            continue
        kept.append([head, *waiting, *rest])
        waiting = []
    if waiting and kept:
        kept[-1] += waiting
    return kept, [name for name in empty if name]


def _head(group: Sequence[Block]) -> tuple[Block, list[Block]]:
    """The heading of a chapter and what follows; a subtitle right after a number joins it."""
    if not group[0].level:
        return Block("", 1), list(group)
    head, rest = group[0], list(group[1:])
    if is_bare(head.text) and rest and rest[0].level > head.level:
        joined = f"{head.text.rstrip(' .:')}: {rest[0].text}"
        return replace(head, text=joined), rest[1:]
    return head, rest


def _chapter(number: int, group: Sequence[Block], notes: Iterable[Block]) -> ManuscriptChapter:
    """A chapter as Markdown."""
    head, rest = group[0], _trimmed(group[1:])
    title = head.text or str(number)
    told = [f"# {escaped(title)}", *(_piece(one, head.level) for one in rest)]
    cited = {label for text in told for label in _REFERENCE.findall(text)}
    told += _note_texts([one for one in notes if one.note in cited])
    return ManuscriptChapter(title, "\n\n".join(told) + "\n")


def _piece(block: Block, level: int) -> str:
    if block.level:
        return f"{'#' * min(6, max(2, block.level - level + 1))} {escaped(block.text)}"
    return SCENE_BREAK if block.is_break else block.text


def _trimmed(blocks: Sequence[Block]) -> list[Block]:
    """Blocks without scene breaks at either end or next to each other."""
    kept: list[Block] = []
    for one in blocks:
        if not (one.is_break and (not kept or kept[-1].is_break)):
            kept.append(one)
    while kept and kept[-1].is_break:
        kept.pop()
    return kept


def _note_texts(notes: Sequence[Block]) -> list[str]:
    """Notes as Markdown has them; the later paragraphs of one are set in."""
    told, last = list[str](), ""
    for one in notes:
        text = one.text if one.text.startswith("[^") else f"[^{one.note}]: {one.text}"
        told.append(text if one.note != last else "    " + one.text.replace("\n", "\n    "))
        last = one.note
    return told


def _plain(text: str) -> str:
    """A short paragraph without the emphasis around it."""
    found = _EMPHASIS.fullmatch(text.strip())
    inner = (found[2] or found[4]) if found is not None else text.strip()
    return inner.replace("\\", "")


def _first_line(text: str) -> str:
    """The first line of a block of few lines; a longer block is prose."""
    lines = text.split("\n")
    return lines[0] if len(lines) <= _MOST_LINES else ""


def _joined_lines(text: str) -> str:
    first, *rest = [line.strip() for line in text.split("\n") if line.strip()]
    return f"{first.rstrip(' .:')}: {' '.join(rest)}" if rest else first


def _words(block: Block) -> int:
    return 0 if block.level or block.is_break else count_words(block.text)


def names_chapter(line: str) -> bool:
    """Whether a line by itself says that a chapter begins: `Chapter 7`, `KAPITEL III. Title`."""
    found = _match(line)
    return found is not None and not _is_sentence(found["title"])


def names_part(line: str) -> bool:
    """Whether a line says that a part of several chapters begins."""
    return _PART.match(line.strip()) is not None


def is_bare(title: str) -> bool:
    """Whether a heading is a number and no title: `Chapter 7`, `7.`, `VII`."""
    found = _match(title) or _BARE.fullmatch(title.strip())
    return found is not None and not found["title"].strip(" .:-\u2013\u2014")


def without_number(title: str) -> str:
    """The title behind a chapter's number; the heading itself where there is none."""
    found = _NUMBERED.fullmatch(title.strip()) or _EAST_ASIAN.fullmatch(title.strip())
    behind = found["title"].strip(" .:-\u2013\u2014") if found is not None else ""
    return behind or title.strip()


def counted_lines(lines: Sequence[str]) -> list[int]:
    """Indexes of the lines that count chapters: `1`, `2. Title` or `III`, each one up from the last.

    A number that does not follow is no heading; fewer than two are a coincidence.
    """
    found = list[int]()
    for index, line in enumerate(lines):
        match = _BARE.fullmatch(line.strip()) if len(line) <= _LONGEST else None
        if match is None or _is_sentence(match["title"]):
            continue
        if _value(match["number"]) == len(found) + 1:
            found.append(index)
    return found if len(found) > 1 else []


def _match(line: str) -> re.Match[str] | None:
    text = line.strip()
    if len(text) > _LONGEST or "\n" in text:
        return None
    return _NUMBERED.fullmatch(text) or _NAMED.fullmatch(text) or _EAST_ASIAN.fullmatch(text)


def _is_sentence(title: str) -> bool:
    """Whether what follows a number goes on like a sentence, as in `Chapter two was bad.` does."""
    text = title.strip()
    return bool(text) and text[0].islower() and _END.search(text) is not None


def _value(number: str) -> int:
    """The value of a number in digits or Roman numerals."""
    if number.isdecimal():
        return int(number)
    values = [_ROMAN[digit] for digit in number]
    later = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, later, strict=True))
