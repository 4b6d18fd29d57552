"""Whether the words of a source support a claim: what code can tell, and what a model is asked."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final, Literal

import regex
from pydantic import Field

from libriscribe2.models.base import Shape, Text
from libriscribe2.models.notes import Note, Source, Support
from libriscribe2.project.research_files import SavedText
from libriscribe2.prose import count_words
from libriscribe2.research.quotes import find_in_source

FEWEST_WORDS: Final = 3
SMALL: Final = 12
"""Whole numbers up to this are counts of daily life, and often written as words."""

MOST_JUDGED: Final = 40
"""Claims of one source that one question asks about."""

_AROUND: Final = 1_200
"""Most characters before and after a quote that belong to its paragraph."""

_BEFORE: Final = 700
_AFTER: Final = 500
"""Characters around a quote that a judge is shown, so that `it` and `the program` have a name."""

_PARAGRAPHS: Final = "\n\n"
_UNITS: Final = (1, *(base**power for base in (10, 1024) for power in range(1, 10)))
_NUMBER: Final = regex.compile(r"(?<![\p{L}\p{N}])\d+(?:[.,\u202f']\d+)*")
_DECIMAL: Final = regex.compile(r"\d+(?:\.\d+)?")
_SEPARATORS: Final = regex.compile(r"[,\u202f'](?=\d{3}(?!\d))")
_CENTURY: Final = 100
_CENTURIES: Final = 21


def numbers_in(text: str) -> list[str]:
    """The numbers of a text as they are written."""
    found: list[str] = _NUMBER.findall(text)
    return found


def plain_number(number: str) -> str:
    """A number without the marks between its thousands."""
    return str(_SEPARATORS.sub("", number))


def quote_length_fault(quote: str, longest: int) -> str:
    """Why a quote is too short or too long to prove a claim; "" where it is neither."""
    words = count_words(quote)
    if FEWEST_WORDS <= words <= longest:
        return ""
    return f"the quote has {words} words; it takes {FEWEST_WORDS} to {longest} to prove a claim"


def paragraph_of(document: SavedText, quote: str) -> str:
    """The paragraph of a source that holds a quote; the quote itself where it is not found."""
    found = find_in_source(quote, document.text)
    if found is None:
        return quote
    before = document.text[max(0, found.start - _AROUND) : found.start].rpartition(_PARAGRAPHS)[2]
    after = document.text[found.end : found.end + _AROUND].partition(_PARAGRAPHS)[0]
    return f"{before}{document.text[found.start : found.end]}{after}"


def missing_numbers(claim: str, paragraph: str, around: str = "") -> list[str]:
    """The numbers of a claim that do not follow from those of a paragraph and what is around it.

    A number follows that is written otherwise (`1.5 million`, `64 KiB` for 65,536) or rounded, that
    names the decade or the century of a year, or that is the difference or the sum of two numbers
    of the paragraph. A paragraph without any digits decides nothing: its numbers may be words.
    """
    told = {plain_number(one) for one in (*numbers_in(paragraph), *numbers_in(around))}
    own, given = _values(numbers_in(paragraph)), _values(sorted(told))
    together = [abs(a + sign * b) for a, b in combinations(own, 2) for sign in (1, -1)]
    return [
        one
        for one in numbers_in(claim)
        if numbers_in(paragraph)
        and plain_number(one) not in told
        and not _follows(one, given)
        and not any(_same(value, other) for value in _values([one]) for other in together)
    ]


def _values(numbers: Iterable[str]) -> list[float]:
    """What numbers stand for; those that are none, such as 1.2.3, are left out."""
    plain = (plain_number(one).replace(",", ".") for one in numbers)
    return [float(one) for one in plain if _DECIMAL.fullmatch(one)]


def _follows(written: str, given: Sequence[float]) -> bool:
    number = next(iter(_values([written])), None)
    if number is None:
        return False
    if number in given or (number.is_integer() and number <= SMALL):
        return True
    step = _step(plain_number(written))
    if any(
        _same(number, one / unit) or _same(number * unit, one) or abs(one / unit - number) < step
        for one in given
        for unit in _UNITS
    ):
        return True
    if any(_same(number, one * unit) for one in given for unit in _UNITS):
        return True
    if number % 10 == 0 and any(number <= one < number + 10 for one in given if one > _CENTURY):
        return True
    return number <= _CENTURIES and any(
        (number - 1) * _CENTURY <= one < number * _CENTURY for one in given
    )


def _step(number: str) -> float:
    """How far what a number rounds may be from it: half of its last place; 0 for one digit."""
    whole, _, fraction = number.replace(",", ".").partition(".")
    digits = len(f"{whole}{fraction}".strip("0"))
    return (
        0.5 * 10.0 ** -len(fraction) if digits > 1 and (fraction.isdecimal() or not fraction) else 0
    )


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= abs(other) * 1e-9


class ClaimVerdict(Shape):
    """What a reader says of one claim.

    Attributes:
        number: The claim's number in the question.
        verdict: Whether a reader of the passages accepts it as what the source says.
        why: The part that is not said, or what is said instead; "" for `yes`.
    """

    number: int = Field(ge=1)
    verdict: Literal["yes", "partly", "no"]
    why: str = ""


class ClaimVerdicts(Shape):
    """A verdict on each claim of one source."""

    verdicts: list[ClaimVerdict]


def refused_by_code(document: SavedText, notes: Iterable[Note]) -> list[Note]:
    """Notes with a reason where a number of the claim is not in the quote's paragraph.

    What a judge is shown around it counts, too, with the title and the heading above it.
    """
    judged = []
    for note in notes:
        around = f"{source_line(document.source)}\n{passages_block(document, [note])}"
        missing = missing_numbers(note.claim, paragraph_of(document, note.quote), around)
        if missing:
            reason = f"the passage of the quote does not say {', '.join(missing)}"
            judged.append(note.model_copy(update={"supported": "no", "reason": reason}))
        else:
            judged.append(note)
    return judged


def source_line(source: Source) -> str:
    """What a source calls itself, its name or address, who wrote it, who published it and when."""
    names = dict.fromkeys((source.title, source.place))
    said = [", ".join(" ".join(name.split()) for name in names)]
    said += [f"by {', '.join(source.authors)}"] if source.authors else []
    said += [one for one in (source.publisher, source.version, source.published) if one]
    return _as_data("; ".join(said))


def claims_block(notes: Sequence[Note]) -> str:
    """Claims with their quotes, numbered."""
    blocks = (f"{n}. claim: {one.claim}\nquote: {one.quote}" for n, one in enumerate(notes, 1))
    return _as_data("\n\n".join(blocks))


def passages_block(document: SavedText, notes: Iterable[Note]) -> str:
    """The passages of a source around quotes, in its order, each below where it stands."""
    blocks = []
    for start, end in _windows(document.text, notes):
        place = document.saved.locator(start)
        before, after = ("…" if _is_inside(document.text, at) else "" for at in (start, end))
        passage = f"{before}{document.text[start:end].strip()}{after}"
        blocks.append(f"[{place}]\n{passage}" if place else passage)
    return _as_data("\n\n[...]\n\n".join(blocks))


def _windows(text: str, notes: Iterable[Note]) -> list[tuple[int, int]]:
    """Where quotes stand with what is around them; windows that meet are one."""
    found = (find_in_source(note.quote, text) for note in notes)
    windows: list[tuple[int, int]] = []
    for place in sorted((one.start, one.end) for one in found if one is not None):
        start, end = _window(text, *place)
        if windows and start <= windows[-1][1] + len(_PARAGRAPHS):
            start, end = windows[-1][0], max(end, windows.pop()[1])
        windows.append((start, end))
    return windows


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """The surroundings of a passage: whole paragraphs where they fit, else whole words."""
    first, last = max(0, start - _BEFORE), min(len(text), end + _AFTER)
    if first:
        cut = text.find(_PARAGRAPHS, first, start)
        cut = cut if cut >= 0 else text.find(" ", first, start)
        first = cut if cut >= 0 else start
    if last < len(text):
        cut = text.rfind(_PARAGRAPHS, end, last)
        cut = cut if cut >= 0 else text.rfind(" ", end, last)
        last = cut if cut >= 0 else end
    return first, last


def _is_inside(text: str, place: int) -> bool:
    """Whether a cut is inside a paragraph."""
    return _PARAGRAPHS not in text[max(0, place - 1) : place + 3] and 0 < place < len(text)


def _as_data(text: str) -> str:
    return text.replace("</", "<\u2060/")


def with_verdicts(notes: Sequence[Note], verdicts: Iterable[ClaimVerdict]) -> list[Note]:
    """Notes with what a reader said of them; one without a verdict is not supported."""
    said = {one.number: one for one in verdicts}
    judged = []
    for number, note in enumerate(notes, 1):
        verdict = said.get(number)
        supported: Support = verdict.verdict if verdict is not None else "no"
        why: Text = (verdict.why if verdict is not None else "") or "the quote does not say so"
        if verdict is None:
            why = "nobody judged whether the quote says so"
        reason = "" if supported == "yes" else why
        judged.append(note.model_copy(update={"supported": supported, "reason": reason}))
    return judged
