"""`make checklist`: the items of the acceptance list, the tests that carry their ids, the results.

An id stands in a test's name, in any case: `test_pb_01_...`, `test_PB_64_...`; several as
`test_pb_02_pb_03_...`, `test_MS_07_08_09_...` or `test_MS_10_to_16_...`. The list of ids is
`checklist_ids.txt`: an id and the first words of the item on each line.

`python tests/docs/checklist.py [--junit results.xml] [--failing-only]` ends with 1 where an item
has no test, or, with results, where none of its tests passed or one of them failed.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from defusedxml import ElementTree

IDS: Final = Path(__file__).with_name("checklist_ids.txt")
ROOT: Final = Path(__file__).parents[2]
_ID: Final = re.compile(
    r"(?<![a-z])([a-z]{2})[_-]?(\d{2}(?:_(?:to_)?\d{2})*)(?![a-z\d])", re.IGNORECASE
)


@dataclass(frozen=True)
class Item:
    """One item of the list."""

    name: str
    words: str


def items(text: str) -> list[Item]:
    """The items of the list."""
    lines = (line.partition(" ") for line in text.splitlines() if line.strip())
    return [Item(name, words) for name, _, words in lines]


def ids_in(test: str, known: Iterable[str]) -> set[str]:
    """The items whose ids a test's name carries."""
    found = {
        f"{letters.upper()}-{number:02d}"
        for letters, digits in _ID.findall(test)
        for number in _numbers(digits)
    }
    return found & set(known)


def _numbers(digits: str) -> Iterator[int]:
    """The numbers of `07_08` and of `10_to_16`."""
    for one in re.findall(r"\d{2}_to_\d{2}|\d{2}", digits):
        first, _, last = one.partition("_to_")
        yield from range(int(first), int(last or first) + 1)


def found_by_item(tests: Iterable[str], known: Sequence[str]) -> dict[str, list[str]]:
    """The tests of each item; parameter sets count as their test."""
    found: dict[str, dict[str, None]] = {name: {} for name in known}
    for test in tests:
        for name in ids_in(test, known):
            found[name][test.partition("[")[0]] = None
    return {name: list(names) for name, names in found.items()}


def collected() -> list[str]:
    """The ids of all tests, the long ones included."""
    options = ("-q", "-o", "addopts=", "--import-mode=importlib", "-p", "no:cacheprovider")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", *options, "tests"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise SystemExit(f"the tests cannot be collected:\n{ran.stdout}{ran.stderr}")
    return [line for line in ran.stdout.splitlines() if "::" in line]


def outcomes(junit: Path) -> dict[str, str]:
    """What became of each test in a JUnit file, by its bare name: the worst of its cases."""
    found: dict[str, str] = {}
    for case in ElementTree.parse(junit).iter("testcase"):
        name = str(case.get("name", "")).partition("[")[0]
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "passed"
        outcome = "skipped" if "skipped" in kinds else outcome
        if found.get(name) != "failed":
            found[name] = (
                outcome if found.get(name) != "passed" or outcome == "failed" else "passed"
            )
    return found


def result_of(tests: Sequence[str], outcome_of: Mapping[str, str] | None) -> str:
    """`no test`, `has tests`, or with results `passed`, `failed` or `not run`."""
    if not tests:
        return "no test"
    if outcome_of is None:
        return "has tests"
    told = {outcome_of.get(test.rpartition("::")[2], "not run") for test in tests}
    if "failed" in told:
        return "failed"
    return "passed" if "passed" in told else "not run"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the list; 1 where an item is not proved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--junit", type=Path, help="results of a run (pytest --junitxml)")
    parser.add_argument("--failing-only", action="store_true", help="only items without proof")
    chosen = parser.parse_args(arguments)
    listed = items(IDS.read_text(encoding="utf-8"))
    found = found_by_item(collected(), [item.name for item in listed])
    outcome_of = outcomes(chosen.junit) if chosen.junit else None
    good = ("has tests", "passed")
    results = {item.name: result_of(found[item.name], outcome_of) for item in listed}
    for item in listed:
        if chosen.failing_only and results[item.name] in good:
            continue
        print(f"{item.name}  {results[item.name]:9}  {item.words}")  # noqa: T201 - a script
        for test in found[item.name]:
            print(f"           {test}")  # noqa: T201 - a script
    unproved = [name for name, result in results.items() if result not in good]
    told = f"{len(listed) - len(unproved)} of {len(listed)} items proved"
    print(f"{told}; not: {', '.join(unproved) or 'none'}")  # noqa: T201 - a script
    return 1 if unproved else 0


if __name__ == "__main__":
    sys.exit(main())
