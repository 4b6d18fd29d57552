"""Event names and counters: what a run can tell about itself.

The log messages by their names are those of the LibriScribe2 design document ("Monitoring and
Logging"); the counters behind the four rates are its "Metrics to Track".
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

JSON_EXTRACTION_WARNING: Final = "JSON_EXTRACTION_WARNING"
JSON_VALIDATION_ERROR: Final = "JSON_VALIDATION_ERROR"
CONTENT_FILTERING_DETECTED: Final = "CONTENT_FILTERING_DETECTED"
FALLBACK_GENERATION_USED: Final = "FALLBACK_GENERATION_USED"


@dataclass
class Counters:
    """Named counts, one tally per (name, agent, model).

    A plain tally and no global: the composition root makes one per run and hands it down.
    """

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, name: str, *, agent: str = "", model: str = "", by: int = 1) -> None:
        """Count `name` once more (or `by` times) for an agent and a model."""
        self.counts[name, agent, model] += by

    def total(self, name: str) -> int:
        """The count of `name` over all agents and models."""
        return sum(count for (counted, _, _), count in self.counts.items() if counted == name)
