"""A text that a person copied from a chat window: its parts, and what the window put around them.

Several questions may be put in one paste; the answers then stand one after the other, each below
a line with its number (`=== 2 ===`). Models leave such a line out, make a heading of it or put a
fence around it, so the parts are looked for in this order: the lines, then as many blocks of code or
JSON objects as there are questions. What cannot be told apart belongs to nobody and is asked again.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from libriscribe2.prose import count_words
from libriscribe2.replies.strict_json import find_json_end_string_safe

_MARK: Final = re.compile(
    r"^[ \t>*_#`|~\\-]*={2,}[ \t*_]*(?:[^\W\d]+[ \t]+)?#?(\d{1,2})\b[^=\n]{0,80}={2,}[ \t*_`:|\\]*$",
    re.MULTILINE,
)
# The request's own words, and what models make of them. Other headings are none of its: a text may
# have them. In other languages the numbered lines and the blocks tell the answers apart.
_HEADING: Final = re.compile(
    r"^[ \t]*(?:#{1,6}|\*\*|__|>)*[ \t]*(?:task|answer|part|reply)[ \t]+#?(\d{1,2})\b[^\n]{0,80}$",
    re.MULTILINE | re.IGNORECASE,
)
_FENCED: Final = re.compile(r"^[ \t]*```[^`\n]*\n(.*?)^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)
_TWO_FENCES: Final = re.compile(r"(?:\n\s*```[^`\n]*){2}\s*\Z")
_LAST_FENCE: Final = re.compile(r"\n\s*```[^`\n]*\Z")
_FEWEST_WORDS: Final = 15
"""A text of fewer words before the first number is a greeting."""


def parts_of(text: str, prose: Sequence[bool]) -> dict[int, str]:
    """The answers in a pasted text, by the number of their question from 1.

    Args:
        text: What was pasted.
        prose: Whether each question is answered with prose; the others are with a JSON object.
    """
    text = text.strip()
    if len(prose) == 1:
        own = _MARK.match(text)
        return {1: text[own.end() :].strip() if own is not None else text} if text else {}
    most = len(prose)
    edges = [(0, 0, 0), *_marks(text, most), (most + 1, len(text), len(text))]
    found: dict[int, str] = {}
    for (number, _, start), (following, end, _) in pairwise(edges):
        first = max(1, number)
        if first < following:
            chunk = _without_half_fences(text[start:end])
            wanted = prose[first - 1 : following - 1]
            found |= {first + at: one for at, one in _apart(chunk, wanted, marked=number > 0)}
    return {number: one.strip() for number, one in found.items() if one.strip()}


def numbers_in(text: str) -> int:
    """How many lines with the number of an answer a text has."""
    return len(_MARK.findall(text))


def _without_half_fences(chunk: str) -> str:
    """A part of a text without the fence lines that belong to the parts beside it.

    A fence may be around a number's line, too.
    """
    chunk = _TWO_FENCES.sub("", f"\n{chunk}").strip()
    fences = sum(line.lstrip().startswith("```") for line in chunk.split("\n"))
    return _LAST_FENCE.sub("", chunk) if fences % 2 else chunk


def _marks(text: str, most: int) -> list[tuple[int, int, int]]:
    """Number, start and end of each line that holds a number, ascending."""
    for pattern in (_MARK, _HEADING):
        found: list[tuple[int, int, int]] = []
        for mark in pattern.finditer(text):
            number = int(mark[1])
            if (found[-1][0] if found else 0) < number <= most:
                found.append((number, mark.start(), mark.end()))
        if found:
            return found
    return []


def _apart(chunk: str, prose: Sequence[bool], *, marked: bool) -> Iterator[tuple[int, str]]:
    """The answers to questions in a row between which no number stands, by their place."""
    if len(prose) == 1 and marked:
        yield 0, chunk
        return
    blocks = [block[1] for block in _FENCED.finditer(chunk)]
    if len(blocks) != len(prose):
        blocks = list(_objects(chunk))
    lead = chunk.partition("{")[0].strip().removesuffix("```json").removesuffix("```").strip()
    if len(blocks) == len(prose) - 1 and prose[0] and not any(prose[1:]):
        blocks = [lead, *blocks]
    if len(blocks) == len(prose) and (not all(prose) or len(blocks) > 1):
        yield from enumerate(blocks)
    elif marked or (prose[0] and len(prose) == 1 and count_words(chunk) >= _FEWEST_WORDS):
        yield 0, chunk


def _objects(text: str) -> Iterator[str]:
    """The JSON objects of a text, the outermost ones."""
    at = text.find("{")
    while at >= 0:
        end = find_json_end_string_safe(text, at)
        end = end if end >= 0 else len(text)
        yield text[at:end]
        at = text.find("{", end)


# A window's buttons, and what models say around a text that is not JSON, in the English of their
# windows. Nothing but the frame depends on it: what is in another language stays for the author to
# see, and no word of a text is ever taken for a frame.
_CHROME: Final = re.compile(
    r"\A(?:[ \t]*(?:copy code|copy|copied!?|edit|json|markdown|text|plaintext|"
    r"(?:chatgpt|claude|gemini|copilot) said:?|you said:?|"
    r"(?:thought|reasoned) for (?:a few|a couple of|\d+) ?[a-z]{1,12})[ \t]*\n\s*)+",
    re.IGNORECASE,
)
_GREETING: Final = re.compile(
    r"\A(?:(?:sure|certainly|of course|absolutely|okay|ok|great|gladly)\b[^\n:]{0,60})?"
    r"(?:here is|here's|here\u2019s|here are|below is)\b[^\n]{0,80}"
    r"\b(?:chapter|scene|section|summary|continuation|critique|rewrite)\b[^\n]{0,120}:"
    r"[ \t*_]*\n\s*\n",
    re.IGNORECASE,
)
_OFFER: Final = re.compile(
    r"\n\s*\n[ \t*_]*(?:let me know (?:if|whether|what|how|when) you\b[^\n]{0,60}\b(?:like|want|changes?|next)"
    r"|(?:would you like|do you want|want) me to\b|if you(?:'d|\u2019d| would)? (?:like|want)[^\n]{0,80}"
    r"\bI(?:'ll|\u2019ll| can| could)\b|shall I (?:continue|go on|proceed|write)\b)[^\n]{0,400}\Z",
    re.IGNORECASE,
)
_RULES: Final = r"(?:\n[ \t]*(?:-{3,}|\*{3,}|_{3,}|\u2e3b|(?:\*[ \t]*){3,}|(?:#[ \t]*){3,})[ \t]*)"
_BREAK: Final = re.compile(rf"\s*{_RULES}+\s*?\n\s*")
_EDGE: Final = re.compile(rf"\A{_RULES}+|{_RULES}+\s*\Z")
_ESCAPED: Final = re.compile(r"(?<!\\)\\([\[\]_*#~>&|])")
_MOST_REPEATED: Final = 2_000
_LEAST_REPEATED: Final = 14
"""A text may begin with a few letters that the one before ends with."""

_CUT: Final = re.compile(r"[\w,;]\Z")
_SIGNED_OFF: Final = 3
"""A last line of so few words is an ending, such as `The End`."""


def plain_lines(text: str) -> str:
    """A text with plain line ends, and without what a page marks its start with."""
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").replace("\u200b", "")


def pasted_prose(text: str) -> str:
    """Prose without the window's own words: buttons, a greeting before it, an offer after it.

    A rule between scenes becomes `* * *`, whatever the window made of it.
    """
    text = _CHROME.sub("", text.strip())
    text = _GREETING.sub("", text, count=1)
    text = _OFFER.sub("", text)
    text = _EDGE.sub("\n", f"\n{text.strip()}\n").strip()
    return _BREAK.sub("\n\n* * *\n\n", text)


def pasted_json(text: str) -> str:
    """A reply in JSON without the backslashes that Markdown puts before its own marks."""
    return _ESCAPED.sub(r"\1", text)


def going_on(before: str, text: str) -> str:
    """A text without what it repeats of the end of the one before, ready to be put behind it."""
    most = min(len(text), _MOST_REPEATED)
    again = next((n for n in range(most, 0, -1) if _repeats(before, text, n)), 0)
    return text[again:] if again else f" {text}" if before else text


def _repeats(before: str, text: str, size: int) -> bool:
    """Whether so many characters of a text's beginning end the one before, as a word or more."""
    if not before.endswith(text[:size]):
        return False
    is_word = not before[: -size or None][-1:].isalnum() and not text[size : size + 1].isalnum()
    return is_word or size > _LEAST_REPEATED


def stops_inside(text: str) -> bool:
    """Whether prose ends in the middle of a sentence, as it does at a window's limit."""
    last = text.rstrip().rpartition("\n")[2].strip()
    is_line = last.startswith(("#", "*", "-", "|")) or len(last.split()) <= _SIGNED_OFF
    return bool(_CUT.search(last)) and not is_line
