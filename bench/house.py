"""`make house`: is the program small enough to be held in mind? Fails on the road alone.

The road is what somebody walks who follows one command: the files it enters, the frames under a
request, the chain of imports, import cycles, what is remembered between calls, files too long to
read at once. Size and the rest is printed and fails nothing.

`python -m bench.house [--root DIR] [--details] [--cpu]`; DIR is another checkout.
"""

import argparse
import graphlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import grimp

from bench import house_counts, house_cpu
from bench.house_counts import PACKAGE

PREMISE: Final = "A lighthouse keeper on a drowned coast finds tomorrow's logbook"
BOOK: Final = ("--chapters", "3", "--scenes-per-chapter", "2", "--words", "900", "-p", "book")
FIRST_FILE: Final = "file book/concept.json"
CHAPTER_FILE: Final = "file chapters/01.md"
ROAD: Final = Path(__file__).with_name("house_road.py")


@dataclass(frozen=True)
class Figure:
    """A row of the table.

    Attributes:
        name: What is counted.
        before: What it was on 2026-11-22, before the house was rebuilt.
        now: What it is; None where it could not be counted.
        bar: The most that it should be.
        road: Whether more is a failure.
        details: What was counted, one line each.
    """

    name: str
    before: int
    now: int | None
    bar: int
    road: bool = False
    details: Sequence[str] = ()

    @property
    def fails(self) -> bool:
        return self.road and not self.met

    @property
    def met(self) -> bool:
        return self.now is not None and self.now <= self.bar


def _of_road(name: str, before: int, listed: Sequence[str], bar: int) -> Figure:
    """A row that may fail: as many as there are things in a list."""
    return Figure(name, before, len(listed), bar, road=True, details=listed)


@dataclass(frozen=True)
class Walk:
    """What a command entered.

    Attributes:
        parts: What ended each part of the run, and our functions that were entered in it.
        stacks: Our frames at each request, the innermost first.
    """

    parts: Sequence[tuple[str, Sequence[str]]]
    stacks: Sequence[Sequence[str]]

    def files(self, first: str | None = None, last: str | None = None) -> list[str]:
        """The files entered from one mark to another.

        Raises:
            SystemExit: There was no such mark.
        """
        start = 0 if first is None else self._after(first, 0)
        end = len(self.parts) if last is None else self._after(last, start)
        entered = (name for _, names in self.parts[start:end] for name in names)
        return sorted({name.partition(":")[0] for name in entered if name})

    def _after(self, mark: str, start: int) -> int:
        """The place behind the next part that ended with a mark."""
        for place in range(start, len(self.parts)):
            if self.parts[place][0] == mark:
                return place + 1
        raise SystemExit(f"the run came by no {mark!r}: bench/house_road.py says what it knows")


def walked(root: Path, folder: Path, *words: str) -> Walk:
    """Run a command of a checkout, watched, in a folder of its own."""
    report = folder / "report.json"
    source = root / "src"
    command = [sys.executable, "-P", str(ROAD), str(source), str(report), *words]
    variables = {**plain_variables(folder), "PYTHONPATH": str(source)}
    ran = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {ran.returncode}:\n{ran.stderr}")
    seen: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return Walk(seen["parts"], seen["stacks"])


def plain_variables(home: Path) -> dict[str, str]:
    """An environment without keys and settings of whoever measures."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "COLUMNS": "100"}


def road(root: Path) -> Iterator[Figure]:
    """What real runs enter."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        made = walked(root, folder, "create", PREMISE, *BOOK, "--model", "offline", "--no-input")
        nothing = walked(root, folder, "resume", "book", "--no-input")
    request, file = made.files(last="request"), made.files(last=FIRST_FILE)
    chapter, again = made.files("chapter", CHAPTER_FILE), nothing.files()
    first, deepest = made.stacks[0], max(made.stacks, key=len)
    yield _of_road("files entered before the first request", 132, request, 60)
    yield _of_road("files entered to the first file of the book", 184, file, 85)
    yield _of_road("files entered by one chapter", 162, chapter, 80)
    yield _of_road("files entered by resume, nothing to do", 124, again, 60)
    yield _of_road("our frames under the first request", 31, first, 12)
    yield Figure("our frames under the deepest request", 36, len(deepest), 12, details=deepest)


def imports(root: Path) -> Iterator[Figure]:
    """The longest chain of imports, in modules, and modules that import each other in a circle.

    Imports inside functions and under `TYPE_CHECKING` count like all others.
    """
    sys.path.insert(0, str(root / "src"))
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    imported = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    circles = sorted(
        name
        for name, targets in imported.items()
        if any(graph.chain_exists(importer=target, imported=name) for target in targets)
    )
    name, before, bar = "longest chain of imports", 42, 20
    if circles:
        yield Figure(name, before, None, bar, road=True)
    else:
        yield _of_road(name, before, _longest(imported), bar)
    yield _of_road("modules in import cycles", 0, circles, 0)


def _longest(imported: dict[str, set[str]]) -> list[str]:
    """The modules of the longest chain."""
    chains: dict[str, list[str]] = {}
    for name in graphlib.TopologicalSorter(imported).static_order():
        below = (chains[target] for target in sorted(imported[name]))
        chains[name] = [name, *max(below, key=len, default=[])]
    return max(chains.values(), key=len)


def counted(root: Path) -> Iterator[Figure]:
    """What needs no run."""
    files = house_counts.sources(root)
    remembered = house_counts.caches(files)
    long = house_counts.long_files(files)
    shared = house_counts.shared_names(files)
    names = [f"{name}: {', '.join(where)}" for name, where in shared.items()]
    lines = house_counts.function_lines(files)
    words, rules = house_counts.words_and_rules(root / "AGENTS.md")
    yield _of_road("caches, and variables that remember", 110, remembered, 15)
    yield _of_road("files over 500 lines", 0, long, 0)
    yield Figure("source files", 741, len(files), 400)
    yield Figure("lines of code", 50_157, sum(map(house_counts.code_lines, files)), 44_000)
    yield Figure("file names in several rooms", 55, len(names), 8, details=names)
    yield Figure("AGENTS.md, words", 2_489, words, 900)
    yield Figure("AGENTS.md, rules", 36, rules, 12)
    yield Figure("lines of a function, 90th percentile", 19, lines[len(lines) * 9 // 10], 30)
    too_long = sum(one > house_counts.LONGEST_FUNCTION for one in lines)
    yield Figure("functions over 50 lines", 4, too_long, 8)


def table(figures: Sequence[Figure]) -> Iterator[str]:
    """The table as text."""
    yield f"{'figure':46}{'before':>8}{'now':>8}{'bar':>8}"
    for one in figures:
        now = "?" if one.now is None else f"{one.now:,}"
        word = "" if one.met else "FAILS" if one.road else "over"
        yield f"{one.name:46}{one.before:>8,}{now:>8}{one.bar:>8,}  {word}".rstrip()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROAD.parents[1], help="a checkout")
    parser.add_argument("--details", action="store_true", help="also list what was counted")
    parser.add_argument("--cpu", action="store_true", help="only: CPU of a book by its calls")
    chosen = parser.parse_args(arguments)
    root = chosen.root.resolve()
    if chosen.cpu:
        return house_cpu.main(root)
    parts: Sequence[Callable[[Path], Iterator[Figure]]] = (road, imports, counted)
    figures = [figure for part in parts for figure in part(root)]
    for line in table(figures):
        print(line)
    failing = [one for one in figures if one.fails]
    for one in figures if chosen.details else ():
        print(f"\n## {one.name}: {one.now}")
        for line in one.details:
            print(f"  {line}")
    if failing:
        print(f"\nThe road is too long: {', '.join(one.name for one in failing)}.")
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main())
