"""What a heading of a chapter looks like where nothing marks it as one."""

import re
from collections.abc import Sequence
from typing import Final

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
