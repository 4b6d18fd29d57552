"""Markdown and text: as blocks, each word for word as it stands, and as parts under headings."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from statistics import median
from textwrap import dedent
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from libriscribe2.documents.blocks import Block, safe_start
from libriscribe2.documents.decoding import tidy, tidy_line

_FRONT_MATTER: Final = re.compile(
    r"\A---[^\S\n]*\n(.*?)\n(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL
)
_FIELD: Final = re.compile(r"(?m)^([A-Za-z_-]+):[^\S\n]*(\S.*)$")
# No picture holds the beginning of another: else each of many beginnings is read to the end.
_UP_TO: Final = r"[^{0}!]*+(?:!(?!\[)[^{0}!]*+)*+"
_PICTURE: Final = re.compile(
    r"!\[({0})\](?:\({1}\)|\[{0}\])".format(_UP_TO.format(r"\]"), _UP_TO.format(")"))
)
_NOTE: Final = re.compile(r"\[\^([^\]\s]+)\]:")
_NOTES_IN: Final = re.compile(r"(?m)^(?=\[\^[^\]\s]+\]:)")
_HEADING: Final = re.compile(r" {0,3}#{1,6}[ \t]+(.*)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_GUTENBERG: Final = re.compile(r"(?m)^\*{3} ?(START|END) OF TH(?:E|IS) PROJECT GUTENBERG.*$")
_WRAPPED: Final = 45
"""Characters from which on lines that are about equally long are one wrapped paragraph."""

_MARKDOWN: Final = MarkdownIt("commonmark").disable("inline")
_INLINE: Final = MarkdownIt("commonmark")
_RULES: Final = " \t-=*#_~"
_ENDS: Final = (".", "!", ":", ",", ";")
_LONGEST_TITLE: Final = 100
_SHORTEST: Final = 3
_LONGEST_STEP: Final = 3
_LEAST_BELOW: Final = 2
"""So many lines there are for each that is taken for a heading."""

_NUMBERED: Final = re.compile(r"(\d{1,6})(?:\.\d+)*([.)]?)\s+\w")
_COLUMNS: Final = re.compile(r"[ \t]{2,}|\t")
_FEWEST_REMARKS: Final = 10
_MOST_REMARKS: Final = 0.9
"""The share of a text's lines that begin with one sign where all of them are remarks."""

_LONGEST_HEADING: Final = 1_000
"""Characters of a heading beyond which its marks stay: reading them takes their square."""


def parts_by_heading(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a Markdown text as they stand, each under its heading, which is its first line."""
    lines, titles, fence = text.split("\n"), dict[int, str](), ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (not fence or mark.group(1).startswith(fence)):
            fence = "" if fence else mark.group(1)
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            titles[number] = heading.group(1).rstrip(" \t").rstrip("#")
    return _parts(lines, titles)


def parts_by_indentation(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a text that sets its body in from the margin, as manual pages do.

    A line at the margin that stands alone above lines that are set in is their heading. In a text
    whose body stands at the margin no line is one.
    """
    lines = text.split("\n")
    full = [line for line in lines if line.strip()]
    inset = sum(line[0].isspace() for line in full)
    may_head = range(len(lines)) if inset * 2 >= len(full) else ()
    return _parts(lines, {at: lines[at] for at in may_head if _heads(lines, at)})


def parts_by_lone_lines(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a text whose headings are lines of their own, none of them marked up.

    A line is one that is underlined, in capitals, numbered, or set further apart than paragraphs
    are, if there are several of its kind, and far more lines that are none.
    """
    lines = text.split("\n")
    return _parts(lines, {at: lines[at] for at in _lone(lines)})


def _parts(lines: Sequence[str], titles: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """The parts of a text, each from a line that has a title on, and what stands before them."""
    locator, part = "", list[str]()
    for number, line in enumerate(lines):
        if number in titles:
            yield locator, "\n".join(part).strip("\n")
            locator, part = tidy_line(titles[number]), []
        part.append(line)
    yield locator, "\n".join(part).strip("\n")


def _lone(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines that are headings."""
    kinds = {number: kind for number in range(len(lines)) if (kind := _kind(lines, number))}
    begun = {at: _NUMBERED.match(lines[at].strip()) for at in kinds if kinds[at] == "numbered"}
    numbers = [int(found[1]) for found in begun.values() if found]
    # Some may not be seen; years and amounts go up in longer steps, or down.
    counts_up = all(0 <= later - one <= _LONGEST_STEP for one, later in pairwise(numbers))
    counts = Counter(kinds.values())
    kept = {at for at in kinds if counts[kinds[at]] > 1 and (counts_up or at not in begun)}
    full = sum(bool(line.strip()) for line in lines)
    return kept if len(kept) * _LEAST_BELOW <= full else set()


def _kind(lines: Sequence[str], number: int) -> str:
    """What makes a line a heading; "" where nothing does."""
    line = lines[number].strip()
    above = len(
        list(takewhile(lambda one: not one.strip(), reversed(lines[max(0, number - 2) : number])))
    )
    if len(line) > _LONGEST_TITLE or not _has_word(line) or (number and not above):
        return ""
    below = lines[number + 1].strip() if number + 1 < len(lines) else ""
    if len(below) >= _SHORTEST and len(set(below)) == 1 and below[0] in _RULES:
        return "underlined"
    if line.isupper():
        return "in capitals"
    if not below and _NUMBERED.match(line):
        return "numbered"
    return "apart" if above > 1 and not below and not line.endswith(_ENDS) else ""


def without_comment_marks(text: str) -> str:
    """A text without the sign at which all of its lines begin, as data files have their remarks."""
    lines = [line.expandtabs() for line in text.split("\n")]
    full = [line for line in lines if line.strip()]
    mark = full[0][0] if full else ""
    if len(full) < _FEWEST_REMARKS or mark.isalnum() or mark.isspace():
        return text
    if sum(line.startswith(mark) for line in full) < len(full) * _MOST_REMARKS:
        return text
    return dedent("\n".join(line.removeprefix(mark) for line in lines))


def title_line(text: str) -> str:
    """The title of a text: a short first line that stands alone and ends like no sentence."""
    first, _, rest = text.strip("\n").partition("\n")
    columns = _COLUMNS.split(first.strip())
    # The header of a manual page is its name at both margins.
    repeats = len(columns) > 2 and columns[0] == columns[-1]
    line = tidy_line(" ".join(columns[:-1]) if repeats else first.strip(_RULES))
    if (numbered := _NUMBERED.match(line)) and numbered[2]:
        return ""  # the heading of its first part
    alone = bool(rest) and not rest.partition("\n")[0].strip(_RULES)
    return line if alone and len(line) <= _LONGEST_TITLE and not line.endswith(_ENDS) else ""


def _has_word(line: str) -> bool:
    return sum(map(str.isalpha, line)) >= _SHORTEST


def _heads(lines: Sequence[str], number: int) -> bool:
    """Whether a line stands alone at the margin, with a line that is set in behind it."""
    line = lines[number]
    if not _has_word(line) or line[0].isspace() or (number and lines[number - 1].strip()):
        return False
    below = next((one for one in lines[number + 1 : number + 3] if one.strip()), "")
    return below[:1].isspace()


def text_blocks(text: str) -> list[Block]:
    """The paragraphs of a text.

    Blank lines stand between them; in a text without any, every line is one. Lines of a
    paragraph that were wrapped are joined; shorter ones stay lines, as in verse. Marks of
    emphasis (`_so_`, `*so*`) are left as they are, since Markdown reads them the same.
    """
    whole = _without_licence(tidy(text)).strip("\n")
    pieces = _BLANK_LINE.split(whole)
    if len(pieces) == 1:
        pieces = whole.split("\n")
    return [Block(_paragraph(piece)) for piece in pieces if piece.strip()]


def front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """The fields before a Markdown text, by lower-case name, and the text behind them."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    fields = {name.lower(): _bare(value.rstrip()) for name, value in _FIELD.findall(found[1])}
    return fields, text[found.end() :]


def markdown_blocks(text: str) -> tuple[list[Block], list[str]]:
    """The blocks of a Markdown text, and what its pictures are called.

    Definitions of footnotes are notes, wherever they stand.
    """
    body = tidy(text)
    lines = body.split("\n")
    known: dict[str, Any] = {}
    parsed = _MARKDOWN.parse(body, known)
    tokens = [one for one in parsed if one.level == 0 and one.map is not None]
    inner = _headings(parsed, known)
    firsts = [one.map[0] for one in tokens if one.map is not None]
    blocks, pictures = list[Block](), list[str]()
    for block in _notes_apart(_blocks(lines, tokens, firsts, inner)):
        pictures += [name or "without a name" for name in _PICTURE.findall(block.text)]
        kept = _PICTURE.sub("", block.text).strip("\n").rstrip()
        if kept.strip():
            blocks.append(Block(kept, block.level, note=block.note))
    return blocks, pictures


def _blocks(
    lines: Sequence[str],
    tokens: Sequence[Token],
    firsts: Sequence[int],
    headings: Mapping[int, str],
) -> Iterator[Block]:
    """Every block with its lines; lines that are of none go with the block before them."""
    if lead := "\n".join(lines[: firsts[0]] if firsts else lines).strip():
        yield Block(lead)
    if not firsts:
        return
    for token, first, after in zip(tokens, firsts, [*firsts[1:], len(lines)], strict=True):
        last = token.map[1] if token.map is not None else after
        if token.type == "heading_open":
            yield Block(headings.get(first, ""), int(token.tag[1:]))
            if rest := "\n".join(lines[last:after]).strip():
                yield Block(rest)
        else:
            yield Block("\n".join(lines[first:after]).strip("\n").rstrip())


def _headings(tokens: Sequence[Token], known: dict[str, Any]) -> dict[int, str]:
    """The plain text of every heading by its first line; `known` are the addresses of links."""
    found: dict[int, str] = {}
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0 and opening.map is not None:
            words = inline.content
            if len(words) <= _LONGEST_HEADING:
                (parsed,) = _INLINE.parseInline(words, known)
                words = "".join(
                    " " if one.type in ("softbreak", "hardbreak") else one.content
                    for one in parsed.children or []
                    if one.type != "image"
                )
            found[opening.map[0]] = " ".join(words.split())
    return found


def _notes_apart(blocks: Iterator[Block]) -> Iterator[Block]:
    """Blocks, with the definitions of footnotes as notes of their own."""
    last = ""
    for block in blocks:
        if last and block.text.startswith("    "):
            yield Block(block.text.strip(), note=last)
            continue
        last = ""
        if block.level or not _NOTES_IN.search(block.text):
            yield block
            continue
        for piece in _NOTES_IN.split(block.text):
            label = _NOTE.match(piece)
            last = label[1] if label is not None else ""
            if piece.strip():
                yield Block(piece.strip(), note=last)


def _bare(value: str) -> str:
    """A value without the quotation marks of YAML."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        inner = value[1:-1]
        return inner.replace('\\"', '"') if value[0] == '"' else inner.replace("''", "'")
    return value


def _paragraph(piece: str) -> str:
    lines = [" ".join(line.split()) for line in piece.split("\n") if line.strip()]
    if len(lines) > 1 and median(len(line) for line in lines[:-1]) >= _WRAPPED:
        lines = [" ".join(lines)]
    return "\n".join(safe_start(line.replace("<", r"\<")) for line in lines)


def _without_licence(text: str) -> str:
    """A text of Project Gutenberg without what is put around the book."""
    marks = {found[1]: found for found in _GUTENBERG.finditer(text)}
    first = marks["START"].end() if "START" in marks else 0
    last = marks["END"].start() if "END" in marks else len(text)
    return text[first:last] if first < last else text
