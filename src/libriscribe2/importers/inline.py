"""Runs of text with emphasis as Markdown that means just these words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

LINE_BREAK: Final = "\v"
"""Stands for a line break inside a paragraph; text from outside has none."""

_MARKS: Final = re.compile(
    r"[\\`*<]|(?<![^\W_])_|_(?![^\W_])|\[(?=[^\]]*\]\()|\[(?=[\^@])|&(?=#?\w+;)"
)
_LINE_START: Final = re.compile(
    r"(?P<mark>#{1,6}(?=\s|$)|>|[-+](?=\s|$)|=+\s*$|-{2,}|~{3,})|(?P<number>\d{1,9})(?=[.)](?:\s|$))"
)
_EDGE: Final = re.compile(r"^([\W_]*)(.*?)([\W_]*)$", re.DOTALL)
_BLANKS: Final = re.compile(r"^(\s*)(.*?)(\s*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one look.

    Attributes:
        text: The characters, white space evened out already.
        em: Whether it is emphasised.
        strong: Whether it is strong.
        is_markdown: Whether it is Markdown already, such as the mark of a note.
    """

    text: str
    em: bool = False
    strong: bool = False
    is_markdown: bool = False


def markdown_of(runs: Iterable[Run]) -> str:
    """The runs of a paragraph as Markdown; "" where they say nothing."""
    joined = _joined(runs)
    pieces = [_marked(run, joined, index) for index, run in enumerate(joined)]
    lines = [" ".join(line.split()) for line in "".join(pieces).split(LINE_BREAK)]
    while lines and not lines[-1]:
        lines.pop()
    return "\\\n".join(safe_start(line) for line in lines if line)


def plain_of(runs: Iterable[Run]) -> str:
    """The runs of a heading as plain text in one line."""
    text = "".join(run.text for run in runs if not run.is_markdown)
    lines = [" ".join(line.split()) for line in text.split(LINE_BREAK)]
    return _heading_of([line for line in lines if line])


def escaped(text: str) -> str:
    """Text as Markdown that means just these characters, but for the start of a line."""
    return _MARKS.sub(lambda found: f"\\{found.group()}", text)


def safe_start(line: str) -> str:
    """A line that begins no heading, list or quote."""
    found = _LINE_START.match(line)
    if found is None:
        return line
    number = found["number"]
    return f"\\{line}" if number is None else f"{number}\\{line[len(number) :]}"


def _heading_of(lines: Sequence[str]) -> str:
    """The lines of a heading in one: `Chapter 1` and `The Boat` become `Chapter 1: The Boat`."""
    told = ""
    for line in lines:
        told = f"{told}{'' if told[-1:] in '.:!?' else ':'} {line}" if told else line
    return told


def _joined(runs: Iterable[Run]) -> list[Run]:
    """Neighbours of one look as one run; blanks take the look of what is before them."""
    kept: list[Run] = []
    for run in runs:
        last = kept[-1] if kept else None
        if not run.text:
            continue
        if last is not None and not run.is_markdown and not last.is_markdown:
            same = (last.em, last.strong) == (run.em, run.strong)
            if same or not run.text.strip():
                kept[-1] = replace(last, text=last.text + run.text)
                continue
        kept.append(run)
    return kept


def _marked(run: Run, runs: Sequence[Run], index: int) -> str:
    """A run with its marks, which stand at its words and not at the blanks around them."""
    if run.is_markdown:
        return run.text
    mark = "*" * (run.em + 2 * run.strong)
    if not mark:
        return escaped(run.text)
    return LINE_BREAK.join(
        _with_marks(line, mark, runs, index) for line in run.text.split(LINE_BREAK)
    )


def _with_marks(line: str, mark: str, runs: Sequence[Run], index: int) -> str:
    lead, words, trail = _BLANKS.fullmatch(line).groups()  # type: ignore[union-attr]
    before = runs[index - 1].text[-1:] if index and not lead else ""
    after = runs[index + 1].text[:1] if index + 1 < len(runs) and not trail else ""
    first, inner, last = _EDGE.fullmatch(words).groups()  # type: ignore[union-attr]
    # CommonMark takes marks between a letter and a punctuation mark for those of the other side.
    if before.isalnum() and first:
        lead, words = lead + escaped(first), inner + last
    if after.isalnum() and last:
        words, trail = words.removesuffix(last), escaped(last) + trail
    return f"{lead}{mark}{escaped(words)}{mark}{trail}" if words.strip() else f"{lead}{trail}"
