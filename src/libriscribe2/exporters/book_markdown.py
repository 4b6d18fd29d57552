"""Chapters as Markdown: what they may hold, lines that stay lines, how characters are said."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final
from urllib.parse import unquote

import regex as re
from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from libriscribe2.documents.blocks import NOTE_MARK
from libriscribe2.replies.normalise import with_characters

KINDS: Final = ("verse", "letter", "sign")
"""Divisions that are set in a way of their own: `::: verse` to `:::`."""

LINES: Final = "lines"
"""A paragraph with line breaks of its own."""

SMALL_CAPS: Final = "smallcaps"

_DEFINITION: Final = re.compile(r"\[\^([^\]\s]+)\]:[ \t]*(.*)", re.DOTALL)
_REFERENCE: Final = re.compile(r"\[\^([^\]\s]+)\]")
_INDENT: Final = 4


def book_parser() -> MarkdownIt:
    """What reads chapters: GitHub's Markdown, footnotes, divisions of `KINDS`, small capitals, ruby.

    Its `env` needs `notes`, an empty dict, and `used`, an empty list: afterwards the texts of the
    notes by label, and the labels in the order in which they are cited.
    """
    markdown = MarkdownIt("commonmark", {"typographer": True})
    markdown.enable(["table", "strikethrough", "smartquotes"])
    markdown.core.ruler.before("smartquotes", "dashes", _dashes)
    markdown.core.ruler.push("ruby", _ruby)
    stops: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    markdown.block.ruler.before("reference", "note", _definition, stops)
    markdown.block.ruler.before("fence", "division", _division, stops)
    markdown.inline.ruler.before("link", "note_reference", _reference)
    markdown.inline.ruler.before("link", "small_caps", _small_caps)
    return markdown


def _definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """A block rule: the text of a note up to the next line that is not part of it."""
    if state.is_code_block(start):
        return False
    found = _DEFINITION.match(_line(state, start))
    if found is None:
        return False
    if silent:
        return True
    last = _last_line(state, start, end)
    lines = [found[2], *(_line(state, number) for number in range(start + 1, last))]
    state.env["notes"].setdefault(found[1].casefold(), "\n".join(lines))
    state.env.setdefault("places", {}).setdefault(found[1].casefold(), (start, last))
    state.line = last
    return True


def _last_line(state: StateBlock, start: int, end: int) -> int:
    """The first line that does not belong to the note: blank lines need an indented one after."""
    number = start + 1
    while number < end:
        if state.isEmpty(number):
            after = state.skipEmptyLines(number)
            if after >= end or state.sCount[after] - state.blkIndent < _INDENT:
                break
            number = after
        elif _DEFINITION.match(_line(state, number)):
            break
        number += 1
    return number


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _reference(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    """An inline rule: the number of a note."""
    found = _REFERENCE.match(state.src, state.pos)
    if found is None or found[1].casefold() not in state.env.get("notes", {}):
        return False
    if not silent:
        used: list[str] = state.env["used"]
        used.append(found[1].casefold())
        token = state.push("note_reference", "", 0)
        token.meta = {"label": used[-1], "mark": len(used)}
    state.pos = found.end()
    return True


_DASHES: Final = ((re.compile(r"(?<!-)---(?!-)"), "—"), (re.compile(r"(?<!-)--(?!-)"), "–"))
_OPENING: Final = re.compile(
    r":{3,}[ \t]*(?:\{?[ \t]*\.?([\w-]+)[^{}]*\}?|\{[^{}]*\})[ \t]*:*[ \t]*"
)
_CLOSING: Final = re.compile(r":{3,}[ \t]*")
_SMALL_CAPS: Final = re.compile(r"\[((?:[^\[\]\\]|\\.){1,400})\]\{\.smallcaps\}")


def _division(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """A block rule: a division, which ends at its own `:::` or with what it stands in."""
    opening = None if state.is_code_block(start) else _OPENING.fullmatch(_line(state, start))
    if opening is None or silent:
        return opening is not None
    last, open_ones = start + 1, 1
    while last < end:
        line = _line(state, last)
        open_ones += (_OPENING.fullmatch(line) is not None) - (_CLOSING.fullmatch(line) is not None)
        if not open_ones:
            break
        last += 1
    name = opening[1] if opening[1] in KINDS else ""
    if name:
        state.push("division_open", "div", 1).attrs = {"class": name}
    before, state.lineMax = state.lineMax, last
    state.md.block.tokenize(state, start + 1, last)
    state.lineMax, state.line = before, min(last + 1, end)
    if name:
        state.push("division_close", "div", -1)
    return True


def _small_caps(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    """An inline rule: `[NO ENTRY]{.smallcaps}`."""
    found = _SMALL_CAPS.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("small_caps_open", "span", 1).attrs = {"class": SMALL_CAPS}
        most, state.posMax, state.pos = state.posMax, found.end(1), found.start(1)
        state.md.inline.tokenize(state)
        state.posMax = most
        state.push("small_caps_close", "span", -1)
    state.pos = found.end()
    return True


def _dashes(state: StateCore) -> None:
    """A core rule: `--`, `---` and `...` as the signs that they stand for."""
    for block in state.tokens:
        for token in block.children or []:
            if token.type == "text":
                for pattern, sign in _DASHES:
                    token.content = pattern.sub(sign, token.content)
                token.content = token.content.replace("...", "…")


_RUBY: Final = re.compile(
    r"(?:[｜|]([^｜|《》\s]{1,40})|((?:\p{Script=Han}|[々〆ヶ])+))"
    r"《([\p{Script=Hiragana}\p{Script=Katakana}ー・]{1,40})》"
)
"""Aozora Bunko's notation, `漢字《かんじ》` or `｜any《かな》`; in Chinese 《》 never hold kana alone."""


def without_readings(text: str) -> str:
    """Plain text in which no character has its reading beside it."""
    return _RUBY.sub(lambda found: found[1] or found[2], text) if "《" in text else text


def _ruby(state: StateCore) -> None:
    """A core rule: characters with their reading as `ruby_open`, text, `ruby_close`."""
    for block in state.tokens:
        if "《" in block.content and block.children:
            block.children = [piece for one in block.children for piece in _with_ruby(one)]


def _with_ruby(token: Token) -> Iterator[Token]:
    at = 0
    for found in _RUBY.finditer(token.content) if token.type == "text" else ():
        yield Token("text", "", 0, content=token.content[at : found.start()])
        yield Token("ruby_open", "ruby", 1, meta={"said": found[3]})
        yield Token("text", "", 0, content=found[1] or found[2])
        yield Token("ruby_close", "ruby", -1, meta={"said": found[3]})
        at = found.end()
    if at:
        yield Token("text", "", 0, content=token.content[at:])
    else:
        yield token


def mark_lines(tokens: Sequence[Token]) -> None:
    """Give the paragraphs that have line breaks of their own the class `LINES`."""
    for opening, inline in pairwise(tokens):
        broken = any(one.type == "hardbreak" for one in inline.children or [])
        if broken and opening.type == "paragraph_open":
            opening.attrs["class"] = LINES


@dataclass(frozen=True, slots=True)
class PlainBlock:
    """A paragraph, a heading, a line of code or a scene break.

    Attributes:
        text: What a reader sees, with line feeds where lines end, and `NOTE_MARK` for a note.
        first: Its first line, counted from 0.
        last: The line behind its last one.
        column: Where a cell of a table stands in its row; -1 for what is none.
        table: The lines of that table.
        is_simple: Whether it has no other marks than those of emphasis, lines and notes.
    """

    text: str
    first: int
    last: int
    column: int = -1
    table: tuple[int, int] = (0, 0)
    is_simple: bool = True


_SIMPLE: Final = frozenset(("text", "em_open", "em_close", "strong_open", "strong_close")).union(
    ("softbreak", "hardbreak", "html_inline", "note_reference")
)


def plain_blocks(text: str, notes: Iterable[str] = ()) -> list[PlainBlock]:
    """The blocks of a chapter as they stand in a Word file, with their lines; empty cells, too.

    Args:
        text: The chapter, or a part of it.
        notes: Labels of notes that are defined elsewhere.
    """
    found = []
    at = table = (0, 0)
    column = -1
    for token in _PARSER.parse(text, {"notes": dict.fromkeys(notes, ""), "used": []}):
        first, last = at = (token.map[0], token.map[1]) if token.map else at
        if token.type == "table_open":
            table = at
        elif token.type in ("tr_open", "table_close"):
            column = -1
        column += token.type in ("th_open", "td_open")
        words, simple = _shown(token)
        if words.strip() or (token.type == "inline" and column >= 0):
            found.append(PlainBlock(words, first, last, column, table, simple))
    return found


def _shown(token: Token) -> tuple[str, bool]:
    """What a reader sees of a block, and whether it has no marks but the usual ones."""
    if token.type == "inline":
        children = token.children or []
        return _seen(children), _SIMPLE.issuperset(one.type for one in children)
    if token.type in ("fence", "code_block"):
        return token.content.rstrip("\n"), True
    if token.type == "html_block":
        return without_tags(token.content), True
    return "* * *" * (token.type == "hr"), True


def note_blocks(text: str) -> list[PlainBlock]:
    """The notes of a chapter that are cited and have one paragraph, with their lines."""
    env: dict[str, Any] = {"notes": {}, "used": []}
    _PARSER.parse(text, env)
    found = []
    for label in dict.fromkeys(env["used"]):
        blocks = plain_blocks(env["notes"][label])
        if len(blocks) == 1:
            found.append(PlainBlock(blocks[0].text, *env["places"][label]))
    return found


def unused_notes(text: str) -> dict[str, tuple[int, int]]:
    """The lines of the notes that a chapter does not cite, by their labels."""
    env: dict[str, Any] = {"notes": {}, "used": []}
    _PARSER.parse(text, env)
    places: dict[str, tuple[int, int]] = env.get("places", {})
    return {label: span for label, span in places.items() if label not in env["used"]}


def _seen(tokens: Sequence[Token]) -> str:
    """What a reader sees of a paragraph."""
    pieces = []
    for one in tokens:
        if one.type == "note_reference":
            pieces.append(NOTE_MARK)
        elif one.type == "hardbreak" or (
            one.type == "html_inline" and "br" in one.content[:4].lower()
        ):
            pieces.append("\n")
        elif one.type == "softbreak":
            pieces.append(" ")
        elif one.type in ("text", "code_inline"):
            pieces.append(one.content)
    return "".join(pieces)


def plain_lines(text: str) -> tuple[str, ...]:
    """The lines of a short text as they were written, without marks of Markdown."""
    lines = []
    for token in _PARSER.parse(text, {"notes": {}, "used": []}):
        if token.type == "inline":
            words = "".join(
                "\n" if "break" in one.type else one.content for one in token.children or []
            )
            lines += [line.strip() for line in words.split("\n")]
    return tuple(filter(None, lines))


_ANY_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


def without_tags(block: str) -> str:
    """What stays of a block of HTML: the words between the tags."""
    return with_characters(_ANY_TAG.sub("", _COMMENT.sub("", block)).strip())


def project_path(source: str) -> str:
    """The path of a picture as the project has it, without the way from the chapter's folder."""
    path = unquote(source)
    while path.startswith(("./", "../")):
        path = path.partition("/")[2]
    return path


_NARROWEST: Final = 50
_WIDEST: Final = 120
"""Characters between which a text may have been broken into lines by an editor."""

_QUOTED: Final = re.compile(r"[\s>]*")


def with_kept_lines(text: str) -> str:
    """The text with its line breaks as hard ones, but where lines are only as wide as a window.

    Verse, letters and signs are written line by line; a paragraph of which no line had room for
    the next word was broken by an editor.

    Args:
        text: Markdown.
    """
    lines = text.split("\n")
    if not any(one.strip() and after.strip() for one, after in pairwise(lines)):
        return text
    tokens = _PARSER.parse(text, {"notes": {}, "used": []})
    spans = [one.map for one in tokens if one.type == "paragraph_open" and one.map]
    widest = max((len(one) for first, last in spans for one in lines[first:last]), default=0)
    for first, last in spans:
        if widest > _WIDEST or not _is_wrapped(
            [_QUOTED.sub("", one, 1) for one in lines[first:last]]
        ):
            for number in range(first, last - 1):
                if not lines[number].endswith(("\\", "  ")):
                    lines[number] = lines[number].rstrip() + "  "
    return "\n".join(lines)


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether an editor broke these lines: no line had room for the first word of the next."""
    longest = max(map(len, lines))
    if longest < _NARROWEST:
        return False
    return all(
        len(one) + 1 + len(after.split(" ", 1)[0]) > longest for one, after in pairwise(lines)
    )


_PARSER: Final = book_parser()
