"""The report card's figures of whole novels: `python -m bench.novels FILE ...`.

Each file is a novel in plain text whose chapters begin with a line such as `Chapter 7` or
`CHAPTER VII.`; texts of the public domain are meant, and none is kept here. The figures that
cross chapters and edges were set from books like these, so they have to lie inside the range.
"""

import re
import sys
from pathlib import Path
from typing import Final

from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.card.figure import Figure
from libriscribe2.quality.card.planned import BookPlan
from libriscribe2.quality.card.report_card import report_card
from libriscribe2.quality.text import ChapterText

TITLE: Final = "Novels by people"
_CHAPTER: Final = re.compile(
    r"^\W*chapter\s+(?:[\divxlc]+\b.*|[a-z-]+\.?\s*)$", re.MULTILINE | re.IGNORECASE
)
_SHORTEST: Final = 200


def chapters_of(file: str, text: str) -> list[ChapterText]:
    """The chapters of a plain text; what is shorter than 200 words is a list or a heading."""
    bodies = [body for body in _CHAPTER.split(text) if len(body.split()) >= _SHORTEST]
    return [ChapterText(number, file, body) for number, body in enumerate(bodies, start=1)]


def measure(file: Path) -> list[str]:
    """Lines that tell the figures of a novel beside the human range."""
    chapters = chapters_of(file.name, file.read_text(encoding="utf-8"))
    card = report_card(chapters, BookPlan())
    shown = [*card.group("repetition"), *card.group("edges")]
    inside = sum(one.level == "ok" for one in shown)
    head = f"{file.stem}: {card.chapters} chapters, {card.words:,} words"
    return [f"{head}; {inside} of {len(shown)} figures inside the range", *map(_line, shown)]


def _line(figure: Figure) -> str:
    band = BANDS[figure.name]
    limit = f"at least {band.low}" if band.low is not None else f"at most {band.amber}"
    places = "; ".join(one.quote for one in figure.places[:3])
    mark = "" if figure.level == "ok" else f"  {figure.level}: {places}"
    return f"  {figure.name}: {figure.value:.4f} ({limit}){mark}"


def main() -> None:
    for name in sys.argv[1:]:
        print("\n".join(measure(Path(name))))


if __name__ == "__main__":
    main()
