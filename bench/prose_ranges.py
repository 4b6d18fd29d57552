"""`python -m bench.prose_ranges human|machine FOLDER ... --out FILE`: figures of books, by window.

Each FOLDER holds books as text files, paragraphs on lines of their own or between blank lines;
chapters of machine prose are parted by a line `%%%CHAPTER%%%`. A book is measured in windows of
about 9,000 words, as `check --report` measures it. `python -m bench.prose_ranges lines FILE ...`
prints for each figure how it separates, the lines of `checks/reference_ranges.py` for half of the
human books (by the hash of their names), and how the other half and the machines lie beside them;
`halves FILE ...` draws lines from the extremes of the windows of a random half of the human books,
200 times, and tells how the other half and the machines lie beside those and the shipped lines.
"""

import argparse
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

from libriscribe2.checks.reference_ranges import NO_LIMIT, RANGES
from libriscribe2.checks.report.book_metrics import BookPlan, book_metrics
from libriscribe2.checks.report.repetition_metrics import book_windows
from libriscribe2.checks.text import ChapterText

CHAPTER: Final = "%%%CHAPTER%%%"
_WRAPPED: Final = 90
_DRAWS: Final = 200
_TITLE: Final = re.compile(r"\A(?:Model Output:)?\s*(?:#+\s*)?\**Chapter[^\n]*\n", re.IGNORECASE)
_STRUCTURE: Final = ("openings and endings", "length", "names")
"""Groups that need a book's own chapters or its cast."""


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of a book, whose lines may be wrapped; empty where that cannot be told."""
    lines = text.split("\n")
    full = sorted(len(line) for line in lines if line.strip())
    if full and full[int(0.98 * len(full))] > _WRAPPED:
        return [line.strip() for line in lines if line.strip()]
    if len(lines) - len(full) < 0.04 * len(full):
        return []
    return [" ".join(one.split()) for one in re.split(r"\n\s*\n", text) if one.strip()]


def measured(kind: str, file: Path) -> Iterator[dict[str, Any]]:
    """The figures of each window of a book."""
    text = file.read_text("utf-8-sig", errors="replace")
    chapters = [
        ChapterText(number, "", "\n\n".join(paragraphs_of(_TITLE.sub("", one.strip()))))
        for number, one in enumerate(text.split(CHAPTER), start=1)
    ]
    if not any(one.words for one in chapters):
        return
    for window in book_windows(chapters):
        found = book_metrics(window, BookPlan())
        yield {
            "kind": kind,
            "book": file.stem,
            "words": found.words,
            "figures": {m.name: m.value for m in found.metrics if m.group not in _STRUCTURE},
        }


def _beyond(figures: Mapping[str, float]) -> list[str]:
    return [name for name, value in figures.items() if RANGES[name].level(value) != "ok"]


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _is_for_lines(book: str) -> bool:
    return hashlib.sha256(book.encode()).digest()[0] % 2 == 0


def _books(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Each book's figures: the means of its windows, as the report has them."""
    held: defaultdict[str, list[Mapping[str, float]]] = defaultdict(list)
    for row in rows:
        held[row["book"]].append(row["figures"])
    return {
        book: {name: fmean(one[name] for one in each if name in one) for name in each[0]}
        for book, each in held.items()
    }


def _tell(rows: Sequence[Mapping[str, Any]]) -> None:
    human = [row for row in rows if row["kind"] == "human"]
    machine = [row for row in rows if row["kind"] == "machine"]
    ours = [row["figures"] for row in human if _is_for_lines(row["book"])]
    theirs = [row["figures"] for row in machine]
    print("figure: human 1 %, 50 %, 99 % (books for lines); machine 10 %, 50 %, 90 %; separation")
    for name in ours[0]:
        mine, other = ([one[name] for one in all_ if name in one] for all_ in (ours, theirs))
        above = fmean((b > a) + 0.5 * (b == a) for a, b in product(mine[::3], other[::3]))
        shown = [_quantile(mine, share) for share in (0.01, 0.5, 0.99)]
        shown += [_quantile(other, share) for share in (0.1, 0.5, 0.9)]
        print(f"{name}: {' '.join(f'{one:.4g}' for one in shown)}; {max(above, 1 - above):.2f}")
    held_out = _books([row for row in human if not _is_for_lines(row["book"])])
    for what, books in (("human books held out", held_out), ("machine books", _books(machine))):
        counts = [len(_beyond(figures)) for figures in books.values()]
        inside = sum(not count for count in counts)
        print(f"{what}: {len(counts)}, inside all {inside / len(counts):.0%}, ", end="")
        print(f"outside on average {fmean(counts):.2f}, in four or more ", end="")
        print(f"{sum(count >= 4 for count in counts) / len(counts):.0%}")


def _drawn(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """Between what values the windows of some books lie, on the sides where a figure has a line."""
    lines = {}
    for name in {name for row in rows for name in row["figures"]}:
        values = [row["figures"][name] for row in rows if name in row["figures"]]
        least = -NO_LIMIT if RANGES[name].low is None else min(values)
        lines[name] = least, NO_LIMIT if RANGES[name].amber == NO_LIMIT else max(values)
    return lines


def _tell_halves(rows: Sequence[Mapping[str, Any]]) -> None:
    human = [row for row in rows if row["kind"] == "human"]
    people, models = _books(human), _books([row for row in rows if row["kind"] == "machine"])
    told = (f"{len(each)}: {fmean(len(_beyond(one)) for one in each.values()):.2f} outside, "
            f"{sum(not _beyond(one) for one in each.values())} inside all" for each in (people, models))  # fmt: skip
    print("shipped lines: people", "; models ".join(told))
    drawn = Random(0)  # noqa: S311 - books are drawn, no secret
    held: list[tuple[float, float]] = []
    for _ in range(_DRAWS):
        half = set(drawn.sample(sorted(people), len(people) // 2))
        lines = _drawn([row for row in human if row["book"] in half])
        rest = [figures for book, figures in people.items() if book not in half]
        held.append((_outside(rest, lines), _outside(list(models.values()), lines)))
    mine, theirs = map(fmean, zip(*held, strict=True))
    often = sum(their >= 5 * our for our, their in held)
    print(f"lines of a half, {_DRAWS} draws: people {mine:.2f}, models {theirs:.2f}; ", end="")
    print(
        f"models four or more in {sum(one >= 4 for _, one in held)}, five times people in {often}"
    )


def _outside(
    books: Sequence[Mapping[str, float]], lines: Mapping[str, tuple[float, float]]
) -> float:
    """Of how many lines a book lies outside, on average."""
    return fmean(
        sum(
            not lines[name][0] <= value <= lines[name][1]
            for name, value in one.items()
            if name in lines
        )
        for one in books
    )


def main() -> None:
    """Measure books, or tell lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("human", "machine", "lines", "halves"))
    parser.add_argument("places", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.what in ("lines", "halves"):
        lines = (line for file in given.places for line in file.read_text().splitlines())
        rows = [json.loads(line) for line in lines]
        (_tell if given.what == "lines" else _tell_halves)(rows)
        return
    with given.out.open("w") as out:
        for file in sorted(one for place in given.places for one in place.glob("*.txt")):
            for row in measured(given.what, file):
                out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
