"""Planted bugs: each is put into a copy of the program, and the bar that is there for it must fail.

`make mutants` runs all; names of bars as arguments (`test_bar_11`) run those. A bar counts only if
it has caught its bug.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final

from tests.reliability.planted import MUTANTS, Mutant

ROOT: Final = Path(__file__).parents[2]
COPIED: Final = ("src", "tests", "docs", "pyproject.toml", "uv.lock")
LONGEST_SECONDS: Final = 1_200
HISTORIES: Final = "1000"
EVERY: Final = ("-m", "not soak and not postgres and not browser and not live")
"""A bar's slow tests count, too, unless the bug names its own."""

CAUGHT: Final = 1
"""Exit code of pytest where tests ran and failed."""


def main() -> int:
    """Run the bars on an unharmed copy, then each planted bug; return the exit code."""
    wanted = _wanted(sys.argv[1:])
    _check_texts(wanted)
    width = max(len(one.name) for one in wanted)
    good = True
    with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as several:
        place = Path(folder)
        for bar, code in several.map(lambda one: _unharmed(place, one), _scripts(wanted)):
            good &= code == 0
            _tell(bar, f"{'nothing planted':{width}}  {'passes' if code == 0 else 'FAILS'}")
        results = several.map(lambda pair: _result(place, *pair), enumerate(wanted))
        for mutant, told in zip(wanted, results, strict=True):
            good &= told == "caught"
            _tell(mutant.bar, f"{mutant.name:{width}}  {told}")
    return int(not good)


def _wanted(bars: Sequence[str]) -> list[Mutant]:
    """The planted bugs of these bars, or all; stops where a bar has none."""
    known = {one.bar for one in MUTANTS}
    if unknown := sorted(set(bars) - known):
        raise SystemExit(
            f"no bug is planted for {', '.join(unknown)}; known: {', '.join(sorted(known))}"
        )
    return [one for one in MUTANTS if not bars or one.bar in bars]


def _tell(bar: str, words: str) -> None:
    """A line of the table, as soon as it is known."""
    sys.stdout.write(f"{bar.replace('test_bar_', 'bar ')}  {words}\n")
    sys.stdout.flush()


def _check_texts(wanted: list[Mutant]) -> None:
    """Stop at once where the program has changed under a planted bug."""
    for mutant in wanted:
        text = (ROOT / "src" / "libriscribe2" / mutant.file).read_text(encoding="utf-8")
        if text.count(mutant.old) != 1:
            raise SystemExit(f"{mutant.file} does not hold exactly once: {mutant.old!r}")


def _scripts(wanted: list[Mutant]) -> list[tuple[str, tuple[str, ...]]]:
    """The bars to run, each with its options, once."""
    return list(dict.fromkeys((one.bar, one.options) for one in wanted))


def _unharmed(folder: Path, script: tuple[str, tuple[str, ...]]) -> tuple[str, int]:
    bar, options = script
    place = Path(mkdtemp(prefix=bar, dir=folder)) / "copy"
    _copy(place)
    return bar, _run(place, bar, options)


def _result(folder: Path, number: int, mutant: Mutant) -> str:
    """What came of a planted bug, in a word."""
    place = folder / str(number)
    _copy(place)
    broken = place / "src" / "libriscribe2" / mutant.file
    text = broken.read_text(encoding="utf-8")
    broken.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    code = _run(place, mutant.bar, mutant.options)
    shutil.rmtree(place)
    return {CAUGHT: "caught", 0: "SURVIVED"}.get(code, f"BROKEN (pytest exit code {code})")


def _copy(place: Path) -> None:
    place.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, place / name, ignore=ignored)
        else:
            shutil.copy(source, place / name)


def _run(place: Path, bar: str, options: tuple[str, ...]) -> int:
    """The exit code of a bar on a copy of the program."""
    (script,) = (place / "tests" / "reliability").glob(f"{bar}*.py")
    path = os.pathsep.join((str(place), str(place / "src")))
    # Bars of several versions take these from the repository, which the copy lacks. GIT_DIR would
    # have the bars that keep books in git keep them in this repository.
    more = {"PYTHONPATH": path, "HISTORIES": HISTORIES, "VERSIONS_FROM": str(ROOT)}
    try:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", *(options or EVERY), str(script)],
            cwd=place,
            env={**os.environ, **more},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LONGEST_SECONDS,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        return -1


if __name__ == "__main__":
    sys.exit(main())
