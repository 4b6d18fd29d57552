"""Right, silently wrong, refused without need, hung: per class, per group and in total."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from bench.corpus.case import REFUSED, Answer, Case, Verdict, judge
from bench.limits import OutOfTime, time_limit
from bench.readers import Reader

SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Finding:
    """How one reader did on one case."""

    case: Case
    answer: Answer
    verdict: Verdict


@dataclass(slots=True)
class Tally:
    """Counts of verdicts."""

    counts: Counter[Verdict] = field(default_factory=Counter)

    def percent(self, verdict: Verdict) -> float:
        """Share of `verdict` in percent; 0 where nothing was counted."""
        total = self.counts.total()
        return 100 * self.counts[verdict] / total if total else 0.0


def answer_of(reader: Reader, case: Case) -> Answer | None:
    """What `reader` makes of a case; None when it hung or broke down."""
    try:
        with time_limit(SECONDS):
            return reader.read(case.draft.text, case.draft.schema)
    except (OutOfTime, RecursionError, MemoryError):
        return None
    except Exception:  # noqa: BLE001 - libraries refuse with exceptions of every kind
        return REFUSED


def find(reader: Reader, cases: Iterable[Case]) -> list[Finding]:
    """Ask `reader` about every case."""
    found = []
    for case in cases:
        answer = answer_of(reader, case)
        verdict = (
            judge(case.kind.policy, case.draft, answer) if answer is not None else Verdict.HUNG
        )
        found.append(Finding(case, answer or REFUSED, verdict))
    return found


def tally(findings: Iterable[Finding]) -> Tally:
    """Count the verdicts."""
    return Tally(Counter(one.verdict for one in findings))


def by_class(findings: Sequence[Finding]) -> dict[str, Tally]:
    """Verdicts per class, in the order of the corpus."""
    return _grouped(findings, lambda one: one.case.kind.name)


def by_group(findings: Sequence[Finding]) -> dict[str, Tally]:
    """Verdicts per group, in the order of the corpus."""
    return _grouped(findings, lambda one: one.case.kind.group)


def _grouped(findings: Sequence[Finding], name: Callable[[Finding], str]) -> dict[str, Tally]:
    found: dict[str, Tally] = {}
    for one in findings:
        found.setdefault(name(one), Tally()).counts[one.verdict] += 1
    return found
