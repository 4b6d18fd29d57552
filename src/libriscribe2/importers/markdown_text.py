"""Markdown files as blocks, each word for word as it stands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from libriscribe2.importers.blocks import Block
from libriscribe2.toolchain.sources.reading import tidy

_FRONT_MATTER: Final = re.compile(
    r"\A---[^\S\n]*\n(.*?)\n(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL
)
_FIELD: Final = re.compile(r"(?m)^([A-Za-z_-]+):[^\S\n]*(\S.*?)[^\S\n]*$")
_PICTURE: Final = re.compile(r"!\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_NOTE: Final = re.compile(r"\[\^([^\]\s]+)\]:")
_NOTES_IN: Final = re.compile(r"(?m)^(?=\[\^[^\]\s]+\]:)")
_MARKDOWN: Final = MarkdownIt("commonmark")


def front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """The fields before a Markdown text, by lower-case name, and the text behind them."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    fields = {name.lower(): _bare(value) for name, value in _FIELD.findall(found[1])}
    return fields, text[found.end() :]


def markdown_blocks(text: str) -> tuple[list[Block], list[str]]:
    """The blocks of a Markdown text, and what its pictures are called.

    Definitions of footnotes are notes, wherever they stand.
    """
    body = tidy(text)
    lines = body.split("\n")
    parsed = _MARKDOWN.parse(body)
    tokens = [one for one in parsed if one.level == 0 and one.map is not None]
    inner = _headings(parsed)
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


def _headings(tokens: Sequence[Token]) -> dict[int, str]:
    """The plain text of every heading by its first line."""
    found: dict[int, str] = {}
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0 and opening.map is not None:
            parts = inline.children or []
            words = "".join(
                " " if one.type in ("softbreak", "hardbreak") else one.content
                for one in parts
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
