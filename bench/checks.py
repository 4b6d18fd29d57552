"""`python -m bench.checks KEY=PROJECT ...`: from the text to the verdict, on faults that others planted.

PROJECT is a book whose chapters hold planted faults and were read (`redo BOOK story_bible`); KEY says
what was planted, a JSON object a line: `id`, `type` (`fault`, or `control` for a development that the
text motivates), `kind`, `chapter`, `quote` (the planted words), `against_chapter` and
`against_quote` (the words that they contradict, or that justify them). Printed are, per kind, how
many faults the readings hold on both sides, and how many of all faults `check --story` finds: a
finding counts if either of its places is in the planted passage. What it says of controls, and its
errors beside everything planted, are listed to be read.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_WORD: Final = re.compile(r"\w+")
_RUN: Final = 4
"""Words in a row that two passages share if they are one place; fewer where a quote is shorter."""

Row = Mapping[str, Any]


def words(text: str) -> tuple[str, ...]:
    """The words of a text, without its line breaks and typography."""
    return tuple(_WORD.findall(text.casefold()))


def overlap(one: str, other: str) -> bool:
    """Whether two quotes of a chapter are one place: they share a run of words."""
    first, second = words(one), words(other)
    size = min(_RUN, len(first), len(second))
    if not size:
        return False
    runs = {first[at : at + size] for at in range(len(first) - size + 1)}
    return any(second[at : at + size] in runs for at in range(len(second) - size + 1))


def quotes_held(project: Path) -> dict[int, list[str]]:
    """What the readings of each chapter quote, by its number."""
    held: dict[int, list[str]] = {}
    for file in sorted((project / ".libriscribe" / "canon").glob("*.json")):
        reading = json.loads(file.read_text("utf-8"))
        facts = (*reading["facts"], *reading["events"])
        held[int(file.stem)] = [one["quote"] for one in facts if one["quote"]]
    return held


def findings_of(project: Path, options: Sequence[str]) -> list[Row]:
    """What `check --story` says of a book."""
    command = [sys.executable, "-m", "libriscribe2", "check", str(project), "--story", "--json"]
    run = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    found: list[Row] = json.loads(run.stdout)["findings"]
    return found


def places(finding: Row) -> Iterator[tuple[int, str]]:
    """The chapters and quotes of a finding."""
    for place in (finding["place"], finding["other"]):
        if place and place["quote"] and place["file"].startswith("chapters/"):
            yield int(Path(place["file"]).stem), place["quote"]


def is_at(finding: Row, row: Row, side: str = "") -> bool:
    """Whether a finding has a place in a planted passage (or, `against_`, in what it contradicts)."""
    wanted = row[f"{side}chapter"], row[f"{side}quote"]
    return any(number == wanted[0] and overlap(told, wanted[1]) for number, told in places(finding))


def is_held(held: Mapping[int, Sequence[str]], row: Row) -> bool:
    """Whether the readings quote a planted passage and what it contradicts."""
    return all(
        any(overlap(one, row[f"{side}quote"]) for one in held.get(row[f"{side}chapter"], ()))
        for side in ("", "against_")
    )


def main() -> None:
    """Print what the readings hold and what the checks find."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("books", nargs="+", metavar="KEY=PROJECT")
    parser.add_argument("--option", action="append", default=[], help="more for `check --story`")
    given = parser.parse_args()
    planted, held, found, controls = Counter[str](), Counter[str](), Counter[str](), 0
    rows: list[Row] = []
    alarms: list[str] = []
    for one in given.books:
        key, _, folder = one.partition("=")
        rows = [json.loads(line) for line in Path(key).read_text("utf-8").splitlines()]
        quoted, findings = quotes_held(Path(folder)), findings_of(Path(folder), given.option)
        for row in rows:
            said = [finding for finding in findings if is_at(finding, row)]
            if row["type"] == "control":
                controls += 1
                alarms += [f"{row['id']}: {_line(finding)}" for finding in said]
                continue
            kind = str(row["kind"])
            planted[kind] += 1
            in_readings = is_held(quoted, row)
            held[kind] += in_readings
            found[kind] += bool(said)
            mark = "found" if said else "held" if in_readings else "not read"
            print(f"{row['id']}\t{kind}\t{mark}\t{', '.join(sorted({f['rule'] for f in said}))}")
        beside = (f for f in findings if not any(is_at(f, row) for row in rows))
        alarms += [f"{Path(folder).name}, beside: {_line(finding)}" for finding in beside]
    print("kind\tplanted\theld\tfound")
    for kind in sorted(planted, key=lambda name: (len(name), name)):
        print(f"{kind}\t{planted[kind]}\t{held[kind]}\t{found[kind]}")
    print(f"all\t{planted.total()}\t{held.total()}\t{found.total()}\t({controls} controls)")
    print(*alarms, sep="\n")


def _line(finding: Row) -> str:
    shown = " / ".join(f"{number}: {quote[:80]}" for number, quote in places(finding))
    return f"{finding['severity']} {finding['rule']} {finding['message']} [{shown}]"


if __name__ == "__main__":
    main()
