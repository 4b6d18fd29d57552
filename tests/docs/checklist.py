"""`make checklist`: the items of the acceptance list, the tests that carry their ids, the results.

An id stands in a test's name, in any case: `test_pb_01_...`, `test_PB_64_...`; several as
`test_pb_02_pb_03_...`, `test_MS_07_08_09_...` or `test_MS_10_to_16_...`. The list of ids is
`checklist_ids.txt`: an id and the first words of the item on each line.

An item counts when a command reaches what it says (section J of the list). Those that do not are
`library`, where only tests reach the code, and `open`, where the product has no such behaviour;
`checklist_by_use.txt` names them with the code that alone serves them. They fail nothing.

`python tests/docs/checklist.py [--junit results.xml] [--failing-only]` ends with 1 where an item
has no test, or, with results, where none of its tests passed or one of them failed.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from defusedxml import ElementTree

IDS: Final = Path(__file__).with_name("checklist_ids.txt")
MARKS: Final = Path(__file__).with_name("checklist_by_use.txt")
ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "libriscribe2"
FACES: Final = ("utils/", "parsing/", "toolchain/")
"""Folders with the names of the original designs, most of them of code of other rooms."""

State = Literal["library", "open"]
_GOOD: Final = ("has tests", "passed")
_STATES: Final[Mapping[str, str]] = {
    "library": "whose code only tests reach",
    "open": "whose behaviour is not in the product, or not proved",
}
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


def result_of(
    tests: Sequence[str], outcome_of: Mapping[str, str] | None, state: State | None = None
) -> str:
    """`no test`, `has tests`, or with results `passed`, `failed` or `not run`.

    An item that no command reaches is what its state says in place of `has tests` and `passed`.
    """
    if not tests:
        return "open" if state == "open" else "no test"
    if outcome_of is None:
        return state or "has tests"
    told = {outcome_of.get(test.rpartition("::")[2], "not run") for test in tests}
    if "failed" in told:
        return "failed"
    return (state or "passed") if "passed" in told else "not run"


@dataclass(frozen=True)
class Mark:
    """A line of the list.

    Attributes:
        state: What its items are.
        items: Their ids.
        names: The code that alone serves them, with the folder in which uses do not count.
        why: What is missing.
    """

    state: State
    items: tuple[str, ...]
    names: Mapping[str, str]
    why: str


def marks(text: str) -> list[Mark]:
    """The lines of the list.

    Raises:
        ValueError: A line has not four parts, or an unknown state.
    """
    return [_mark(line) for line in text.splitlines() if line and not line.startswith("#")]


def _mark(line: str) -> Mark:
    state, items, names, why = (part.strip() for part in line.split("|"))
    for known in get_args(State):
        if state == known:
            homes = (name.partition("@") for name in names.split())
            ids = tuple(one for part in items.split(", ") for one in _ids(part))
            return Mark(known, ids, {name: home for name, _, home in homes}, why)
    raise ValueError(f"no state is called {state!r}")


def _ids(part: str) -> Iterator[str]:
    """The ids in `MP-01 to MP-21` or `TR-23`."""
    first, _, last = part.partition(" to ")
    letters, _, number = first.partition("-")
    for one in range(int(number), int((last or first).partition("-")[2]) + 1):
        yield f"{letters}-{one:02d}"


def states(listed: Sequence[Mark], used: Collection[str]) -> dict[str, State]:
    """The state of each item that does not count.

    Args:
        listed: The lines of the list.
        used: Names that the product uses; an item of the library with one of them counts.
    """
    return {
        item: mark.state
        for mark in listed
        if not set(mark.names) & set(used)
        for item in mark.items
    }


def unknown_names(listed: Sequence[Mark], package: Path) -> set[str]:
    """Names of the list that stand nowhere in the sources: the code was renamed or is gone."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py")))
    return {name for mark in listed for name in mark.names if name not in text}


def used_names(listed: Sequence[Mark], package: Path) -> set[str]:
    """Names of the list that code uses which is none of them itself, and no face."""
    homes = {name: home for mark in listed for name, home in mark.names.items()}
    used: set[str] = set()
    for path in sorted(package.rglob("*.py")):
        file = path.relative_to(package).as_posix()
        if not file.startswith(FACES):
            here = {name for name, home in homes.items() if not (home and file.startswith(home))}
            tree = ast.parse(path.read_text(encoding="utf-8"))
            used.update(_uses(tree.body, here, frozenset(homes)))
    return used


def _uses(nodes: Iterable[ast.AST], wanted: set[str], own: frozenset[str]) -> Iterator[str]:
    """Wanted names that are read, called, passed or looked up by their text, outside of `own`."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in own:
            continue
        named = _named(node)
        if named in wanted:
            yield named
        yield from _uses(ast.iter_child_nodes(node), wanted, own)


def _named(node: ast.AST) -> str:
    """The name that a node uses, or ""."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.keyword):
        return node.arg or ""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the list; 1 where an item is not proved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--junit", type=Path, help="results of a run (pytest --junitxml)")
    parser.add_argument("--failing-only", action="store_true", help="only items without proof")
    chosen = parser.parse_args(arguments)
    listed = items(IDS.read_text(encoding="utf-8"))
    found = found_by_item(collected(), [item.name for item in listed])
    outcome_of = outcomes(chosen.junit) if chosen.junit else None
    by_use = marks(MARKS.read_text(encoding="utf-8"))
    lost = unknown_names(by_use, PACKAGE)
    state_of = states(by_use, used_names(by_use, PACKAGE))
    results = {
        item.name: result_of(found[item.name], outcome_of, state_of.get(item.name))
        for item in listed
    }
    for item in listed:
        if chosen.failing_only and results[item.name] in _GOOD:
            continue
        print(f"{item.name}  {results[item.name]:9}  {item.words}")  # noqa: T201 - a script
        for test in found[item.name]:
            print(f"           {test}")  # noqa: T201 - a script
    for line in summary(results):
        print(line)  # noqa: T201 - a script
    if lost:
        print(f"{MARKS.name} names what is no more: {', '.join(sorted(lost))}")  # noqa: T201 - a script
    return 1 if lost or unproved(results) else 0


def summary(results: Mapping[str, str]) -> Iterator[str]:
    """How many items are proved, and which are not."""
    proved = sum(result in _GOOD for result in results.values())
    yield f"{proved} of {len(results)} items proved; not: {', '.join(unproved(results)) or 'none'}"
    for state, meaning in _STATES.items():
        names = [name for name, result in results.items() if result == state]
        yield f"{state}: {len(names)}, {meaning}: {', '.join(names) or 'none'}"


def unproved(results: Mapping[str, str]) -> list[str]:
    """The items that fail."""
    return [name for name, result in results.items() if result not in (*_GOOD, *_STATES)]


if __name__ == "__main__":
    sys.exit(main())
