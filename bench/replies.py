"""Our reading of model replies beside other libraries: `python -m bench.replies --help`.

Prints, for every reader that is installed, how many replies of a fresh corpus it reads right,
silently wrong, refuses without need or hangs on; where a library beats ours; and, with `--speed`,
time and memory.
"""

import argparse
from collections.abc import Sequence

from bench import accuracy, clean, hostile, speed
from bench.accuracy import Finding
from bench.corpus.case import Case, Verdict
from bench.corpus.generate import cases
from bench.readers import Reader, installed

SHORT = {
    Verdict.RIGHT: "right",
    Verdict.SILENT: "SILENT",
    Verdict.REFUSED: "refused",
    Verdict.HUNG: "hung",
}


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.replies", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="draws other cases (default 1)")
    parser.add_argument("--cases", type=int, default=3300, help="about how many (default 3300)")
    parser.add_argument("--only", default="", help="part of the names of the classes to draw")
    parser.add_argument("--reader", default="", help="part of the names of the readers to ask")
    parser.add_argument("--per-class", action="store_true", help="every class of every reader")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N failures of ours")
    parser.add_argument("--speed", action="store_true", help="measure time and memory too")
    return parser.parse_args(given)


def print_totals(results: dict[str, list[Finding]]) -> None:
    """One line per reader: totals, then right% / silent% per group."""
    groups = list(next(iter(accuracy.by_group(one) for one in results.values())))
    print(
        f"{'reader':26} {'right':>6} {'SILENT':>6} {'refused':>7} {'hung':>5}  "
        + " ".join(f"{group:>11}" for group in groups)
    )
    for name, findings in results.items():
        total = accuracy.tally(findings)
        parts = accuracy.by_group(findings)
        shares = " ".join(
            f"{part.percent(Verdict.RIGHT):5.0f}/{part.percent(Verdict.SILENT):<5.1f}"
            for part in parts.values()
        )
        print(
            f"{name:26} {total.percent(Verdict.RIGHT):6.1f} {total.percent(Verdict.SILENT):6.1f}"
            f" {total.percent(Verdict.REFUSED):7.1f} {total.counts[Verdict.HUNG]:5d}  {shares}"
        )


def print_classes(name: str, findings: list[Finding], *, every: bool) -> None:
    """The classes of one reader; without `every`, only those that are not all right."""
    print(f"\n{name}, per class")
    for kind, part in accuracy.by_class(findings).items():
        if every or part.percent(Verdict.RIGHT) < 100:
            counts = "  ".join(f"{SHORT[one]} {part.counts[one]}" for one in Verdict)
            print(f"  {kind:32} {counts}")


def print_beaten(results: dict[str, list[Finding]]) -> None:
    """The classes in which some library is right more often than the first reader."""
    (ours, mine), *others = [(name, accuracy.by_class(one)) for name, one in results.items()]
    print(f"\nClasses where a library leads {ours}")
    for kind, part in mine.items():
        best = max(others, key=lambda other: other[1][kind].percent(Verdict.RIGHT), default=None)
        if best is not None and best[1][kind].percent(Verdict.RIGHT) > part.percent(Verdict.RIGHT):
            print(
                f"  {kind:32} {part.percent(Verdict.RIGHT):5.1f}  "
                f"{best[0]} {best[1][kind].percent(Verdict.RIGHT):5.1f}"
            )


def print_failures(findings: list[Finding], count: int) -> None:
    """The first failures, silently wrong ones first."""
    failed = [one for one in findings if one.verdict is not Verdict.RIGHT]
    failed.sort(key=lambda one: one.verdict is not Verdict.SILENT)
    for one in failed[:count]:
        print(f"\n{one.case.name} ({one.verdict}, {one.case.kind.policy})")
        print(f"  text  {one.case.draft.text!r}\n  got   {one.answer.value!r}")
        print(f"  meant {one.case.draft.value!r}")


def main() -> None:
    """Draw the corpus, ask every reader, print the tables."""
    options = arguments()
    readers = [one for one in installed() if options.reader in one.name]
    drawn = cases(options.seed, options.cases, options.only)
    if not drawn or not readers:
        print("Nothing to compare: no class or no reader has such a name.")
        return
    print_accuracy(options, readers, drawn)
    if options.speed:
        speed.print_throughput(readers)
        clean.print_clean()
        speed.print_damages()
        speed.print_hostile(readers)
        hostile.print_parsers()


def print_accuracy(options: argparse.Namespace, readers: list[Reader], drawn: list[Case]) -> None:
    """All tables about right and wrong."""
    kinds = len({case.kind.name for case in drawn})
    print(f"{len(drawn)} replies of {kinds} classes, seed {options.seed}\n")
    results = {reader.name: accuracy.find(reader, drawn) for reader in readers}
    print_totals(results)
    first = next(iter(results))
    for name in results if options.per_class else [first]:
        print_classes(name, results[name], every=options.per_class)
    if len(results) > 1:
        print_beaten(results)
    print_failures(results[first], options.show)


if __name__ == "__main__":
    main()
