"""The report card's figures of whole novels: `python -m bench.novels FILE ...`.

Each file is a novel in plain text whose chapters begin with a line such as `Chapter 7` or
`CHAPTER VII.`; texts of the public domain are meant, and none is kept here. The figures that
cross chapters and edges were set from books like these, so they have to lie inside the range.
"""

import re
import sys
from pathlib import Path
from typing import Final

from libriscribe2.checks.reference_ranges import RANGES
from libriscribe2.checks.report.book_metrics import BookPlan, book_metrics
from libriscribe2.checks.report.metric import Metric
from libriscribe2.checks.text import ChapterText

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
    """Lines that tell the metrics of a novel beside the reference range."""
    chapters = chapters_of(file.name, file.read_text(encoding="utf-8"))
    card = book_metrics(chapters, BookPlan())
    shown = [*card.group("repetition"), *card.group("openings and endings")]
    inside = sum(one.level == "ok" for one in shown)
    head = f"{file.stem}: {card.chapters} chapters, {card.words:,} words"
    return [f"{head}; {inside} of {len(shown)} figures inside the range", *map(_line, shown)]


def _line(figure: Metric) -> str:
    band = RANGES[figure.name]
    limit = f"at least {band.low}" if band.low is not None else f"at most {band.amber}"
    places = "; ".join(one.quote for one in figure.places[:3])
    mark = "" if figure.level == "ok" else f"  {figure.level}: {places}"
    return f"  {figure.name}: {figure.value:.4f} ({limit}){mark}"


def main() -> None:
    for name in sys.argv[1:]:
        print("\n".join(measure(Path(name))))


if __name__ == "__main__":
    main()
