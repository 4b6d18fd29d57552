"""The blocks of a document: runs of text with emphasis, as Markdown or as plain lines."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

LINE_BREAK: Final = "\v"
"""Stands for a line break inside a paragraph; text from outside has none."""

CELL: Final = "\0"
"""Stands between two cells of a table; text from outside has none."""

NOTE_MARK: Final = "\ufffc"
"""Stands where a footnote is cited."""

SCENE_BREAK: Final = "* * *"

_BREAK: Final = re.compile(
    r"[\s*#~\u2022\u00b7\u2042\u25c7\u25c6\u2756\u2726\u273b\u273d\u2766\u2619"
    r"\u2013\u2014\u2015_=+\u25ca\u2217\\-]{1,25}"
)
_MARKS: Final = re.compile(
    r"[\\`*<]|(?<![^\W_])_|_(?![^\W_])|\[(?=[^\]]{0,300}\]\()|\[(?=[\^@])|&(?=#?\w+;)"
)
_LINE_START: Final = re.compile(
    r"(?P<mark>#{1,6}(?=\s|$)|>|[-+](?=\s|$)|=+\s*$|-{2,}|~{3,})|(?P<number>\d{1,9})(?=[.)](?:\s|$))"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading or a scene break.

    Attributes:
        text: Markdown; of a heading plain text.
        level: Level of a heading from 1 on; 0 for prose.
        start: Title of the chapter that a table of contents lets begin here; "" for none.
        note: Label of the note that it is a paragraph of; "" for none.
        style: What a program called its kind; "" for nothing.
    """

    text: str
    level: int = 0
    start: str = ""
    note: str = ""
    style: str = ""

    @property
    def is_break(self) -> bool:
        """Whether it stands between two scenes."""
        marks_only = bool(self.text.strip()) and _BREAK.fullmatch(self.text) is not None
        return not self.level and marks_only


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one look.

    Attributes:
        text: The characters, with `LINE_BREAK` and `CELL` among them.
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
    marked = "".join(_marked(run, joined, index) for index, run in enumerate(joined))
    lines = _lines(marked.replace(CELL, " | "))
    return "\\\n".join(safe_start(line) for line in lines)


def heading_of(runs: Iterable[Run]) -> str:
    """The runs of a heading in one plain line: `Chapter 1`, `The Boat` -> `Chapter 1: The Boat`."""
    heading = ""
    for line in _lines(_unmarked(runs).replace(CELL, " | ")):
        colon = "" if heading[-1:] in ".:!?" else ":"
        heading = f"{heading}{colon} {line}" if heading else line
    return heading


def plain_of(runs: Iterable[Run]) -> str:
    """The runs of a paragraph as plain lines; "" where they say nothing."""
    return "\n".join(_lines(_unmarked(runs).replace(CELL, " ")))


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


def _unmarked(runs: Iterable[Run]) -> str:
    return "".join(run.text for run in runs if not run.is_markdown)


def _lines(text: str) -> list[str]:
    """The lines that say something, white space evened out."""
    lines = (" ".join(line.split()) for line in text.split(LINE_BREAK))
    return [line for line in lines if line]


def _joined(runs: Iterable[Run]) -> list[Run]:
    """Neighbours of one look as one run; blanks take the look of what is before them."""
    joined: list[Run] = []
    for run in runs:
        last = joined[-1] if joined else None
        if not run.text:
            continue
        if last is not None and not run.is_markdown and not last.is_markdown:
            same = (last.em, last.strong) == (run.em, run.strong)
            if same or not run.text.strip():
                joined[-1] = replace(last, text=last.text + run.text)
                continue
        joined.append(run)
    return joined


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
    lead, words, trail = _edges(line, str.isspace)
    before = runs[index - 1].text[-1:] if index and not lead else ""
    after = runs[index + 1].text[:1] if index + 1 < len(runs) and not trail else ""
    first, inner, last = _edges(words, lambda character: not character.isalnum())
    # CommonMark takes marks between a letter and a punctuation mark for those of the other side.
    if before.isalnum() and first:
        lead, words = lead + escaped(first), inner + last
    if after.isalnum() and last:
        words, trail = words.removesuffix(last), escaped(last) + trail
    return f"{lead}{mark}{escaped(words)}{mark}{trail}" if words.strip() else f"{lead}{trail}"


def _edges(text: str, is_edge: Callable[[str], bool]) -> tuple[str, str, str]:
    """A text in three: what begins it, the rest, and what ends it."""
    first, last = 0, len(text)
    while first < last and is_edge(text[first]):
        first += 1
    while first < last and is_edge(text[last - 1]):
        last -= 1
    return text[:first], text[first:last], text[last:]
