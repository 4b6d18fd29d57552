"""Footnotes for markdown-it, which has none: `[^1]` in the text and `[^1]: text` at a line's start.

The texts of notes go into `env["notes"]` by label, the labels that are used into `env["used"]`.
"""

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

_DEFINITION: Final = re.compile(r"\[\^([^\]\s]+)\]:[ \t]*(.*)", re.DOTALL)
_REFERENCE: Final = re.compile(r"\[\^([^\]\s]+)\]")
_INDENT: Final = 4


def add_notes(markdown: MarkdownIt) -> None:
    """Have a parser read footnotes."""
    stops: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    markdown.block.ruler.before("reference", "note", _definition, stops)
    markdown.inline.ruler.before("link", "note_reference", _reference)


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
        mark, place = len(used), state.env["place"]
        token = state.push("note_reference", "", 0)
        token.content = (
            f'<sup><a id="ref-{place}-{mark}" href="#note-{place}-{mark}">{mark}</a></sup>'
        )
    state.pos = found.end()
    return True
