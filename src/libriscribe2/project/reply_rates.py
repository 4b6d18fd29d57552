"""The four rates that say how well replies were read, from a project's dumps and journal.

They are the "Metrics to Track" of the LibriScribe2 design document.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, with what it was counted from.

    Attributes:
        name: What is counted.
        count: The numerator.
        of: The denominator; 0 means that nothing was there to count.
        agent: Class name of the agent, or "" for all.
        model: The model, or "" for all.
    """

    name: str
    count: int
    of: int
    agent: str = ""
    model: str = ""


def reply_rates(dumps: Iterable[Mapping[str, Any]], calls: int, filtered: int) -> list[Rate]:
    """The rates over all replies, then per agent and model.

    Args:
        dumps: What the dumps say (`DebugDumps.load`).
        calls: All calls that had an outcome.
        filtered: Those that the content filter withheld.
    """
    groups: dict[tuple[str, str], Counter[str]] = {("", ""): Counter()}
    for dump in dumps:
        own = groups.setdefault((dump.get("agent_name", ""), dump.get("model", "")), Counter())
        for counted in _facts(dump):
            own[counted] += 1
            groups["", ""][counted] += 1
    overall = [Rate("content_filtering_occurrence", filtered, calls)]
    return overall + [rate for group in groups.items() for rate in _rates(*group)]


def _facts(dump: Mapping[str, Any]) -> Iterator[str]:
    """What one attempt counts as."""
    accepted = not dump.get("feedback")
    if dump.get("formatting_issues"):
        yield "untidy"
        if accepted:
            yield "untidy and accepted"
    if dump.get("content_type") == "json":
        yield "json"
        if dump.get("extraction_method") != "failed":
            yield "extracted"
            if not accepted:
                yield "invalid"


def _rates(group: tuple[str, str], counts: Counter[str]) -> list[Rate]:
    """The rates of one agent and model."""
    return [
        Rate("json_extraction_success", counts["extracted"], counts["json"], *group),
        Rate("validation_failure", counts["invalid"], counts["extracted"], *group),
        Rate("cleanup_effectiveness", counts["untidy and accepted"], counts["untidy"], *group),
    ]
